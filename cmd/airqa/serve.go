package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"airqa/baselines"
	"airqa/env"
	"airqa/env/paperdb"
	"airqa/eval"
	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/internal/web"
	"airqa/qa"
	"airqa/run/models"
	"airqa/run/plan"
	"airqa/run/scoring"
	"airqa/run/session"
	"airqa/runlog"
	"airqa/serve"
	"airqa/serve/protocol"
	"airqa/train"
)

// episodeFlags shape the episodes of clients, who bring their own model.
type episodeFlags struct {
	Baseline string `default:"agentic-hybrid-view" complete:"baseline" placeholder:"NAME" help:"Baseline (airqa list baselines lists all)."`
	qa.ToolSettings
	qa.QueryLimit
	CallTimeout time.Duration `name:"call-timeout" default:"1m" help:"Timeout of one call."`
	MaxAnswer   int           `name:"max-answer" default:"65536" placeholder:"BYTES" help:"Maximum size of an answer. A longer one ends the episode without an answer."`
}

func (f episodeFlags) settings() (qa.Settings, error) {
	s := qa.DefaultSettings()
	s.Protocol, s.ToolSettings, s.QueryLimit = qa.NativeTools, f.ToolSettings, f.QueryLimit
	switch {
	case f.Turns < 1:
		return s, qa.Usagef("--turns %d: must be at least 1", f.Turns)
	case f.RepeatLimit < 0 || f.RepeatLimit == 1:
		return s, qa.Usagef("--repeat-limit %d: must be at least 2, or 0 for none", f.RepeatLimit)
	case f.CallTimeout <= 0:
		return s, qa.Usagef("--call-timeout %s: must be above 0", f.CallTimeout)
	case f.MaxAnswer < 1:
		return s, qa.Usagef("--max-answer %d: must be at least 1", f.MaxAnswer)
	case f.ObservationTokens < 1 || f.Rows < 0:
		return s, qa.Usagef("--observation-tokens must be at least 1, and --rows must not be negative")
	}
	return s, checkQuerySeconds(f.QuerySeconds)
}

// servedFlags are the episodes of the questions of a file.
type servedFlags struct {
	clientFlags
	questionsFlag
	WeakRewards bool `name:"weak-rewards" help:"Also take questions whose reward can be earned without knowing the answer."`
	plan.Selection
}

// clientFlags are episodes whose model is the client.
type clientFlags struct {
	dataFlags
	episodeFlags
	scoringFlag
	judgeFlag
}

type serveCmd struct {
	servedFlags
	Out       string `short:"o" default:"runs/served" placeholder:"DIR" help:"Run directory of recorded episodes. Servers that run at the same time need one each."`
	ModelName string `name:"model-name" default:"client" placeholder:"NAME" help:"Name of the clients' model in the run."`

	Listen      string        `default:"127.0.0.1:8378" placeholder:"HOST:PORT" help:"Address to listen on; port 0 picks a free one. Other machines can connect if it is not a loopback address; then --token-file is required."`
	TokenFile   string        `name:"token-file" placeholder:"FILE" help:"File with the control token: who has it may choose questions and read rewards. Default: AIRQA_SERVE_TOKEN; without either, every program on this machine may."`
	MaxSessions int           `name:"max-sessions" default:"1024" placeholder:"N" help:"Maximum open sessions."`
	Idle        time.Duration `default:"1h" help:"Close a session without calls after this time. It must be longer than a step of the optimizer."`
	train.SplitOptions
}

func (c serveCmd) Run(a *app) (err error) {
	a.data = c.Data
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return qa.Usagef("--listen %s: %v; an example is 127.0.0.1:8378", c.Listen, err)
	}
	if c.MaxSessions < 1 || c.Idle <= 0 {
		return qa.Usagef("--max-sessions must be at least 1, and --idle above 0")
	}
	token, err := c.token(a, host)
	if err != nil {
		return err
	}
	ctx, stop := a.untilSignal()
	defer stop()
	opened, err := c.open(ctx, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.close()) }()
	on, err := listen(ctx, c.Listen)
	if err != nil {
		return err
	}
	handler := protocol.New(protocol.Config{Host: opened.host, Token: token, Listen: host, Version: version, Log: a.log})
	c.announce(a, on.Addr(), opened)
	go opened.host.Watch(ctx)
	server := &http.Server{Handler: handler, ReadHeaderTimeout: protocol.ReadHeaderTimeout, MaxHeaderBytes: web.MaxHeader}
	err = protocol.Serve(ctx, server, on, opened.host.Close)
	if ctx.Err() != nil {
		a.say("stopped; episodes that had not ended are unfinished in %s", c.Out)
	}
	return err
}

// token is the control token of the file or the environment.
func (c serveCmd) token(a *app, host string) (string, error) {
	token := a.getenv("AIRQA_SERVE_TOKEN")
	if c.TokenFile != "" {
		raw, err := files.ReadText(c.TokenFile)
		if err != nil {
			return "", withCode(exitUsage, err)
		}
		token = strings.TrimSpace(string(raw))
	}
	const least = 16
	switch {
	case token == "" && c.TokenFile != "":
		return "", qa.Usagef("%s: the file is empty", c.TokenFile)
	case token == "" && !web.Loopback(host):
		return "", qa.Usagef("--listen %s: other machines can connect, so a control token is required: --token-file FILE, or AIRQA_SERVE_TOKEN", c.Listen)
	case token != "" && len(token) < least:
		return "", qa.Usagef("the control token has %d characters; it needs at least %d, such as those of: openssl rand -hex 16", len(token), least)
	}
	return token, nil
}

// served is what a server of episodes holds open.
type served struct {
	session.Served
	host    *serve.Host
	plan    session.Plan
	closing []func() error
}

func (s *served) close() error {
	return errors.Join(qa.Map(s.closing, func(end func() error) error { return end() })...)
}

// privateFolder makes a folder unless there is one: it gets the gold answers, and agents may run on this machine.
func privateFolder(path string) error {
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Mkdir(path, 0o700))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// untilSignal returns a context that ends with Ctrl-C or SIGTERM. The next one ends the program at once.
func (a *app) untilSignal() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// open opens papers, questions, judge and run directory. The judge is asked nothing more once ctx has ended.
func (c *serveCmd) open(ctx context.Context, a *app) (_ *served, err error) {
	if c.Out == "" {
		return nil, qa.Usagef("--out is empty: episodes need a run directory")
	}
	s := &served{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.plan, err = c.plan(a); err != nil {
		return s, err
	}
	s.closing = append(s.closing, s.plan.World.Close)
	judges, err := c.judges(a)
	if err == nil {
		err = judges.Ready(a.session(), s.plan.Picked)
	}
	if err != nil {
		return s, err
	}
	parts, err := train.DivideQuestions(s.plan.Picked, c.SplitOptions)
	if err != nil {
		return s, err
	}
	splits := qa.Map(parts, func(part train.Part) serve.Split {
		return serve.Split{Name: part.Name, Questions: qa.Map(part.Indexes, func(i int) qa.Example { return s.plan.Picked[i] })}
	})
	if err := privateFolder(c.Out); err != nil {
		return s, err
	}
	if s.Served, err = a.session().Serve(a.ctx, s.plan); err != nil {
		return s, err
	}
	s.closing = append(s.closing, s.Writer.Close)
	judge, err := judges.Open(a.session(), filepath.Join(c.Out, runlog.VerdictsFile))
	if err != nil {
		return s, err
	}
	judge.Drain = ctx.Done()
	s.closing = append(s.closing, judge.Close)
	s.host = serve.New(serve.Config{
		Solver: s.Solver, Writer: s.Writer, Repeats: s.Repeats, Questions: s.plan.Picked, Splits: splits, Now: a.now, Log: a.log,
		Scorer: eval.New(eval.Config{Judge: judge.Judge, Mode: eval.Mode(c.Scoring), Others: companions()}),
		Limits: serve.Limits{Sessions: c.MaxSessions, Idle: c.Idle, Call: c.CallTimeout, Answer: c.MaxAnswer},
	})
	return s, nil
}

func (c *serveCmd) plan(a *app) (p session.Plan, err error) {
	settings, err := c.settings()
	if err != nil {
		return p, err
	}
	baseline, err := loopBaseline(c.Baseline)
	if err != nil {
		return p, err
	}
	s := a.session()
	p = session.Plan{Jobs: []session.Job{session.ServedJob(baseline, c.ModelName, c.Out)}, Out: c.Out, Settings: settings, Prompts: c.Prompts}
	p.Note.QuestionsFile, p.Note.DataDir = c.Questions, c.Data
	if p.Examples, err = s.QuestionsFor(c.Questions, p.Jobs); err != nil {
		return p, err
	}
	if p.Picked, err = plan.Select(s, c.Selection, p.Examples); err == nil {
		p.Picked, err = c.rewarding(a, p.Picked)
	}
	if err != nil {
		return p, err
	}
	p.World, err = c.dataFlags.open(a, plan.WorldConfig(p.Jobs, settings))
	return p, err
}

// rewarding names the questions whose reward can be earned without knowing the answer. They are left out unless
// --weak-rewards; questions with two possible answers stay.
func (c *serveCmd) rewarding(a *app, picked []qa.Example) (kept []qa.Example, err error) {
	const shown = 5
	config := eval.Config{Mode: eval.Mode(c.Scoring)}
	if c.Judge == models.Offline { // it costs nothing to probe
		config.Judge = scoring.Offline().Judge
	}
	scorer := eval.New(config)
	var weak, guessed []string
	for _, ex := range picked {
		w := scorer.Weakness(a.ctx, ex.Evaluator)
		name := fmt.Sprintf("%.8s (%s)", ex.UUID, w.Reason)
		switch {
		case w.Guess:
			guessed = append(guessed, name)
		case w.Reason != "":
			weak = append(weak, name)
		}
		if w.Reason == "" || w.Guess || c.WeakRewards {
			kept = append(kept, ex)
		}
	}
	named := slices.Concat(weak, guessed)
	if len(named) == 0 {
		return kept, nil
	}
	left, more := "", ""
	if len(kept) < len(picked) {
		left = " and is left out (--weak-rewards keeps it)"
	}
	if len(named) > shown {
		more = fmt.Sprintf(" and %d more, see airqa questions lint", len(named)-shown)
	}
	a.say("%s scoring: the reward of %d of %s can be earned without the answer%s, and of %d by a guess: %s%s", c.Scoring, len(weak),
		terminal.Plural(len(picked), "question"), left, len(guessed), strings.Join(named[:min(len(named), shown)], ", "), more)
	if len(kept) == 0 {
		return nil, qa.Usagef("no question is left: choose others, or add --weak-rewards")
	}
	return kept, nil
}

func loopBaseline(name string) (baselines.Baseline, error) {
	b, err := baselines.Find(name)
	if err == nil && !b.Loop {
		err = fmt.Errorf("the baseline %s asks a model once and has no tools to serve; try agentic-hybrid-view", name)
	}
	if err != nil {
		return b, &qa.UsageError{Err: err}
	}
	return b, nil
}

// announce prints the addresses of the faces.
func (c serveCmd) announce(a *app, at net.Addr, s *served) {
	base := "http://" + at.String()
	a.say("%s with %s, recorded in %s", terminal.Plural(len(s.plan.Picked), "question"), c.Baseline, c.Out)
	for _, face := range [][2]string{
		{"MCP", base + "/mcp/e/EPISODE, after POST " + base + "/episodes"},
		{"OpenEnv", base + "/openenv"},
		{"ORS", base},
		{"NeMo Gym", base},
	} {
		a.say("  %-9s %s", face[0], face[1])
	}
	if err := a.print(base); err != nil {
		a.log.Error("the address cannot be printed", "error", err)
	}
}

type mcpCmd struct {
	clientFlags
	Questions string `short:"q" placeholder:"FILE" help:"Questions: JSON Lines, a JSON array, CSV, or a folder of *.json files."`
	Question  string `placeholder:"UUID" help:"Serve an episode of this question, which is recorded and scored, instead of the tools alone."`
	Out       string `short:"o" default:"runs/mcp" placeholder:"DIR" help:"Run directory of recorded episodes. Servers that run at the same time need one each."`
	Listen    string `placeholder:"HOST:PORT" help:"Serve over HTTP at this loopback address instead of standard input and output, at the path /mcp."`
}

func (c mcpCmd) Run(a *app) error {
	ctx, stop := a.untilSignal()
	defer stop()
	config := protocol.MCP{Version: version, Log: a.log}
	if c.Question != "" {
		opened, err := c.episode(ctx, a)
		if err != nil {
			return err
		}
		defer func() { _ = opened.close() }()
		host := opened.host
		only, err := host.Open("mcp", cmp.Or(c.Listen, "stdio"))
		if err != nil {
			return err
		}
		start, err := only.Reset(ctx, serve.Choice{Question: opened.plan.Picked[0].UUID})
		if err != nil {
			return err
		}
		config.Actor, config.Tools, config.Prompt, config.Question = only, host.Tools(), start.System, start.Prompt
	} else {
		if c.Questions != "" {
			return qa.Usagef("--questions needs --question UUID; airqa serve serves all questions of a file")
		}
		world, err := c.free(a, &config)
		if err != nil {
			return err
		}
		defer func() { _ = world.Close() }()
	}
	return c.serve(ctx, a, config)
}

// serve answers one client, or those of an address.
func (c mcpCmd) serve(ctx context.Context, a *app, config protocol.MCP) error {
	if c.Listen == "" {
		return config.Stdio(ctx)
	}
	address, _, err := net.SplitHostPort(c.Listen)
	if err != nil || !web.Loopback(address) {
		return qa.Usagef("--listen %s: want a loopback address such as 127.0.0.1:8379; airqa serve listens for other machines", c.Listen)
	}
	on, err := listen(ctx, c.Listen)
	if err != nil {
		return err
	}
	if err := a.print("http://" + on.Addr().String() + "/mcp"); err != nil {
		return err
	}
	return config.Serve(ctx, on)
}

func (c mcpCmd) episode(ctx context.Context, a *app) (*served, error) {
	if c.Questions == "" {
		return nil, qa.Usagef("--question needs --questions FILE")
	}
	one := serveCmd{Out: c.Out, ModelName: "client", MaxSessions: 1, Idle: 24 * time.Hour}
	one.clientFlags, one.Questions, one.WeakRewards = c.clientFlags, c.Questions, true // the question was named
	one.IDs = []string{c.Question}
	return one.open(ctx, a)
}

// free makes a server of the tools without a question, with the papers as resources.
func (c *mcpCmd) free(a *app, config *protocol.MCP) (*env.Env, error) {
	settings, err := c.settings()
	if err != nil {
		return nil, err
	}
	baseline, err := loopBaseline(c.Baseline)
	if err != nil {
		return nil, err
	}
	p := session.Plan{Jobs: []session.Job{session.ServedJob(baseline, "client", "")}, Settings: settings, Prompts: c.Prompts}
	if p.World, err = c.open(a, plan.WorldConfig(p.Jobs, settings)); err != nil {
		return nil, err
	}
	opened, err := a.session().Serve(a.ctx, p)
	if err != nil {
		return nil, errors.Join(err, p.World.Close())
	}
	ids, errIDs := p.World.Papers().IDs(a.ctx, protocol.MaxPapers)
	titles, errTitles := p.World.Papers().Titles(a.ctx, ids)
	if err := cmp.Or(errIDs, errTitles); err != nil {
		return nil, errors.Join(err, p.World.Close())
	}
	config.Papers = qa.Map(ids, func(id string) protocol.Paper { return protocol.Paper{ID: id, Title: titles[id]} })
	config.Read = func(ctx context.Context, id string) (string, error) {
		if _, err := p.World.Paper(ctx, id); errors.Is(err, paperdb.ErrNoPaper) {
			return "", fs.ErrNotExist
		}
		pages, err := p.World.PageTexts(ctx, id)
		return strings.Join(pages, "\n\n"), err
	}
	free := serve.Free{Tools: opened.Solver.Tools(qa.Example{}), Call: c.CallTimeout}
	config.Actor, config.Tools = free, serve.ToolSpecs(free.Tools)
	config.Prompt, _, err = opened.Solver.Messages(qa.Example{})
	return p.World, err
}
