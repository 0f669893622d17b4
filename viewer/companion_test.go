package viewer_test

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench"
	"airqa/bench/qasper"
	"airqa/internal/testkit/benchtest"
)

// The pages of a run on a companion benchmark have its scores, and those of an answer all measures.
func TestCompanion(t *testing.T) {
	const fixture = "../fixtures/qasper/"
	dir, _, err := benchtest.Run(t, qasper.Benchmark(), fixture+"predictions.jsonl", bench.Request{Dataset: fixture + "dev.json"})
	if err != nil {
		t.Fatal(err)
	}
	server := serve(t, filepath.Dir(dir))
	zeros := strings.Repeat("0", 39)
	for path, wants := range map[string][]string{
		"/": {"predictions", "64.29", "7 episodes"},
		"/episode/predictions/" + url.PathEscape(zeros+"2#0"): {
			"1 (right) by bench_qasper<br>Answer-F1 1; Evidence-F1 0.6667; Evidence-F1, text 0.6667; best match: extractive", "French and Breton", "Breton, French; Breton and French; Unanswerable",
		},
		"/episode/predictions/" + url.PathEscape(zeros+"7#0"): {"0 (wrong) by bench_qasper: no prediction<br>Answer-F1 0; ", "Answer-F1 0; Evidence-F1 0"},
		"/matrix": {"How many tide tables did they collect?"},
	} {
		reply, body := get(t, server.URL+path)
		for _, want := range wants {
			if reply.StatusCode != 200 || !strings.Contains(body, want) {
				t.Errorf("%s: status %d, no %q", path, reply.StatusCode, want)
			}
		}
	}
}
