package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/fixtures"
	"airqa/internal/testkit/openaitest"
	"airqa/runlog"
)

// sampleQuestions puts the first n questions of the fixtures into a file.
func sampleQuestions(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "questions.jsonl")
	lines := strings.SplitAfter(string(fixtures.Questions()), "\n")
	if err := os.WriteFile(path, []byte(strings.Join(lines[:n], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// exitsWith runs one command line in this process and wants an exit code.
func exitsWith(t *testing.T, want int, args ...string) {
	t.Helper()
	if got := airqa(args); got != want {
		t.Fatalf("airqa %s: exit code %d, want %d", strings.Join(args, " "), got, want)
	}
}

var clockTime = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`)

// timeless is the log of a run without its times.
func timeless(t *testing.T, dir string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, runlog.LogFile))
	if err != nil {
		t.Fatal(err)
	}
	return clockTime.ReplaceAllString(string(raw), `"…"`)
}

// TestKeptReplies shares one data directory between what needs one.
func TestKeptReplies(t *testing.T) {
	data := ingested(t)
	t.Run("cache", func(t *testing.T) { cacheKnowsRepeats(t, data) })
	t.Run("cache-from", func(t *testing.T) { repeatedRuns(t, data) })
}

// A repeat is a request of its own; what was asked in one run is not asked in another.
func cacheKnowsRepeats(t *testing.T, data string) {
	t.Helper()
	questions, dir := sampleQuestions(t, 1), t.TempDir()
	server := openaitest.New(openaitest.Config{Reply: func([]openaitest.Message) string { return "```txt\n42\n```" }})
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", "sk-test-key-that-is-long")
	run := func(out, repeats string, more ...string) {
		t.Helper()
		exitsWith(t, 0, append([]string{
			"run", "--data", data, "--questions", questions, "--baseline", "question-only", "--model", "openai:m", "--base-url", server.URL(),
			"--out", filepath.Join(dir, out), "--cache", filepath.Join(dir, "cache"), "--repeats", repeats,
		}, more...)...)
	}
	steps := []struct {
		out, repeats string
		more         []string
		want         int
	}{
		{out: "first", repeats: "3", want: 3},
		{out: "again", repeats: "3", want: 3},
		// A budget of one token holds back every call, and no reply that is there.
		{out: "broke", repeats: "3", more: []string{"--budget", "1tokens"}, want: 3},
		{out: "more", repeats: "4", want: 4},
		{out: "warmer", repeats: "1", more: []string{"--temperature", "0.9"}, want: 5},
	}
	for _, s := range steps {
		if run(s.out, s.repeats, s.more...); server.Calls() != s.want {
			t.Errorf("%s: %d calls, want %d", s.out, server.Calls(), s.want)
		}
	}
	if log := timeless(t, filepath.Join(dir, "again")); strings.Count(log, `"from_cache":true`) != 3 || strings.Count(log, `"usage":{"prompt":0,"completion":0}`) != 3 {
		t.Errorf("replies from the cache are not marked, or were charged:\n%s", log)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "cache", "replies.jsonl")); err != nil || strings.Contains(string(raw), "sk-test") {
		t.Errorf("%v, or the key is in the cache", err)
	}
}

// A run that is repeated with the replies of another one makes no requests and takes the same steps.
func repeatedRuns(t *testing.T, data string) {
	t.Helper()
	questions, server := sampleQuestions(t, 6), policyServer()
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", "sk-test-key-that-is-long")
	tests := []struct {
		name string
		args []string
	}{
		{"react", []string{"--baseline", "agentic-hybrid-view"}},
		{"native tools", []string{"--baseline", "agentic-hybrid", "--protocol", "tools"}},
		{"one statement", []string{"--baseline", "text2sql"}},
		{"turn limit, window, repeats", []string{"--baseline", "agentic-rag", "--turns", "2", "--window", "1", "--repeats", "2", "--retrieve", "bm25"}},
	}
	for _, tt := range tests {
		for _, model := range []string{"offline", "openai:m"} {
			t.Run(tt.name+" "+model, func(t *testing.T) {
				old, again := filepath.Join(t.TempDir(), "old"), filepath.Join(t.TempDir(), "again")
				args := append([]string{"run", "--data", data, "--questions", questions, "--model", model, "-j", "1", "--limit", "5"}, tt.args...)
				if model != "offline" {
					args = append(args, "--base-url", server.URL())
				}
				exitsWith(t, 0, append(args, "--out", old)...)
				calls := server.Calls()
				exitsWith(t, 0, append(args, "--out", again, "--cache", old)...)
				if server.Calls() != calls {
					t.Errorf("%d requests", server.Calls()-calls)
				}
				if diff := cmp.Diff(withoutRequests(t, old), withoutRequests(t, again)); diff != "" {
					t.Errorf("log (-first +repeated):\n%s", diff)
				}
				sameShape(t, old, again)
			})
		}
	}
}

var requestRecord = regexp.MustCompile(`,"attempts":\[[^]]*\]|,"from_cache":true|"turns":\d+,"usage":\{[^}]*\}`)

// withoutRequests is the log of a run without times and without requests.
func withoutRequests(t *testing.T, dir string) string {
	return requestRecord.ReplaceAllString(timeless(t, dir), "")
}

func sameShape(t *testing.T, a, b string) {
	t.Helper()
	x, err := runlog.ReadConfig(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := runlog.ReadConfig(b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := runlog.Differences(x.Shape, y.Shape); len(diff) > 0 {
		t.Errorf("shape: %v", diff)
	}
}
