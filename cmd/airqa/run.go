package main

import (
	"cmp"
	"errors"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"airqa/agent/action"
	"airqa/baselines"
	"airqa/env"
	"airqa/eval"
	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/llm/catalog"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/estimate"
	"airqa/run/replay"
	"airqa/run/runlog"
	"airqa/run/session"
)

type runCmd struct {
	dataFlags
	Questions string   `short:"q" required:"" placeholder:"FILE" help:"Questions: JSON Lines, a JSON array, CSV, or a folder of *.json files."`
	Baseline  []string `required:"" predictor:"baseline" placeholder:"NAME" help:"Baselines, several with commas, or all; airqa baselines lists them."`
	Model     []string `short:"m" required:"" placeholder:"PROVIDER:NAME" help:"Models, several with commas: openai:NAME at any OpenAI-compatible endpoint, anthropic:NAME, google:NAME, ollama:NAME, scripted:FILE, or offline (rules, no language model)."`
	Out       string   `short:"o" placeholder:"DIR" help:"Run directory; with several baselines or models, the folder for their run directories. Default: runs/BASELINE@MODEL. The same command again finishes what is left in it."`
	session.Endpoint
	Workers int    `short:"j" default:"4" help:"Episodes at once."`
	Repeats int    `default:"1" placeholder:"K" help:"Episodes for each question. More of them later run only what is new."`
	Retry   string `default:"errors" enum:"errors,all,none" help:"What to run again of what an earlier start finished: errors (of endpoint and tools), all (also questions whose images the model refused) or none."`
	session.Selection
	session.Missing
	session.Budget
	qa.Settings
	cacheFlags
	replayFlags
	DryRun bool `name:"dry-run" help:"Print what would run, the sizes of the prompts and the likely cost; ask no model and write nothing."`
	JSON   bool `name:"json" help:"With --dry-run: print one JSON object."`
}

// Help implements kong.HelpProvider.
func (runCmd) Help() string {
	return `Examples:
  airqa run -q q.jsonl --baseline agentic-hybrid -m openai:gpt-4o
  airqa run --data papers --questions q.jsonl --baseline agentic-hybrid --model openai:gpt-4o --out runs/hybrid -j 8
  OPENAI_BASE_URL=http://127.0.0.1:8000/v1 airqa run --data papers --questions q.jsonl --baseline all --model openai:Qwen2.5-72B-Instruct --out runs --sample 100 --budget-hours 8

Ctrl-C once finishes the episodes in flight, twice stops them; the same command resumes.
Budgets are enforced before each call: one that might exceed the limit is not made. Exit code 4 means that a limit was reached.
--cache DIR keeps replies: a request that any run has made before costs nothing and counts for no budget.
airqa run --replay RUN --out DIR repeats RUN from its recorded replies, with its settings and without a call: the same log, but for times.`
}

// Run implements the sub-command.
func (c runCmd) Run(a *app) error {
	a.modelAt = c.BaseURL
	if err := c.check(); err != nil {
		return err
	}
	lines, err := findBaselines(c.Baseline)
	if err != nil {
		return err
	}
	source, err := c.openReplay(a)
	if err != nil {
		return err
	}
	models, err := c.openModels(a, source)
	if err != nil {
		return err
	}
	jobs := jobsOf(lines, models, c.Out)
	if c.Out == "" {
		c.Out = runsFolder
		if len(jobs) == 1 {
			c.Out = jobs[0].Dir
		}
	}
	c.warnOfImages(a, jobs)
	return c.answer(a, jobs, source)
}

// answer takes the questions through the jobs.
func (c runCmd) answer(a *app, jobs []session.Job, source *replay.Source) error {
	examples, faults, err := dataset.Load(c.Questions, eval.Check)
	if err != nil {
		a.sayFaults(c.Questions, faults, faultLines)
		return err
	}
	if err := a.checkUUIDs(examples); err != nil {
		return err
	}
	picked, err := c.Pick(a.session(), examples)
	if err != nil {
		return err
	}
	world, err := c.open(a, env.Config{Mode: env.Mode(c.Retrieve), QueryDeadline: session.QueryDeadline(c.QuerySeconds), NoSearch: !slices.ContainsFunc(jobs, func(j session.Job) bool { return j.Baseline.Searches() })})
	if err != nil {
		return err
	}
	defer func() { _ = world.Close() }()
	a.sayFaults(c.Questions, faults, faultsShown(jobs))
	plan := session.Plan{
		World: world, Examples: examples, Picked: picked, Settings: c.Settings, Workers: c.Workers, Repeats: c.Repeats,
		Retry: c.Retry, Budget: c.Budget,
		Note: runlog.Note{QuestionsFile: c.Questions, DataDir: c.Data, Replay: c.Replay},
	}
	if err := c.Settle(a.ctx, a.session(), &plan, jobs, c.DryRun); err != nil {
		return err
	}
	if c.DryRun {
		return c.dryRun(a, plan, jobs)
	}
	store, err := c.openCache(a)
	if err != nil {
		return err
	}
	defer a.closeCache(c.Cache, store)
	plan.Cache, plan.Replay = store, source
	if source != nil {
		plan.Only = source.Holds
		if plan.Episodes() == 0 {
			return exit.Misuse("%s holds none of these questions", c.Replay)
		}
	}
	ended, err := a.session().Execute(a.ctx, plan, jobs)
	return a.session().End(ended, c.Out, err)
}

func (c runCmd) dryRun(a *app, p session.Plan, jobs []session.Job) error {
	remote := c.Embedder != "minilm" && c.Retrieve != string(env.BM25)
	d, err := estimate.Run(a.ctx, a.session(), p, jobs, remote)
	if err != nil {
		return err
	}
	if c.JSON {
		err = a.printJSON(d)
	} else {
		err = a.print(d.Text(a.width))
	}
	return errors.Join(err, d.Mismatch())
}

func (c runCmd) check() error {
	switch {
	case c.Workers < 1:
		return exit.Misuse("-j %d: at least one episode at once", c.Workers)
	case c.Out == "" && c.Replay != "":
		return exit.Misuse("--replay goes with --out: name a directory for the new run")
	case c.Repeats < 1:
		return exit.Misuse("--repeats %d: each question gets at least one episode", c.Repeats)
	case c.Rows < 0:
		return exit.Misuse("--rows %d: 0 is no limit", c.Rows)
	case c.Turns < 1 || c.Window < 1:
		return exit.Misuse("--turns and --window must be at least 1")
	case c.DryRun && c.Replay != "":
		return exit.Misuse("--dry-run and --replay are mutually exclusive: a replay makes no calls")
	}
	if err := errors.Join(c.checkFormat(), c.checkReplay()); err != nil {
		return err
	}
	return errors.Join(c.Check(), session.CheckLimits(c.QuestionLimits))
}

func (c runCmd) checkFormat() error {
	if c.Protocol == qa.NativeTools && c.ActionFormat != string(action.Python) {
		return exit.Misuse("--action-format %s is for actions written as text, and --protocol tools reads none: drop one of them or use --protocol mixed", c.ActionFormat)
	}
	return nil
}

// findBaselines returns the baselines of some names, or every one for "all".
func findBaselines(names []string) ([]baselines.Baseline, error) {
	if slices.Equal(names, []string{"all"}) {
		return baselines.All(), nil
	}
	var found []baselines.Baseline
	for _, name := range names {
		b, err := baselines.Find(strings.TrimSpace(name))
		if err != nil {
			return nil, exit.With(exit.Usage, err)
		}
		if slices.ContainsFunc(found, func(other baselines.Baseline) bool { return other.Name == b.Name }) {
			return nil, exit.Misuse("baseline %s is named twice", b.Name)
		}
		found = append(found, b)
	}
	return found, nil
}

// openModels makes the models; for a replay only what the record of a run says of them.
func (c runCmd) openModels(a *app, replayed *replay.Source) ([]session.Opened, error) {
	if c.MaxConnections == 0 {
		c.MaxConnections = max(llm.DefaultMaxConnections, c.Workers)
	}
	source := c.Opener()
	source.Notify = a.notify
	if len(c.Model) > 1 && c.Price != "" {
		a.say("warning: --price %s holds for all %d models; a file for --models has one for each", c.Price, len(c.Model))
	}
	var opened []session.Opened
	for _, spec := range c.Model {
		spec = strings.TrimSpace(spec)
		if slices.ContainsFunc(opened, func(other session.Opened) bool { return other.Spec == spec }) {
			return nil, exit.Misuse("model %s is named twice", spec)
		}
		m, err := c.openModel(a, source, replayed, spec)
		if err == nil {
			m.Price, err = c.PriceOf(m, c.QuestionLimits)
		}
		if err != nil {
			return nil, err
		}
		if left, ok := m.Described["not_sent"]; ok {
			a.say("note: %s refuses settings, which are not sent: %v", spec, left)
		}
		opened = append(opened, m)
	}
	c.warnOfProviders(a)
	if replayed == nil {
		c.warnOfPrices(a, opened)
	}
	return opened, nil
}

// warnOfPrices names the models of unknown price. Those on this machine are taken to cost nothing by the token.
func (c runCmd) warnOfPrices(a *app, models []session.Opened) {
	var unknown []string
	for _, m := range models {
		access := llm.FromEnvironment(m.Spec, a.getenv).Pair(c.BaseURL)
		if host, _, err := net.SplitHostPort(access.Host()); m.Price == nil && (err != nil || !isLoopback(host)) {
			unknown = append(unknown, m.Spec)
		}
	}
	if len(unknown) > 0 {
		a.say("warning: no known price for %s: costs are not counted; --price IN,OUT sets one", strings.Join(unknown, ", "))
	}
}

// warnOfProviders says that one address is given to models of several providers.
func (c runCmd) warnOfProviders(a *app) {
	var providers []string
	for _, spec := range c.Model {
		provider, _ := llm.SplitSpec(strings.TrimSpace(spec))
		asks := provider != session.OfflineModel && provider != "scripted"
		if asks && !slices.Contains(providers, provider) {
			providers = append(providers, provider)
		}
	}
	if len(providers) > 1 && c.BaseURL != "" {
		a.say("warning: --base-url is the address for models of %s alike, and gets the keys of all of them", strings.Join(providers, " and "))
	}
}

// warnOfImages says that a model cannot look at pages although a baseline has it do so.
func (c runCmd) warnOfImages(a *app, jobs []session.Job) {
	list, err := catalog.Open(c.Models)
	if err != nil {
		return // reported when the models were opened
	}
	for _, j := range jobs {
		if known, listed := list.Find(j.Spec); listed && !known.Images && slices.Contains(j.Baseline.Tools, "View") {
			a.say("warning: the list of models says that %s takes no images; %s sends some", j.Spec, j.Baseline.Name)
		}
	}
}

// runsFolder is where runs go without --out.
const runsFolder = "runs"

// jobsOf returns all baselines with all models. A single one has the folder out to itself, if there is one.
func jobsOf(lines []baselines.Baseline, models []session.Opened, out string) []session.Job {
	if len(lines) == 1 && len(models) == 1 && out != "" {
		return []session.Job{{Baseline: lines[0], Opened: models[0], Dir: out, Name: lines[0].Name}}
	}
	out = cmp.Or(out, runsFolder)
	var all []session.Job
	for _, m := range models {
		slug := session.Slug(m.Spec)
		for _, b := range lines {
			c := session.Job{Baseline: b, Opened: m, Dir: filepath.Join(out, b.Name+"@"+slug), Name: b.Name}
			if len(models) > 1 {
				c.Name = b.Name + " " + m.Spec
			}
			all = append(all, c)
		}
	}
	return all
}

// loadQuestions reads examples and reports the faulty ones.
func (a *app) loadQuestions(path string) ([]qa.Example, error) {
	examples, faults, err := dataset.Load(path, eval.Check)
	a.sayFaults(path, faults, faultLines)
	return examples, err
}

// faultLines is how many faults of a question file are printed in full.
const faultLines = 3

// sayFaults prints the first faults of a question file and counts the others.
func (a *app) sayFaults(path string, faults []*dataset.Fault, most int) {
	for i, f := range faults {
		if i == most {
			more := "fault"
			if most > 0 {
				more = "more fault"
			}
			a.say("warning: %s: %s; airqa stats %s --lint lists all", path, terminal.Plural(len(faults)-most, more), path)
			return
		}
		kept := "left out"
		if f.Loaded {
			kept = "kept"
		}
		a.say("warning: %v (%s)", f, kept)
	}
}

// faultsShown is how many faults to print: none again where all jobs resume, since their first invocation printed them.
func faultsShown(jobs []session.Job) int {
	for _, j := range jobs {
		if _, err := runlog.ReadConfig(j.Dir); err != nil {
			return faultLines
		}
	}
	return 0
}

// checkUUIDs refuses questions whose uuid holds a key or a path of the home directory: neither is written to a run directory,
// so their answers could not be found again.
func (a *app) checkUUIDs(examples []qa.Example) error {
	redact := a.redactor()
	for _, ex := range examples {
		if safe := string(redact([]byte(ex.UUID))); safe != ex.UUID {
			return exit.Misuse("the uuid %q holds a key or a path of the home directory, which no run directory may hold; rename the question", safe)
		}
	}
	return nil
}
