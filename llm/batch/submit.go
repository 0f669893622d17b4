package batch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"airqa/internal/files"
	"airqa/internal/httpclient"
	"airqa/llm"
	"airqa/qa"
)

// Submit sends the requests that are in no job yet, and returns when the endpoint has accepted them. It first settles
// the jobs that an earlier invocation left open. Requests that [Config].Admit rejects are left out. The number sent is returned with an error, too.
func (q *Queue) Submit(ctx context.Context, requests []Request) (sent int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.recover(ctx); err != nil {
		return 0, err
	}
	var chunk []Request
	var bodies [][]byte
	size := 0
	flush := func() error {
		if len(chunk) == 0 {
			return nil
		}
		err := q.send(ctx, chunk, bodies)
		if err == nil {
			sent += len(chunk)
		}
		chunk, bodies, size = nil, nil, 0
		return err
	}
	taken := map[string]bool{}
	for _, r := range requests {
		if taken[r.ID] || !q.due(r.ID) || !q.c.Admit(r.Request) {
			continue
		}
		taken[r.ID] = true
		body, err := q.wire.Encode(r.Request)
		if err != nil {
			q.setUnsendable(r.ID, err)
			continue
		}
		if len(chunk) == q.c.Requests || size+len(body) > q.c.Bytes {
			if err := flush(); err != nil {
				return sent, err
			}
		}
		chunk, bodies, size = append(chunk, r), append(bodies, body), size+len(body)
	}
	return sent, flush()
}

// recover settles the jobs whose fate is unknown. Their process may have died at any time before this one started, so
// the endpoint's list counts once it is that old.
func (q *Queue) recover(ctx context.Context) error {
	for _, j := range q.jobs((*job).open) {
		if err := q.settle(ctx, j, q.opened); err != nil {
			return err
		}
	}
	return nil
}

// send makes a job of requests and sends it until the endpoint accepts or rejects it.
func (q *Queue) send(ctx context.Context, requests []Request, bodies [][]byte) error {
	next := line{Step: stepIntent, Model: q.model, Job: q.name(requests)}
	for _, r := range requests {
		next.IDs = append(next.IDs, r.ID)
	}
	input := q.api.input(next.Job, bodies)
	next.SHA256 = files.Hash(input)
	before := q.job(next.Job) // unsent as far as was known
	if before != nil {
		next.Newest = before.Newest
	} else if newest, err := q.api.newest(ctx); err != nil {
		return err
	} else {
		next.Newest = newest
	}
	for try := 1; ; try++ {
		err := q.attempt(ctx, next, input, before != nil)
		if err == nil || q.job(next.Job).open() || try == q.c.Tries || !transient(err) {
			return err
		}
		if err := q.sleep(ctx, max(q.backoff().Pause(try), retryAfter(err))); err != nil {
			return err
		}
	}
}

// attempt announces a job and sends it, unless it is found at the endpoint.
func (q *Queue) attempt(ctx context.Context, next line, input []byte, look bool) error {
	if err := q.c.Ledger.write(next); err != nil {
		return err
	}
	j := q.job(next.Job)
	if look {
		if batch, err := q.look(ctx, j); err != nil {
			return err
		} else if batch != "" {
			return q.accept(j, batch, true)
		}
	}
	q.notify(j, "sending")
	return q.create(ctx, j, input)
}

// name is the id of a job: equal for equal requests that were sent equally often.
func (q *Queue) name(requests []Request) string {
	text := bytes.NewBufferString(q.scope)
	q.c.Ledger.mu.Lock()
	defer q.c.Ledger.mu.Unlock()
	for _, r := range requests {
		fmt.Fprintf(text, "\n%q %d", r.ID, q.c.Ledger.accepted[[2]string{q.scope, r.ID}])
	}
	sum := sha256.Sum256(text.Bytes())
	return fmt.Sprintf("%x", sum[:16])
}

func (q *Queue) job(id string) *job {
	q.c.Ledger.mu.Lock()
	defer q.c.Ledger.mu.Unlock()
	return q.c.Ledger.jobs[id]
}

// create sends a job once. It is then accepted or unsent; it stays open only if the context ended or the endpoint could
// not be asked.
func (q *Queue) create(ctx context.Context, j *job, input []byte) error {
	batch, err := q.api.create(ctx, j, input)
	switch {
	case err == nil:
		return q.accept(j, batch, false)
	case refused(err):
		return errors.Join(err, q.unsent(j, err.Error()))
	case ctx.Err() != nil:
		return err
	}
	failed := q.now()
	if settled := q.settle(ctx, j, failed); settled != nil {
		return settled
	}
	if j.Step == stepAccepted {
		return nil
	}
	return err
}

// settle finds out whether the endpoint has accepted a job that may have been sent until a time.
func (q *Queue) settle(ctx context.Context, j *job, until time.Time) error {
	q.notify(j, "looking for it")
	for {
		left := until.Add(q.c.Settle).Sub(q.now())
		batch, err := q.look(ctx, j)
		switch {
		case err != nil:
			return err
		case batch != "":
			return q.accept(j, batch, true)
		case left <= 0:
			return q.unsent(j, "the endpoint does not have it")
		}
		if err := q.sleep(ctx, max(min(left, q.c.Settle/4), time.Millisecond)); err != nil {
			return err
		}
	}
}

// look returns the endpoint's id of a job that it has accepted, or "".
func (q *Queue) look(ctx context.Context, j *job) (batch string, err error) {
	err = q.retry(ctx, transient, func() error {
		batch, err = q.api.find(ctx, j)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("look for batch %s, which may have been sent: %w", j.Job, err)
	}
	return batch, nil
}

func (q *Queue) accept(j *job, batch string, adopted bool) error {
	err := q.c.Ledger.write(line{Job: j.Job, Step: stepAccepted, Batch: batch, Adopted: adopted})
	if err == nil {
		q.notify(j, map[bool]string{true: "adopted", false: "sent"}[adopted])
	}
	return err
}

func (q *Queue) unsent(j *job, detail string) error {
	return q.c.Ledger.write(line{Job: j.Job, Step: stepUnsent, Detail: detail})
}

// notSent marks a failure before the call that creates a batch.
type notSent struct{ error }

func (e notSent) Unwrap() error { return e.error }

// refused reports whether a failed call certainly created no batch: nothing was sent, or the endpoint rejected it.
func refused(err error) bool {
	var status *llm.HTTPError
	switch class := qa.ClassOf(err); {
	case errors.As(err, new(notSent)), class == qa.FailUnreachable, class == qa.FailTLS:
		return true
	case errors.As(err, &status):
		return status.Status < 500 && status.Status != http.StatusRequestTimeout
	}
	return false
}

// status is the status of a batch at its endpoint.
type status struct {
	batch string
	// state is the endpoint's word.
	state string
	ended bool
	// done counts the requests with a result, failed those of them without a reply.
	done, failed, total int
	// files are the paths with the results.
	files []string
	// missing is the failure of requests without a result.
	missing failure
}

// Wait returns when all batches of the model have ended at the endpoint. Failed polls are repeated. If the context ends
// first, the batches continue; a later start waits for them again.
func (q *Queue) Wait(ctx context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	pause := httpclient.Backoff{First: firstPoll, Longest: longestPoll}
	last := map[string]Notice{}
	for round := 1; ; round++ {
		waiting := q.jobs(func(j *job) bool { return j.Step == stepAccepted && j.ended == nil })
		for _, j := range waiting {
			if err := q.poll(ctx, j, last); err != nil {
				return err
			}
		}
		if len(q.jobs(func(j *job) bool { return j.Step == stepAccepted && j.ended == nil })) == 0 {
			return nil
		}
		if err := q.sleep(ctx, pause.Pause(round)); err != nil {
			return err
		}
	}
}

// poll asks for the status of a job once, with retries, and reports changes.
func (q *Queue) poll(ctx context.Context, j *job, last map[string]Notice) error {
	var s *status
	err := q.retry(ctx, transient, func() (err error) {
		s, err = q.api.poll(ctx, j.Batch)
		if err != nil && ctx.Err() == nil && transient(err) {
			q.notify(j, "unreachable")
		}
		return err
	})
	if err != nil {
		return q.lost(j, err)
	}
	n := Notice{Job: j.Job, Batch: j.Batch, State: s.state, Done: s.done, Failed: s.failed, Total: len(j.IDs)}
	if last[j.Job] != n {
		last[j.Job] = n
		q.c.Notify(n)
	}
	if s.ended {
		q.end(j, s)
	}
	return nil
}

func (q *Queue) end(j *job, s *status) {
	q.c.Ledger.mu.Lock()
	defer q.c.Ledger.mu.Unlock()
	j.ended = s
}

// lost explains a batch that the endpoint does not have.
func (q *Queue) lost(j *job, err error) error {
	var answer *llm.HTTPError
	if errors.As(err, &answer) && answer.Status == 404 {
		return fmt.Errorf("batch %s is not at the endpoint (another account's key, or deleted?); "+
			"delete the lines of job %s from the ledger to send its requests again: %w", j.Batch, j.Job, err)
	}
	return fmt.Errorf("batch %s: %w", j.Batch, err)
}
