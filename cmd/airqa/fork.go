package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/baselines"
	"airqa/env"
	"airqa/internal/exit"
	"airqa/qa"
	"airqa/run/runlog"
	"airqa/run/session"
)

type forkCmd struct {
	Dir         string `arg:"" name:"run" help:"Run directory."`
	UUID        string `arg:"" name:"uuid" help:"Question, or the beginning of its uuid; uuid#1 for its second repeat."`
	At          int    `required:"" env:"-" placeholder:"STEP" help:"Step whose message is changed, as airqa trace counts them."`
	Reply       string `env:"-" placeholder:"FILE" help:"Replace the model's reply at this step with FILE; - reads standard input."`
	Observation string `env:"-" placeholder:"FILE" help:"Replace the observation of this step with FILE; - reads standard input."`
	Edit        bool   `env:"-" help:"Change the message in $VISUAL or $EDITOR."`
	Message     string `env:"-" default:"reply" enum:"reply,observation" help:"What --edit changes: reply or observation."`
	Out         string `short:"o" env:"-" placeholder:"DIR" help:"Directory of the branch; without it RUN/forks/UUID-sSTEP-N."`
	By          string `env:"-" placeholder:"NAME" help:"Who changed it, for the record; without it the user's name."`
	dataFlags
	Model string `short:"m" env:"-" placeholder:"PROVIDER:NAME" help:"Another model from here on. Without it, and for all of the following, what the run was made with."`
	session.Endpoint
	qa.QuestionLimits
	session.Budget
	cacheFlags
}

// Help implements kong.HelpProvider.
func (forkCmd) Help() string {
	return `Examples:
  airqa fork runs/hybrid 00608f20 --at 3 --edit
  echo '(no rows)' | airqa fork runs/hybrid 00608f20 --at 2 --observation - --out runs/what-if --model openai:gpt-4o

The branch is a run directory with this one episode: what came before the step is copied, the rest happens anew. Its path is
printed; airqa trace, score and report read it. Where replies are native tool calls, a changed reply may be JSON:
{"text": "...", "tool_calls": [{"name": "Query", "arguments": {"sql": "..."}}]}`
}

// Run implements the sub-command.
func (c forkCmd) Run(a *app) error {
	a.modelAt = c.BaseURL
	if err := c.check(); err != nil {
		return err
	}
	r, examples, err := a.openRun(c.Dir)
	if err != nil {
		return err
	}
	b, err := c.branch(r)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(examples, func(ex qa.Example) bool { return ex.UUID == b.rec.UUID })
	if i < 0 {
		return fmt.Errorf("%s does not hold the question of %s", c.Dir, b.rec.Episode)
	}
	if err := c.change(a, b); err != nil {
		return err
	}
	return c.goOn(a, b, examples[i])
}

func (c forkCmd) check() error {
	given := 0
	for _, is := range []bool{c.Reply != "", c.Observation != "", c.Edit} {
		if is {
			given++
		}
	}
	if given != 1 {
		return exit.Misuse("say what to change: --reply FILE, --observation FILE or --edit")
	}
	if c.Message == runlog.ForkObservation && !c.Edit {
		return exit.Misuse("--message goes with --edit")
	}
	return errors.Join(c.Budget.Check(), session.CheckLimits(c.QuestionLimits))
}

// branch is an episode up to the message that is changed.
type branch struct {
	run      *runlog.Run
	baseline baselines.Baseline
	rec      runlog.Recorded
	// step is the one whose message is changed, events what is copied.
	step   qa.Step
	events []runlog.Event
	note   runlog.Fork
	// reply or observation is what is put in the place of the recorded one.
	reply       qa.Reply
	observation qa.Observation
}

// branch finds the step and refuses one that cannot be changed.
func (c forkCmd) branch(r *runlog.Run) (*branch, error) {
	b := &branch{run: r}
	var err error
	if b.baseline, err = baselines.Find(r.Config.Shape.Baseline); err != nil {
		return nil, err
	}
	if !b.baseline.Loop {
		return nil, exit.Misuse("%s is a run of %s, which asks without a loop: nothing follows from a changed message; run the question anew", c.Dir, b.baseline.Name)
	}
	id, err := findEpisode(r.UUIDs(), c.UUID)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Dir, err)
	}
	uuid, repeat := qa.SplitEpisodeID(id)
	if b.rec, err = r.Episode(uuid, repeat); err != nil {
		return nil, err
	}
	if err := r.LoadImages(&b.rec); err != nil {
		return nil, err
	}
	b.note = runlog.Fork{Episode: id, Step: c.At, Changed: c.changes(), By: c.By}
	if b.events, err = r.Events(id); err != nil {
		return nil, err
	}
	return b, b.cut(c.At)
}

func (c forkCmd) changes() string {
	if c.Observation != "" || c.Edit && c.Message == runlog.ForkObservation {
		return runlog.ForkObservation
	}
	return runlog.ForkReply
}

// findEpisode takes a whole uuid for its first repeat, and otherwise the beginning of an episode.
func findEpisode(all []string, given string) (string, error) {
	if id := qa.EpisodeID(given, 0); slices.Contains(all, id) {
		return id, nil
	}
	return match(all, given)
}

// cut leaves of the events what comes before the changed message.
func (b *branch) cut(at int) error {
	if at < 1 || at > len(b.rec.Steps) {
		return exit.Misuse("--at %d: %s has the steps 1 to %d", at, b.rec.Episode, len(b.rec.Steps))
	}
	b.step = b.rec.Steps[at-1]
	switch {
	case b.step.By != qa.ByModel:
		return exit.Misuse("--at %d: the program took this step by itself, so it holds no message of the model", at)
	case b.note.Changed == runlog.ForkObservation && b.step.Observation == nil:
		return exit.Misuse("--at %d: nothing was shown after this step; change its reply", at)
	}
	call := slices.IndexFunc(b.events, func(ev runlog.Event) bool { return ev.Type == runlog.TypeCall && ev.Step == at })
	if call < 0 {
		return fmt.Errorf("%s: the call of step %d is not in the log", b.rec.Episode, at)
	}
	if b.note.Changed == runlog.ForkObservation {
		call++
	}
	b.events = b.events[:call]
	return nil
}

// goOn makes the run directory of the branch and runs what follows.
func (c forkCmd) goOn(a *app, b *branch, ex qa.Example) error {
	if b.note.By == "" {
		b.note.By = a.getenv("USER")
	}
	dir, err := c.place(b)
	if err != nil {
		return err
	}
	models := c.Opener()
	models.Notify = a.notify
	m, err := models.Open(c.Model, a.getenv)
	if err == nil {
		m.Price, err = c.PriceOf(m, c.QuestionLimits)
	}
	if err != nil {
		return err
	}
	settings := qa.SettingsOf(b.run.Config.Shape.Settings)
	settings.QuestionLimits = c.QuestionLimits
	world, err := c.open(a, env.Config{Mode: env.Mode(settings.Retrieve), QueryDeadline: session.QueryDeadline(c.QuerySeconds), NoSearch: !b.baseline.Searches()})
	if err != nil {
		return err
	}
	defer func() { _ = world.Close() }()
	store, err := c.openCache(a)
	if err != nil {
		return err
	}
	defer a.closeCache(c.Cache, store)
	ended, err := a.session().Execute(a.ctx, session.Plan{
		World: world, Examples: []qa.Example{ex}, Picked: []qa.Example{ex}, Settings: settings, Workers: 1,
		Repeats: b.rec.Repeat + 1, Budget: c.Budget,
		Note:  runlog.Note{QuestionsFile: filepath.Join(c.Dir, runlog.QuestionsFile), DataDir: c.Data, Fork: &b.note},
		Cache: store, First: b.first,
		Only:  func(uuid string, repeat int) bool { return uuid == b.rec.UUID && repeat == b.rec.Repeat },
		Check: func(now runlog.Config) error { return b.check(a, now) }, Seed: func(w *runlog.Writer) error { return b.seed(dir, w) },
	}, []session.Job{{Baseline: b.baseline, Opened: m, Dir: dir, Name: b.baseline.Name}})
	if err != nil {
		return err
	}
	return errors.Join(a.print(dir), a.session().End(ended, dir, nil))
}

// place is the directory of the branch, which is not there yet.
func (c forkCmd) place(b *branch) (string, error) {
	dir, err := c.Out, error(nil)
	if dir == "" {
		if dir, err = c.free(b); err != nil {
			return "", err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, runlog.RunFile)); err == nil {
		return "", exit.Misuse("%s is a run already; a branch gets a directory of its own", dir)
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(c.Dir)
	if err != nil {
		return "", err
	}
	back, err := filepath.Rel(from, to)
	b.note.Run = filepath.ToSlash(back)
	return dir, err
}

// longestBranch bounds the part of a branch's name that comes from a uuid; file systems allow 255 bytes.
const longestBranch = 100

// free returns the first path for the branch that does not exist yet.
func (c forkCmd) free(b *branch) (string, error) {
	name := notInNames.ReplaceAllString(b.rec.UUID, "-")
	if len(name) > longestBranch {
		name = name[:longestBranch] + "-" + runlog.Hash(b.rec.UUID)[:12]
	}
	if b.rec.Repeat > 0 {
		name += fmt.Sprintf("-r%d", b.rec.Repeat)
	}
	for n := 1; ; n++ {
		dir := filepath.Join(c.Dir, "forks", fmt.Sprintf("%s-s%d-%d", name, c.At, n))
		_, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return dir, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// check refuses a branch whose beginning this program would not have shown so, and tells of what else differs.
func (b *branch) check(a *app, now runlog.Config) error {
	var refused []string
	for _, line := range runlog.Differences(b.run.Config.Shape, now.Shape) {
		switch key, _, _ := strings.Cut(line, ":"); {
		case key == "questions":
		case strings.HasPrefix(key, "model.") || key == "data" || isLimit(strings.TrimPrefix(key, "settings.")):
			a.say("note: the branch goes on otherwise than the run: %s", line)
		default:
			refused = append(refused, line)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return exit.Misuse("this program shows and does other things than the one that made %s, so the episode cannot go on:\n  %s",
		b.run.Dir, strings.Join(refused, "\n  "))
}

// isLimit reports whether a key of run.json is one of a question's limits, which a fork may change.
func isLimit(key string) bool {
	return len(qa.FlagsOf(qa.QuestionLimits{}, map[string]any{key: 0.0})) > 0
}

// seed writes the beginning of the branch: what came before, and a changed observation. A changed reply comes from first.
func (b *branch) seed(dir string, w *runlog.Writer) error {
	if err := w.Copy(b.run, b.events); err != nil {
		return err
	}
	if b.note.Changed != runlog.ForkObservation {
		return nil
	}
	r, err := runlog.Open(dir)
	if err != nil {
		return err
	}
	begun, err := r.Episode(b.rec.UUID, b.rec.Repeat)
	if err != nil {
		return err
	}
	log, err := w.Begin(b.rec.UUID, b.rec.Repeat, &begun)
	if err != nil {
		return err
	}
	s := begun.Steps[b.note.Step-1]
	s.Observation, s.Acted = &b.observation, s.Ended // the change took no time of the episode
	return log.Observation(s)
}

// first answers the step with the changed reply, so that it is read and acted on like any other.
func (b *branch) first(asked qa.Model) qa.Model {
	if b.note.Changed != runlog.ForkReply {
		return asked
	}
	return changed{asked, b}
}
