package importer_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/importer"
	"airqa/runlog"
)

// Predictions are a run of the baseline "predictions": an episode without steps for each answer, and one without an answer
// for a question that has none. Questions, evidence and rankings are kept, and keys are not.
func TestPredictions(t *testing.T) {
	examples := []qa.Example{
		{UUID: "a", Question: "A?", Evaluator: qa.Evaluator{Func: "bench_x", Kwargs: []byte(`{"gold":"g","texts":{"p1":"b"}}`)}, Kind: qa.WithEvidence},
		{UUID: "b", Question: "B?", Tags: []string{"t"}, Pool: []string{"7", "8"}, Kind: qa.Rank},
		{UUID: "c", Question: "C?"},
	}
	answers := []importer.Prediction{
		{UUID: "b", Answer: qa.Answer{Given: true, Ranking: []string{"8", "7"}}},
		{UUID: "a", Repeat: 1, Answer: qa.Answer{Given: true, Text: "two, sk-secret", Evidence: []string{"p1", "a text"}}},
		{UUID: "a", Answer: qa.Answer{Given: true, Text: "one"}},
	}
	at := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	c := importer.Config{Paths: []string{"in/p.jsonl"}, Out: filepath.Join(t.TempDir(), "run"), Program: "airqa test", Redact: func(b []byte) []byte {
		return []byte(strings.ReplaceAll(string(b), "sk-secret", "[key]"))
	}}
	r, err := importer.Predictions(t.Context(), c, examples, answers, at)
	if err != nil || r.Episodes != 4 || len(r.Runs) != 1 || len(r.Losses) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	run, err := runlog.Open(c.Out)
	if err != nil {
		t.Fatal(err)
	}
	shape, note := run.Config.Shape, run.Config.Note
	if shape.Baseline != "predictions" || shape.ModelName() != "" || note.QuestionsFile != "p.jsonl" || note.QuestionCount != 3 || note.Repeats != 2 || note.Imported.Format != "predictions" {
		t.Errorf("%+v, %+v", shape, note)
	}
	got := make(map[string]qa.Trajectory)
	for rec, err := range run.Episodes() {
		if err != nil {
			t.Fatal(err)
		}
		if len(rec.Steps) > 0 || !rec.Started.Equal(at) {
			t.Errorf("%+v", rec)
		}
		got[qa.EpisodeID(rec.UUID, rec.Repeat)] = rec.Trajectory
	}
	want := map[string]qa.Answer{
		"a#0": {Given: true, Text: "one"}, "a#1": {Given: true, Text: "two, [key]", Evidence: []string{"p1", "a text"}},
		"b#0": {Given: true, Ranking: []string{"8", "7"}}, "c#0": {},
	}
	for id, answer := range want {
		if diff := cmp.Diff(answer, got[id].Answer); diff != "" || got[id].Outcome == qa.Answered != answer.Given || !answer.Given && got[id].Reason != "no prediction" {
			t.Errorf("%s: %+v (-want +got)\n%s", id, got[id], diff)
		}
	}
	kept, _, err := dataset.Load(filepath.Join(c.Out, runlog.QuestionsFile))
	if err != nil || len(kept) != 3 || len(got) != 4 {
		t.Fatalf("%v, %v, %v", kept, got, err)
	}
	for i, ex := range kept {
		if ex.UUID != examples[i].UUID || string(ex.Evaluator.Kwargs) != string(examples[i].Evaluator.Kwargs) || ex.Kind != examples[i].Kind || len(ex.Pool) != len(examples[i].Pool) {
			t.Errorf("question %d: %+v, want %+v", i, ex, examples[i])
		}
	}
	if _, err := importer.Predictions(t.Context(), c, examples, answers, at); err == nil || !strings.Contains(err.Error(), "exists and is not empty") {
		t.Errorf("twice: %v", err)
	}
}
