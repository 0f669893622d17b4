package main

import (
	"fmt"

	"airqa/internal/exit"
	"airqa/report/cause"
	"airqa/report/render"
	"airqa/run/session"
)

type whyCmd struct {
	Dir     string `arg:"" name:"run" help:"Run directory, scored."`
	UUID    string `arg:"" optional:"" name:"uuid" help:"Question uuid or a prefix of it. Default: all wrong answers."`
	Compare string `placeholder:"RUN2" help:"Show the causes of a second run beside those of the first."`
	formatFlags
	Scoring string `env:"AIRQA_WHY_SCORING" placeholder:"MODE" help:"Use the scores of this mode, such as reference. Default: the newest."`
}

func (whyCmd) Help() string {
	return `Examples:
  airqa why runs/hybrid
  airqa why runs/hybrid 00608f20
  airqa why runs/rag --compare runs/hybrid --format md

It names the cause of each wrong answer by rules, with the places in the log that show it: the six causes of the paper's
Tables 14 and 15, a wrong gold answer, a wrong scorer, or unknown. docs/traces.md has the rules and how often they are right.`
}

func (c whyCmd) Run(a *app) error {
	o, err := c.render(a, "")
	if err != nil {
		return err
	}
	if c.UUID != "" && c.Compare != "" {
		return exit.Misuse("--compare shows whole runs; leave out the uuid")
	}
	choice := cause.Choice{Scoring: c.Scoring}
	sources, err := c.sources(a)
	if err != nil {
		return err
	}
	if c.UUID != "" {
		if choice.Episode, err = session.FindEpisode(sources[0].UUIDs(), c.UUID); err != nil {
			return fmt.Errorf("%s: %w", c.Dir, err)
		}
	}
	runs, err := cause.Read(a.ctx, sources, choice)
	if err != nil {
		return err
	}
	for _, r := range runs {
		for _, damage := range r.Damaged {
			a.say("warning: %s: %v (this episode is left out)", r.Dir, damage)
		}
	}
	if choice.Episode == "" {
		return render.Causes(a.out, runs, o)
	}
	if len(runs[0].Rows) == 0 {
		return fmt.Errorf("%s: the answer of %s is not wrong, or has no verdict", c.Dir, choice.Episode)
	}
	return render.Cause(a.out, runs[0].Rows[0], o)
}

// sources opens the run and the one to compare it with.
func (c whyCmd) sources(a *app) (list []cause.Source, err error) {
	for _, dir := range []string{c.Dir, c.Compare} {
		if dir == "" {
			continue
		}
		r, examples, err := a.session().OpenRun(dir)
		if err != nil {
			return nil, err
		}
		list = append(list, cause.Source{Run: r, Examples: examples})
	}
	return list, nil
}
