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

type collectServeCmd struct {
	Participants string   `required:"" placeholder:"FILE" help:"CSV of the participants: name, code, zone, proponent_sessions, expert_sessions, papers."`
	Papers       string   `required:"" placeholder:"PATH" help:"Papers: JSON or CSV with title, abstract and introduction, files of the benchmark's folds, or a folder of these."`
	Out          string   `required:"" short:"o" placeholder:"DIR" help:"Folder for the dialogues. The same command resumes a study."`
	Listen       string   `default:"127.0.0.1:8378" placeholder:"HOST:PORT" help:"Address to listen on; port 0 picks a free one. If it is not a loopback address, other machines can connect, using the token in the printed URL."`
	Pair         []string `placeholder:"NAME,NAME" help:"Start immediately, ignoring the scheduled sessions: names of the proponent and the expert. Needs --paper."`
	Paper        string   `placeholder:"TITLE" help:"Title of the paper of --pair."`
	collect.Limits
}

// config reads the files of a study.
func (c collectServeCmd) config(a *app) (collect.Config, error) {
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

func (c collectServeCmd) Run(a *app) (err error) {
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

type collectExportCmd struct {
	Dir string `arg:"" name:"dir" help:"Folder of a study."`
	Out string `required:"" short:"o" placeholder:"DIR" help:"Folder for the files."`
}

func (c collectExportCmd) Run(a *app) error {
	dialogues, err := collect.Load(c.Dir)
	if err != nil {
		return err
	}
	x, err := collect.Export(dialogues, c.Out)
	if err != nil {
		return err
	}
	if x.Complete == 0 {
		a.say("No dialogue is complete, so no fold files were written.")
	} else if x.Labelled < x.Complete {
		a.say("intents.csv has %d of %s: the others lack intents of one role or both.", x.Labelled, terminal.Plural(x.Complete, "dialogue"))
	}
	return a.print(fmt.Sprintf("%s with %s about %s, %d incomplete: %s",
		terminal.Plural(x.Complete, "dialogue"), terminal.Plural(x.Turns, "turn"), terminal.Plural(x.Papers, "paper"), x.Incomplete, terminal.Line(c.Out)))
}

type collectCalendarCmd struct {
	Participants string `required:"" placeholder:"FILE" help:"CSV of the participants."`
	Out          string `required:"" short:"o" placeholder:"DIR" help:"Folder for the files."`
}

func (c collectCalendarCmd) Run(a *app) error {
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
