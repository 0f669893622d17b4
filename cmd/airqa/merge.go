package main

import (
	"errors"

	"airqa/run/merge"
)

type mergeCmd struct {
	Runs    []string `arg:"" name:"run" help:"Run directories of shards, or folders of them."`
	Out     string   `short:"o" required:"" placeholder:"DIR" help:"Run directory to create, or the folder of run directories if there are several baselines or models. An earlier merge of some of these shards is replaced."`
	Partial bool     `help:"Merge even if shards or questions are missing."`
	JSON    bool     `name:"json" help:"Print one JSON object per merged run."`
}

func (c mergeCmd) Run(a *app) error {
	jobs, err := merge.Find(c.Runs)
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
