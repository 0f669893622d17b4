package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"airqa/internal/httpclient"
	"airqa/qa"
)

// anthropic is Anthropic's message batches. A batch has no name of ours, and its custom ids can be read only after its
// end.
type anthropic struct{ q *Queue }

const anthropicPath = "messages/batches"

func (anthropic) limit() int { return 100_000 }

func (anthropic) input(job string, bodies [][]byte) []byte {
	var out bytes.Buffer
	out.WriteString(`{"requests":[`)
	for i, body := range bodies {
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, `{"custom_id":%q,"params":%s}`, customID(job, i), body)
	}
	out.WriteString("]}")
	return out.Bytes()
}

// anthropicBatch holds the fields of a batch that are read. Its results_url is not: the key goes to the base URL only.
type anthropicBatch struct {
	ID       string `json:"id"`
	Status   string `json:"processing_status"`
	Archived string `json:"archived_at"`
	Counts   struct {
		Processing int `json:"processing"`
		Succeeded  int `json:"succeeded"`
		Errored    int `json:"errored"`
		Canceled   int `json:"canceled"`
		Expired    int `json:"expired"`
	} `json:"request_counts"`
}

type anthropicPage struct {
	Data    []anthropicBatch `json:"data"`
	HasMore bool             `json:"has_more"`
	LastID  string           `json:"last_id"`
}

func (b anthropicBatch) status() *status {
	s := &status{
		batch: b.ID, state: b.Status, ended: b.Status == "ended", files: []string{anthropicPath + "/" + b.ID + "/results"},
		failed:  b.Counts.Errored + b.Counts.Canceled + b.Counts.Expired,
		missing: failure{Class: qa.FailGarbage, Detail: "the endpoint returned no result for this request"},
	}
	s.done = b.Counts.Succeeded + s.failed
	s.total = s.done + b.Counts.Processing
	return s
}

func (a anthropic) page(ctx context.Context, limit, after string) (anthropicPage, error) {
	var page anthropicPage
	query := url.Values{"limit": {limit}}
	if after != "" {
		query.Set("after_id", after)
	}
	err := a.q.fetch(ctx, http.MethodGet, anthropicPath+"?"+query.Encode(), "", nil, &page)
	return page, err
}

// newest returns the first batch of the list, which has the newest first.
func (a anthropic) newest(ctx context.Context) (id string, err error) {
	err = a.q.retry(ctx, transient, func() error {
		page, err := a.page(ctx, "1", "")
		if err == nil && len(page.Data) > 0 {
			id = page.Data[0].ID
		}
		return err
	})
	return id, err
}

func (a anthropic) create(ctx context.Context, _ *job, input []byte) (string, error) {
	var b anthropicBatch
	err := a.q.fetch(ctx, http.MethodPost, anthropicPath, "application/json", bytes.NewReader(input), &b)
	if err == nil {
		err = checkID(b.ID)
	}
	return b.ID, err
}

// find looks at the batches that are newer than the newest one before the job. Of those with as many requests, it waits
// for the end and compares the custom ids.
func (a anthropic) find(ctx context.Context, j *job) (string, error) {
	newer, err := a.newer(ctx, j.Newest)
	if err != nil {
		return "", err
	}
	for _, b := range slices.Backward(newer) {
		if b.status().total != len(j.IDs) || a.q.known(b.ID) {
			continue
		}
		if ours, err := a.ours(ctx, j, b.ID); err != nil || ours {
			return b.ID, err
		}
	}
	return "", nil
}

// newer returns the batches before a batch in the list.
func (a anthropic) newer(ctx context.Context, batch string) (all []anthropicBatch, err error) {
	after := ""
	for {
		page, err := a.page(ctx, "100", after)
		if err != nil {
			return nil, err
		}
		if end := slices.IndexFunc(page.Data, func(b anthropicBatch) bool { return b.ID == batch }); end >= 0 {
			return append(all, page.Data[:end]...), nil
		}
		all = append(all, page.Data...)
		if !page.HasMore || page.LastID == "" || page.LastID == after {
			return all, nil
		}
		after = page.LastID
	}
}

// ours waits for the end of a batch and reports whether it is the job.
func (a anthropic) ours(ctx context.Context, j *job, batch string) (bool, error) {
	if err := checkID(batch); err != nil {
		return false, err
	}
	pause := httpclient.Backoff{First: firstPoll, Longest: longestPoll}
	for round := 1; ; round++ {
		s, err := a.poll(ctx, batch)
		if err != nil {
			return false, err
		}
		if s.ended {
			for r, err := range a.rows(ctx, s) {
				return err == nil && strings.HasPrefix(r.customID, prefix(j.Job)), err
			}
			return false, nil
		}
		if round == 1 {
			a.q.c.Notify(Notice{Job: j.Job, Batch: batch, State: "may be ours; waiting for its end", Total: len(j.IDs)})
		}
		if err := a.q.sleep(ctx, pause.Pause(round)); err != nil {
			return false, err
		}
	}
}

func (a anthropic) poll(ctx context.Context, batch string) (*status, error) {
	var b anthropicBatch
	if err := a.q.fetch(ctx, http.MethodGet, anthropicPath+"/"+batch, "", nil, &b); err != nil {
		return nil, err
	}
	b.ID = batch
	if b.Archived != "" {
		return nil, &qa.CallError{Class: qa.FailBadRequest, Err: errors.New("the endpoint has archived the batch, and its results are gone")}
	}
	return b.status(), nil
}

func (a anthropic) rows(ctx context.Context, s *status) rows {
	return func(yield func(row, error) bool) {
		for data, err := range a.q.lines(ctx, s.files[0]) {
			var r row
			if err == nil {
				r, err = anthropicRow(data)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func anthropicRow(data []byte) (row, error) {
	var got struct {
		CustomID string `json:"custom_id"`
		Result   struct {
			Type    string          `json:"type"`
			Message json.RawMessage `json:"message"`
			Error   json.RawMessage `json:"error"`
		} `json:"result"`
	}
	if err := json.Unmarshal(data, &got); err != nil {
		return row{}, &qa.CallError{Class: qa.FailGarbage, Err: fmt.Errorf("unreadable batch result: %w", err)}
	}
	r := row{customID: got.CustomID}
	switch got.Result.Type {
	case "succeeded":
		r.status, r.body = http.StatusOK, got.Result.Message
	case "errored":
		r.status, r.body = errorStatus(got.Result.Error), got.Result.Error
	case "canceled":
		r.failure = &cancelled
	case "expired":
		r.failure = &expired
	default:
		r.failure = &failure{Class: qa.FailGarbage, Detail: fmt.Sprintf("a result of type %.50q", got.Result.Type)}
	}
	return r, nil
}

// errorStatus is the HTTP status that Anthropic documents for the type of an error; 500 for an unknown one.
func errorStatus(body []byte) int {
	var outer struct {
		Type  string `json:"type"`
		Error struct {
			Type string `json:"type"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return http.StatusInternalServerError
	}
	name := outer.Error.Type
	if name == "" {
		name = outer.Type
	}
	if status, known := errorStatuses[strings.TrimSuffix(name, "_error")]; known {
		return status
	}
	return http.StatusInternalServerError
}

var errorStatuses = map[string]int{
	"invalid_request": 400, "authentication": 401, "billing": 402, "permission": 403, "not_found": 404, "request_too_large": 413,
	"rate_limit": 429, "api": 500, "timeout": 504, "overloaded": 529,
}
