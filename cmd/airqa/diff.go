package main

import (
	"cmp"
	"fmt"

	"airqa/qa"
	"airqa/runlog"
	"airqa/trace/diff"
	"airqa/trace/text"
)

type diffCmd struct {
	A     string `arg:"" name:"a" help:"Run directory."`
	B     string `arg:"" name:"b" help:"Another run directory, or the same one for two of its episodes."`
	UUID  string `arg:"" optional:"" name:"uuid" help:"Question uuid or a prefix of it; add #1 for the second repeat. Default: the questions whose verdict differs."`
	UUIDB string `arg:"" optional:"" name:"uuid-b" help:"Episode of the second run, such as UUID#1. Default: the same as in the first."`
	formatFlags
	runlog.Choice
}

func (c diffCmd) Run(a *app) error {
	o, err := c.render(a, "")
	if err != nil {
		return err
	}
	o.Style = a.outStyle
	left, err := c.source(a, c.A)
	if err != nil {
		return err
	}
	right := left
	if c.B != c.A {
		if right, err = c.source(a, c.B); err != nil {
			return err
		}
	}
	if c.UUID == "" {
		if c.A == c.B {
			return qa.Usagef("%s is compared with itself; name two runs, or two episodes such as UUID#0 UUID#1", c.A)
		}
		r, err := diff.OfRuns(a.ctx, left, right)
		if err != nil {
			return err
		}
		for _, damage := range r.Damaged {
			a.say("warning: %v (this episode is left out)", damage)
		}
		return text.DiffRuns(a.out, r, o)
	}
	nameA, nameB, err := c.episodes(left, right)
	if err != nil {
		return err
	}
	q, err := diff.OfEpisodes(left, right, nameA, nameB)
	if err != nil {
		return err
	}
	return text.Diff(a.out, q, o)
}

func (c diffCmd) source(a *app, dir string) (diff.Source, error) {
	r, examples, err := a.session().OpenRun(dir)
	return diff.Source{Run: r, Examples: examples, Choice: c.Choice}, err
}

func (c diffCmd) episodes(left, right diff.Source) (string, string, error) {
	nameA, err := findEpisode(left.UUIDs(), c.UUID)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", c.A, err)
	}
	nameB, err := findEpisode(right.UUIDs(), cmp.Or(c.UUIDB, nameA))
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", c.B, err)
	}
	if c.A == c.B && nameA == nameB {
		return "", "", qa.Usagef("%s is compared with itself; name two runs, or two episodes such as %[1]s and another repeat", nameA)
	}
	return nameA, nameB, nil
}
