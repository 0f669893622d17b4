package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/alecthomas/kong"

	"airqa/env"
	"airqa/internal/files"
	"airqa/qa"
	"airqa/run/ask"
)

type askCmd struct {
	Question string   `arg:"" optional:"" name:"question" help:"The question, in quotation marks."`
	PDFs     []string `arg:"" optional:"" name:"pdf" help:"PDFs or folders of PDFs to ask about. They are ingested once, into a cache. Default: all papers of --data."`
	File     string   `names:"input" short:"f" env:"-" placeholder:"FILE" help:"Ask each line of FILE (- for standard input). Empty lines and lines that begin with # are skipped."`
	Continue bool     `env:"-" help:"Continue the last conversation: the model sees its questions and answers. Papers, baseline, model and settings default to its own."`
	From     string   `names:"input" env:"-" placeholder:"RUN" help:"Continue the conversation of this run directory, or of one question of it (RUN/UUID)."`
	Baseline string   `default:"agentic-hybrid" predictor:"baseline" placeholder:"NAME" help:"Baseline that answers (airqa baselines lists them)."`
	Model    string   `names:"model" short:"m" placeholder:"PROVIDER:NAME" help:"Model, as in airqa run. Default: offline, a set of rules."`
	Out      string   `names:"output" short:"o" placeholder:"DIR" help:"Run directory. Default: one in runs/ask, named by time."`
	JSON     bool     `name:"json" help:"Print a JSON object."`
	HTML     string   `names:"output" name:"html" placeholder:"FILE" help:"Also write a self-contained page with the answers, quotes and images of the sources."`
	dataFlags
	endpointFlags
	budgetFlags
	qa.Settings

	dataGiven bool
}

// AfterApply is a hook of kong. It notes whether the command line names the data directory.
func (c *askCmd) AfterApply(ctx *kong.Context) error {
	c.dataGiven = slices.ContainsFunc(ctx.Path, func(p *kong.Path) bool { return p.Flag != nil && p.Flag.Name == "data" && !p.Resolved })
	return nil
}

func (c *askCmd) Run(a *app) error {
	questions, files, err := c.input(a)
	if err != nil {
		return err
	}
	asking := ask.Asking{
		Session: a.session(), Settings: c.Settings, Questions: questions, Out: c.Out, Width: cmp.Or(terminalWidth(os.Stderr), 80),
		Step: func(line string) { _, _ = fmt.Fprintln(a.errs, line) },
	}
	if asking.Earlier, asking.Papers, err = c.conversation(a); err != nil {
		return err
	}
	if asking.Job, asking.Limits, err = c.job(a); err != nil {
		return err
	}
	if asking.World, err = c.papers(a, files, asking.Job); err != nil {
		return err
	}
	defer func() { _ = asking.World.Close() }()
	asking.Data = c.Data
	if len(files) > 0 {
		if asking.Papers, err = ask.PapersOf(a.ctx, asking.World); err != nil {
			return err
		}
	}
	result, err := asking.Run(a.ctx)
	if result == nil {
		return err
	}
	return errors.Join(err, c.show(a, result, asking.World))
}

// show prints the result and writes the page.
func (c *askCmd) show(a *app, r *ask.Result, world *env.Env) error {
	var err error
	if c.JSON {
		err = a.printJSON(r)
	} else {
		err = r.Text(a.out, a.width, a.outStyle)
	}
	a.say("%s", r.Summary())
	if c.HTML == "" || err != nil {
		return err
	}
	page, err := r.Page(a.ctx, world)
	if err != nil {
		return err
	}
	if err := files.WriteFile(c.HTML, page); err != nil {
		return err
	}
	a.say("page: %s", c.HTML)
	return nil
}
