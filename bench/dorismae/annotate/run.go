package annotate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/bench/dorismae"
	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/session"
)

// protocol tells the requests of annotations apart in a cache.
const protocol = qa.Protocol("annotate")

// Flags select what to annotate. Its fields are flags.
type Flags struct {
	Dataset  string   `names:"input" required:"" placeholder:"FILE" help:"DORIS-MAE_dataset_v1.json, or a file in its form."`
	Model    string   `names:"model" short:"m" required:"" placeholder:"PROVIDER:NAME" help:"Model: openai:NAME at any OpenAI-compatible endpoint, anthropic:NAME, google:NAME, ollama:NAME, or offline (rules, no language model)."`
	Out      string   `names:"output" short:"o" required:"" placeholder:"DIR" help:"Directory of the replies. An existing one is resumed."`
	Pairs    string   `default:"pools" enum:"pools,test" help:"Which pairs: pools (aspects and sub-aspects of each query with its pool) or test (those that people annotated)."`
	Queries  []string `placeholder:"N" help:"Only queries with these numbers, comma-separated: 0,3-5."`
	Limit    int      `placeholder:"N" help:"Only the first N pairs."`
	Template string   `names:"input" placeholder:"FILE" help:"Text of the question, with {requirement} and {abstract}; also {title}, {context}, {mark}."`
	Retry    string   `default:"none" enum:"none,unparsed" help:"Ask again about pairs whose reply has no verdict: none or unparsed. Failed requests are always repeated."`
	Compat   bool     `help:"Read verdicts as the benchmark's authors do: the only label anywhere in the reply. Default: the last label of the last line."`
	Workers  int      `short:"j" default:"4" help:"Concurrent calls."`
	// Calls configures how the model is called. Batch sends requests in batches, BatchAgain those again that failed in one.
	Calls             models.Config `kong:"-"`
	Batch, BatchAgain bool          `kong:"-"`
	Limits            budget.Limits `kong:"-"`
}

// rule is the rule of --compat.
func rule(compat bool) Rule {
	if compat {
		return Compat
	}
	return LastLabel
}

// work is an invocation with what it opened.
type work struct {
	Flags
	session.Session
	asking asking
	model  models.Model
	store  *cache.Store
	fill   func(context.Context, []qa.Request) error
}

// Run asks about the pairs that have no reply yet. The error tells apart a spent budget and failed requests by its exit
// code.
func (f Flags) Run(s session.Session) (r Result, err error) {
	pairs, err := f.pairs(s)
	if err != nil {
		return r, err
	}
	w := &work{Flags: f, Session: s}
	if err := w.open(); err != nil {
		return r, err
	}
	if w.asking.log, err = openLog(f.Out, rule(f.Compat), true, s.Redact); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, w.asking.log.Close()) }()
	described := settings{Model: w.model.Described, Template: hash(string(w.asking.template))}
	if err := described.settle(f.Out); err != nil {
		return r, err
	}
	closeModel, err := w.connect()
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, closeModel()) }()
	if err := w.annotate(pairs); err != nil {
		return w.asking.Result, err
	}
	if err := w.account(); err != nil {
		return w.asking.Result, err
	}
	return w.asking.Result, w.ended()
}

// check rejects invalid flags, and returns the numbers of queries.
func (f Flags) check() ([]int, error) {
	switch {
	case f.Workers < 1:
		return nil, exit.Misuse("-j %d: must be at least 1", f.Workers)
	case f.Limit < 0:
		return nil, exit.Misuse("--limit %d: must not be negative", f.Limit)
	case f.Pairs == "test" && len(f.Queries) > 0:
		return nil, exit.Misuse("--queries selects pools; it does not go with --pairs test")
	}
	numbers, err := ParseNumbers(f.Queries)
	return numbers, err
}

// pairs reads the dataset and selects.
func (f Flags) pairs(s session.Session) ([]dorismae.Pair, error) {
	numbers, err := f.check()
	if err != nil {
		return nil, err
	}
	d, err := dorismae.Load(f.Dataset, dorismae.LoadOptions{Test: f.Pairs == "test"})
	if err != nil {
		return nil, err
	}
	if n := slices.Max(append(numbers, 0)); n > 0 && n >= len(d.Queries) {
		return nil, exit.Misuse("--queries: there is no query %d; %s has 0 to %d", n, f.Dataset, len(d.Queries)-1)
	}
	var list []dorismae.Pair
	if f.Pairs == "pools" {
		list = d.Pairs(numbers)
	} else {
		list = d.TestPairs()
		if left := len(d.Judged) - len(list); left > 0 {
			s.Notify.Warnf("%s of the test set left out: repeated, or without a text of the aspect or the abstract", terminal.Plural(left, "pair"))
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no pairs of an aspect and an abstract; --pairs %s needs them", f.Dataset, f.Pairs)
	}
	if f.Limit > 0 {
		list = list[:min(f.Limit, len(list))]
	}
	return list, nil
}

// maxNumber is the highest number in a range.
const maxNumber = 1_000_000

// ParseNumbers reads numbers and ranges, such as 0 and 3-5.
func ParseNumbers(texts []string) (list []int, err error) {
	for _, text := range texts {
		from, to, isRange := strings.Cut(text, "-")
		if !isRange {
			to = from
		}
		a, errA := strconv.Atoi(strings.TrimSpace(from))
		b, errB := strconv.Atoi(strings.TrimSpace(to))
		if errA != nil || errB != nil || a < 0 || b < a || b > maxNumber {
			return nil, exit.Misuse("--queries %s: want numbers from 0 and ranges, such as 0,3-5", text)
		}
		for n := a; n <= b; n++ {
			list = append(list, n)
		}
	}
	return list, nil
}

// open opens the model, without a request, and the template.
func (w *work) open() (err error) {
	if w.asking.template, err = OpenTemplate(w.Template); err != nil {
		return err
	}
	w.Calls.Temperature = new(0.0)
	source, err := w.OpenModels(w.Calls)
	if err != nil {
		return err
	}
	if w.model, err = source.Open(w.Model); err != nil {
		return err
	}
	w.model.Described = maps.Clone(w.model.Described)
	delete(w.model.Described, "base_url") // the same model at another address gives the same kind of replies
	w.asking.workers, w.asking.batch = w.Workers, w.Batch
	return nil
}

// connect puts the budget before the model, or the batches in its place.
func (w *work) connect() (closeModel func() error, err error) {
	if err := w.account(); err != nil {
		return nil, err
	}
	spent := budget.Spent{Usage: w.asking.Usage}
	if w.asking.USD != nil {
		spent.USD = *w.asking.USD
	}
	requests := models.Requests{Account: budget.NewAccount(w.Limits, spent, w.Now), Protocol: protocol}
	if !w.Batch {
		connected, err := w.model.Connect(requests)
		if err != nil {
			return nil, err
		}
		w.asking.model = connected.Model
		return connected.Close, nil
	}
	if w.store, err = cache.Open(filepath.Join(w.Out, repliesDir), cache.Config{Redact: w.Redact, Now: w.Now}); err != nil {
		return nil, err
	}
	requests.Cache = w.store
	requests.Batches = &models.Batches{Ledger: filepath.Join(w.Out, batchesFile), Again: w.BatchAgain, Redact: w.Redact, Now: w.Now}
	connected, err := w.model.Connect(requests)
	if err != nil {
		return nil, errors.Join(err, w.store.Close())
	}
	w.asking.model, w.fill = connected.Model, connected.Fill
	return func() error { return errors.Join(connected.Close(), w.store.Close()) }, nil
}

// account sums what the directory has cost: single requests, and the replies of batches.
func (w *work) account() error {
	w.asking.Usage = w.asking.log.spent
	held, _, err := cache.List(filepath.Join(w.Out, repliesDir))
	if err != nil && !errors.Is(err, cache.ErrNoStore) {
		return err
	}
	var batched qa.Usage
	for _, h := range held {
		batched = batched.Add(qa.Usage{Prompt: h.Prompt, Completion: h.Completion})
	}
	if w.model.Price != nil {
		usd := w.model.Price.Of(w.asking.Usage) + w.model.BatchPrice().Of(batched)
		w.asking.USD = &usd
	}
	w.asking.Usage = w.asking.Usage.Add(batched)
	return nil
}

// annotate asks under a progress bar. After Ctrl-C the calls in flight finish and are kept.
func (w *work) annotate(pairs []dorismae.Pair) error {
	ctx, drain, stop := w.Interrupts()
	defer stop()
	list := w.asking.missing(pairs, w.Retry == "unparsed")
	stage := w.Progress.Stage("annotate", len(pairs))
	stage.Skip(w.asking.Known)
	w.asking.drain, w.asking.show = drain, func(r Result) { stage.Set(r.Known+r.Replied, r.note()) }
	defer func() {
		r := w.asking.Result
		stage.Close(fmt.Sprintf("%d of %s, %s", r.Known+r.Replied, terminal.Plural(r.Pairs, "pair"), r.note()))
	}()
	if w.fill != nil && len(list) > 0 {
		if err := w.fillBatch(ctx, list); err != nil {
			return err
		}
	}
	return w.asking.ask(ctx, list)
}

// fillBatch gets the replies of a batch, unless it is stopped before.
func (w *work) fillBatch(ctx context.Context, list []question) error {
	requests := make([]qa.Request, len(list))
	for i, q := range list {
		var err error
		if requests[i], err = w.asking.template.request(q.pair, q.try); err != nil {
			return err
		}
	}
	waiting, cancel := session.UntilDrained(ctx, w.asking.drain)
	defer cancel()
	err := w.fill(waiting, requests)
	if waiting.Err() != nil {
		return nil
	}
	return err
}

// note is the state of the replies in a few words.
func (r Result) note() string {
	text := fmt.Sprintf("scores 0: %d, 1: %d, 2: %d", r.Labels[0], r.Labels[1], r.Labels[2])
	if r.Unparsed > 0 {
		text += fmt.Sprintf(", %d unparsed", r.Unparsed)
	}
	if n := len(r.Failures); n > 0 {
		text += fmt.Sprintf(", %d failed", n)
	}
	return text
}

// maxListed is the number of failures that a message lists.
const maxListed = 5

// ended turns the end into an exit code, and names failures and replies without a verdict.
func (w *work) ended() error {
	r := w.asking.Result
	for i, f := range r.Failures {
		if r.down != "" {
			break // the error has it
		}
		if i == maxListed {
			w.Notify.Infof("… and %d more", len(r.Failures)-maxListed)
			break
		}
		w.Notify.Infof("failed: %s: %s", f.Pair, f.Err)
	}
	if r.Unparsed > 0 && w.Retry == "none" {
		w.Notify.Notef("unparsed replies: %d; --retry unparsed asks again", r.Unparsed)
	}
	left := fmt.Sprintf("%d of %s without a reply", r.left(), terminal.Plural(r.Pairs, "pair"))
	switch {
	case r.suspended != "":
		return exit.With(exit.Budget, fmt.Errorf("%s\n  %s; raise the limit and the same command resumes", r.suspended, left))
	case r.down != "":
		return exit.With(exit.FailedExamples, fmt.Errorf("%s: %s\n  %s. Fix the cause; the same command resumes", r.down, r.Failures[len(r.Failures)-1].Err, left))
	case len(r.Failures) > 0:
		return exit.With(exit.FailedExamples, fmt.Errorf("%s failed; the same command retries them", terminal.Plural(len(r.Failures), "request")))
	case r.stopped:
		return fmt.Errorf("stopped; %s; the same command resumes", left)
	}
	return nil
}
