package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"airqa/env"
	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/extractor/synthesis"
	"airqa/internal/terminal"
	"airqa/qa"
)

// synthFlags are common to all steps of a synthesis.
type synthFlags struct {
	dataFlags
	modelFlag
	workFlag
	endpointFlags
	budgetFlags
	Baseline []string `default:"agentic-hybrid" placeholder:"NAME" help:"Baselines, comma-separated, or all (airqa list baselines lists them)."`
	Repeats  int      `default:"1" placeholder:"K" help:"Episodes per question. If you raise it later, only the new episodes run."`
	judgeFlag
}

// common are the settings of all steps.
func (f synthFlags) common(a *app, world *env.Env, limits qa.QuestionLimits) (synthesis.Common, error) {
	calls, err := calling(f.endpointFlags, f.budgetFlags, limits)
	return synthesis.Common{
		Session: a.session(), World: world, Data: f.Data, Dir: f.Out, Model: f.Model, Calls: calls, Limits: f.Budget, Prompts: f.Prompts,
	}, err
}

type synthMakeCmd struct {
	synthFlags
	synthesis.Questions
	paperFlag
	Until string `default:"act" enum:"explore,track,act" help:"Last step: explore (questions about parts of papers, without evaluators), track (questions with evaluators, checked by gates) or act (trajectories of the accepted questions, with scores)."`
	dryRunFlag
	Resume string `default:"if-possible" enum:"never,always,if-possible" help:"Whether to resume an existing synthesis: never, always, or if-possible (unless seed or papers differ)."`
}

func (c synthMakeCmd) Run(a *app) error {
	sum, err := c.makeQuestions(a)
	short := exitCode(err) == exitShort && sum.Accepted > 0
	if err != nil && !short || c.Until != "act" || c.DryRun || c.Preview > 0 {
		return err
	}
	act := synthActCmd{synthFlags: c.synthFlags, workersFlag: workersFlag{c.Workers}, Settings: qa.DefaultSettings()}
	if err := act.Run(a); err != nil || !short {
		return err
	}
	return withCode(exitShort, fmt.Errorf("trajectories of the accepted questions only; %s\n"+
		"  Raise --max-candidates or choose other --categories and repeat the command, or continue with airqa export %s -o DIR",
		missingText(sum), filepath.Join(c.Out, candidate.RunsDir)))
}

// makeQuestions runs explorer, tracker and gates, or prints an estimate. The error names what is missing.
func (f *synthMakeCmd) makeQuestions(a *app) (sum extractor.Summary, err error) {
	if err := f.check(); err != nil {
		return sum, err
	}
	world, err := f.open(a, env.Config{})
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, world.Close()) }()
	c, err := f.config(a, world)
	if err != nil {
		return sum, err
	}
	c.ExploreOnly = f.Until == "explore"
	if f.DryRun {
		e, err := synthesis.Estimate(a.ctx, c)
		if err != nil {
			return sum, err
		}
		return sum, a.print(terminal.Wrap(e.Text(), a.width, "  "))
	}
	if sum, err = synthesis.Make(a.ctx, c); err != nil {
		return sum, synthError(err)
	}
	end := synthEnd(*f, sum)
	if sum.Candidates == 0 {
		return sum, end
	}
	text := ""
	if f.Preview > 0 {
		if text, err = extractor.PreviewText(f.Out); err != nil {
			return sum, err
		}
		text += "\n"
	}
	return sum, errors.Join(a.print(text+sum.Text(a.width)), end)
}

type synthActCmd struct {
	synthFlags
	workersFlag
	qa.Settings
}

func (f synthActCmd) Run(a *app) error {
	if f.Repeats < 1 || f.Workers < 1 {
		return qa.Usagef("--repeats and -j must be at least 1")
	}
	world, err := f.open(a, env.Config{Mode: env.Mode(f.Retrieve), QueryDeadline: f.QueryDeadline()})
	if err != nil {
		return err
	}
	defer func() { _ = world.Close() }()
	common, err := f.common(a, world, f.QuestionLimits)
	if err != nil {
		return err
	}
	judges, err := f.judges(a)
	if err != nil {
		return err
	}
	health, err := synthesis.Act(a.ctx, synthesis.ActConfig{
		Common: common, Settings: f.Settings, Baselines: f.Baseline, Repeats: f.Repeats, Workers: f.Workers, Judges: judges,
	})
	if health != nil {
		err = errors.Join(a.print(health.Text(a.width)), err)
	}
	return err
}

type synthWhyCmd struct {
	Syn string `arg:"" name:"syn" help:"Directory of the synthesis."`
	ID  string `arg:"" optional:"" name:"id" help:"Candidate such as single-table-12, or the uuid of a question."`
	jsonFlag
}

func (c synthWhyCmd) Run(a *app) error {
	if c.ID != "" {
		story, err := extractor.ReadStory(c.Syn, c.ID)
		switch {
		case err != nil:
			return err
		case c.JSON:
			return a.printJSON(story)
		}
		return a.print(story.Text())
	}
	yields, err := extractor.ReadYields(c.Syn)
	switch {
	case err != nil:
		return err
	case c.JSON:
		return a.printJSON(yields)
	}
	return a.print(yields.Text(a.width))
}

func (f synthMakeCmd) check() error {
	switch {
	case f.Count < 1 && f.Preview == 0:
		return qa.Usagef("--count N is required: the number of questions to accept (or --preview N)")
	case f.Preview < 0 || f.MaxCandidates < 0:
		return qa.Usagef("--preview and --max-candidates must not be negative")
	case f.MaxCandidates > 0 && f.MaxCandidates < f.Count:
		return qa.Usagef("--max-candidates %d is less than --count %d", f.MaxCandidates, f.Count)
	case f.Preview > 0 && f.DryRun:
		return qa.Usagef("--preview and --dry-run are mutually exclusive")
	case f.Workers < 1 || f.SolveAgain < 1:
		return qa.Usagef("-j and --solve-again must be at least 1")
	}
	return nil
}

func (f synthMakeCmd) config(a *app, world *env.Env) (synthesis.Config, error) {
	common, err := f.common(a, world, qa.QuestionLimits{})
	return synthesis.Config{Common: common, Questions: f.Questions, Resume: f.Resume}, err
}

// synthError adds to an error which flag helps.
func synthError(err error) error {
	switch {
	case errors.Is(err, synthesis.ErrExists):
		return fmt.Errorf("%w, and --resume never is given; choose another --out", err)
	case errors.Is(err, synthesis.ErrDifferent):
		return fmt.Errorf("%w\n  Choose another --out, repeat the settings, or give --resume always", err)
	}
	return err
}

// synthEnd returns the error of a synthesis that did not make everything: a spent budget, failed calls, or fewer rows than
// asked for. Each has its own exit code.
func synthEnd(f synthMakeCmd, s extractor.Summary) error {
	missing := missingText(s)
	switch {
	case f.Preview > 0 && !s.Stopped:
		return nil
	case s.Suspended != "":
		return withCode(exitBudget, fmt.Errorf("%s\n  %s; raise the limit and the same command resumes", s.Suspended, missing))
	case s.Stopped && s.Failure != "":
		return withCode(exitFailedExamples,
			fmt.Errorf("stopped after failed calls; the first: %s\n  %s. Fix the cause; the same command resumes", s.Failure, missing))
	case len(s.Missing()) > 0 && s.Failed > 0:
		return withCode(exitFailedExamples, fmt.Errorf("%s failed; the first: %s\n  %s. Fix the cause; the same command retries them",
			terminal.Plural(s.Failed, "candidate"), s.Failure, missing))
	case s.Stopped:
		return fmt.Errorf("stopped; %s; the same command resumes", missing)
	case len(s.Missing()) == 0:
		return nil
	}
	text := "the candidates ran out: " + missing + "\n  Raise --max-candidates, choose other --categories, or read airqa synth why " + f.Out
	if s.Accepted > 0 {
		text += fmt.Sprintf("\n  Trajectories of the accepted %s: airqa synth act -d %s -m %s -o %s",
			terminal.Plural(s.Accepted, "question"), f.Data, f.Model, f.Out)
	}
	return withCode(exitShort, errors.New(text))
}

// missingText names the categories with missing rows and why their candidates were lost.
func missingText(s extractor.Summary) string {
	wanted := 0
	for _, c := range s.Categories {
		if !c.NotRun {
			wanted += c.Wanted
		}
	}
	parts := []string{fmt.Sprintf("%d of %s accepted", s.Accepted, terminal.Plural(wanted, "question"))}
	for _, c := range s.Missing() {
		line := fmt.Sprintf("%s: %d of %d", c.Category, c.Accepted, c.Wanted)
		if why := extractor.ReasonsText(c.Reasons); why != "" {
			line += " (" + why + ")"
		}
		parts = append(parts, line)
	}
	return strings.Join(parts, "\n  ")
}
