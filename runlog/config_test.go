package runlog_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/runlog"
)

func TestModelName(t *testing.T) {
	for _, tt := range []struct {
		model map[string]any
		want  string
	}{
		{map[string]any{"provider": "openai", "model": "m"}, "openai:m"},
		{map[string]any{"provider": "offline"}, "offline"},
		{map[string]any{"model": "m"}, "m"},
		{nil, ""},
	} {
		if got := (runlog.Shape{Model: tt.model}).ModelName(); got != tt.want {
			t.Errorf("%v is named %q, want %q", tt.model, got, tt.want)
		}
	}
}

func TestReplyLimit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c := config("rag")
	c.Shape.Model["sampling"] = map[string]any{"max_tokens": 1500}
	if err := runlog.Create(dir, c, nil); err != nil {
		t.Fatal(err)
	}
	if c, err := runlog.ReadConfig(dir); err != nil || c.Shape.ReplyLimit() != 1500 {
		t.Errorf("limit %d, %v", c.Shape.ReplyLimit(), err)
	}
	if got := config("rag").Shape.ReplyLimit(); got != 0 {
		t.Errorf("limit %d, and none is recorded", got)
	}
}

// A directory with a part of a run is not made into another one.
func TestCreateInUsedDirectory(t *testing.T) {
	for _, tt := range []struct {
		name  string
		run   bool // run.json exists
		files []string
		want  string
	}{
		{"log without run.json", false, []string{runlog.LogFile}, "has log.jsonl but no run.json"},
		{"scores without a log", true, []string{"scores/x.jsonl"}, "has scores but no events in log.jsonl"},
		{"index without a log", true, []string{"log.idx"}, "has log.idx but no events"},
		{"verdicts and an empty log", true, []string{"verdicts.jsonl", runlog.LogFile + "="}, "has verdicts.jsonl but no events"},
		{"scores and a log", true, []string{"scores/x.jsonl", runlog.LogFile}, ""},
		{"an empty log", true, []string{runlog.LogFile + "="}, ""},
		{"nothing", true, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			if tt.run {
				if err := runlog.Create(dir, config("rag"), []byte("{}\n")); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range tt.files {
				name, empty := strings.CutSuffix(name, "=")
				text := "x" // a single byte counts
				if empty {
					text = ""
				}
				path := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			err := runlog.Create(dir, config("rag"), []byte("{}\n"))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// Create writes the questions and the configuration, or reports why it cannot.
func TestCreate(t *testing.T) {
	dir := create(t)
	if raw, err := os.ReadFile(filepath.Join(dir, runlog.QuestionsFile)); err != nil || string(raw) != "{}\n" {
		t.Errorf("questions %q, %v", raw, err)
	}
	c, err := runlog.ReadConfig(dir)
	want := config("rag")
	want.Format = runlog.Format
	if diff := cmp.Diff(want, c); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := runlog.Create(filepath.Join(file, "run"), config("rag"), nil); err == nil {
		t.Error("a run directory inside a file")
	}
	blocked := t.TempDir()
	if err := os.MkdirAll(filepath.Join(blocked, runlog.QuestionsFile, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := runlog.Create(blocked, config("rag"), nil); err == nil {
		t.Error("the questions could not be written, and that is no error")
	}
	odd := config("rag")
	odd.Shape.Model = map[string]any{"temperature": math.NaN()}
	if err := runlog.Create(filepath.Join(t.TempDir(), "run"), odd, nil); err == nil {
		t.Error("a configuration that JSON cannot represent is no error")
	}
}

// A run directory may have all of its folders, and has only folders in their place.
func TestFolders(t *testing.T) {
	for _, name := range []string{"texts", "images", "scores", "forks"} {
		dir := create(t)
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := runlog.Open(dir); err != nil {
			t.Errorf("a folder %s: %v", name, err)
		}
		if err := errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := runlog.Open(dir); err == nil || !strings.Contains(err.Error(), name+" is not a folder") {
			t.Errorf("a file %s: %v", name, err)
		}
		if err := runlog.WriteScores(dir, runlog.Scoring{Mode: "fixed", Judge: "offline"}, nil, nil); err == nil {
			t.Errorf("a file %s: scores were written", name)
		}
	}
}

// A secret in the configuration is replaced, and every other value keeps its digits.
func TestRedactedConfig(t *testing.T) {
	c := config("rag")
	c.Shape.Model["seed"] = json.Number("12345678901234567890")
	same, err := c.Redacted(runlog.Redactor([]string{"a-secret-word"}, ""))
	if diff := cmp.Diff(c, same); err != nil || diff != "" {
		t.Errorf("without a secret: %v (-want +got):\n%s", err, diff)
	}
	c.Note.DataDir = "/data/a-secret-word"
	safe, err := c.Redacted(runlog.Redactor([]string{"a-secret-word"}, ""))
	if err != nil || safe.Note.DataDir != "/data/[redacted]" || safe.Shape.Model["seed"] != json.Number("12345678901234567890") {
		t.Errorf("redacted %+v, %v", safe, err)
	}
	c.Shape.Model["temperature"] = math.NaN()
	if _, err := c.Redacted(bytes.Clone); err == nil {
		t.Error("a configuration that JSON cannot represent is no error")
	}
}

func TestLackingNote(t *testing.T) {
	for _, tt := range []struct {
		lacking runlog.Lacking
		want    string
	}{
		{runlog.Lacking{Ran: 9, Named: 1}, "1 of 9 questions had a named paper missing"},
		{runlog.Lacking{Ran: 9, Searched: 1}, "1 of 9 questions searched a collection with no papers"},
		{runlog.Lacking{Ran: 9, Skipped: 1}, "1 questions with missing papers were skipped"},
		{
			runlog.Lacking{Ran: 9, Named: 2, Searched: 3, Skipped: 4},
			"2 of 9 questions had a named paper missing; 3 of 9 questions searched a collection with no papers; 4 questions with missing papers were skipped",
		},
	} {
		if got := tt.lacking.String(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.lacking, got, tt.want)
		}
	}
}

// The deadline of a question may change between invocations; the other budgets of a question may not.
func TestDeadlineMayChange(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	shape := func(key string, value float64) runlog.Config {
		return runlog.Config{Shape: runlog.Shape{Settings: map[string]any{key: value}}}
	}
	if err := runlog.Create(dir, runlog.Config{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := runlog.Create(dir, shape("question_deadline_seconds", 60), nil); err != nil {
		t.Errorf("another deadline: %v", err)
	}
	if err := runlog.Create(dir, shape("question_seconds", 60), nil); err == nil {
		t.Error("another limit of work was accepted")
	}
}
