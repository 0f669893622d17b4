package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"airqa/bench/argscichat/collect"
	"airqa/internal/terminal"
	"airqa/internal/web"
	"airqa/qa"
)

type collectCmd struct {
	Participants string `placeholder:"FILE" help:"CSV of the participants: name, code, zone, proponent_sessions, expert_sessions, papers."`
	Papers       string `placeholder:"PATH" help:"Papers: JSON or CSV with title, abstract and introduction, files of the benchmark's folds, or a folder of these."`
	workFlag
	Listen   string   `default:"127.0.0.1:8378" placeholder:"HOST:PORT" help:"Address to listen on; port 0 picks a free one. If it is not a loopback address, other machines can connect, using the token in the printed URL."`
	Pair     []string `placeholder:"NAME,NAME" help:"Start immediately, ignoring the scheduled sessions: names of the proponent and the expert. Needs --paper."`
	Paper    string   `placeholder:"TITLE" help:"Title of the paper of --pair."`
	Export   string   `placeholder:"FOLDER" help:"Serve nothing: write the dialogues of --out to FOLDER in ArgSciChat's format, with summary tables."`
	Calendar bool     `help:"Serve nothing: write a calendar file for each participant to --out."`
	collect.Limits
}

func (c collectCmd) config(a *app) (collect.Config, error) {
	f := collect.Config{Now: a.now, Limits: c.Limits}
	if len(c.Pair) != 0 && len(c.Pair) != 2 || (len(c.Pair) == 0) != (c.Paper == "") {
		return f, qa.Usagef("--pair needs two names and --paper a title, as in --pair Ada,Ben --paper \"Quiet Attention\"")
	}
	var err error
	if f.Plan, err = collect.ReadPlan(c.Participants); err != nil {
		return f, err
	}
	if len(c.Pair) == 2 {
		if f.Plan, err = f.Plan.With(c.Pair[0], c.Pair[1], c.Paper); err != nil {
			return f, err
		}
	}
	f.Papers, err = collect.ReadPapers(c.Papers)
	return f, err
}

func (c collectCmd) Run(a *app) (err error) {
	switch {
	case c.Export != "":
		return c.export(a)
	case c.Participants == "":
		return qa.Usagef("--participants FILE is required")
	case c.Calendar:
		return c.calendars(a)
	case c.Papers == "":
		return qa.Usagef("--papers PATH is required")
	}
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return qa.Usagef("--listen %s: %v; want an address such as 127.0.0.1:8378", c.Listen, err)
	}
	f, err := c.config(a)
	if err != nil {
		return err
	}
	study, err := collect.Open(c.Out, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, study.Close()) }()
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	on, err := listen(ctx, c.Listen)
	if err != nil {
		return err
	}
	if !web.Loopback(host) {
		a.say("Other machines can reach this server, and the connection is not encrypted: use a network that you trust.\n" +
			"Give the participants the URL with its token, and the name or IP address of this machine as its host.")
	}
	server := collect.NewServer(collect.ServerConfig{Study: study, Host: host, Log: a.log, Now: a.now})
	if err := a.print(server.Address(on.Addr())); err != nil {
		return err
	}
	return server.Serve(ctx, on)
}

// export writes the dialogues of a study in ArgSciChat's format.
func (c collectCmd) export(a *app) error {
	dialogues, err := collect.Load(c.Out)
	if err != nil {
		return err
	}
	x, err := collect.Export(dialogues, c.Export)
	if err != nil {
		return err
	}
	if x.Complete == 0 {
		a.say("No dialogue is complete, so no fold files were written.")
	} else if x.Labelled < x.Complete {
		a.say("intents.csv has %d of %s: the others lack intents of one role or both.", x.Labelled, terminal.Plural(x.Complete, "dialogue"))
	}
	return a.print(fmt.Sprintf("%s with %s about %s, %d incomplete: %s",
		terminal.Plural(x.Complete, "dialogue"), terminal.Plural(x.Turns, "turn"), terminal.Plural(x.Papers, "paper"), x.Incomplete, terminal.Line(c.Export)))
}

func (c collectCmd) calendars(a *app) error {
	plan, err := collect.ReadPlan(c.Participants)
	if err != nil {
		return err
	}
	names, err := collect.Calendar(plan, c.Out, a.now())
	if err != nil {
		return err
	}
	return printEach(a, false, names, func(name string) string { return name })
}
