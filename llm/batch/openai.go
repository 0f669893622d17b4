package batch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/llm"
	"airqa/qa"
)

// openAI is OpenAI's batch API: an uploaded file of requests, a batch of it, and files with the results.
type openAI struct{ q *Queue }

// metadataJob is the key of our job's name in a batch's metadata.
const metadataJob = "airqa_job"

func (openAI) limit() int { return 50_000 }

// input is a file of JSON Lines.
func (openAI) input(job string, bodies [][]byte) []byte {
	var out bytes.Buffer
	for i, body := range bodies {
		fmt.Fprintf(&out, `{"custom_id":%q,"method":"POST","url":"/v1/chat/completions","body":%s}`+"\n", customID(job, i), body)
	}
	return out.Bytes()
}

// newest is not needed: the metadata of a batch names its job.
func (openAI) newest(context.Context) (string, error) { return "", nil }

// openAIBatch holds the fields of a batch that are read.
type openAIBatch struct {
	ID         string            `json:"id"`
	Status     string            `json:"status"`
	InputFile  string            `json:"input_file_id"`
	OutputFile string            `json:"output_file_id"`
	ErrorFile  string            `json:"error_file_id"`
	Metadata   map[string]string `json:"metadata"`
	Counts     struct {
		Total     int `json:"total"`
		Completed int `json:"completed"`
		Failed    int `json:"failed"`
	} `json:"request_counts"`
	Errors struct {
		Data []openAIError `json:"data"`
	} `json:"errors"`
}

type openAIError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Line    int    `json:"line"`
}

func (a openAI) create(ctx context.Context, j *job, input []byte) (string, error) {
	var file struct {
		ID string `json:"id"`
	}
	err := a.q.retry(ctx, transient, func() error {
		kind, form, err := upload(j.Job, input)
		if err == nil {
			err = a.q.fetch(ctx, http.MethodPost, "files", kind, form, &file)
		}
		if err == nil {
			err = checkID(file.ID)
		}
		return err
	})
	if err == nil {
		err = a.q.c.Ledger.write(line{Job: j.Job, Step: stepUploaded, File: file.ID})
	}
	if err != nil {
		return "", notSent{err}
	}
	fields, err := json.Marshal(map[string]any{
		"input_file_id": file.ID, "endpoint": "/v1/chat/completions", "completion_window": "24h",
		"metadata": map[string]string{metadataJob: j.Job},
	})
	if err != nil {
		return "", notSent{err}
	}
	var batch openAIBatch
	err = a.q.retry(ctx, missesFile, func() error {
		return a.q.fetch(ctx, http.MethodPost, "batches", "application/json", bytes.NewReader(fields), &batch)
	})
	if err == nil {
		err = checkID(batch.ID)
	}
	return batch.ID, err
}

// upload is the form that uploads a file.
func upload(job string, input []byte) (contentType string, form *bytes.Buffer, err error) {
	form = new(bytes.Buffer)
	w := multipart.NewWriter(form)
	err = w.WriteField("purpose", "batch")
	if err != nil {
		return "", nil, err
	}
	part, err := w.CreateFormFile("file", "airqa-"+job+".jsonl")
	if err != nil {
		return "", nil, err
	}
	if _, err := part.Write(input); err != nil {
		return "", nil, err
	}
	return w.FormDataContentType(), form, w.Close()
}

// missesFile reports whether the endpoint rejects a batch because it does not have the new file yet.
func missesFile(err error) bool {
	var status *llm.HTTPError
	return errors.As(err, &status) && (status.Status == 400 || status.Status == 404) && noFile.MatchString(status.Body)
}

var noFile = lazyregexp.New(`(?i)(cannot|could not|n't) find file|no such file`)

// find goes through the whole list, whose order is not documented.
func (a openAI) find(ctx context.Context, j *job) (string, error) {
	after := ""
	for {
		var page struct {
			Data    []openAIBatch `json:"data"`
			HasMore bool          `json:"has_more"`
		}
		query := url.Values{"limit": {"100"}}
		if after != "" {
			query.Set("after", after)
		}
		if err := a.q.fetch(ctx, http.MethodGet, "batches?"+query.Encode(), "", nil, &page); err != nil {
			return "", err
		}
		for _, b := range page.Data {
			ours := b.Metadata[metadataJob] == j.Job || j.File != "" && b.InputFile == j.File
			if ours && !a.q.known(b.ID) {
				return b.ID, checkID(b.ID)
			}
		}
		if !page.HasMore || len(page.Data) == 0 || page.Data[len(page.Data)-1].ID == after {
			return "", nil
		}
		after = page.Data[len(page.Data)-1].ID
	}
}

func (a openAI) poll(ctx context.Context, batch string) (*status, error) {
	var b openAIBatch
	if err := a.q.fetch(ctx, http.MethodGet, "batches/"+batch, "", nil, &b); err != nil {
		return nil, err
	}
	s := &status{
		batch: batch, state: b.Status, done: b.Counts.Completed + b.Counts.Failed, failed: b.Counts.Failed, total: b.Counts.Total,
		missing: failure{Class: qa.FailGarbage, Detail: "the endpoint returned no result for this request"},
	}
	switch b.Status {
	case "completed":
	case "failed":
		s.missing = b.rejection()
	case "expired":
		s.missing = expired
	case "cancelled":
		s.missing = cancelled
	default: // validating, in_progress, finalizing, cancelling
		return s, nil
	}
	s.ended = true
	for _, file := range []string{b.OutputFile, b.ErrorFile} {
		if file == "" {
			continue
		}
		if err := checkID(file); err != nil {
			return nil, err
		}
		s.files = append(s.files, "files/"+file+"/content")
	}
	return s, nil
}

// The failures of requests that were not run.
var (
	expired   = failure{Class: qa.FailTimeout, Detail: "the batch expired before this request was run"}
	cancelled = failure{Class: qa.FailCancelled, Detail: "the batch was cancelled before this request was run"}
)

// rejection is the failure of all requests of a batch that failed as a whole.
func (b openAIBatch) rejection() failure {
	f := failure{Class: qa.FailBadRequest, Detail: "the endpoint rejected the batch"}
	if len(b.Errors.Data) == 0 {
		return f
	}
	first := b.Errors.Data[0]
	f.Detail += ": " + strings.TrimSpace(first.Code+" "+first.Message)
	switch first.Code {
	case "token_limit_exceeded", "rate_limit_exceeded": // other batches fill the queue
		f.Class = qa.FailRateLimit
	case "insufficient_quota", "billing_hard_limit_reached":
		f.Class = qa.FailAuth
	}
	return f
}

func (a openAI) rows(ctx context.Context, s *status) rows {
	return func(yield func(row, error) bool) {
		for _, file := range s.files {
			for data, err := range a.q.lines(ctx, file) {
				var r row
				if err == nil {
					r, err = openAIRow(data)
				}
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

func openAIRow(data []byte) (row, error) {
	var got struct {
		CustomID string `json:"custom_id"`
		Response *struct {
			Status int             `json:"status_code"`
			Body   json.RawMessage `json:"body"`
		} `json:"response"`
		Error *openAIError `json:"error"`
	}
	if err := json.Unmarshal(data, &got); err != nil {
		return row{}, &qa.CallError{Class: qa.FailGarbage, Err: fmt.Errorf("unreadable batch result: %w", err)}
	}
	r := row{customID: got.CustomID}
	switch {
	case got.Response != nil:
		r.status, r.body = cmp.Or(got.Response.Status, http.StatusOK), got.Response.Body
	case got.Error != nil && got.Error.Code == "batch_expired":
		r.failure = &expired
	case got.Error != nil && got.Error.Code == "batch_cancelled":
		r.failure = &cancelled
	case got.Error != nil:
		r.failure = &failure{Class: qa.FailServer, Detail: strings.TrimSpace(got.Error.Code + " " + got.Error.Message)}
	default:
		r.failure = &failure{Class: qa.FailGarbage, Detail: "the endpoint returned an empty result"}
	}
	return r, nil
}

// idForm matches ids that are safe in a path.
var idForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.:-]*$`)

// checkID rejects an id of the endpoint that cannot be part of a path.
func checkID(id string) error {
	if idForm.MatchString(id) && len(id) <= 200 {
		return nil
	}
	return &qa.CallError{Class: qa.FailGarbage, Err: fmt.Errorf("the endpoint returned the id %.50q", id)}
}
