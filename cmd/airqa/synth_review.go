package main

import (
	"cmp"
	"errors"

	"airqa/extractor/synthesis"
)

type synthReviewCmd struct {
	Data string `names:"output" short:"d" placeholder:"DIR" help:"Data directory. Default: that of the synthesis."`
	synthesis.Reviewing
}

func (synthReviewCmd) Help() string {
	return `Examples:
  airqa synth review syn --sample 50
  airqa synth review syn --apply review.jsonl --reviewer Ada

The page shows each question beside its evidence and the place in the paper, and makes the review file. A decision is
accept, fix or reject. A fixed question is checked by the same gates; a rejected one leaves SYN/questions.jsonl, and
airqa synth track replaces it.`
}

func (c synthReviewCmd) Run(a *app) error {
	data, err := c.DataDir()
	if err != nil {
		return err
	}
	papers := &dataFlags{embedderFlags: embedderFlags{Data: cmp.Or(c.Data, data)}}
	world, err := papers.open(a, c.Environment())
	if err != nil {
		return err
	}
	var text string
	if c.Apply == "" {
		text, err = c.Write(a.ctx, world)
	} else {
		text, err = c.Reviewing.Run(a.ctx, a.session(), world, papers.Data)
	}
	if text != "" {
		err = errors.Join(a.print(text), err)
	}
	return errors.Join(err, world.Close())
}
