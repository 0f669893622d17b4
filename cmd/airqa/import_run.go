package main

import (
	"fmt"

	"airqa/internal/terminal"
	"airqa/run/importer"
)

type importRunCmd struct {
	Files []string `arg:"" name:"file" help:"Trajectories in ATIF (a .json file, lines, or a folder), or logs of inspect_ai (.eval or .json)."`
	Out   string   `names:"output" short:"o" required:"" env:"-" placeholder:"DIR" help:"Run directory to make; a folder of them if the files have several agents, models or runs."`
}

func (c importRunCmd) Run(a *app) error {
	r, err := importer.Import(a.ctx, importer.Config{
		Paths: c.Files, Out: c.Out, Program: program, Redact: a.redactor(), Notify: a.notify, Progress: a.progress,
	})
	if err != nil {
		return err
	}
	for _, loss := range r.Losses.List() {
		a.say("lost or changed: %s", loss)
	}
	return a.print(fmt.Sprintf("%s: %s in %s", c.Out, terminal.Plural(r.Episodes, "episode"), terminal.Plural(len(r.Runs), "run")))
}
