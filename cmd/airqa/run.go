package main

import (
	"errors"

	"airqa/agent/action"
	"airqa/env"
	"airqa/qa"
	"airqa/run/estimate"
	"airqa/run/session"
	"airqa/run/shard"
)

type runCmd struct {
	dataFlags
	Questions string   `names:"input" short:"q" required:"" placeholder:"FILE" help:"Questions: JSON Lines, a JSON array, CSV, or a folder of *.json files."`
	Baseline  []string `required:"" predictor:"baseline" placeholder:"NAME" help:"Baselines, comma-separated, or all (airqa baselines lists them)."`
	Model     []string `names:"model" short:"m" required:"" placeholder:"PROVIDER:NAME" help:"Models, comma-separated: openai:NAME (any OpenAI-compatible endpoint), anthropic:NAME, google:NAME, ollama:NAME, scripted:FILE or offline (rules)."`
	Out       string   `names:"output" short:"o" placeholder:"DIR" help:"Run directory, or the folder of run directories if there are several. An existing run is resumed. Default: runs/BASELINE@MODEL."`
	endpointFlags
	Workers int    `short:"j" default:"4" help:"Concurrent episodes."`
	Repeats int    `default:"1" placeholder:"K" help:"Episodes per question. A higher number later runs only the new ones."`
	Retry   string `default:"errors" enum:"errors,all,none" help:"Which finished episodes to retry: errors (endpoint or tool failures), all (also images refused by the model) or none."`
	selectionFlags
	Shard shard.Part `placeholder:"I/N" help:"Only shard I of N equal parts of the selected questions, in a run directory of its own; airqa merge makes one run of all shards. Budgets and --max-connections are those of this shard."`
	missingFlags
	budgetFlags
	qa.Settings
	cacheFlags
	replayFlags
	DryRun bool `name:"dry-run" help:"Print what would run, prompt sizes and estimated cost. Makes no calls and writes nothing."`
	JSON   bool `name:"json" help:"With --dry-run: print a JSON object."`
	Score  bool `help:"Score the run as soon as it ends, as airqa score does."`
	scoringFlags
}

func (c runCmd) Run(a *app) error {
	a.data = c.Data
	config, err := c.config(a)
	if err != nil {
		return err
	}
	plan, err := a.session().Prepare(a.ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = plan.World.Close() }()
	if c.DryRun {
		return c.dryRun(a, plan)
	}
	if c.Score { // whether the judge can judge is known before the run
		judges, err := c.judges()
		if err == nil {
			err = judges.Ready(a.session(), plan.Picked)
		}
		if err != nil {
			return err
		}
	}
	if plan.Cache, err = c.openCache(a); err != nil {
		return err
	}
	defer a.closeCache(c.Cache, plan.Cache)
	ended, err := a.session().Execute(a.ctx, plan)
	for _, line := range session.AnswerLines(ended) {
		if err := a.print(string(a.redactor()([]byte(line)))); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	result := a.endRun(ended, nextStep{Out: plan.Out, Judge: c.hint(), Scores: c.Score})
	return c.scoreEnded(a, plan.Out, ended, result)
}

// config returns what the flags select. Opening the papers settles the flags about their index.
func (c *runCmd) config(a *app) (session.Config, error) {
	if err := c.check(); err != nil {
		return session.Config{}, err
	}
	calls, limits, err := calling(c.endpointFlags, c.budgetFlags, c.QuestionLimits)
	if err != nil {
		return session.Config{}, err
	}
	selection, err := c.selection()
	if err != nil {
		return session.Config{}, err
	}
	replayed, err := c.openReplay(a)
	return session.Config{
		Choice: session.Choice{
			Baselines: c.Baseline, Models: c.Model, Calls: calls, Workers: c.Workers, Out: c.Out, Replay: replayed,
		},
		Questions: c.Questions, Selection: selection, Shard: c.Shard,
		Missing: session.MissingChoice{Treatment: c.Missing, List: c.MissingList},
		Data:    c.Data, OpenWorld: func(config env.Config) (*env.Env, error) { return c.open(a, config) },
		Settings: c.Settings, Limits: limits, Repeats: c.Repeats, Retry: c.Retry, DryRun: c.DryRun,
	}, err
}

func (c runCmd) dryRun(a *app, p session.Plan) error {
	remote := c.Embedder != "minilm" && c.Retrieve != string(env.BM25)
	d, err := estimate.Run(a.ctx, a.session(), p, remote)
	if err != nil {
		return err
	}
	if c.JSON {
		err = a.printJSON(struct {
			Format int `json:"format"`
			*estimate.Dry
		}{1, d})
	} else {
		err = a.print(d.Text(a.width))
	}
	return errors.Join(err, d.Mismatch())
}

func (c runCmd) check() error {
	switch {
	case c.Workers < 1:
		return qa.Usagef("-j %d: must be at least 1", c.Workers)
	case c.Repeats < 1:
		return qa.Usagef("--repeats %d: must be at least 1", c.Repeats)
	case c.Rows < 0:
		return qa.Usagef("--rows %d: must not be negative (0 = no limit)", c.Rows)
	case c.Turns < 1 || c.Window < 1:
		return qa.Usagef("--turns and --window must be at least 1")
	case c.DryRun && c.Score:
		return qa.Usagef("--dry-run and --score are mutually exclusive: a dry run has no answers")
	case c.DryRun && c.Replay != "":
		return qa.Usagef("--dry-run and --replay are mutually exclusive: a replay makes no calls")
	case c.Protocol == qa.NativeTools && c.ActionFormat != string(action.Python):
		return qa.Usagef("--action-format %s is for actions written as text, which --protocol tools does not read; drop one of them or use --protocol mixed", c.ActionFormat)
	}
	return errors.Join(c.checkOut(), c.checkReplay(), checkQuestionLimits(c.QuestionLimits))
}

// checkOut refuses runs without a name that need one.
func (c runCmd) checkOut() error {
	switch {
	case c.Out != "":
		return nil
	case c.Shard != (shard.Part{}):
		return qa.Usagef("--shard needs --out DIR: each shard has a run directory of its own, such as --out runs/shards/%s", c.Shard.Folder())
	case c.Replay != "":
		return qa.Usagef("--replay needs --out DIR for the new run")
	}
	return nil
}
