package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"airqa/internal/httpclient"
	"airqa/internal/pause"
	"airqa/llm"
	"airqa/qa"
)

// Discount is the price of a request in a batch as a part of the price of the same request sent alone. OpenAI (Batch
// API guide: "50% cost discount") and Anthropic (pricing page: 50% of the standard prices) both halve input and output.
const Discount = 0.5

// Defaults of [Config].
const (
	DefaultSettle = time.Minute
	DefaultTries  = 6
	firstPoll     = 5 * time.Second
	longestPoll   = time.Minute
)

// Config configures a [Queue]. Model and Ledger are required.
type Config struct {
	// Model is the model as for [llm.Open]: "openai:…" or "anthropic:…". Its key goes only to its own address.
	Model  llm.Config
	Ledger *Ledger
	// Price is the model's standard price, before [Discount]; nil if unknown.
	Price *qa.Price
	// Settle is the time after which a request that reached the endpoint is in its list of batches; 0 is
	// [DefaultSettle]. A job whose fate is unknown is sent again only if it is not in the list after this time.
	Settle time.Duration
	// Tries is the maximum number of attempts of each call of the batch API; 0 is [DefaultTries].
	Tries int
	// Requests and Bytes are the maximum size of a batch; 0 is the endpoint's limit, and 100 MB.
	Requests, Bytes int
	// Admit reports whether a request may be sent, for a budget; nil admits all. It is asked once for each one that is
	// due, in order.
	Admit func(qa.Request) bool
	// Notify reports progress; it may be nil.
	Notify func(Notice)
}

// Notice is the progress of a batch.
type Notice struct {
	// Job is our name of the batch, Batch the endpoint's.
	Job, Batch string
	// State is the endpoint's word, such as "in_progress", or one of ours: "sending", "looking for it", "adopted",
	// "sent", "unreachable".
	State string
	// Done counts the requests with a result, Failed those of them without a reply.
	Done, Failed, Total int
}

// String is one line for a log.
func (n Notice) String() string {
	text := fmt.Sprintf("batch %s: %s, %d of %d requests done", cmp.Or(n.Batch, n.Job), n.State, n.Done, n.Total)
	if n.Failed > 0 {
		text += fmt.Sprintf(", %d failed", n.Failed)
	}
	return text
}

// Request is a request of a batch. The ID names it for good: a request whose ID is in the ledger is not sent again.
type Request struct {
	ID      string
	Request qa.Request
}

// Queue sends the requests of one model in batches. Its methods may be called concurrently, but do not overlap.
type Queue struct {
	c      Config
	wire   *llm.Wire
	api    api
	model  map[string]any
	scope  string
	sleep  func(context.Context, time.Duration) error
	now    func() time.Time
	mu     sync.Mutex
	opened time.Time
	// unsendable are requests that could not be encoded, by id.
	unsendable map[string]error
}

// New makes a queue. It makes no request.
func New(c Config) (*Queue, error) {
	wire, err := llm.NewWire(c.Model)
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", c.Model.Spec, err)
	}
	model, err := llm.Describe(c.Model)
	if err != nil {
		return nil, err
	}
	c.Settle, c.Tries = cmp.Or(c.Settle, DefaultSettle), cmp.Or(c.Tries, DefaultTries)
	if c.Notify == nil {
		c.Notify = func(Notice) {}
	}
	if c.Admit == nil {
		c.Admit = func(qa.Request) bool { return true }
	}
	q := &Queue{c: c, wire: wire, model: model, scope: scopeOf(model), sleep: c.Model.Sleep, now: c.Model.Now, unsendable: map[string]error{}}
	if q.sleep == nil {
		q.sleep = pause.For
	}
	if q.now == nil {
		q.now = time.Now
	}
	switch provider, _ := llm.SplitSpec(c.Model.Spec); provider {
	case "openai":
		q.api = openAI{q}
	case "anthropic":
		q.api = anthropic{q}
	default:
		return nil, fmt.Errorf("model %q: no batch API is known for %s: want openai:MODEL or anthropic:MODEL", c.Model.Spec, provider)
	}
	q.c.Requests = min(cmp.Or(c.Requests, q.api.limit()), q.api.limit())
	q.c.Bytes = cmp.Or(c.Bytes, 100<<20)
	q.opened = q.now()
	return q, nil
}

// api is the batch protocol of an endpoint.
type api interface {
	// limit is the maximum number of requests of a batch.
	limit() int
	// input is the body of a batch with the encoded requests; each is named by customID.
	input(job string, bodies [][]byte) []byte
	// newest returns the id of the endpoint's newest batch, if [api.find] needs it.
	newest(ctx context.Context) (string, error)
	// create sends a batch once. An error for which refused is false leaves its fate open.
	create(ctx context.Context, j *job, input []byte) (batch string, err error)
	// find looks for a job in the endpoint's list; batch is empty if it is not there.
	find(ctx context.Context, j *job) (batch string, err error)
	// poll asks for the status of a batch.
	poll(ctx context.Context, batch string) (*status, error)
	// rows yields the results in the order of the endpoint. It stops at the first error.
	rows(ctx context.Context, s *status) rows
}

// customID names a request of a job at the endpoint: at most 64 letters, digits and hyphens.
func customID(job string, index int) string { return fmt.Sprintf("%s%d", prefix(job), index) }

func prefix(job string) string { return "airqa-" + job + "-" }

// retry repeats a call after failures that may pass.
func (q *Queue) retry(ctx context.Context, passes func(error) bool, do func() error) error {
	err := httpclient.Retry(ctx, httpclient.Policy{Tries: q.c.Tries, Sleep: q.sleep, Backoff: q.backoff()}, func() error {
		err := do()
		if err != nil && ctx.Err() == nil && passes(err) {
			return &httpclient.Transient{Err: err, After: retryAfter(err)}
		}
		return err
	})
	var last *httpclient.Transient
	if errors.As(err, &last) {
		return last.Err
	}
	return err
}

func transient(err error) bool { return qa.ClassOf(err).Transient() }

func (q *Queue) backoff() httpclient.Backoff {
	return httpclient.Backoff{First: time.Second, Longest: time.Minute, Rand: q.c.Model.Rand}
}

func retryAfter(err error) time.Duration {
	var status *llm.HTTPError
	if errors.As(err, &status) {
		return min(status.RetryAfter, httpclient.LongestPause)
	}
	return 0
}

// Release allows the failed requests of all earlier jobs of the model to be sent again. Requests that fail later
// are not affected.
func (q *Queue) Release() {
	q.c.Ledger.mu.Lock()
	defer q.c.Ledger.mu.Unlock()
	for _, j := range q.c.Ledger.order {
		j.released = j.released || j.scope == q.scope && j.Step == stepDone
	}
}

// Failure returns the reason why a request has no reply, a [*qa.CallError], or nil.
func (q *Queue) Failure(id string) error {
	q.c.Ledger.mu.Lock()
	defer q.c.Ledger.mu.Unlock()
	at, sent := q.c.Ledger.rows[[2]string{q.scope, id}]
	switch {
	case q.unsendable[id] != nil:
		return q.unsendable[id]
	case !sent || at.job.released:
		return nil
	}
	if f := at.job.failed(at.index); f != nil {
		return f.call()
	}
	return nil
}

func (q *Queue) setUnsendable(id string, err error) {
	q.c.Ledger.mu.Lock()
	defer q.c.Ledger.mu.Unlock()
	q.unsendable[id] = err
}

// due reports whether a request is to be sent.
func (q *Queue) due(id string) bool {
	q.c.Ledger.mu.Lock()
	defer q.c.Ledger.mu.Unlock()
	at, sent := q.c.Ledger.rows[[2]string{q.scope, id}]
	return !sent || at.job.released && at.job.failed(at.index) != nil
}

// jobs returns the model's jobs with a step, in the order of the ledger.
func (q *Queue) jobs(has func(*job) bool) []*job {
	q.c.Ledger.mu.Lock()
	defer q.c.Ledger.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(q.c.Ledger.order), func(j *job) bool { return j.scope != q.scope || !has(j) })
}

// known reports whether a batch of the endpoint belongs to a job of the ledger.
func (q *Queue) known(batch string) bool {
	return len(q.jobs(func(j *job) bool { return j.Batch == batch })) > 0
}

func (q *Queue) notify(j *job, state string) {
	q.c.Notify(Notice{Job: j.Job, Batch: j.Batch, State: state, Total: len(j.IDs)})
}
