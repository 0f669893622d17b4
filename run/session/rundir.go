package session

import (
	"errors"
	"maps"

	"airqa/agent"
	"airqa/baselines"
	"airqa/internal/ledger"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/runlog"
)

// loopForm is the version of the episode loop; it changes if the same replies would lead to different actions.
const loopForm = "react-1"

// openJob makes or opens the run directory of a job and charges the account with earlier usage.
func (e *execution) openJob(j Job, world baselines.World) (_ *running, err error) {
	p := e.plan
	asked, err := j.Connect(models.Requests{Account: e.account, Cache: p.Cache, Protocol: p.Settings.Protocol})
	if err != nil {
		return nil, err
	}
	if p.First != nil {
		asked = p.First(asked)
	}
	solver := baselines.New(j.Baseline, world, asked, p.Settings)
	if err := e.fillCache(j, solver); err != nil {
		return nil, err
	}
	r := &running{Job: j, solver: solver}
	if r.writer, r.recorded, err = e.openDir(j, solver, world.Schema); err != nil {
		return nil, err
	}
	var earlier budget.Spent
	for _, rec := range r.recorded {
		earlier.Usage = earlier.Usage.Add(rec.Spent)
	}
	if j.Price != nil {
		earlier.USD = j.Price.Of(earlier.Usage)
	}
	e.account.Charge(earlier)
	return r, nil
}

// openDir makes or opens the run directory of a job and reads what it has.
func (e *execution) openDir(j Job, solver *baselines.Solver, schema string) (w *runlog.Writer, recorded map[string]runlog.Recorded, err error) {
	if err := e.createRun(j, solver, schema); err != nil {
		return nil, nil, err
	}
	if w, err = runlog.OpenWriter(j.Dir, runlog.WriterConfig{Redact: e.Redact, Now: e.Now}); err != nil {
		return nil, nil, err
	}
	opened := w
	defer func() {
		if err != nil {
			err = errors.Join(err, opened.Close())
		}
	}()
	if w.Torn > 0 {
		e.Notify.Notef("%s: removed an incomplete last line of %d bytes", j.Dir, w.Torn)
	}
	_, tools, err := solver.Texts(e.plan.kind())
	if err != nil {
		return nil, nil, err
	}
	if err := w.KeepTexts(tools); err != nil { // run.json names them by hash
		return nil, nil, err
	}
	if e.plan.Seed != nil {
		if err := e.plan.Seed(w); err != nil {
			return nil, nil, err
		}
	}
	recorded, lost, err := recordedIn(j.Dir)
	if err != nil {
		return nil, nil, err
	}
	if n := len(lost.lines); n > 0 {
		e.Notify.Warnf("%s: %s of %s cannot be read, such as line %d", j.Dir, terminal.Plural(n, "line"), runlog.LogFile, lost.lines[0].Line)
	}
	if lost.episodes > 0 {
		e.Notify.Warnf("%s: %s will run again because events are missing or damaged; lost: %s, %d tokens; the first: %v", j.Dir,
			terminal.Plural(lost.episodes, "episode"), terminal.Plural(lost.calls, "call"), lost.usage.Prompt+lost.usage.Completion, lost.first)
	}
	return w, recorded, nil
}

// createRun makes the run directory, or rejects one that belongs to another configuration with a [runlog.MismatchError].
func (e *execution) createRun(j Job, solver *baselines.Solver, schema string) error {
	config, questions, err := e.Record(e.plan, j, solver, schema)
	if err != nil {
		return err
	}
	if e.plan.Check != nil {
		if err := e.plan.Check(config); err != nil {
			return err
		}
	}
	err = runlog.Create(j.Dir, config, questions)
	var mismatch *runlog.MismatchError
	if errors.As(err, &mismatch) {
		return &qa.UsageError{Err: err}
	}
	if err != nil {
		return err
	}
	existing, err := runlog.ReadConfig(j.Dir)
	if err != nil {
		return err
	}
	if was, is := models.PriceText(existing.Note.Price), models.PriceText(j.Price); was != is {
		e.Notify.Warnf("%s started with the price %s, but the budget now uses %s; status and reports use the first", j.Dir, was, is)
	}
	return nil
}

// Record returns run.json for a job, and the redacted questions as JSON Lines.
func (s Session) Record(p Plan, j Job, solver *baselines.Solver, schema string) (runlog.Config, []byte, error) {
	questions, err := dataset.Lines(p.Examples)
	if err != nil {
		return runlog.Config{}, nil, err
	}
	questions = ledger.RedactStrings(questions, s.Redact)
	described, note := maps.Clone(j.Described), p.Note
	if base, ok := described["base_url"].(string); ok {
		note.BaseURL = base
		delete(described, "base_url")
	}
	note.QuestionCount, note.Headers, note.Price = len(p.Examples), j.Headers, j.Price
	if p.Repeats > 1 {
		note.Repeats = p.Repeats
	}
	note.Tools = j.Baseline.Tools
	settings := p.Settings.Record()
	maps.Copy(settings, p.World.Retrieval())
	prompts, tools, err := solver.Texts(p.kind())
	if err != nil {
		return runlog.Config{}, nil, err
	}
	for name, text := range tools {
		tools[name] = runlog.Hash(text)
	}
	shape := runlog.Shape{
		Baseline: j.Baseline.Name, Model: described, Settings: settings, Prompts: prompts, Tools: tools,
		Schema: runlog.Hash(schema), Data: p.World.Fingerprint(), Questions: runlog.Hash(string(questions)), Loop: loopForm,
	}
	if p.Share != nil {
		shape.Shard, shape.Selected, note.ShardQuestions = p.Share.String(), p.Share.Selected, p.Share.UUIDs
	}
	config, err := runlog.Config{Program: s.Program, Created: s.Now().UTC(), Note: note, Shape: shape}.
		Redacted(s.RedactKeys) // paths of the note stay as given
	return config, questions, err
}

// QuestionBudget is the budget of one question for a model with a price.
func QuestionBudget(q qa.QuestionLimits, forecast func(qa.Request) qa.Usage, price *qa.Price) agent.Budget {
	b := agent.Budget{Tokens: q.QuestionTokens, USD: q.QuestionUSD, Seconds: q.QuestionSeconds, Deadline: q.QuestionDeadline, Forecast: forecast}
	if price != nil {
		b.Price = price.Of
	}
	if q.SQLSeconds > 0 {
		b.ToolSeconds = map[string]float64{"Query": q.SQLSeconds}
	}
	return b
}
