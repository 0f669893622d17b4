package main

import (
	"airqa/env"
	"airqa/extractor/synthesis"
	"airqa/qa"
)

// synthMakeFlags select what to make.
type synthMakeFlags struct {
	Model string `names:"model" short:"m" required:"" placeholder:"PROVIDER:NAME" help:"Model of explorer, tracker and gates: openai:NAME at any OpenAI-compatible endpoint, anthropic:NAME, google:NAME, ollama:NAME, or offline (rules, no language model)."`
	endpointFlags
	Out           string   `names:"output" short:"o" required:"" placeholder:"SYN" help:"Directory of the synthesis. An existing one is resumed."`
	Count         int      `short:"n" placeholder:"N" help:"Number of questions to accept."`
	Categories    []string `placeholder:"NAME" help:"Categories, comma-separated: single-, comprehensive- with text, sections, table, image, formula or metadata; retrieval; multiple. Default: all, in the paper's shares."`
	MaxCandidates int      `name:"max-candidates" placeholder:"N" help:"Maximum number of candidates. Default: five per question."`
	DrawSeed      uint64   `name:"draw-seed" default:"2024" placeholder:"SEED" help:"Seed of the papers and elements drawn."`
	Gates         []string `placeholder:"NAME" help:"Only these gates: self_contained, evidence, unique, evaluator, mutation, closed_book, solved_again, duplicate. Default: all."`
	SkipGate      []string `name:"skip-gate" placeholder:"NAME" help:"Gates to switch off."`
	SolveAgain    int      `name:"solve-again" default:"2" placeholder:"K" help:"Independent answers of gate solved_again."`
	Pictures      bool     `help:"Show figures to a model that airqa models does not list as accepting images."`
	Workers       int      `short:"j" default:"4" help:"Candidates at a time."`
	Preview       int      `placeholder:"N" help:"Make N candidates of each category, show them and stop."`
	Estimate      bool     `help:"Print calls, tokens and cost of the missing questions, and make none."`
	Resume        string   `default:"if-possible" enum:"never,always,if-possible" help:"What to do with an existing synthesis: never resume it, always, or if-possible: unless seed or papers differ."`
	batchFlags
	budgetFlags
}

func (f synthMakeFlags) check() error {
	switch {
	case f.Count < 1 && f.Preview == 0:
		return qa.Usagef("--count N is required: the number of questions to accept (or --preview N)")
	case f.Preview < 0 || f.MaxCandidates < 0:
		return qa.Usagef("--preview and --max-candidates must not be negative")
	case f.MaxCandidates > 0 && f.MaxCandidates < f.Count:
		return qa.Usagef("--max-candidates %d is less than --count %d", f.MaxCandidates, f.Count)
	case f.Preview > 0 && f.Estimate:
		return qa.Usagef("--preview and --estimate are mutually exclusive")
	case f.Workers < 1 || f.SolveAgain < 1:
		return qa.Usagef("-j and --solve-again must be at least 1")
	}
	_, err := f.limits()
	return err
}

func (f synthMakeFlags) config(a *app, world *env.Env, data string) (synthesis.Config, error) {
	calls, limits, err := calling(f.endpointFlags, f.budgetFlags, qa.QuestionLimits{})
	return synthesis.Config{
		Session: a.session(), World: world, Data: data, Dir: f.Out, Resume: synthesis.Resume(f.Resume), Model: f.Model, Calls: calls,
		Batch: f.Batch, BatchAgain: f.BatchAgain, Limits: limits, Count: f.Count, Preview: f.Preview, Categories: f.Categories,
		MaxCandidates: f.MaxCandidates, Seed: f.DrawSeed, Gates: f.Gates, SkipGates: f.SkipGate, Solve: f.SolveAgain, Images: f.Pictures, Workers: f.Workers,
	}, err
}

// synthActorFlags select how trajectories are collected and scored.
type synthActorFlags struct {
	Baseline []string `default:"agentic-hybrid" placeholder:"NAME" help:"Baselines that answer the questions, comma-separated (airqa baselines lists them)."`
	Repeats  int      `default:"1" placeholder:"K" help:"Trajectories per question."`
	judgeFlags
}

// synthActFlags select a collection of trajectories.
type synthActFlags struct {
	Model string `names:"model" short:"m" required:"" placeholder:"PROVIDER:NAME" help:"Model of the actor: openai:NAME at any OpenAI-compatible endpoint, anthropic:NAME, google:NAME, ollama:NAME, or offline (rules, no language model)."`
	endpointFlags
	Out     string `names:"output" short:"o" required:"" placeholder:"SYN" help:"Directory of the synthesis."`
	Workers int    `short:"j" default:"4" help:"Concurrent episodes."`
	synthActorFlags
	budgetFlags
	qa.Settings
}

func (f synthActFlags) check() error {
	if f.Repeats < 1 || f.Workers < 1 {
		return qa.Usagef("--repeats and -j must be at least 1")
	}
	return nil
}

func (f synthActFlags) config(a *app, world *env.Env, data string) (synthesis.ActConfig, error) {
	calls, limits, err := calling(f.endpointFlags, f.budgetFlags, f.QuestionLimits)
	if err != nil {
		return synthesis.ActConfig{}, err
	}
	judges, err := f.judges()
	return synthesis.ActConfig{
		Session: a.session(), World: world, Data: data, Dir: f.Out, Model: f.Model, Calls: calls, Limits: limits, Settings: f.Settings,
		Baselines: f.Baseline, Repeats: f.Repeats, Workers: f.Workers, Judges: judges,
	}, err
}

// synthReviewFlags select a review of accepted questions.
type synthReviewFlags struct {
	Syn        string `arg:"" name:"syn" help:"Directory of the synthesis."`
	Sample     int    `default:"50" placeholder:"N" help:"Number of questions to review, from every category."`
	SampleSeed uint64 `name:"sample-seed" default:"2024" placeholder:"SEED" help:"Seed of the sample."`
	Out        string `names:"output" short:"o" placeholder:"FILE" help:"Review file for a text editor. Default: SYN/review.jsonl."`
	HTML       string `names:"output" name:"html" placeholder:"FILE" help:"Review page for a browser. Default: SYN/review.html."`
	Apply      string `names:"input" placeholder:"FILE" help:"Apply the decisions of a review file."`
	Reviewer   string `placeholder:"NAME" help:"Reviewer of the decisions that name none."`
	Model      string `names:"model" short:"m" placeholder:"PROVIDER:NAME" help:"Model of the gates that check a fixed question. Default: that of the synthesis."`
	endpointFlags
	SolveAgain int  `name:"solve-again" default:"2" placeholder:"K" help:"Independent answers of gate solved_again."`
	Pictures   bool `help:"Show figures to a model that airqa models does not list as accepting images."`
	Workers    int  `short:"j" default:"4" help:"Candidates at a time."`
	budgetFlags
}

func (f synthReviewFlags) check() error {
	switch {
	case f.Apply == "" && f.Sample < 1:
		return qa.Usagef("--sample must be at least 1")
	case f.Workers < 1 || f.SolveAgain < 1:
		return qa.Usagef("-j and --solve-again must be at least 1")
	}
	_, err := f.limits()
	return err
}

func (f synthReviewFlags) config(a *app, world *env.Env, data string) (synthesis.Config, error) {
	calls, limits, err := calling(f.endpointFlags, f.budgetFlags, qa.QuestionLimits{})
	return synthesis.Config{
		Session: a.session(), World: world, Data: data, Dir: f.Syn, Model: f.Model, Calls: calls, Limits: limits,
		Solve: f.SolveAgain, Images: f.Pictures, Workers: f.Workers,
	}, err
}
