package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/ingest/sources"
	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/qa"
	"airqa/run/ask"
	"airqa/run/models"
	"airqa/run/plan"
	"airqa/run/session"
)

type askCmd struct {
	Question string   `arg:"" optional:"" name:"question" help:"The question, in quotation marks."`
	PDFs     []string `arg:"" optional:"" name:"pdf" help:"PDFs to ask about: files, folders, URLs, arXiv ids, or DOIs of arXiv and the ACL Anthology. They are fetched and ingested once, into a cache. Default: all papers of --data."`
	File     string   `short:"f" placeholder:"FILE" help:"Ask each line of FILE (- for standard input). Empty lines and lines that begin with # are skipped."`
	Continue bool     `help:"Continue the last conversation: the model sees its questions and answers. Papers, baseline, model and settings default to those of the conversation."`
	From     string   `placeholder:"RUN" help:"Continue the conversation in this run directory, or after one of its questions (RUN/UUID)."`
	Baseline string   `default:"agentic-hybrid" complete:"baseline" placeholder:"NAME" help:"Baseline (airqa list baselines lists all)."`
	Model    string   `short:"m" placeholder:"PROVIDER:NAME" help:"Model, as in airqa run. Default: offline, a set of rules."`
	Out      string   `short:"o" placeholder:"DIR" help:"Run directory. Default: a new one in runs/ask, named after the time."`
	jsonFlag
	HTML string `name:"html" placeholder:"FILE" help:"Also write a self-contained HTML page: the answers, with quotes and images from the sources."`
	dataFlags
	promptsFlag
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
		Step: func(line string) {
			if !a.quiet {
				_, _ = fmt.Fprintln(a.errs, line)
			}
		},
	}
	if asking.Earlier, asking.Papers, err = c.conversation(a); err != nil {
		return err
	}
	asking.Limits, asking.Prompts = c.Budget, c.Prompts
	if asking.Job, err = c.job(a); err != nil {
		return err
	}
	if asking.World, err = c.papers(a, files, asking.Job); err != nil {
		return err
	}
	defer func() { _ = asking.World.Close() }()
	asking.Data = c.Data
	if len(files) > 0 {
		if asking.Papers, err = asking.World.Papers().IDs(a.ctx, math.MaxInt32); err != nil {
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
	defer c.sayRules(a)
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

// input returns the questions and the PDFs.
func (c *askCmd) input(a *app) (questions, files []string, err error) {
	switch {
	case c.Continue && c.From != "":
		return nil, nil, qa.Usagef("--continue and --from are mutually exclusive: --from RUN already continues RUN")
	case c.File == "" && strings.TrimSpace(c.Question) == "":
		return nil, nil, qa.Usagef("ask needs a question: airqa ask \"QUESTION\" paper.pdf, or --file FILE with a question on each line")
	}
	if err := checkQuestionLimits(c.QuestionLimits); err != nil {
		return nil, nil, err
	}
	if questions, files, err = c.given(a); err != nil {
		return nil, nil, err
	}
	switch {
	case len(questions) == 0:
		return nil, nil, qa.Usagef("no question in %s", cmp.Or(c.File, "the command"))
	case len(files) > 0 && c.dataGiven:
		return nil, nil, qa.Usagef("give PDFs or --data, not both; airqa ingest -d %s %s adds them to that directory", terminal.ShellWord(c.Data), terminal.ShellWord(files[0]))
	}
	return questions, files, nil
}

// given returns the questions of the command line or of --file, and the PDFs.
func (c *askCmd) given(a *app) (questions, files []string, err error) {
	if c.File == "" {
		if _, err := os.Stat(c.Question); err == nil {
			return nil, nil, qa.Usagef("%s is a file, not a question; the question comes first: airqa ask \"QUESTION\" %[1]s", c.Question)
		}
		args, words := append([]string{c.Question}, c.PDFs...), 1
		if !strings.ContainsAny(c.Question, " \t\n") { // typed without quotation marks
			for words < len(args) && !namesPapers(args[words]) {
				words++
			}
		}
		question := strings.Join(args[:words], " ")
		if question != c.Question {
			a.say("question: %s", question)
		}
		return []string{strings.TrimSpace(question)}, args[words:], nil
	}
	text, err := a.readText(c.File)
	if err != nil {
		return nil, nil, withCode(exitUsage, fmt.Errorf("read questions: %w", err))
	}
	if files = c.PDFs; c.Question != "" {
		files = append([]string{c.Question}, files...)
	}
	return ask.Read(text), files, nil
}

func namesPapers(arg string) bool {
	if _, err := os.Stat(arg); err == nil || strings.ContainsRune(arg, os.PathSeparator) || strings.EqualFold(filepath.Ext(arg), ".pdf") {
		return true
	}
	return sources.IsAddress(arg)
}

// conversation returns what was asked and answered before, and the papers of that.
func (c *askCmd) conversation(a *app) (turns []ask.Turn, papers []string, err error) {
	from := c.From
	if c.Continue {
		if from, err = ask.Last(); err != nil {
			return nil, nil, err
		}
	}
	if from == "" {
		return nil, nil, nil
	}
	talk, err := ask.Continued(a.session(), from)
	if err != nil {
		return nil, nil, err
	}
	a.say("continues %s: %s", talk.Dir, terminal.Plural(len(talk.Turns), "earlier question"))
	return talk.Turns, talk.Papers, nil
}

// job opens the model. Without one, no endpoint is asked, whatever keys there are.
func (c *askCmd) job(a *app) (session.Job, error) {
	c.Model = cmp.Or(c.Model, models.Offline)
	a.say("model: %s", c.Model)
	calls, err := calling(c.endpointFlags, c.budgetFlags, c.QuestionLimits)
	if err != nil {
		return session.Job{}, err
	}
	jobs, _, err := plan.Jobs(a.session(), plan.Choice{
		Baselines: []string{c.Baseline}, Models: []string{c.Model}, Calls: calls, Workers: 1, Out: c.Out,
	})
	if err != nil {
		return session.Job{}, err
	}
	if len(jobs) > 1 {
		return session.Job{}, qa.Usagef("--baseline %s: ask takes one baseline", c.Baseline)
	}
	return jobs[0], nil
}

// sayRules says, after an answer of the rules, that no model gave it, and how to ask one.
func (c *askCmd) sayRules(a *app) {
	if c.Model != models.Offline {
		return
	}
	provider, variable := llm.KeyedVendor(a.getenv)
	hint := variable + " is set, so add: -m " + provider
	switch provider {
	case "":
		hint = "to ask one, set its key and add: -m openai:gpt-4o"
	case "openai":
		hint += ":gpt-4o"
	default:
		hint += ":NAME (airqa list models lists names)"
	}
	a.say("Answered by simple rules, not by a language model; %s", hint)
}

// papers opens the data directory of the PDFs, or that of --data.
func (c *askCmd) papers(a *app, files []string, job session.Job) (*env.Env, error) {
	if len(files) > 0 {
		if err := c.ingest(a, files); err != nil {
			return nil, err
		}
	}
	world, err := c.open(a, plan.WorldConfig([]session.Job{job}, c.Settings))
	if errors.Is(err, datadir.ErrNotDataDir) {
		return nil, withCode(exitUsage, fmt.Errorf("%w\n  or name PDFs: airqa ask \"QUESTION\" paper.pdf", err))
	}
	return world, err
}

// ingest reads PDFs into the cache and makes that the data directory.
func (c *askCmd) ingest(a *app, papers []string) error {
	c.Data = ""
	root, err := files.Cache("ask", a.note)
	if err != nil {
		return err
	}
	if papers, err = fetched(a, filepath.Join(root, "fetched"), papers); err != nil {
		return err
	}
	c.Data = root // a new directory has no record that the flags could contradict
	texts, err := c.index(a, true)
	if err != nil {
		return err
	}
	c.Data, err = ask.Library{Root: root, Session: a.session()}.Dir(a.ctx, papers, env.WriterConfig{Vectors: c.Vectors, Embedder: texts})
	return err
}

// fetched downloads the papers that are given by address, and returns all as paths.
func fetched(a *app, dir string, given []string) ([]string, error) {
	var paths []string
	var items []sources.Item
	for _, p := range given {
		if _, err := os.Stat(p); err == nil || !sources.IsAddress(p) {
			paths = append(paths, p)
			continue
		}
		item, err := sources.Parse(p)
		if err != nil {
			return nil, &qa.UsageError{Err: err}
		}
		items = append(items, item)
	}
	to := a.writer(env.WriterConfig{Dir: dir})
	sum, err := to.Fetch(sources.Fetcher{UserAgent: "airqa/" + version}, items)
	if err == nil && len(sum.Failed) > 0 {
		err = fmt.Errorf("%s of %d could not be fetched; download the PDF and pass the file", terminal.Plural(len(sum.Failed), "paper"), len(items))
	}
	return append(paths, sum.Paths...), err
}
