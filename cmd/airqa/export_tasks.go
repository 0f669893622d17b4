package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/plan"
	"airqa/serve"
	"airqa/train/curate"
	"airqa/train/tasks"
)

type exportTasksCmd struct {
	dataFlags
	questionsFlag
	Out      string `short:"o" required:"" placeholder:"DIR" help:"Folder to write."`
	Format   string `required:"" enum:"verl,skyrl,nemo-gym,trl-rl,harbor" placeholder:"FORMAT" help:"verl, skyrl (Parquet), nemo-gym, trl-rl (JSON Lines), or harbor (a task directory for each question)."`
	Partial  bool   `help:"Accept missing parts, or that adding papers was interrupted."`
	Replace  bool   `help:"Replace an existing export."`
	WithGold bool   `name:"with-gold" help:"Write gold answers into the rows, and an oracle solution for harbor. Default: rows have the id of the question instead."`
	URL      string `name:"server-url" default:"http://127.0.0.1:8378" placeholder:"URL" help:"Address of airqa serve for the trainer."`
	curate.SplitOptions

	scoringFlag
	judgeFlag
	WeakRewards bool `name:"weak-rewards" help:"Also take questions whose reward can be earned without knowing the answer."`

	Image      string `name:"sidecar-image" default:"airqa:local" placeholder:"IMAGE" help:"With harbor: image of the sidecar, with airqa and bash."`
	ImageData  string `placeholder:"DIR" help:"With harbor: data directory in --sidecar-image. Default: AIRQA_DATA of the host is mounted."`
	AgentImage string `default:"ubuntu:24.04" placeholder:"IMAGE" help:"With harbor: image of the agent's container."`
	episodeFlags
	plan.Selection
}

func (c exportTasksCmd) Run(a *app) error {
	a.data = c.Data
	if !c.Partial {
		c.whole = "--partial"
	}
	if c.Format != string(tasks.Harbor) && (c.ImageData != "" || c.Image != "airqa:local" || c.AgentImage != "ubuntu:24.04") {
		return qa.Usagef("--sidecar-image, --image-data and --agent-image are for --format harbor")
	}
	questions, tools, err := c.read(a)
	if err != nil {
		return err
	}
	s, err := tasks.Write(tasks.Config{
		Format: tasks.Format(c.Format), Out: c.Out, Program: program, Force: c.Replace, Questions: questions, Tools: tools,
		SplitOptions: c.SplitOptions, WithGold: c.WithGold, URL: strings.TrimRight(c.URL, "/"), Turns: c.Turns,
		Sidecar: tasks.Sidecar{Image: c.Image, AgentImage: c.AgentImage, Data: c.ImageData, Serve: []string{ // the same episodes
			"--baseline", c.Baseline, "--retrieve", c.Retrieve, "--turns", strconv.Itoa(c.Turns), "--rows", strconv.Itoa(c.Rows),
			"--observation-tokens", strconv.Itoa(c.ObservationTokens), "--query-seconds", strconv.FormatFloat(c.QuerySeconds, 'g', -1, 64),
			"--repeat-limit", strconv.Itoa(c.RepeatLimit), "--call-timeout", c.CallTimeout.String(), "--max-answer", strconv.Itoa(c.MaxAnswer),
			"--scoring", c.Scoring, "--weak-rewards", // its only question was chosen here
		}},
	})
	if err != nil {
		return adviseExport(err)
	}
	if s.Unchanged {
		return a.print(c.Out + " already contains this export; nothing changed")
	}
	var counts []string
	for _, p := range s.Splits {
		counts = append(counts, fmt.Sprintf("%d %s", p.Rows, p.Split))
	}
	if c.Format == string(tasks.Harbor) {
		a.say("note: environment/airqa of each task contains the gold answer, for the sidecar only")
	}
	return a.print(fmt.Sprintf("%s: %s (%s)", c.Out, terminal.Plural(len(questions), "task"), strings.Join(counts, ", ")))
}

// read returns the questions with the messages and tools of their episodes, as airqa serve begins them.
func (c exportTasksCmd) read(a *app) (questions []tasks.Question, tools []qa.ToolSpec, err error) {
	served := serveCmd{
		dataFlags: c.dataFlags, questionsFlag: c.questionsFlag, ModelName: "client", episodeFlags: c.episodeFlags, Selection: c.Selection,
		WeakRewards: c.WeakRewards, scoringFlag: c.scoringFlag, judgeFlag: c.judgeFlag,
	}
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
