package batch

import (
	"context"
	"errors"
	"fmt"

	"airqa/internal/httpclient"
	"airqa/llm"
)

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
