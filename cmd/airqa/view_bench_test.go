package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench"
	"airqa/bench/qasper"
	"airqa/internal/testkit/benchtest"
	"airqa/trace"
	"airqa/viewer"
)

// The pages of a run on a companion benchmark have its scores, and the page of an answer has all measures.
func TestViewCompanion(t *testing.T) {
	const fixture = "../../fixtures/qasper/"
	dir, _, err := benchtest.Run(t, qasper.Benchmark(), fixture+"predictions.jsonl", bench.Request{Dataset: fixture + "dev.json"})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := trace.Open(t.Context(), []string{filepath.Dir(dir)}, trace.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(viewer.New(viewer.Config{Library: runs, Host: "127.0.0.1", Log: slog.New(slog.DiscardHandler)}))
	defer server.Close()
	zeros := strings.Repeat("0", 39)
	for path, wants := range map[string][]string{
		"/": {"predictions", "64.29", "7 episodes"},
		"/episode/predictions/" + url.PathEscape(zeros+"2#0"): {
			"1 (right) by bench_qasper<br>Answer-F1 1; Evidence-F1 0.6667; Evidence-F1, text 0.6667; best match: extractive", "French and Breton", "Breton, French; Breton and French; Unanswerable",
		},
		"/episode/predictions/" + url.PathEscape(zeros+"7#0"): {"0 (wrong) by bench_qasper: no prediction<br>Answer-F1 0; ", "Answer-F1 0; Evidence-F1 0"},
		"/matrix": {"How many tide tables did they collect?"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := server.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		for _, want := range wants {
			if err != nil || reply.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
				t.Errorf("%s: %v, status %d, no %q", path, err, reply.StatusCode, want)
			}
		}
	}
}
