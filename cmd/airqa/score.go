package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"airqa/bench"
	"airqa/eval"
	"airqa/eval/stream"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/report/render"
	"airqa/run/importer"
	"airqa/run/scoring"
	"airqa/runlog"
)

type scoreCmd struct {
	Dirs []string `arg:"" optional:"" name:"run" help:"Run directories, or folders of them."`

	Gold         string `placeholder:"FILE" help:"Questions with evaluators, or the data of --benchmark, to score a file of predictions."`
	Pred         string `placeholder:"FILE" help:"Predictions: JSON Lines of {\"uuid\": ..., \"answer\": ...}, optionally with \"repeat\": N, as in the authors' result.jsonl; CSV with these columns; or the format of --benchmark."`
	Out          string `short:"o" placeholder:"DIR" help:"Make a run of the predictions, for airqa report, compare and trace."`
	AnsweredOnly bool   `help:"Score only questions with a prediction."`
	Benchmark    string `placeholder:"NAME" help:"Benchmark of the files, as listed by airqa list baselines."`
	bench.Choice
	ScoreCores int `name:"cores" default:"0" help:"Processors to use (0 = all)."`

	Explain string `placeholder:"UUID" help:"Show how one answer is scored, in both modes. A uuid prefix is enough; add #K for a repeat."`
	jsonFlag
	scoringFlag
	paperFlag
	judgeFlags
}

type scoringFlag struct {
	Scoring string `default:"reference" enum:"reference,fixed" help:"Scoring mode: reference (the authors' code, as used for the published numbers) or fixed (known bugs fixed)."`
}

func (c scoreCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Out != "" {
		return c.makeRun(a)
	}
	if len(c.Dirs) == 0 {
		return c.scoreFiles(a)
	}
	dirs, err := runlog.Find(c.Dirs)
	if err != nil {
		return err
	}
	if c.Explain != "" {
		return c.explainRun(a, dirs)
	}
	sum, err := c.scoreDirs(a, dirs)
	if err != nil {
		return err
	}
	where := strings.Repeat(" %s", len(c.Dirs))
	switch {
	case c.JSON:
	case sum.Answers == sum.NoEvaluator:
		a.next("airqa trace"+where, c.Dirs...)
	default:
		a.next("airqa report"+where, c.Dirs...)
	}
	return c.verdict(sum)
}

// scoreDirs scores runs in turn and sums up what could not be scored. With several runs, one without finished questions is
// left out.
func (c scoreCmd) scoreDirs(a *app, dirs []string) (sum scoring.Totals, err error) {
	left := 0
	for _, dir := range dirs {
		t, err := c.scoreDir(a, dir, len(dirs) > 1)
		if errors.Is(err, scoring.ErrNothingEnded) && len(dirs) > 1 {
			a.say("note: left out: %v", err)
			left++
			continue
		}
		if err != nil {
			return sum, err
		}
		sum.Answers += t.Answers
		sum.Unscored, sum.Faulty = sum.Unscored+t.Unscored, sum.Faulty+t.Faulty
		sum.NoEvaluator, sum.Undefined = sum.NoEvaluator+t.NoEvaluator, sum.Undefined+t.Undefined
		sum.Why = cmp.Or(sum.Why, t.Why)
	}
	if left == len(dirs) {
		return sum, errors.New("none of these runs has a finished question")
	}
	return sum, nil
}

// verdict sets the exit code for unscored answers.
func (c scoreCmd) verdict(sum scoring.Totals) error {
	unscored := sum.Unscored - sum.Faulty - sum.NoEvaluator - sum.Undefined
	switch {
	case unscored > 0 && c.Judge != scoring.NoJudge:
		return withCode(exitFailedExamples, fmt.Errorf(
			"%s unscored (not a zero); first reason: %s\n  the same command retries; --json prints every reason",
			terminal.Plural(unscored, "answer"), terminal.Clip(sum.Why, 200))) // an endpoint may send a whole page
	case sum.Faulty > 0:
		return withCode(exitFailedExamples, fmt.Errorf("%s unscored: faulty evaluator; airqa questions lint shows the faults", terminal.Plural(sum.Faulty, "answer")))
	}
	return nil
}

// scoreFiles scores a file of predictions, or explains one of them.
func (c scoreCmd) scoreFiles(a *app) (err error) {
	j, err := c.openJudge(a, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	c.Judge = j.Name
	if c.Explain != "" {
		return c.explainFile(a, j)
	}
	t, err := c.scoreFile(a, j)
	if err == nil && j.Absent != nil && t.Unscored > t.Faulty {
		return withCode(exitFailedExamples, fmt.Errorf("%d of %s need a judge: %w", t.Unscored-t.Faulty, terminal.Plural(t.Answers, "answer"), j.Absent))
	}
	return errors.Join(err, c.verdict(t))
}

// scoreFile scores a file of predictions, and writes JSON lines to standard output with --json.
func (c scoreCmd) scoreFile(a *app, j *scoring.Judge) (t scoring.Totals, err error) {
	files := stream.Files{Golds: c.Gold, Predictions: c.Pred, AnsweredOnly: c.AnsweredOnly}
	if c.JSON {
		return c.by(a, j).Files(files, a.out)
	}
	if t, err = c.by(a, j).Files(files, nil); err != nil {
		return t, err
	}
	return t, a.print(t.Text())
}

// makeRun makes a run of the predictions and scores it.
func (c scoreCmd) makeRun(a *app) error {
	examples, answers, faults, err := c.predictions(a)
	if err != nil {
		return err
	}
	const shown = 5
	for i, f := range faults {
		if i == shown {
			a.say("and %d more faults of predictions", len(faults)-shown)
			break
		}
		a.say("warning: %v", f)
	}
	known := make(map[string]bool, len(examples))
	for _, ex := range examples {
		known[ex.UUID] = true
	}
	all := len(answers)
	answered := make(map[string]bool, all)
	answers = slices.DeleteFunc(answers, func(p importer.Prediction) bool {
		answered[p.UUID] = true
		return !known[p.UUID]
	})
	if len(answers) == 0 {
		return fmt.Errorf("%s has no prediction for any question of %s", c.Pred, c.Gold)
	}
	if n := all - len(answers); n > 0 {
		a.say("warning: %d predictions match no question of %s", n, c.Gold)
	}
	if c.AnsweredOnly {
		examples = slices.DeleteFunc(examples, func(ex qa.Example) bool { return !answered[ex.UUID] })
	}
	config := importer.Config{Paths: []string{c.Pred}, Out: c.Out, Program: program, Redact: a.redactor()}
	if _, err := importer.Predictions(a.ctx, config, examples, answers, a.now()); err != nil {
		return err
	}
	sum, err := c.scoreDir(a, c.Out, false)
	if err != nil {
		return err
	}
	a.next("airqa report %s", c.Out)
	if c.Benchmark != "" {
		a.next("airqa bench baseline %s --dataset %s --run %s", c.Benchmark, c.Gold, c.Out)
	}
	return c.verdict(sum)
}

func (c scoreCmd) predictions(a *app) (examples []qa.Example, answers []importer.Prediction, faults []*dataset.Fault, err error) {
	if c.Benchmark != "" {
		return c.ofBenchmark()
	}
	if examples, err = a.session().Questions(c.Gold); err != nil {
		return nil, nil, nil, err
	}
	list, faults, err := stream.Answers(c.Pred)
	for _, p := range list {
		answers = append(answers, importer.Prediction{UUID: p.UUID, Repeat: p.Repeat, Answer: qa.Answer{Given: true, Text: p.Prediction.String()}})
	}
	return examples, answers, faults, err
}

// ofBenchmark reads the questions and the predictions of a companion benchmark.
func (c scoreCmd) ofBenchmark() (examples []qa.Example, answers []importer.Prediction, faults []*dataset.Fault, err error) {
	b, err := findBenchmark(c.Benchmark)
	if err != nil {
		return nil, nil, nil, err
	}
	data, err := b.Load(c.Gold, c.Choice)
	if err != nil {
		return nil, nil, nil, err
	}
	if examples, err = bench.Questions(data, bench.Config{}); err != nil {
		return nil, nil, nil, err
	}
	given, faults, err := b.Predictions.Read(c.Pred, data)
	for _, ex := range examples {
		if answer, ok := given[ex.UUID]; ok {
			answers = append(answers, importer.Prediction{UUID: ex.UUID, Answer: answer})
		}
	}
	return examples, answers, faults, err
}

func (c scoreCmd) by(a *app, j *scoring.Judge) scoring.Scoring {
	return scoring.Scoring{
		Session: a.session(), Mode: eval.Mode(c.Scoring), Judge: j, Cores: c.ScoreCores, JudgeConcurrency: c.JudgeConcurrency,
	}
}

// scoreDir scores one run and prints its totals.
func (c scoreCmd) scoreDir(a *app, dir string, several bool) (t scoring.Totals, err error) {
	j, err := c.openJudge(a, filepath.Join(dir, runlog.VerdictsFile))
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	by := c.by(a, j)
	if j.Absent != nil {
		// Scores without a judge would replace better ones.
		if n, all, err := by.NeedJudge(a.ctx, dir); err != nil || n > 0 {
			return t, cmp.Or(err, qa.Usagef("%d of %s of %s need a judge: %w", n, terminal.Plural(all, "answer"), dir, j.Absent))
		}
	}
	scores, err := by.Run(dir)
	if err != nil {
		return t, err
	}
	t = scoring.Count(scores, by.Mode, j.Name)
	if several {
		t.Run = dir
	}
	if spent := j.Spent(); spent.Calls > 0 {
		a.say("%s: %d judge calls, %d tokens", dir, spent.Calls, spent.Usage.Prompt+spent.Usage.Completion)
	}
	if !c.JSON {
		return t, a.print(t.Text())
	}
	w := scoring.NewLines(a.out)
	for _, s := range scores {
		if err := w.Write(s); err != nil {
			return t, err
		}
	}
	return t, w.End(t)
}

func (c scoreCmd) check() error {
	files := c.Gold != "" || c.Pred != ""
	switch {
	case files && len(c.Dirs) > 0:
		return qa.Usagef("give either run directories, or --gold and --pred")
	case files && (c.Gold == "" || c.Pred == ""):
		return qa.Usagef("--gold and --pred must be given together")
	case !files && len(c.Dirs) == 0:
		return qa.Usagef("name a run directory, or --gold and --pred; airqa score --help shows both")
	}
	return c.checkFiles()
}

func (c scoreCmd) checkFiles() error {
	switch {
	case c.ScoreCores < 0:
		return qa.Usagef("--cores %d: must not be negative (0 = all)", c.ScoreCores)
	case c.Out != "" && (c.Gold == "" || c.Explain != ""):
		return qa.Usagef("--out makes a run of --gold and --pred; the scores of a run are in RUN/scores/")
	case c.Benchmark != "" && c.Out == "":
		return qa.Usagef("--benchmark needs --out DIR for the run that the predictions make")
	case (c.Setting != "" || c.Annotations != "") && c.Benchmark == "":
		return qa.Usagef("--setting and --annotations need --benchmark")
	case c.AnsweredOnly && c.Gold == "":
		return qa.Usagef("--answered-only needs --gold and --pred")
	}
	return nil
}

// explainRun shows how one answer of a run is scored, by the given judge or else the one of the newest scoring.
func (c scoreCmd) explainRun(a *app, dirs []string) (err error) {
	if len(dirs) != 1 {
		return qa.Usagef("--explain takes one run, not %d", len(dirs))
	}
	judges, err := c.judges()
	if err != nil {
		return err
	}
	var refused error
	if list, _ := runlog.Scorings(dirs[0]); len(list) > 0 && len(judges.Names) == 0 {
		if c.JudgeBaseURL == "" {
			refused = checkRecordedAddress(dirs[0], "scores", "judge-base-url", list[0].JudgeBaseURL)
		}
		judges = judges.Recorded(list[0])
	}
	j, err := judges.Open(a.session(), filepath.Join(dirs[0], runlog.VerdictsFile))
	if err != nil {
		return err
	}
	j.Refused = refused
	defer func() { err = errors.Join(err, j.Close()) }()
	r, examples, err := a.session().OpenRun(dirs[0])
	if err != nil {
		return err
	}
	ex, repeat, err := dataset.Find(examples, c.Explain)
	if err != nil {
		return err
	}
	rec, err := r.Episode(ex.UUID, repeat)
	switch {
	case err != nil:
		return fmt.Errorf("%s, repeat %d: %w", ex.UUID, repeat, err)
	case !rec.Answer.Given:
		return fmt.Errorf("%s has no answer to explain: its outcome is %q", ex.UUID, rec.Outcome)
	}
	return c.explain(a, ex, eval.Answer(rec.Answer), j)
}

func (c scoreCmd) explainFile(a *app, j *scoring.Judge) error {
	examples, err := a.session().Questions(c.Gold)
	if err != nil {
		return err
	}
	ex, repeat, err := dataset.Find(examples, c.Explain)
	if err != nil {
		return err
	}
	p, err := stream.Find(c.Pred, ex.UUID, repeat)
	if err != nil {
		return err
	}
	return c.explain(a, ex, p, j)
}

// explain prints how an answer is scored in both modes.
func (f jsonFlag) explain(a *app, ex qa.Example, answer eval.Prediction, j *scoring.Judge) error {
	x := eval.New(eval.Config{Judge: j.Judge, Others: companions()}).Explain(a.ctx, ex.Evaluator, answer)
	o := render.Options{Width: a.width}
	if f.JSON {
		o.Format = "json"
	}
	return render.Explanation(a.out, ex, x, o)
}
