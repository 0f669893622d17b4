package annotate

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"airqa/bench/dorismae"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/models"
	"airqa/run/session"
)

// annotator is an invocation with what it opened.
type annotator struct {
	Config
	session  session.Session
	log      *annotations
	template Template
	opened   models.Model
	model    *models.Connection
	drain    <-chan struct{}
	// show reports progress; it is called with mu held.
	show func(Result)

	mu sync.Mutex
	Result
	// suspended is the reason why a budget ended the invocation; down is the failure that did.
	suspended, down string
	stopped         bool
	// inRow counts the failed requests since the last reply.
	inRow int
}

// question is a pair with the number of its request.
type question struct {
	pair dorismae.Pair
	try  int
}

// Failure is a pair whose request failed.
type Failure struct {
	Pair string `json:"pair"`
	Err  string `json:"error"`
}

// Result is the outcome of an invocation.
type Result struct {
	// Pairs are those of the command; Known of them had a reply before, Replied got one now.
	Pairs   int `json:"pairs"`
	Known   int `json:"known"`
	Replied int `json:"replied"`
	// Labels counts the scores 0, 1 and 2 of all replies to the pairs. Unparsed replies have none.
	Labels   [3]int `json:"labels"`
	Unparsed int    `json:"unparsed"`
	// Failures are the pairs whose requests failed.
	Failures []Failure `json:"failures"`
	// Usage and USD are those of the directory, with earlier invocations; USD is nil if the price is unknown.
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

// missing are the questions without a reply, and those to ask again. The others are counted.
func (a *annotator) missing(pairs []dorismae.Pair) (list []question) {
	a.Pairs, a.Failures = len(pairs), []Failure{}
	for _, p := range pairs {
		k, ok := a.log.Get(nameOf(p.AspectID, p.Abstract.ID))
		switch {
		case !ok || k.prompt != hash(a.template.Fill(p)):
			list = append(list, question{p, 1})
		case k.score == Unparsed && a.RetryUnparsed:
			list = append(list, question{p, k.try + 1})
		default:
			a.Known++
			a.count(k.score)
		}
	}
	return list
}

// maxFailed is the number of failed requests in a row after which no more are made.
const maxFailed = 10

// ask sends questions until all are answered, the budget is spent, or the work is stopped. The error is one of the log.
func (a *annotator) ask(ctx context.Context, list []question) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(a.Workers)
	for _, q := range list {
		if a.ends(ctx) {
			break
		}
		group.Go(func() error {
			if a.ends(ctx) {
				return nil
			}
			return a.askQuestion(ctx, q)
		})
	}
	return group.Wait()
}

// ends reports whether no further question may be sent.
func (a *annotator) ends(ctx context.Context) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.drain:
		a.stopped = true
	default:
	}
	a.stopped = a.stopped || ctx.Err() != nil
	return a.stopped || a.suspended != "" || a.down != ""
}

// askQuestion asks a question and keeps the reply. A request that the budget refuses, or that ctx ends, is not kept.
func (a *annotator) askQuestion(ctx context.Context, q question) error {
	request, err := a.template.request(q.pair, q.try)
	if err != nil {
		return err
	}
	reply, err := a.model.Model.Complete(ctx, request)
	l := line{
		Aspect: q.pair.AspectID, Abstract: q.pair.Abstract.ID, Prompt: hash(a.template.Fill(q.pair)), Try: q.try,
		Reply: reply.Text, Finish: reply.Finish, Usage: reply.Usage, Batch: a.Batch,
	}
	attempts := reply.Attempts
	if err != nil {
		if ctx.Err() != nil || a.suspends(err) {
			return nil
		}
		l.Failed, attempts = string(qa.ClassOf(err)), qa.Tried(err)
	}
	l.Usage = l.Usage.Add(qa.Trajectory{FailedAttempts: attempts}.Charged())
	if err := a.log.add(l); err != nil {
		return fmt.Errorf("keep a reply: %w", err)
	}
	a.countReply(request.UUID, err)
	return nil
}

func (a *annotator) suspends(err error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	reason := qa.Suspension(err)
	if a.suspended == "" {
		a.suspended = reason
	}
	return reason != ""
}

// countReply counts the end of the request about a pair.
func (a *annotator) countReply(name string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.Failures = append(a.Failures, Failure{name, terminal.Line(err.Error())})
		if a.inRow++; a.inRow >= maxFailed && !a.Batch {
			a.down = fmt.Sprintf("%d requests in a row failed", a.inRow)
		}
	} else {
		a.Replied++
		a.inRow = 0
		k, _ := a.log.Get(name)
		a.count(k.score)
	}
	a.show(a.Result)
}
