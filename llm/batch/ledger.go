package batch

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
)

// Format is the format number of the ledger's lines.
const Format = 1

// ErrInUse is returned if another process has the ledger open.
var ErrInUse = errors.New("another airqa is using these batches; wait for it or stop it")

// The steps of a job, in order. Nothing was sent to the model before accepted, nor at unsent.
const (
	stepIntent   = "intent"
	stepUploaded = "uploaded"
	stepUnsent   = "unsent"
	stepAccepted = "accepted"
	stepDone     = "done"
)

// line is one line of the ledger. Which fields are set depends on the step.
type line struct {
	Format int       `json:"format"`
	Job    string    `json:"job"`
	Step   string    `json:"step"`
	Time   time.Time `json:"time"`

	// Of an intent: the model as recorded in runs, the hash of the input, the ids of the requests in their order, and
	// the newest batch at the endpoint before this one.
	Model  map[string]any `json:"model,omitempty"`
	SHA256 string         `json:"sha256,omitempty"`
	IDs    []string       `json:"ids,omitempty"`
	Newest string         `json:"newest,omitempty"`
	// File is the endpoint's id of the uploaded input.
	File string `json:"file,omitempty"`
	// Batch is the endpoint's id; Adopted is true if it was found there after a crash or a broken connection.
	Batch   string `json:"batch,omitempty"`
	Adopted bool   `json:"adopted,omitempty"`
	// Detail is the reason why a job is unsent.
	Detail string `json:"detail,omitempty"`
	// Of a job that is done: its final status, the number of replies, the requests without one by index, and the tokens
	// and cost of all. USD is nil if the price is unknown.
	Status  string    `json:"status,omitempty"`
	Replies int       `json:"replies,omitempty"`
	Failed  []failure `json:"failed,omitempty"`
	Usage   *qa.Usage `json:"usage,omitempty"`
	USD     *float64  `json:"usd,omitempty"`
}

// failure is a request without a reply.
type failure struct {
	// Index is the position of the request in its job, from 0.
	Index  int             `json:"index"`
	Class  qa.FailureClass `json:"class"`
	Status int             `json:"status,omitempty"`
	Detail string          `json:"detail"`
}

// call returns the failure as the error of a model.
func (f failure) call() *qa.CallError {
	attempts := []qa.Attempt{{Status: f.Status, Error: f.Class}}
	return &qa.CallError{Class: f.Class, Attempts: attempts, Err: errors.New(f.Detail)}
}

// job is what the ledger has about one batch.
type job struct {
	line         // the fields of all lines so far
	scope string // the model, see scopeOf
	// ended is the status at the endpoint once it is final and known to this process.
	ended *status
	// released jobs may have their failed requests sent again.
	released bool
}

func (j *job) open() bool { return j.Step == stepIntent || j.Step == stepUploaded }

// failed returns the failure of a request, or nil.
func (j *job) failed(index int) *failure {
	i, found := slices.BinarySearchFunc(j.Failed, index, func(f failure, index int) int { return f.Index - index })
	if !found {
		return nil
	}
	return &j.Failed[i]
}

// place is a request's job and its position there.
type place struct {
	job   *job
	index int
}

// Ledger is an open file of jobs, for the queues of several models. Only one process can have it open. Calls may overlap.
type Ledger struct {
	now  func() time.Time
	file *ledger.Ledger[string, struct{}]

	mu   sync.Mutex
	jobs map[string]*job
	// order has the jobs by their first line.
	order []*job
	// rows are the latest jobs of requests, by scope and id. Requests of unsent jobs are not in it.
	rows map[[2]string]place
	// accepted counts the accepted jobs of requests.
	accepted map[[2]string]int
}

// OpenLedger opens the ledger at path and creates it if it is missing. redact, which may be nil, filters every line and
// must keep JSON valid; a nil now is [time.Now].
func OpenLedger(path string, redact func([]byte) []byte, now func() time.Time) (*Ledger, error) {
	if now == nil {
		now = time.Now
	}
	l := &Ledger{now: now, jobs: map[string]*job{}, rows: map[[2]string]place{}, accepted: map[[2]string]int{}}
	file, err := ledger.Open(path, ledger.Config[string, struct{}]{Entry: l.read, Redact: redact, Exclusive: true})
	if errors.Is(err, ledger.ErrInUse) {
		err = ErrInUse
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", filepath.Base(path), err)
	}
	l.file = file
	return l, nil
}

// Close closes the file.
func (l *Ledger) Close() error { return l.file.Close() }

// read takes a line of the file, on opening and after each write.
func (l *Ledger) read(data []byte, _ ledger.Span) (string, struct{}, error) {
	var next line
	if err := ledger.Strict(data, &next); err != nil {
		return "", struct{}{}, err
	}
	if next.Format != Format {
		return "", struct{}{}, fmt.Errorf("format %d; this program reads %d", next.Format, Format)
	}
	return next.Job, struct{}{}, l.take(next)
}

func (l *Ledger) take(next line) error {
	j := l.jobs[next.Job]
	if next.Step == stepIntent {
		if j == nil {
			j = &job{}
			l.jobs[next.Job] = j
			l.order = append(l.order, j)
		}
		next.File = j.File // of an earlier attempt
		*j = job{line: next, scope: scopeOf(next.Model)}
		l.place(j)
		return nil
	}
	if j == nil {
		return fmt.Errorf("job %s has no line %q", next.Job, stepIntent)
	}
	j.Step = next.Step
	switch next.Step {
	case stepUploaded:
		j.File = next.File
	case stepAccepted:
		j.Batch, j.Adopted = next.Batch, next.Adopted
		for _, id := range j.IDs {
			l.accepted[[2]string{j.scope, id}]++
		}
	case stepDone:
		j.Status, j.Replies, j.Failed, j.Usage, j.USD = next.Status, next.Replies, next.Failed, next.Usage, next.USD
	case stepUnsent:
		l.displace(j)
	default:
		return fmt.Errorf("unknown step %q", next.Step)
	}
	return nil
}

func (l *Ledger) place(j *job) {
	for i, id := range j.IDs {
		l.rows[[2]string{j.scope, id}] = place{j, i}
	}
}

// displace gives the requests of a job that was not sent back to the jobs that had them before.
func (l *Ledger) displace(unsent *job) {
	for _, id := range unsent.IDs {
		delete(l.rows, [2]string{unsent.scope, id})
	}
	for _, j := range l.order {
		if j.scope == unsent.scope && j.Step != stepUnsent {
			l.place(j)
		}
	}
}

// write records a step on disk.
func (l *Ledger) write(next line) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	next.Format, next.Time = Format, l.now().UTC()
	data, err := ledger.Encode(next)
	if err == nil {
		err = l.file.Add(data)
	}
	if err != nil {
		return fmt.Errorf("record the batch: %w", err)
	}
	return nil
}

// Spent sums the tokens and the cost of all batches that are done. usd is nil if the price of one is unknown.
func (l *Ledger) Spent() (usage qa.Usage, usd *float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	usd = new(0.0)
	for _, j := range l.order {
		if j.Usage == nil {
			continue
		}
		usage = usage.Add(*j.Usage)
		switch {
		case j.USD == nil:
			usd = nil
		case usd != nil:
			*usd += *j.USD
		}
	}
	return usage, usd
}

// scopeOf identifies a model, its address and its settings.
func scopeOf(model map[string]any) string {
	data, err := ledger.Encode(model) // with sorted keys
	if err != nil {
		return ""
	}
	return files.Hash(data)
}
