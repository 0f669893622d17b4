package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"airqa/env"
	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/extractor/synthesis"
	"airqa/qa"
)

// synthCmd has the commands that make questions and collect trajectories.
type synthCmd struct {
	Explore synthExploreCmd `cmd:"" help:"Write questions about parts of papers, without evaluators."`
	Track   synthTrackCmd   `cmd:"" help:"Make scorable questions and check them with gates."`
	Act     synthActCmd     `cmd:"" help:"Collect trajectories for the accepted questions, and score them."`
	All     synthAllCmd     `cmd:"" help:"Make questions, collect trajectories and score them."`
	Why     synthWhyCmd     `cmd:"" help:"Show where candidates were lost, or the story of one."`
	Review  synthReviewCmd  `cmd:"" help:"Review accepted questions on a page, and apply the decisions."`
}

type synthExploreCmd struct {
	dataFlags
	synthMakeFlags
}

func (c synthExploreCmd) Run(a *app) error {
	_, err := makeQuestions(a, &c.dataFlags, c.synthMakeFlags, true)
	return err
}

type synthTrackCmd struct {
	dataFlags
	synthMakeFlags
}

func (c synthTrackCmd) Run(a *app) error {
	_, err := makeQuestions(a, &c.dataFlags, c.synthMakeFlags, false)
	return err
}

// makeQuestions runs explorer, tracker and gates, or prints an estimate. The error names what is missing.
func makeQuestions(a *app, data *dataFlags, f synthMakeFlags, exploreOnly bool) (sum extractor.Summary, err error) {
	if err := f.check(); err != nil {
		return sum, err
	}
	world, err := data.open(a, env.Config{})
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, world.Close()) }()
	c, err := f.config(a, world, data.Data)
	if err != nil {
		return sum, err
	}
	c.ExploreOnly = exploreOnly
	if f.Estimate {
		e, err := synthesis.Estimate(a.ctx, c)
		if err != nil {
			return sum, err
		}
		return sum, a.print(e.Text(a.width))
	}
	if sum, err = synthesis.Make(a.ctx, c); err != nil {
		return sum, synthError(err)
	}
	end := synthEnd(f, data.Data, sum)
	if sum.Candidates == 0 {
		return sum, end
	}
	text := ""
	if f.Preview > 0 {
		if text, err = extractor.PreviewText(f.Out); err != nil {
			return sum, err
		}
		text += "\n"
	}
	yields, err := extractor.ReadYields(f.Out)
	if err != nil {
		return sum, err
	}
	return sum, errors.Join(a.print(text+yields.Text(a.width)), end)
}

type synthActCmd struct {
	dataFlags
	synthActFlags
}

func (c synthActCmd) Run(a *app) error {
	return collectTrajectories(a, &c.dataFlags, c.synthActFlags)
}

// collectTrajectories runs the actor.
func collectTrajectories(a *app, data *dataFlags, f synthActFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	world, err := data.open(a, env.Config{Mode: env.Mode(f.Retrieve), QueryDeadline: queryDeadline(f.QuerySeconds)})
	if err != nil {
		return err
	}
	defer func() { _ = world.Close() }()
	config, err := f.config(a, world, data.Data)
	if err != nil {
		return err
	}
	health, err := synthesis.Act(a.ctx, config)
	if health != nil {
		err = errors.Join(a.print(health.Text(a.width)), err)
	}
	return err
}

type synthAllCmd struct {
	dataFlags
	synthMakeFlags
	synthActorFlags
}

func (c synthAllCmd) Run(a *app) error {
	sum, err := makeQuestions(a, &c.dataFlags, c.synthMakeFlags, false)
	short := exitCode(err) == exitShort && sum.Accepted > 0
	if err != nil && !short || c.Estimate || c.Preview > 0 {
		return err
	}
	f := synthActFlags{
		Model: c.Model, endpointFlags: c.endpointFlags, Out: c.Out, Workers: c.Workers, synthActorFlags: c.synthActorFlags,
		budgetFlags: c.budgetFlags, Settings: qa.DefaultSettings(),
	}
	if err := collectTrajectories(a, &c.dataFlags, f); err != nil || !short {
		return err
	}
	return withCode(exitShort, fmt.Errorf("trajectories of the accepted questions only; %s\n"+
		"  Raise --max-candidates or choose other --categories and repeat the command, or continue with airqa export %s -o DIR",
		missingText(sum), filepath.Join(c.Out, candidate.RunsDir)))
}

type synthWhyCmd struct {
	Syn  string `arg:"" name:"syn" help:"Directory of the synthesis."`
	ID   string `arg:"" optional:"" name:"id" help:"Candidate such as single-table-12, or the uuid of a question."`
	JSON bool   `name:"json" help:"Print a JSON object."`
}

func (c synthWhyCmd) Run(a *app) error {
	if c.ID != "" {
		story, err := extractor.ReadStory(c.Syn, c.ID)
		switch {
		case err != nil:
			return err
		case c.JSON:
			return a.printJSON(story)
		}
		return a.print(story.Text())
	}
	yields, err := extractor.ReadYields(c.Syn)
	switch {
	case err != nil:
		return err
	case c.JSON:
		return a.printJSON(yields)
	}
	return a.print(yields.Text(a.width))
}
