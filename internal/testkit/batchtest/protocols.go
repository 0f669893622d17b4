package batchtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// customIDs is Anthropic's rule.
var customIDs = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// upload keeps the file of a form.
func (s *Server) upload(r *http.Request, body []byte) answer {
	r.Body = io.NopCloser(bytes.NewReader(body))
	file, _, err := r.FormFile("file")
	if err != nil || r.FormValue("purpose") != "batch" {
		return refuse("want a form with purpose=batch and a file")
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return refuse(err.Error())
	}
	id := fmt.Sprintf("file-%04d", len(s.files)+1)
	s.files[id] = data
	return ok(map[string]any{"id": id, "object": "file", "purpose": "batch", "bytes": len(data)})
}

func refuse(message string) answer {
	return func(w http.ResponseWriter) { fail(w, http.StatusBadRequest, "invalid_request_error", message) }
}

func (s *Server) content(id string) answer {
	for _, b := range s.batches {
		if id == "file-output-"+b.id {
			return lines(b.results)
		}
		if id == "file-error-"+b.id {
			return lines(b.errors)
		}
	}
	return func(w http.ResponseWriter) { fail(w, http.StatusNotFound, "invalid_request_error", "no such file") }
}

func (s *Server) createOpenAI(body []byte) answer {
	var asked struct {
		File     string            `json:"input_file_id"`
		Endpoint string            `json:"endpoint"`
		Window   string            `json:"completion_window"`
		Metadata map[string]string `json:"metadata"`
	}
	if err := json.Unmarshal(body, &asked); err != nil || asked.Endpoint != "/v1/chat/completions" || asked.Window != "24h" {
		return refuse("want an endpoint and a completion window of 24h")
	}
	data, known := s.files[asked.File]
	if !known {
		return refuse("Cannot find file " + asked.File)
	}
	b := &batch{file: asked.File, metadata: asked.Metadata}
	if s.config.OmitMetadata {
		b.metadata = nil
	}
	for line := range strings.Lines(string(data)) {
		var r request
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.URL != asked.Endpoint {
			return refuse("a line of the file is no request")
		}
		b.requests = append(b.requests, r)
	}
	return s.accept(b)
}

func (s *Server) createAnthropic(body []byte) answer {
	var asked struct{ Requests []request }
	if err := json.Unmarshal(body, &asked); err != nil {
		return refuse(err.Error())
	}
	for _, r := range asked.Requests {
		if !customIDs.MatchString(r.CustomID) {
			return refuse("custom_id " + r.CustomID)
		}
	}
	return s.accept(&batch{requests: asked.Requests})
}

func (s *Server) accept(b *batch) answer {
	seen := map[string]bool{}
	for _, r := range b.requests {
		if seen[r.CustomID] {
			return refuse("custom ids must be unique")
		}
		seen[r.CustomID] = true
	}
	if len(b.requests) == 0 {
		return refuse("no requests")
	}
	return ok(s.object(s.add(b)))
}

// openAI is a batch in OpenAI's form.
func (b *batch) openAI(polls int) map[string]any {
	state := "in_progress"
	switch {
	case b.ran:
		state = b.end.State
	case b.polls == 0:
		state = "validating"
	case b.polls == polls:
		state = "finalizing"
	}
	out := map[string]any{
		"id": b.id, "object": "batch", "endpoint": "/v1/chat/completions", "input_file_id": b.file, "completion_window": "24h",
		"status": state, "output_file_id": nil, "error_file_id": nil, "errors": nil, "created_at": 1, "metadata": b.metadata,
		"request_counts": map[string]int{
			"total": len(b.requests), "completed": b.counts["succeeded"], "failed": len(b.errors),
		},
	}
	if len(b.results) > 0 {
		out["output_file_id"] = "file-output-" + b.id
	}
	if len(b.errors) > 0 {
		out["error_file_id"] = "file-error-" + b.id
	}
	if b.ran && b.end.State == "failed" {
		out["errors"] = map[string]any{"object": "list", "data": []any{
			map[string]any{"code": b.end.Code, "message": b.end.Message, "param": nil, "line": nil},
		}}
	}
	return out
}

// anthropic is a batch in Anthropic's form. Its counts move only at the end.
func (b *batch) anthropic(results string) map[string]any {
	out := map[string]any{
		"id": b.id, "type": "message_batch", "processing_status": "in_progress", "results_url": nil, "archived_at": nil,
		"created_at": "2026-01-02T03:04:05Z", "expires_at": "2026-01-03T03:04:05Z", "ended_at": nil, "cancel_initiated_at": nil,
		"request_counts": map[string]int{"processing": len(b.requests), "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0},
	}
	if b.ran {
		out["processing_status"], out["results_url"] = "ended", results
		out["request_counts"] = map[string]int{
			"processing": 0, "succeeded": b.counts["succeeded"], "errored": b.counts["errored"],
			"canceled": b.counts["canceled"], "expired": b.counts["expired"],
		}
	}
	return out
}
