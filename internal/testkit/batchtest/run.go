package batchtest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
)

// run runs the requests of a batch and writes their results.
func (s *Server) run(b *batch) {
	b.ran, b.counts = true, map[string]int{}
	order := make([]int, len(b.requests))
	for i := range order {
		order[i] = i
	}
	if b.end.Reverse {
		slices.Reverse(order)
	}
	if b.end.Twice {
		order = append(order, order...)
	}
	if b.end.State == "failed" {
		return
	}
	counted := map[int]bool{}
	for _, i := range order {
		line, outcome := s.result(b, i)
		if !counted[i] {
			counted[i] = true
			b.counts[outcome]++
		}
		switch {
		case b.end.Omit != nil && b.end.Omit(i):
		case outcome == "succeeded" || b.file == "":
			b.results = append(b.results, line)
		default:
			b.errors = append(b.errors, line)
		}
	}
}

// result runs a request at the chat server, unless the batch ended before, and returns its line.
func (s *Server) result(b *batch, i int) (line, outcome string) {
	r := b.requests[i]
	if b.end.Skip != nil && b.end.Skip(i) {
		outcome = "expired"
		if b.end.State == "cancelled" {
			outcome = "canceled"
		}
		if b.file == "" {
			return text(map[string]any{"custom_id": r.CustomID, "result": map[string]any{"type": outcome}}), outcome
		}
		code := map[string]string{"expired": "batch_expired", "canceled": "batch_cancelled"}[outcome]
		return text(map[string]any{
			"id": "batch_req_1", "custom_id": r.CustomID, "response": nil,
			"error": map[string]any{"code": code, "message": "not run"},
		}), outcome
	}
	if b.file == "" {
		return s.anthropicResult(r)
	}
	status, body := s.ask("/chat/completions", r.Body)
	outcome = "succeeded"
	if status >= 300 {
		outcome = "errored"
	}
	return text(map[string]any{
		"id": "batch_req_1", "custom_id": r.CustomID, "error": nil,
		"response": map[string]any{"status_code": status, "request_id": "req_1", "body": body},
	}), outcome
}

func (s *Server) anthropicResult(r request) (line, outcome string) {
	status, body := s.ask("/messages", r.Params)
	result := map[string]any{"type": "succeeded", "message": body}
	if status >= 300 {
		result = map[string]any{"type": "errored", "error": body}
	}
	return text(map[string]any{"custom_id": r.CustomID, "result": result}), result["type"].(string)
}

// ask sends a request to the chat server.
func (s *Server) ask(path string, body []byte) (status int, reply json.RawMessage) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.config.Chat.URL()+path, bytes.NewReader(body))
	if err != nil {
		return http.StatusInternalServerError, quoted(err.Error())
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return http.StatusInternalServerError, quoted(err.Error())
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil || !json.Valid(data) {
		return resp.StatusCode, quoted(string(data))
	}
	return resp.StatusCode, data
}

func quoted(s string) json.RawMessage { return json.RawMessage(text(s)) }

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(data)
}
