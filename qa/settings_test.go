package qa_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
)

// The defaults are the paper's (Appendix C.2), and a run records only those that every run has.
func TestDefaultSettings(t *testing.T) {
	want := qa.Settings{
		ToolSettings: qa.ToolSettings{Turns: 20, Retrieve: "dense", Scope: qa.ScopeAnchors, ObservationTokens: 5000},
		Window:       5, Protocol: qa.ReActText, ContextTokens: 5000, Passages: 4,
		QuestionLimits: qa.QuestionLimits{QueryLimit: qa.QueryLimit{QuerySeconds: 30}},
	}
	if diff := cmp.Diff(want, qa.DefaultSettings()); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	record := map[string]any{
		"turns": 20, "window": 5, "scope": "anchors", "retrieve": "dense", "format_errors": 0,
		"context_tokens": 5000, "observation_tokens": 5000, "passages": 4,
	}
	if diff := cmp.Diff(record, qa.DefaultSettings().Record()); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

// otherSettings differ from the defaults in every field.
func otherSettings() qa.Settings {
	return qa.Settings{
		ToolSettings: qa.ToolSettings{Turns: 7, Rows: 10, Retrieve: "bm25", Scope: qa.ScopeAll, ObservationTokens: 3000},
		Window:       3, Protocol: "react-json", FormatErrors: 2, ContextTokens: 4000, Passages: 6,
		QuestionLimits: qa.QuestionLimits{
			QuestionBudget: qa.Amount{Tokens: 20_000_000, Text: "20000000tokens"}, QueryLimit: qa.QueryLimit{QuerySeconds: 5},
			QuestionDeadline: 90*time.Minute + 500*time.Millisecond,
		},
	}
}

// Settings come back from run.json as they were.
func TestSettingsOfRecord(t *testing.T) {
	for name, want := range map[string]qa.Settings{"defaults": qa.DefaultSettings(), "others": otherSettings()} {
		raw, err := json.Marshal(want.Record())
		if err != nil {
			t.Fatal(err)
		}
		var record map[string]any
		if err := json.Unmarshal(raw, &record); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, qa.SettingsOf(record)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	other := map[string]any{
		"turns": "many", "question_deadline_seconds": "long", "embedder": "minilm", "protocol": "tools",
	}
	want := qa.DefaultSettings()
	want.Protocol = qa.NativeTools
	if diff := cmp.Diff(want, qa.SettingsOf(other)); diff != "" {
		t.Errorf("values that are not settings (-want +got):\n%s", diff)
	}
}

// The format of actions follows from the protocol.
func TestFormat(t *testing.T) {
	for protocol, want := range map[qa.Protocol]string{qa.ReActText: "python", "react-xml": "xml", qa.Mixed: "python", qa.NativeTools: "python", "": "python"} {
		if got := protocol.Format(); got != want {
			t.Errorf("%s: %s, want %s", protocol, got, want)
		}
	}
}

func TestAmount(t *testing.T) {
	for text, want := range map[string]struct {
		usd    float64
		tokens int
		fails  bool
	}{
		"": {}, "0.05usd": {usd: 0.05}, "2": {usd: 2}, "1e-7usd": {usd: 1e-7}, "60000tokens": {tokens: 60000}, "-1usd": {fails: true}, "nan": {fails: true},
		"inf": {fails: true}, "1.5tokens": {fails: true}, "-5tokens": {fails: true}, "tokens": {fails: true}, "usd": {fails: true}, "5 usd": {fails: true}, "8h": {fails: true},
	} {
		before := qa.Amount{USD: 7, Text: "7"}
		got, expected := before, qa.Amount{USD: want.usd, Tokens: want.tokens, Text: text}
		if want.fails {
			expected = before
		}
		if err := got.UnmarshalText([]byte(text)); got != expected || err != nil != want.fails {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestNative(t *testing.T) {
	for protocol, want := range map[qa.Protocol]bool{qa.ReActText: false, qa.NativeTools: true, qa.Mixed: true, "": false} {
		if protocol.Native() != want {
			t.Errorf("%q: native is %v", protocol, !want)
		}
	}
}

// Sampling records what is sent: a seed of 0 as well, but no value that is not set.
func TestSamplingRecord(t *testing.T) {
	if got := (qa.Sampling{}).Record(); len(got) != 0 {
		t.Errorf("nothing is set, and the record is %v", got)
	}
	s := qa.Sampling{Temperature: new(0.7), Seed: new(0), MaxTokens: 1500, ReasoningEffort: "low"}
	want := map[string]any{"temperature": 0.7, "seed": 0, "max_tokens": 1500, "reasoning_effort": "low"}
	if diff := cmp.Diff(want, s.Record()); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

// A record becomes the flags that would make it again; without exponents, which flags for integers do not take.
func TestFlagsOf(t *testing.T) {
	record := map[string]any{
		"turns": 20_000_000.0, "protocol": "mixed", "scope": "conference", "question_budget": "0.0000001usd", "question_deadline_seconds": 90.0, "embedder": "minilm",
	}
	want := map[string]any{"turns": "20000000", "protocol": "mixed", "scope": "conference", "question-budget": "0.0000001usd", "question-deadline": "90s"}
	if diff := cmp.Diff(want, qa.FlagsOf(qa.Settings{}, record)); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	want = map[string]any{"top-p": "0.95"}
	if diff := cmp.Diff(want, qa.FlagsOf(qa.Sampling{}, map[string]any{"top_p": 0.95, "seed": nil})); diff != "" {
		t.Errorf("sampling (-want +got):\n%s", diff)
	}
	if got := qa.FlagsOf(qa.QuestionLimits{}, map[string]any{"question_deadline_seconds": "20m0s"})["question-deadline"]; got != "20m0s" {
		t.Errorf("deadline with a unit: %v", got)
	}
}
