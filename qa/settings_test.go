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
		Turns: 20, Window: 5, Protocol: qa.ReActText, ActionFormat: "python", Retrieve: "dense",
		ContextTokens: 5000, ObservationTokens: 5000, Passages: 4,
		QuestionLimits: qa.QuestionLimits{QuerySeconds: 30},
	}
	if diff := cmp.Diff(want, qa.DefaultSettings()); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	record := map[string]any{
		"turns": 20, "window": 5, "by_conference": false, "retrieve": "dense", "format_errors": 0,
		"context_tokens": 5000, "observation_tokens": 5000, "passages": 4,
	}
	if diff := cmp.Diff(record, qa.DefaultSettings().Record()); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

// otherSettings differ from the defaults in every field.
func otherSettings() qa.Settings {
	return qa.Settings{
		Turns: 7, Window: 3, Rows: 10, Protocol: qa.Mixed, ActionFormat: "json", ByConference: true, Retrieve: "bm25",
		FormatErrors: 2, ContextTokens: 4000, ObservationTokens: 3000, Passages: 6,
		QuestionLimits: qa.QuestionLimits{
			QuestionUSD: 0.000001, QuestionTokens: 20_000_000, QuestionSeconds: 1.5, SQLSeconds: 60, QuerySeconds: 5,
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
		"turns": "many", "question_usd": "cheap", "question_deadline_seconds": "long", "embedder": "minilm", "protocol": "tools",
	}
	want := qa.DefaultSettings()
	want.Protocol = qa.NativeTools
	if diff := cmp.Diff(want, qa.SettingsOf(other)); diff != "" {
		t.Errorf("values that are not settings (-want +got):\n%s", diff)
	}
}

// With native tools alone, actions have no text format.
func TestActionFormatIsRecorded(t *testing.T) {
	for protocol, want := range map[qa.Protocol]bool{qa.ReActText: true, qa.Mixed: true, qa.NativeTools: false} {
		s := otherSettings()
		s.Protocol = protocol
		if _, ok := s.Record()["action_format"]; ok != want {
			t.Errorf("%s: recorded %v, want %v", protocol, ok, want)
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
	s := qa.Sampling{Temperature: new(0.7), Seed: new(0), MaxTokens: 1500, Stop: []string{"a", "b"}, ReasoningEffort: "low"}
	want := map[string]any{"temperature": 0.7, "seed": 0, "max_tokens": 1500, "stop": []string{"a", "b"}, "reasoning_effort": "low"}
	if diff := cmp.Diff(want, s.Record()); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

// A record becomes the flags that would make it again; without exponents, which flags for integers do not take.
func TestFlagsOf(t *testing.T) {
	record := map[string]any{
		"turns": 20_000_000.0, "protocol": "mixed", "by_conference": true, "question_usd": 0.0000001, "question_deadline_seconds": 90.0, "embedder": "minilm",
	}
	want := map[string]any{"turns": "20000000", "protocol": "mixed", "by-conference": "true", "question-usd": "0.0000001", "question-deadline": "90s"}
	if diff := cmp.Diff(want, qa.FlagsOf(qa.Settings{}, record)); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	want = map[string]any{"stop": []any{"a"}, "top-p": "0.95"}
	if diff := cmp.Diff(want, qa.FlagsOf(qa.Sampling{}, map[string]any{"stop": []any{"a"}, "top_p": 0.95, "seed": nil})); diff != "" {
		t.Errorf("sampling (-want +got):\n%s", diff)
	}
	if got := qa.FlagsOf(qa.QuestionLimits{}, map[string]any{"question_deadline_seconds": "20m0s"})["question-deadline"]; got != "20m0s" {
		t.Errorf("deadline with a unit: %v", got)
	}
}
