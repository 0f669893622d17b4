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
	"airqa/internal/terminal"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/session"
)

// protocol tells the requests of annotations apart in a cache.
const protocol = qa.Protocol("annotate")

// Config selects what to annotate.
type Config struct {
	// Dataset is DORIS-MAE_dataset_v1.json, Model a model such as "openai:gpt-4o", Dir the directory of the replies.
	Dataset, Model, Dir string
	// Test selects the pairs that people annotated; otherwise the pairs come from the pools.
	Test bool
	// Queries are the numbers of the queries whose pools count; none means all.
	Queries []int
	// Limit is the number of pairs, 0 for all.
	Limit int
	// Template is the file of the question; empty is the built-in one.
	Template string
	// RetryUnparsed asks again about pairs whose reply has no verdict.
	RetryUnparsed bool
	Rule          Rule
	// Workers is the number of concurrent calls, at least 1.
	Workers int
	// Calls configures how the model is called. Batch sends requests in batches, BatchAgain those again that failed in one.
	Calls             models.Config
	Batch, BatchAgain bool
	Limits            budget.Limits
}

// Run asks about the pairs that have no reply yet. A spent budget is a [qa.SuspendedError], failed requests are a
// [qa.FailedError].
func Run(c Config, s session.Session) (r Result, err error) {
	pairs, err := c.pairs(s)
	if err != nil {
		return r, err
	}
	a := &annotator{Config: c, session: s}
	if a.template, err = OpenTemplate(c.Template); err != nil {
		return r, err
	}
	if err := a.openModel(); err != nil {
		return r, err
	}
	if a.log, err = openLog(c.Dir, c.Rule, true, s.Redact); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, a.log.Close()) }()
	described := settings{Model: a.opened.Described, Template: hash(string(a.template))}
	if err := described.settle(c.Dir); err != nil {
		return r, err
	}
	disconnect, err := a.connect()
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, disconnect()) }()
	if err := a.annotate(pairs); err != nil {
		return a.Result, err
	}
	if err := a.sumCost(); err != nil {
		return a.Result, err
	}
	return a.Result, a.end()
}

// pairs reads the dataset and selects.
func (c Config) pairs(s session.Session) ([]dorismae.Pair, error) {
	d, err := dorismae.Load(c.Dataset, dorismae.LoadOptions{Test: c.Test})
	if err != nil {
		return nil, err
	}
	if n := slices.Max(append(slices.Clone(c.Queries), 0)); n > 0 && n >= len(d.Queries) {
		return nil, qa.Usagef("there is no query %d; %s has 0 to %d", n, c.Dataset, len(d.Queries)-1)
	}
	var list []dorismae.Pair
	if c.Test {
		list = d.TestPairs()
		if left := len(d.Judged) - len(list); left > 0 {
			s.Notify.Warnf("%s of the test set left out: repeated, or without a text of the aspect or the abstract", terminal.Plural(left, "pair"))
		}
	} else {
		list = d.Pairs(c.Queries)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no pairs of an aspect and an abstract", c.Dataset)
	}
	if c.Limit > 0 {
		list = list[:min(c.Limit, len(list))]
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
			return nil, qa.Usagef("%s: want numbers from 0 and ranges, such as 0,3-5", text)
		}
		for n := a; n <= b; n++ {
			list = append(list, n)
		}
	}
	return list, nil
}

// openModel opens the model, without a request.
func (a *annotator) openModel() error {
	a.Calls.Temperature = new(0.0)
	source, err := a.session.OpenModels(a.Calls)
	if err != nil {
		return err
	}
	if a.opened, err = source.Open(a.Model); err != nil {
		return err
	}
	a.opened.Described = maps.Clone(a.opened.Described)
	delete(a.opened.Described, "base_url") // the same model at another address gives the same kind of replies
	return nil
}

// connect puts the budget before the model, or the batches in its place.
func (a *annotator) connect() (disconnect func() error, err error) {
	if err := a.sumCost(); err != nil {
		return nil, err
	}
	spent := budget.Spent{Usage: a.Usage}
	if a.USD != nil {
		spent.USD = *a.USD
	}
	s := a.session
	requests := models.Requests{Account: budget.NewAccount(a.Limits, spent, s.Now), Protocol: protocol}
	closeCache := func() error { return nil }
	if a.Batch {
		requests.Cache, err = cache.Open(filepath.Join(a.Dir, repliesDir), cache.Config{Redact: s.Redact, Now: s.Now})
		if err != nil {
			return nil, err
		}
		closeCache = requests.Cache.Close
		requests.Batches = &models.Batches{Ledger: filepath.Join(a.Dir, batchesFile), Again: a.BatchAgain, Redact: s.Redact, Now: s.Now}
	}
	if a.model, err = a.opened.Connect(requests); err != nil {
		return nil, errors.Join(err, closeCache())
	}
	return func() error { return errors.Join(a.model.Close(), closeCache()) }, nil
}

// sumCost sums what the directory has cost: single requests, and the replies of batches.
func (a *annotator) sumCost() error {
	a.Usage = a.log.spent
	held, _, err := cache.List(filepath.Join(a.Dir, repliesDir))
	if err != nil && !errors.Is(err, cache.ErrNoStore) {
		return err
	}
	var batched qa.Usage
	for _, h := range held {
		batched = batched.Add(qa.Usage{Prompt: h.Prompt, Completion: h.Completion})
	}
	if a.opened.Price != nil {
		usd := a.opened.Price.Of(a.Usage) + a.opened.BatchPrice().Of(batched)
		a.USD = &usd
	}
	a.Usage = a.Usage.Add(batched)
	return nil
}

// annotate asks under a progress bar. After Ctrl-C the calls in flight finish and are kept.
func (a *annotator) annotate(pairs []dorismae.Pair) error {
	ctx, drain, stop := a.session.Interrupts()
	defer stop()
	list := a.missing(pairs)
	stage := a.session.Progress.Stage("annotate", len(pairs))
	stage.Skip(a.Known)
	a.drain, a.show = drain, func(r Result) { stage.Set(r.Known+r.Replied, r.note()) }
	defer func() {
		stage.Close(fmt.Sprintf("%d of %s, %s", a.Known+a.Replied, terminal.Plural(a.Pairs, "pair"), a.note()))
	}()
	if a.model.Fill != nil && len(list) > 0 {
		if err := a.fillBatch(ctx, list); err != nil {
			return err
		}
	}
	return a.ask(ctx, list)
}

// fillBatch gets the replies of a batch, unless it is stopped before.
func (a *annotator) fillBatch(ctx context.Context, list []question) error {
	requests := make([]qa.Request, len(list))
	for i, q := range list {
		var err error
		if requests[i], err = a.template.request(q.pair, q.try); err != nil {
			return err
		}
	}
	waiting, cancel := session.UntilDrained(ctx, a.drain)
	defer cancel()
	err := a.model.Fill(waiting, requests)
	if waiting.Err() != nil {
		return nil
	}
	return err
}

// maxListed is the number of failures that a message lists.
const maxListed = 5

// end names failures and replies without a verdict, and returns why the work is not complete.
func (a *annotator) end() error {
	for i, f := range a.Failures {
		if a.down != "" {
			break // the error has it
		}
		if i == maxListed {
			a.session.Notify.Infof("… and %d more", len(a.Failures)-maxListed)
			break
		}
		a.session.Notify.Infof("failed: %s: %s", f.Pair, f.Err)
	}
	if a.Unparsed > 0 && !a.RetryUnparsed {
		a.session.Notify.Notef("unparsed replies: %d; --retry unparsed asks again", a.Unparsed)
	}
	left := fmt.Sprintf("%d of %s without a reply", a.Pairs-a.Known-a.Replied, terminal.Plural(a.Pairs, "pair"))
	switch {
	case a.suspended != "":
		return &qa.SuspendedError{Reason: fmt.Sprintf("%s\n  %s; raise the limit and the same command resumes", a.suspended, left)}
	case a.down != "":
		return qa.Failedf("%s: %s\n  %s. Fix the cause; the same command resumes", a.down, a.Failures[len(a.Failures)-1].Err, left)
	case len(a.Failures) > 0:
		return qa.Failedf("%s failed; the same command retries them", terminal.Plural(len(a.Failures), "request"))
	case a.stopped:
		return fmt.Errorf("stopped; %s; the same command resumes", left)
	}
	return nil
}
