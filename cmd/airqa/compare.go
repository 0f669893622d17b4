package main

import (
	"airqa/internal/exit"
	"airqa/report/compare"
	"airqa/report/render"
)

type compareCmd struct {
	Runs         []string `arg:"" optional:"" name:"run" help:"Run directories, folders of them, or score files."`
	Format       string   `default:"text" enum:"text,md,csv,latex,json,html" help:"text, md, csv, latex, json or html."`
	JSON         bool     `name:"json" help:"The same as --format json."`
	Flips        int      `default:"5" help:"How many questions to list that only one run got right, of either kind."`
	Rounds       int      `default:"10000" help:"Rounds of the bootstrap."`
	Seed         uint64   `default:"1" help:"Seed of the bootstrap."`
	MinQuestions string   `placeholder:"GAP" help:"Say how many questions a gap such as 3pp (percentage points) needs."`
	Discordant   *float64 `placeholder:"SHARE" help:"With --min-questions: the share of questions on which the systems disagree (0.2, or that of two runs)."`
	Scoring      string   `env:"AIRQA_COMPARE_SCORING" placeholder:"MODE" help:"Read the scores of this mode, such as reference. Default: the newest of each run, or an older one of the same mode that has more verdicts."`
	Judge        string   `env:"AIRQA_COMPARE_JUDGE" placeholder:"NAME" help:"Read the scores by this judge."`
	Power        float64  `default:"0.8" help:"Statistical power."`

	IncludePartial bool `env:"AIRQA_COMPARE_INCLUDE_PARTIAL" help:"Compare questions of which only some repeats are scored by those. Default: leave them out."`
}

func (compareCmd) Help() string {
	return `Examples:
  airqa compare runs/rag runs/hybrid
  airqa compare --min-questions 3pp --discordant 0.2

Two runs are paired by question; a question without a score in both is left out and counted. Differences are the second
run less the first. Three and more runs are compared in pairs. A score file is one of RUN/scores.`
}

// usualDiscordance is taken where neither runs nor a flag say how often two systems disagree.
const usualDiscordance = 0.2

func (c compareCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	o := render.Options{Format: c.Format, Width: a.width, Flips: c.Flips}
	if c.JSON {
		o.Format = "json"
	}
	if c.MinQuestions != "" {
		return c.need(a, o)
	}
	sides, err := a.session().Sides(c.Runs, compare.Choice{Scoring: c.Scoring, Judge: c.Judge})
	if err != nil {
		return err
	}
	if len(sides) > 2 {
		results, err := compare.Pairs(sides, c.options())
		if err != nil {
			return err
		}
		return render.Comparisons(a.out, sides, results, o)
	}
	result, err := compare.Runs(sides[0], sides[1], c.options())
	if err != nil {
		return err
	}
	return render.Comparison(a.out, result, o)
}

func (c compareCmd) options() compare.Options {
	return compare.Options{Rounds: c.Rounds, Seed: c.Seed, Power: c.Power, IncludePartial: c.IncludePartial}
}

func (c compareCmd) check() error {
	switch {
	case c.MinQuestions == "" && len(c.Runs) == 0:
		return exit.Misuse("name two runs, or a gap with --min-questions 3pp; airqa compare --help shows both")
	case c.MinQuestions == "" && c.Discordant != nil:
		return exit.Misuse("--discordant goes with --min-questions")
	case c.Discordant != nil && !(*c.Discordant > 0 && *c.Discordant <= 1):
		return exit.Misuse("--discordant is a share above 0 and up to 1, such as 0.2")
	case !(c.Power >= 0.5 && c.Power < 1):
		return exit.Misuse("--power is a chance from 0.5 to below 1, such as 0.8")
	case c.Flips < 0:
		return exit.Misuse("--flips is 0 or more")
	case c.Rounds < 1:
		return exit.Misuse("--rounds is 1 or more")
	}
	return nil
}

// need answers --min-questions.
func (c compareCmd) need(a *app, o render.Options) error {
	gap, err := compare.ParseGap(c.MinQuestions)
	if err != nil {
		return exit.Misuse("--min-questions: %v", err)
	}
	need := compare.Questions(gap, usualDiscordance, c.Power)
	switch {
	case c.Discordant != nil:
		need = compare.Questions(gap, *c.Discordant, c.Power)
	case len(c.Runs) > 0:
		r, err := c.two(a)
		if err != nil {
			return err
		}
		need = compare.QuestionsLike(r, gap, c.Power)
	default:
		a.say("note: taken that the systems disagree on %g%% of the questions; --discordant, or two runs, say it better", 100*usualDiscordance)
	}
	return render.Need(a.out, need, o)
}

// two compares the two runs that a gap is to be found between.
func (c compareCmd) two(a *app) (compare.Result, error) {
	sides, err := a.session().Sides(c.Runs, compare.Choice{Scoring: c.Scoring, Judge: c.Judge})
	if err != nil {
		return compare.Result{}, err
	}
	if len(sides) > 2 {
		return compare.Result{}, exit.Misuse("--min-questions takes how often two runs disagree: name two, not %d", len(sides))
	}
	return compare.Runs(sides[0], sides[1], compare.Options{Rounds: 1, IncludePartial: c.IncludePartial})
}
