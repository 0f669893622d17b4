package main

import (
	"net/http"
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

// episodes sorts the lines of a log by episode, each in its own order.
func episodesOf(log string) map[string][]string {
	all := make(map[string][]string)
	for line := range strings.Lines(log) {
		_, rest, _ := strings.Cut(line, `"episode":"`)
		id, _, _ := strings.Cut(rest, `"`)
		all[id] = append(all[id], line)
	}
	return all
}

// TestKeptReplies shares one data directory between what needs one.
func TestKeptReplies(t *testing.T) {
	data := ingested(t)
	t.Run("cache", func(t *testing.T) { cacheKnowsRepeats(t, data) })
	t.Run("replay", func(t *testing.T) { replayedRuns(t, data) })
	t.Run("replayed failures", func(t *testing.T) { replayedFailures(t, data) })
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
		{out: "broke", repeats: "3", more: []string{"--budget-tokens", "1"}, want: 3},
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

// A replayed run has the log of the recorded one but for times.
func replayedRuns(t *testing.T, data string) {
	t.Helper()
	questions := sampleQuestions(t, 6)
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
		t.Run(tt.name, func(t *testing.T) {
			old, again := filepath.Join(t.TempDir(), "old"), filepath.Join(t.TempDir(), "again")
			exitsWith(t, 0, append([]string{"run", "--data", data, "--questions", questions, "--model", "offline", "--out", old, "-j", "1", "--limit", "5"}, tt.args...)...)
			exitsWith(t, 0, "run", "--replay", old, "--data", data, "--out", again, "-j", "1")
			if diff := cmp.Diff(timeless(t, old), timeless(t, again)); diff != "" {
				t.Errorf("log (-recorded +replayed):\n%s", diff)
			}
			sameShape(t, old, again)
		})
	}
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

// A run whose endpoint failed now and then, and that was started again, is replayed with its failures, without a key or an
// endpoint.
func replayedFailures(t *testing.T, data string) {
	t.Helper()
	questions := sampleQuestions(t, 6)
	old, again := filepath.Join(t.TempDir(), "old"), filepath.Join(t.TempDir(), "again")
	server := policyServer()
	t.Setenv("OPENAI_API_KEY", "sk-test-key-that-is-long")
	broken := openaitest.Status(http.StatusInternalServerError, "broken", "broken")
	run := func(code int, more ...string) {
		t.Helper()
		exitsWith(t, code, append([]string{
			"run", "--data", data, "--questions", questions, "--baseline", "agentic-hybrid", "--model", "openai:m", "--base-url", server.URL(),
			"--temperature", "0.25", "--seed", "7", "--out", old, "-j", "1", "--retries", "1", "--question-tokens", "60000", "--price", "1,2",
		}, more...)...)
	}
	server.Fail(broken, broken)
	run(3, "--limit", "1")
	server.Fail(nil, broken, broken)
	run(3, "--limit", "1")
	// One of the others fails, and runs again at the end of the same invocation.
	server.Fail(broken, nil, broken, broken)
	run(0)
	server.Close()
	t.Setenv("OPENAI_API_KEY", "")
	exitsWith(t, 0, "run", "--replay", old, "--data", data, "--out", again)
	if diff := cmp.Diff(episodesOf(timeless(t, old)), episodesOf(timeless(t, again))); diff != "" {
		t.Errorf("log (-recorded +replayed):\n%s", diff)
	}
	sameShape(t, old, again)
	if log := timeless(t, old); !strings.Contains(log, `"outcome":"endpoint_error"`) || !strings.Contains(log, `"failed_attempts"`) {
		t.Error("nothing failed in the recorded run")
	}
}
