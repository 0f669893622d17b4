package batch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/httpclient"
	"airqa/qa"
)

// maxRow is the maximum size of one result.
const maxRow = 64 << 20

// Result is the result of one request: a reply, or the [*qa.CallError] of a request without one.
type Result struct {
	ID    string
	Reply qa.Reply
	Err   error
}

// row is a result as the endpoint returns it: an HTTP status with a body, or a failure.
type row struct {
	customID string
	status   int
	body     []byte
	failure  *failure
}

type rows = iter.Seq2[row, error]

// Results yields one result for each request of which a batch has ended, in no particular order; requests that are in no
// such batch are left out. Replies are downloaded again at every call. An error ends the results.
func (q *Queue) Results(ctx context.Context, requests []Request) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		q.mu.Lock()
		defer q.mu.Unlock()
		wanted := map[*job]map[int]Request{}
		for _, r := range requests {
			j, index, err := q.find(r.ID)
			switch {
			case err != nil:
				if !yield(Result{ID: r.ID, Err: err}, nil) {
					return
				}
			case j != nil:
				if wanted[j] == nil {
					wanted[j] = map[int]Request{}
				}
				wanted[j][index] = r
			}
		}
		for _, j := range q.jobs(func(j *job) bool { return len(wanted[j]) > 0 }) {
			if !q.download(ctx, j, wanted[j], yield) {
				return
			}
		}
	}
}

// find returns the ended job to download for a request, or its recorded failure, or neither.
func (q *Queue) find(id string) (*job, int, error) {
	if err := q.Failure(id); err != nil {
		return nil, 0, err
	}
	q.c.Ledger.mu.Lock()
	defer q.c.Ledger.mu.Unlock()
	at, sent := q.c.Ledger.rows[[2]string{q.scope, id}]
	if !sent || at.job.Step != stepDone && at.job.ended == nil || at.job.failed(at.index) != nil {
		return nil, 0, nil
	}
	return at.job, at.index, nil
}

// tally collects the results of a job.
type tally struct {
	q      *Queue
	j      *job
	wanted map[int]Request
	yield  func(Result, error) bool
	seen   map[int]bool
	usage  qa.Usage
	failed []failure
}

// errStopped means that the caller wants no more results.
var errStopped = errors.New("stopped")

// download yields the wanted results of a job, and records the job as done after its first complete download.
func (q *Queue) download(ctx context.Context, j *job, wanted map[int]Request, yield func(Result, error) bool) bool {
	if j.ended == nil {
		if err := q.poll(ctx, j, map[string]Notice{}); err != nil {
			return yield(Result{}, err) && false
		}
		if j.ended == nil {
			return yield(Result{}, fmt.Errorf("batch %s is in progress again", j.Batch)) && false
		}
	}
	t := &tally{q: q, j: j, wanted: wanted, yield: yield, seen: map[int]bool{}}
	err := t.all(ctx)
	if err == nil {
		err = t.missing()
	}
	if err == nil {
		err = t.record()
	}
	switch {
	case errors.Is(err, errStopped):
		return false
	case err != nil:
		yield(Result{}, fmt.Errorf("results of batch %s: %w", j.Batch, err))
		return false
	}
	return true
}

// all reads the results until the endpoint has sent as many as it announced. A broken connection starts a new download,
// which skips what was read before.
func (t *tally) all(ctx context.Context) error {
	tries := 0
	return t.q.retry(ctx, transient, func() error {
		tries++
		for r, err := range t.q.api.rows(ctx, t.j.ended) {
			if err == nil {
				err = t.take(r)
			}
			if err != nil {
				return err
			}
		}
		if len(t.seen) < min(t.j.ended.done, len(t.j.IDs)) && tries < 3 {
			return broken("the results are incomplete")
		}
		return nil
	})
}

// take handles a result. Rows of other batches, and those delivered again, are ignored.
func (t *tally) take(r row) error {
	rest, ours := strings.CutPrefix(r.customID, prefix(t.j.Job))
	index, err := strconv.Atoi(rest)
	if !ours || err != nil || index < 0 || index >= len(t.j.IDs) || t.seen[index] {
		return nil
	}
	t.seen[index] = true
	if r.failure != nil {
		return t.fail(index, *r.failure)
	}
	request, wanted := t.wanted[index]
	reply, err := t.q.wire.Decode(request.Request, r.status, r.body)
	var call *qa.CallError
	switch {
	case errors.As(err, &call):
		return t.fail(index, failure{Class: call.Class, Status: r.status, Detail: call.Error()})
	case err != nil:
		return err
	}
	t.usage = t.usage.Add(reply.Usage)
	if wanted && !t.yield(Result{ID: request.ID, Reply: reply}, nil) {
		return errStopped
	}
	return nil
}

func (t *tally) fail(index int, f failure) error {
	f.Index = index
	t.failed = append(t.failed, f)
	request, wanted := t.wanted[index]
	if wanted && !t.yield(Result{ID: request.ID, Err: f.call()}, nil) {
		return errStopped
	}
	return nil
}

// missing fails the requests without a result.
func (t *tally) missing() error {
	for i := range t.j.IDs {
		if t.seen[i] {
			continue
		}
		if err := t.fail(i, t.j.ended.missing); err != nil {
			return err
		}
	}
	return nil
}

func (t *tally) record() error {
	if t.j.Step == stepDone {
		return nil
	}
	slices.SortFunc(t.failed, func(a, b failure) int { return a.Index - b.Index })
	next := line{
		Job: t.j.Job, Step: stepDone, Status: t.j.ended.state, Replies: len(t.j.IDs) - len(t.failed), Failed: t.failed, Usage: &t.usage,
	}
	if t.q.c.Price != nil {
		next.USD = new(Discounted(t.q.c.Price).Of(t.usage))
	}
	return t.q.c.Ledger.write(next)
}

// broken is a download to repeat.
func broken(detail string) error {
	return &qa.CallError{Class: qa.FailNetwork, Err: errors.New(detail)}
}

// lines yields the lines of the JSON Lines at a path of the endpoint. They are valid until the next one.
func (q *Queue) lines(ctx context.Context, path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		resp, err := q.wire.Send(ctx, http.MethodGet, path, "", nil)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = resp.Body.Close() }()
		in := bufio.NewReaderSize(resp.Body, 1<<16)
		for {
			data, err := readLine(in)
			end := errors.Is(err, io.EOF)
			switch {
			case err != nil && ctx.Err() != nil:
				yield(nil, ctx.Err())
				return
			case err != nil && !end:
				yield(nil, broken("read the results: "+err.Error()))
				return
			case len(data) > 0 && !json.Valid(data):
				yield(nil, broken("the results end in the middle of a line, or are no JSON"))
				return
			case len(data) > 0 && !yield(data, nil), end:
				return
			}
		}
	}
}

// readLine reads a line without its newline, with io.EOF after the last one.
func readLine(in *bufio.Reader) ([]byte, error) {
	var whole []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(whole)+len(part) > maxRow {
			return nil, httpclient.ErrTooLarge
		}
		if !errors.Is(err, bufio.ErrBufferFull) && whole == nil {
			return bytes.TrimSpace(part), err
		}
		whole = append(whole, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(whole), err
		}
	}
}

// fetch makes a request of the batch API and decodes its JSON reply.
func (q *Queue) fetch(ctx context.Context, method, path, contentType string, body io.Reader, into any) error {
	resp, err := q.wire.Send(ctx, method, path, contentType, body)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := httpclient.ReadAll(resp.Body, maxRow)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &qa.CallError{Class: qa.FailGarbage, Err: fmt.Errorf("%s %s: the reply is not a batch: %w", method, path, err)}
}
