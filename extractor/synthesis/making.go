// Package synthesis runs one invocation of airqa synth: it opens model, cache, ledger and budget in the directory of a
// synthesis, runs the pipeline, and collects trajectories for the accepted questions. Start from [Making.Run] and
// [Acting.Run].
package synthesis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"airqa/env"
	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/extractor/explore"
	"airqa/extractor/gate"
	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/llm/batch"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/session"
)

// Making selects what to make. Its fields are flags.
type Making struct {
	Model string `names:"model" short:"m" required:"" placeholder:"PROVIDER:NAME" help:"Model of explorer, tracker and gates: openai:NAME at any OpenAI-compatible endpoint, anthropic:NAME, google:NAME, ollama:NAME, or offline (rules, no language model)."`
	session.Endpoint
	Out           string   `names:"output" short:"o" required:"" placeholder:"SYN" help:"Directory of the synthesis. An existing one is resumed."`
	Count         int      `short:"n" placeholder:"N" help:"Number of questions to accept."`
	Categories    []string `placeholder:"NAME" help:"Categories, comma-separated: single-, comprehensive- with text, sections, table, image, formula or metadata; retrieval; multiple. Default: all, in the paper's shares."`
	MaxCandidates int      `name:"max-candidates" placeholder:"N" help:"Maximum number of candidates. Default: five per question."`
	DrawSeed      uint64   `name:"draw-seed" default:"2024" placeholder:"SEED" help:"Seed of the papers and elements drawn."`
	Gates         []string `placeholder:"NAME" help:"Only these gates: self_contained, evidence, unique, evaluator, mutation, closed_book, solved_again, duplicate. Default: all."`
	SkipGate      []string `name:"skip-gate" placeholder:"NAME" help:"Gates to switch off."`
	SolveAgain    int      `name:"solve-again" default:"2" placeholder:"K" help:"Independent answers of gate solved_again."`
	Pictures      bool     `help:"Show figures to a model that airqa models does not list as accepting images."`
	Workers       int      `short:"j" default:"4" help:"Candidates at a time."`
	Preview       int      `placeholder:"N" help:"Make N candidates of each category, show them and stop."`
	Estimate      bool     `help:"Print calls, tokens and cost of the missing questions, and make none."`
	Resume        string   `default:"if-possible" enum:"never,always,if-possible" help:"What to do with an existing synthesis: never resume it, always, or if-possible: unless seed or papers differ."`
	session.Batches
	session.Budget
}

// DefaultSeed is the default of --draw-seed.
const DefaultSeed = 2024

// Result is the end of an invocation.
type Result struct {
	extractor.Summary
	// Estimate is set instead with --estimate.
	Estimate *extractor.Estimate
}

// Check rejects invalid flags.
func (f Making) Check() error {
	switch {
	case f.Count < 1 && f.Preview == 0:
		return exit.Misuse("--count N is required: the number of questions to accept (or --preview N)")
	case f.Preview < 0 || f.MaxCandidates < 0:
		return exit.Misuse("--preview and --max-candidates must not be negative")
	case f.MaxCandidates > 0 && f.MaxCandidates < f.Count:
		return exit.Misuse("--max-candidates %d is less than --count %d", f.MaxCandidates, f.Count)
	case f.Preview > 0 && f.Estimate:
		return exit.Misuse("--preview and --estimate are mutually exclusive")
	case f.Workers < 1 || f.SolveAgain < 1:
		return exit.Misuse("-j and --solve-again must be at least 1")
	}
	return f.Budget.Check()
}

// making is an invocation with what it opened.
type making struct {
	Making
	session.Session
	library library
	opener  *session.Models
	model   session.Opened
	// listed is the price of a single request; the model's own is that of a batch with --batch.
	listed *qa.Price
	gates  []gate.Gate
	quotas []candidate.Quota
	images bool
	data   string
	// address is that of the model. It is no part of the model's description here: the same model at another address
	// gives the same kind of replies.
	address string
}

// Run makes questions about the papers in a data directory; exploreOnly stops after the explorer. The error tells apart a
// spent budget, missing rows and failed calls by its exit code.
func (f Making) Run(ctx context.Context, s session.Session, world *env.Env, data string, exploreOnly bool) (r Result, err error) {
	m, err := f.open(ctx, s, world)
	if err != nil {
		return r, err
	}
	m.data = data
	if f.Estimate {
		r.Estimate, err = m.estimate(ctx)
		return r, err
	}
	ledger, err := candidate.OpenLedger(f.Out, s.Redact)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	if err := m.settle(data); err != nil {
		return r, err
	}
	store, err := cache.Open(filepath.Join(f.Out, candidate.RepliesDir), cache.Config{Redact: s.Redact, Now: s.Now})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	c := m.config()
	c.Ledger, c.ExploreOnly = ledger, exploreOnly
	closeModel, err := m.connect(&c, store)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, closeModel()) }()
	r.Summary, err = m.make(c)
	if err != nil {
		return r, err
	}
	return r, m.ended(r.Summary)
}

// open opens the model and settles gates and quotas.
func (f Making) open(ctx context.Context, s session.Session, world *env.Env) (*making, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	m := &making{Making: f, Session: s, library: library{world}, opener: f.Opener(s.Given["base-url"])}
	var err error
	if m.gates, err = gate.Select(f.Gates, f.SkipGate); err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	m.opener.Notify = s.Notify
	if m.model, err = m.opener.Open(f.Model, s.Getenv); err != nil {
		return nil, err
	}
	m.model.Described = maps.Clone(m.model.Described)
	m.address, _ = m.model.Described["base_url"].(string)
	delete(m.model.Described, "base_url")
	if m.model.Price, err = f.PriceOf(m.model, qa.QuestionLimits{}); err != nil {
		return nil, err
	}
	m.listed = m.model.Price
	if f.Batch {
		m.model.Price = batch.Discounted(m.listed)
	}
	if m.images = f.Pictures; !m.images && f.Model != session.OfflineModel {
		_, list, err := m.opener.Settled(f.Model, s.Getenv)
		if err != nil {
			return nil, err
		}
		known, _ := list.Find(f.Model)
		m.images = known.Images
	}
	m.quotas, err = m.settledQuotas(ctx)
	return m, err
}

// settledQuotas divides the rows over the chosen categories, or over all for which the papers have elements.
func (m *making) settledQuotas(ctx context.Context) ([]candidate.Quota, error) {
	chosen, err := candidate.ParseCategories(m.Categories)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	if len(chosen) == 0 {
		drawn, err := explore.OpenDraw(ctx, m.library, m.DrawSeed)
		if err != nil {
			return nil, err
		}
		var left []string
		for _, c := range candidate.Categories() {
			if c.Type() == candidate.Multiple || drawn.Has(c) {
				chosen = append(chosen, c)
			} else {
				left = append(left, string(c))
			}
		}
		if len(left) > 0 {
			m.Notify.Notef("the papers have nothing for %s", strings.Join(left, ", "))
		}
	}
	if m.Preview > 0 {
		return extractor.Same(chosen, m.Preview), nil
	}
	return extractor.Quotas(chosen, m.Count, m.MaxCandidates), nil
}

// config is the configuration of the pipeline, without what must be opened.
func (m *making) config() extractor.Config {
	return extractor.Config{
		Dir: m.Out, Seed: m.DrawSeed, Quotas: m.quotas, Gates: m.gates, Solve: m.SolveAgain, Workers: m.Workers, Library: m.library,
		Endpoint: m.model.Described, Protocol: string(qa.ReActText), Price: m.model.Price, Images: m.images, Redact: m.Redact, Preview: m.Preview > 0,
	}
}

// connect gives the pipeline its model, with budget and cache. The returned function closes what it opened.
func (m *making) connect(c *extractor.Config, store *cache.Store) (closeModel func() error, err error) {
	account, err := m.account()
	if err != nil {
		return nil, err
	}
	if m.Batch {
		return m.batched(c, store, account)
	}
	c.Model, err = m.model.Metered(account, llm.Forecast(m.model.MaxReply), store, qa.ReActText)
	return func() error { return nil }, err
}

// account is the budget. Replies of earlier invocations count.
func (m *making) account() (*budget.Account, error) {
	held, _, err := cache.List(filepath.Join(m.Out, candidate.RepliesDir))
	if err != nil {
		return nil, err
	}
	var spent budget.Spent
	for _, h := range held {
		spent.Usage = spent.Usage.Add(qa.Usage{Prompt: h.Prompt, Completion: h.Completion})
	}
	if m.model.Price != nil {
		spent.USD = m.model.Price.Of(spent.Usage)
	}
	return budget.NewAccount(m.Limits(m.Now()), spent, m.Now), nil
}

// make runs the pipeline under a progress bar.
func (m *making) make(c extractor.Config) (extractor.Summary, error) {
	wanted := 0
	done := "accepted"
	for _, q := range c.Quotas {
		if !c.ExploreOnly || q.Category.Type() != candidate.Multiple {
			wanted += q.Count
		}
	}
	if c.ExploreOnly {
		done = "drafted"
	}
	stage := m.Progress.Stage("synth", wanted)
	var last extractor.Progress
	c.Progress = func(p extractor.Progress) {
		last = p
		stage.Set(p.Accepted+p.Drafts, progressLine(p))
	}
	ctx, drain, stop := m.Interrupts()
	defer stop()
	c.Batch = until(drain, c.Batch)
	p, err := extractor.New(ctx, c)
	if err != nil {
		return extractor.Summary{}, err
	}
	e, err := p.Run(ctx, drain)
	stage.Close(fmt.Sprintf("%d of %d questions %s, %s", last.Accepted+last.Drafts, wanted, done, progressLine(last)))
	return e, err
}

func progressLine(p extractor.Progress) string {
	text := fmt.Sprintf("%d rejected", p.Rejected)
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	return text
}

// estimate forecasts the missing rows.
func (m *making) estimate(ctx context.Context) (*extractor.Estimate, error) {
	drawn, err := explore.OpenDraw(ctx, m.library, m.DrawSeed)
	if err != nil {
		return nil, err
	}
	e, err := extractor.EstimatePlan{
		Dir: m.Out, Quotas: m.quotas, Gates: m.gates, Solve: m.SolveAgain, MaxReply: m.model.MaxReply, Price: m.model.Price, Draw: drawn,
	}.Estimate(ctx)
	return &e, err
}

// ended turns the end of a run into an exit code: budget reached, failed calls, or fewer rows than asked for.
func (m *making) ended(e extractor.Summary) error {
	missing := missingText(e)
	switch {
	case m.Preview > 0 && !e.Stopped:
		return nil
	case e.Suspended != "":
		return exit.With(exit.Budget, fmt.Errorf("%s\n  %s; raise the limit and the same command resumes", e.Suspended, missing))
	case e.Stopped && e.Failure != "":
		return exit.With(exit.FailedExamples, fmt.Errorf("stopped after failed calls; the first: %s\n  %s. Fix the cause; the same command resumes", e.Failure, missing))
	case len(e.Missing()) > 0 && e.Failed > 0:
		return exit.With(exit.FailedExamples, fmt.Errorf("%s failed; the first: %s\n  %s. Fix the cause; the same command retries them", terminal.Plural(e.Failed, "candidate"), e.Failure, missing))
	case e.Stopped:
		return fmt.Errorf("stopped; %s; the same command resumes", missing)
	case len(e.Missing()) > 0:
		return exit.With(exit.Short, &ShortError{Accepted: e.Accepted, Missing: missing, Out: m.Out, Data: m.data, Model: m.Model})
	}
	return nil
}

// ShortError means that the candidates ran out before every category had its questions. The accepted ones are complete.
type ShortError struct {
	Accepted int
	// Missing describes the categories that are short. Out is the directory of the synthesis; it was made with Data and Model.
	Missing, Out, Data, Model string
}

func (e *ShortError) Error() string {
	text := "the candidates ran out: " + e.Missing + "\n  Raise --max-candidates, choose other --categories, or read airqa synth why " + e.Out
	if e.Accepted > 0 {
		text += fmt.Sprintf("\n  Trajectories of the accepted %s: airqa synth act -d %s -m %s -o %s", terminal.Plural(e.Accepted, "question"), e.Data, e.Model, e.Out)
	}
	return text
}

// missingText names the categories with missing rows and why their candidates were lost.
func missingText(e extractor.Summary) string {
	wanted := 0
	for _, c := range e.Categories {
		wanted += c.Count
	}
	parts := []string{fmt.Sprintf("%d of %s accepted", e.Accepted, terminal.Plural(wanted, "question"))}
	for _, c := range e.Missing() {
		line := fmt.Sprintf("%s: %d of %d", c.Category, c.Accepted, c.Count)
		if why := extractor.ReasonsText(c.Reasons); why != "" {
			line += " (" + why + ")"
		}
		parts = append(parts, line)
	}
	return strings.Join(parts, "\n  ")
}
