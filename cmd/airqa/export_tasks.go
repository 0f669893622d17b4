package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/serve"
	"airqa/train/tasks"
)

type exportTasksCmd struct {
	servedFlags
	tasks.Options
	Partial bool `help:"Accept missing parts, or that adding papers was interrupted."`
}

func (c exportTasksCmd) Run(a *app) error {
	a.data = c.Data
	if !c.Partial {
		c.whole = "--partial"
	}
	if c.Format != tasks.Harbor && (c.ImageData != "" || c.Image != "airqa:local" || c.AgentImage != "ubuntu:24.04") {
		return qa.Usagef("--sidecar-image, --image-data and --agent-image are for --format harbor")
	}
	questions, tools, err := c.read(a)
	if err != nil {
		return err
	}
	c.URL = strings.TrimRight(c.URL, "/")
	s, err := tasks.Write(tasks.Config{
		Options: c.Options, Program: program, Questions: questions, Tools: tools, Turns: c.Turns,
		Serve: []string{ // the same episodes
			"--baseline", c.Baseline, "--retrieve", c.Retrieve, "--scope", c.Scope, "--turns", strconv.Itoa(c.Turns),
			"--rows", strconv.Itoa(c.Rows),
			"--observation-tokens", strconv.Itoa(c.ObservationTokens), "--query-seconds", strconv.FormatFloat(c.QuerySeconds, 'g', -1, 64),
			"--repeat-limit", strconv.Itoa(c.RepeatLimit), "--call-timeout", c.CallTimeout.String(), "--max-answer", strconv.Itoa(c.MaxAnswer),
			"--scoring", c.Scoring, "--weak-rewards", // its only question was chosen here
		},
	})
	if err != nil {
		return adviseExport(err)
	}
	if s.Unchanged {
		return a.print(c.Out + " already contains this export; nothing changed")
	}
	counts := qa.Map(s.Splits, func(p tasks.Rows) string { return fmt.Sprintf("%d %s", p.Rows, p.Split) })
	if c.Format == tasks.Harbor {
		a.say("note: environment/airqa of each task contains the gold answer, for the sidecar only")
	}
	return a.print(fmt.Sprintf("%s: %s (%s)", c.Out, terminal.Plural(len(questions), "task"), strings.Join(counts, ", ")))
}

// read returns the questions with the messages and tools of their episodes, as airqa serve begins them.
func (c exportTasksCmd) read(a *app) (questions []tasks.Question, tools []qa.ToolSpec, err error) {
	served := serveCmd{servedFlags: c.servedFlags, ModelName: "client"}
	plan, err := served.plan(a)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, plan.World.Close()) }()
	opened, err := a.session().Serve(a.ctx, plan)
	if err != nil {
		return nil, nil, err
	}
	for _, ex := range plan.Picked {
		q := tasks.Question{Example: ex}
		if q.System, q.Prompt, err = opened.Solver.Messages(ex); err != nil {
			return nil, nil, err
		}
		questions = append(questions, q)
	}
	if len(questions) > 0 {
		tools = serve.ToolSpecs(opened.Solver.Tools(qa.Example{Kind: questions[0].Kind}))
	}
	return questions, tools, nil
}
