package annotate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"airqa/bench/dorismae"
	"airqa/internal/ledger"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/session"
)

// Config selects what to annotate.
type Config struct {
	// Dataset is DORIS-MAE_dataset_v1.json, Model a model such as "openai:gpt-4o", Dir the directory of the replies.
	Dataset, Model, Dir string
	// Test selects the pairs that people annotated; otherwise the pairs come from the pools.
	Test bool
	// Pools is a file with pools that are used instead of the dataset's; empty for none.
	Pools string
	// Queries are the numbers of the queries whose pools count; none means all.
	Queries []int
	// Limit is the number of pairs, 0 for all.
	Limit int
	// Prompts are the texts that the model is shown.
	Prompts prompts.Set
	// RetryUnparsed asks again about pairs whose reply has no verdict.
	RetryUnparsed bool
	Rule          Rule
	// Workers is the number of concurrent calls, at least 1.
	Workers int
	// Calls configures how the model is called.
	Calls  models.Config
	Limits budget.Limits
}

// Run asks about the pairs that have no reply yet. A spent budget is a [qa.SuspendedError], failed requests are a
// [qa.FailedError].
func Run(c Config, s session.Session) (r Result, err error) {
	pairs, err := c.pairs(s)
	if err != nil {
		return r, err
	}
	a := &annotator{Config: c, session: s}
	a.Calls.Temperature = new(0.0)
	if a.opened, err = s.OpenModel(a.Model, a.Calls); err != nil {
		return r, err
	}
	a.opened.Described = maps.Clone(a.opened.Described)
	delete(a.opened.Described, "base_url") // the same model at another address gives the same kind of replies
	if a.log, err = openLog(c.Dir, c.Rule, true, s.Redact); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, a.log.Close()) }()
	source, err := c.Prompts.Source(template)
	if err != nil {
		return r, err
	}
	described := settings{Format: format, Model: a.opened.Described, Template: hash(source), Prompts: c.Prompts.Own(template, templateAgain)}
	if err := described.settle(c.Dir); err != nil {
		return r, err
	}
	a.sumCost()
	spent := budget.Spent{Usage: a.Usage}
	if a.USD != nil {
		spent.USD = *a.USD
	}
	if a.model, err = a.opened.Connect(models.Requests{Account: budget.NewAccount(c.Limits, spent, s.Now)}); err != nil {
		return r, err
	}
	early := a.annotate(pairs)
	a.sumCost()
	return a.Result, a.end(early)
}

func (c Config) pairs(s session.Session) ([]dorismae.Pair, error) {
	d, err := dorismae.Load(c.Dataset, dorismae.LoadOptions{Test: c.Test, Pools: c.Pools})
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

// ParseNumbers reads numbers and ranges, such as 0 and 3-5.
func ParseNumbers(texts []string) (list []int, err error) {
	const maxNumber = 1_000_000 // the highest number in a range
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

func (a *annotator) sumCost() {
	a.Usage = a.log.spent
	if a.opened.Price != nil {
		usd := a.opened.Price.Of(a.Usage)
		a.USD = &usd
	}
}

// annotate asks under a progress bar. After Ctrl-C the calls in flight finish and are kept.
func (a *annotator) annotate(pairs []dorismae.Pair) error {
	ctx, drain, stop := a.session.Interrupts()
	defer stop()
	var list []question
	a.Pairs, a.Failures = len(pairs), []Failure{}
	for _, p := range pairs {
		text, err := a.fill(p)
		if err != nil {
			return err
		}
		k, ok := a.log.Get(nameOf(p.AspectID, p.Abstract.ID))
		switch {
		case !ok || k.prompt != hash(text):
			list = append(list, question{p, text, 1})
		case k.score == Unparsed && a.RetryUnparsed:
			list = append(list, question{p, text, k.try + 1})
		default:
			a.Known++
			a.count(k.score)
		}
	}
	stage := a.session.Progress.Stage("annotate", len(pairs))
	stage.Skip(a.Known)
	var streak qa.Streak
	err := qa.Batch[question, error]{
		Workers: a.Workers, Drain: drain, Ask: a.ask,
		Next: func() (q question, err error, ok bool) {
			if ok = len(list) > 0; ok {
				q, list = list[0], list[1:]
			}
			return q, nil, ok
		},
		Done: func(q question, failed error) error {
			name := nameOf(q.pair.AspectID, q.pair.Abstract.ID)
			if failed != nil {
				a.Failures = append(a.Failures, Failure{name, terminal.Line(failed.Error())})
			} else {
				a.Replied++
				k, _ := a.log.Get(name)
				a.count(k.score)
			}
			stage.Set(a.Known+a.Replied, a.note())
			return streak.Count(failed)
		},
	}.Run(ctx)
	stage.Close(fmt.Sprintf("%d of %s, %s", a.Known+a.Replied, terminal.Plural(a.Pairs, "pair"), a.note()))
	return err
}

// end names failures and replies without a verdict, and says why the work is not complete; early is why it ended early.
func (a *annotator) end(early error) error {
	down, isDown := errors.AsType[*qa.DownError](early)
	const maxListed = 5 // failures
	for i, f := range a.Failures {
		if isDown {
			break // the error has it
		}
		if i == maxListed {
			a.session.Notify.Infof("… and %d more", len(a.Failures)-maxListed)
			break
		}
		a.session.Notify.Infof("failed: %s: %s", f.Pair, f.Err)
	}
	if a.Unparsed > 0 && !a.RetryUnparsed {
		a.session.Notify.Notef("unparsed replies: %d; --retry unparsed repeats them", a.Unparsed)
	}
	left := fmt.Sprintf("%d of %s without a reply", a.Pairs-a.Known-a.Replied, terminal.Plural(a.Pairs, "pair"))
	reason := qa.Suspension(early)
	switch {
	case reason != "":
		return &qa.SuspendedError{Reason: fmt.Sprintf("%s\n  %s; raise the limit and the same command resumes", reason, left)}
	case isDown:
		return qa.Failedf("%d requests in a row failed: %s\n  %s. Fix the cause; the same command resumes", qa.MaxInRow, terminal.Line(down.Last.Error()), left)
	case early != nil && !qa.IsStop(early):
		return early
	case len(a.Failures) > 0:
		return qa.Failedf("%s failed; the same command retries them", terminal.Plural(len(a.Failures), "request"))
	case early != nil:
		return fmt.Errorf("stopped; %s; the same command resumes", left)
	}
	return nil
}

// annotator is an invocation with what it opened.
type annotator struct {
	Config
	session session.Session
	log     *annotations
	opened  models.Model
	model   qa.Model
	Result
}

// question is the text about a pair with the number of its request.
type question struct {
	pair dorismae.Pair
	text string
	try  int
}

// Failure is a pair whose request failed.
type Failure struct {
	Pair string `json:"pair"`
	Err  string `json:"error"`
}

// Result is the outcome of an invocation.
type Result struct {
	// Pairs counts the pairs of this command; Known of them had a reply before, Replied got one now.
	Pairs   int `json:"pairs"`
	Known   int `json:"known"`
	Replied int `json:"replied"`
	// Labels counts the scores 0, 1 and 2 of all replies to the pairs. Unparsed replies have none.
	Labels   [3]int `json:"labels"`
	Unparsed int    `json:"unparsed"`
	// Failures are the pairs whose requests failed.
	Failures []Failure `json:"failures"`
	// Usage and USD count the whole directory, earlier invocations included; USD is nil if the price is unknown.
	Usage qa.Usage `json:"usage"`
	USD   *float64 `json:"usd"`
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

func (r *Result) count(s Score) {
	if s == Unparsed {
		r.Unparsed++
		return
	}
	r.Labels[s]++
}

// ask asks a question and keeps the reply, or that the request failed. A request that the budget refuses, or that ctx ends,
// is not kept.
func (a *annotator) ask(ctx context.Context, q question) (failed, end error) {
	request, err := a.request(q)
	if err != nil {
		return nil, err
	}
	reply, failed := a.model.Complete(ctx, request)
	l := line{
		Format: format, Aspect: q.pair.AspectID, Abstract: q.pair.Abstract.ID, Prompt: hash(q.text), Try: q.try,
		Reply: reply.Text, Finish: reply.Finish, Usage: reply.Usage,
	}
	attempts := reply.Attempts
	if failed != nil {
		if ctx.Err() != nil || qa.Suspension(failed) != "" {
			return nil, failed
		}
		l.Failed, attempts = string(qa.ClassOf(failed)), qa.Tried(failed)
	}
	l.Usage = l.Usage.Add(qa.Trajectory{FailedAttempts: attempts}.Charged())
	raw, err := ledger.Encode(l)
	if err == nil {
		err = a.log.Add(raw)
	}
	if err != nil {
		return nil, fmt.Errorf("keep a reply: %w", err)
	}
	return failed, nil
}
