package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"airqa/env"
	"airqa/extractor/candidate"
	"airqa/extractor/synthesis"
	"airqa/internal/terminal"
)

type synthReviewCmd struct {
	Data string `names:"output" short:"d" placeholder:"DIR" help:"Data directory. Default: that of the synthesis."`
	synthReviewFlags
}

func (c synthReviewCmd) Run(a *app) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	settings, err := candidate.ReadSettings(c.Syn)
	if err != nil {
		return err
	}
	papers := &dataFlags{embedderFlags: embedderFlags{Data: cmp.Or(c.Data, settings.DataDir)}}
	if c.Apply == "" {
		return c.write(a, papers)
	}
	world, err := papers.open(a, env.Config{})
	if err != nil {
		return err
	}
	config, err := c.config(a, world, papers.Data)
	if err != nil {
		return errors.Join(err, world.Close())
	}
	text, err := synthesis.ApplyReview(a.ctx, config, c.Apply, c.Reviewer)
	if text != "" {
		err = errors.Join(a.print(text), err)
	}
	return errors.Join(synthError(err), world.Close())
}

// write writes the page and the review file.
func (c synthReviewCmd) write(a *app, papers *dataFlags) error {
	world, err := papers.open(a, env.Config{NoSearch: true, DPI: synthesis.ReviewDPI})
	if err != nil {
		return err
	}
	files := synthesis.ReviewFiles{
		Page: cmp.Or(c.HTML, filepath.Join(c.Syn, "review.html")), Form: cmp.Or(c.Out, filepath.Join(c.Syn, "review.jsonl")),
		Sample: c.Sample, Seed: c.SampleSeed,
	}
	sampled, all, err := synthesis.WriteReview(a.ctx, c.Syn, world, files)
	if err == nil {
		err = a.print(fmt.Sprintf("%s of %d: open %s in a browser, or edit %s\nThen: airqa synth review %s --apply %s",
			terminal.Plural(sampled, "question"), all, files.Page, files.Form, c.Syn, files.Form))
	}
	return errors.Join(err, world.Close())
}
