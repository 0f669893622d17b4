package main

import (
	"airqa/qa"
	"airqa/run/session"
)

// selectionFlags select questions of a file.
type selectionFlags struct {
	Range  string   `placeholder:"A-B" help:"Only questions A to B of the file; A- for A to the end, N for the first N."`
	ID     []string `names:"input" name:"id" placeholder:"UUID" help:"Only these questions, by uuid or a prefix of it; @FILE reads one per line."`
	Tag    []string `placeholder:"TAG" help:"Only questions with all of these tags; !TAG excludes a tag."`
	Status []string `placeholder:"STATUS" help:"Only questions with this result in the run of --of: right, wrong, unparseable, unscored, failed, missing, or an outcome such as turn_limit."`
	Of     string   `names:"input" placeholder:"RUN" help:"Earlier run that --status refers to."`
	Sample int      `placeholder:"N" help:"Only a random sample of N questions (see --sample-seed)."`
	Seed   uint64   `name:"sample-seed" default:"2024" help:"Seed of --sample."`
	Limit  int      `placeholder:"N" help:"Only the first N of the selected questions."`
}

// selection checks the flags.
func (f selectionFlags) selection() (session.Selection, error) {
	s := session.Selection{
		Range: f.Range, IDs: f.ID, Tags: f.Tag, Status: f.Status, Of: f.Of, Sample: f.Sample, Seed: f.Seed, Limit: f.Limit,
	}
	if (f.Of == "") != (len(f.Status) == 0) {
		return s, qa.Usagef("--status and --of need each other, as in --status wrong --of runs/rag")
	}
	return s, nil
}

// missingFlags select the treatment of questions whose papers are missing.
type missingFlags struct {
	Missing     string `name:"missing" default:"stop" enum:"stop,skip,run" help:"Questions with papers missing from the data directory: stop (run nothing), skip (leave them out) or run (ask anyway). A resumed run keeps its first choice."`
	MissingList string `names:"output" name:"missing-list" placeholder:"FILE" help:"Write the missing papers and collections to FILE, one per line."`
}
