package main

import (
	"errors"

	"airqa/run/merge"
)

type mergeCmd struct {
	Runs    []string `arg:"" name:"run" help:"Run directories of shards, or folders of them."`
	Out     string   `names:"output" short:"o" required:"" placeholder:"DIR" help:"Run directory to make, or the folder of run directories if there are several baselines or models. An earlier merge of some of these shards is replaced."`
	Partial bool     `help:"Merge what is there, although shards or questions are missing."`
	JSON    bool     `name:"json" help:"Print one JSON object per merged run."`
}

func (mergeCmd) Help() string {
	return `Examples:
  airqa merge runs/shards --out runs/hybrid
  airqa merge node1/3-of-16 node2/4-of-16 --out runs/hybrid --partial

It makes one run of the shards that airqa run --shard I/N has made, as one machine would have made it. Scores, notes and
verdicts of the shards are kept. The merged run can be scored, reported and resumed like any other. If shards or questions
are missing, it lists them, writes nothing and ends with 3; --partial merges the rest. Shards do not change.`
}

func (c mergeCmd) Run(a *app) error {
	jobs, err := merge.Find(c.Runs, c.Out)
	if err != nil {
		return err
	}
	results, failed := merge.Merger{Session: a.session(), Out: c.Out, Partial: c.Partial}.Merge(jobs)
	for _, r := range results {
		switch {
		case c.JSON:
			err = a.printJSON(r)
		case r.Written:
			err = a.print(r.Text(a.width))
		}
		if err != nil {
			return errors.Join(failed, err)
		}
	}
	return failed
}
