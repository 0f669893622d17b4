package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/plan"
	"airqa/run/session"
	"airqa/runlog"
)

type forkCmd struct {
	Dir         string `arg:"" name:"run" help:"Run directory."`
	UUID        string `arg:"" name:"uuid" help:"Question uuid or a prefix of it; add #1 for the second repeat."`
	At          int    `required:"" placeholder:"STEP" help:"Step to change, as numbered by airqa trace."`
	Reply       string `placeholder:"FILE" help:"Replace the model's reply at this step with FILE (- for standard input)."`
	Observation string `placeholder:"FILE" help:"Replace the observation of this step with FILE (- for standard input)."`
	Edit        bool   `help:"Edit the message in $VISUAL or $EDITOR."`
	Message     string `default:"reply" enum:"reply,observation" help:"Message that --edit changes: reply or observation."`
	Out         string `short:"o" placeholder:"DIR" help:"Run directory of the fork. Default: RUN/forks/UUID-sSTEP-N."`
	Author      string `placeholder:"NAME" help:"Author, for the record. Default: $USER."`
	dataFlags
	Model string `short:"m" placeholder:"PROVIDER:NAME" help:"Model from this step on. Default for this and the flags below: the recorded settings."`
	endpointFlags
	qa.QuestionLimits
	budgetFlags
	cacheFlags
}

func (c forkCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	r, examples, err := a.session().OpenRun(c.Dir)
	if err != nil {
		return err
	}
	id, err := findEpisode(r.UUIDs(), c.UUID)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Dir, err)
	}
	changed := runlog.ForkReply
	if c.Observation != "" || c.Edit && c.Message == runlog.ForkObservation {
		changed = runlog.ForkObservation
	}
	b, err := session.NewBranch(r, id, runlog.Fork{Step: c.At, Changed: changed, By: cmp.Or(c.Author, a.getenv("USER"))})
	if err != nil {
		return err
	}
	uuid, _ := qa.SplitEpisodeID(id)
	i := slices.IndexFunc(examples, func(ex qa.Example) bool { return ex.UUID == uuid })
	if i < 0 {
		return fmt.Errorf("%s does not contain the question of %s", c.Dir, id)
	}
	if err := c.change(a, b); err != nil {
		return err
	}
	return c.resume(a, b, examples[i], r.Config.Shape.Settings)
}

func (c forkCmd) check() error {
	given := slices.DeleteFunc([]bool{c.Reply != "", c.Observation != "", c.Edit}, func(is bool) bool { return !is })
	if len(given) != 1 {
		return qa.Usagef("give --reply FILE, --observation FILE or --edit")
	}
	if c.Message == runlog.ForkObservation && !c.Edit {
		return qa.Usagef("--message needs --edit")
	}
	return checkQuestionLimits(c.QuestionLimits)
}

// findEpisode matches a whole uuid to its first repeat, and a prefix to any episode.
func findEpisode(all []string, given string) (string, error) {
	if id := qa.EpisodeID(given, 0); slices.Contains(all, id) {
		return id, nil
	}
	return session.FindEpisode(all, given)
}

// resume creates the run directory of the fork and runs the remaining steps.
func (c forkCmd) resume(a *app, b *session.Branch, ex qa.Example, recorded map[string]any) error {
	dir, err := b.Place(c.Out)
	if err != nil {
		return err
	}
	calls, err := calling(c.endpointFlags, c.budgetFlags, c.QuestionLimits)
	if err != nil {
		return err
	}
	m, err := a.session().OpenModel(c.Model, calls)
	if err != nil {
		return err
	}
	settings := qa.SettingsOf(recorded)
	settings.QuestionLimits = c.QuestionLimits
	job := session.Job{Baseline: b.Baseline, Model: m, Dir: dir, Name: b.Baseline.Name}
	recordedIn := session.Job{Baseline: b.Baseline, Dir: c.Dir} // the fork sees the papers of the run
	world, err := c.open(a, plan.WorldConfig([]session.Job{recordedIn}, settings))
	if err != nil {
		return err
	}
	defer func() { _ = world.Close() }()
	cached, from, err := c.split()
	if err == nil && from != "" {
		err = qa.Usagef("--cache %s is a run; a fork takes a folder", from)
	}
	if err != nil {
		return err
	}
	store, err := openCache(a, cached)
	if err != nil {
		return err
	}
	defer a.closeCache("cache "+cached, store)
	ended, err := a.session().Execute(a.ctx, b.Plan(session.Plan{
		Jobs: []session.Job{job}, World: world, Examples: []qa.Example{ex}, Picked: []qa.Example{ex}, Settings: settings, Limits: c.Budget, Cache: store,
		Note: runlog.Note{QuestionsFile: filepath.Join(c.Dir, runlog.QuestionsFile), DataDir: c.Data},
	}))
	if err != nil {
		return err
	}
	return errors.Join(a.print(dir), a.endRun(ended, nextStep{Out: dir}))
}

func (c forkCmd) change(a *app, b *session.Branch) error {
	before := b.Message()
	var text string
	var err error
	switch {
	case c.Edit:
		text, err = terminal.Edit(a.ctx, before, cmp.Or(a.getenv("VISUAL"), a.getenv("EDITOR")), a.in, a.errs)
		if errors.Is(err, terminal.ErrNoEditor) {
			err = qa.Usagef("--edit needs a terminal, or an editor in EDITOR; --reply and --observation take a file")
		}
	case c.Reply != "":
		text, err = a.readText(c.Reply)
	default:
		text, err = a.readText(c.Observation)
	}
	if err != nil {
		return err
	}
	if !strings.HasSuffix(before, "\n") {
		text = strings.TrimSuffix(text, "\n") // which editors add
	}
	if text == before {
		return qa.Usagef("nothing was changed; no fork was made")
	}
	return b.SetMessage(text)
}

// readText reads a file, or standard input for "-".
func (a *app) readText(path string) (string, error) {
	if path == "-" {
		return a.text(path)
	}
	raw, err := files.ReadText(path)
	return string(raw), err
}
