package argscichat_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"airqa/bench"
	"airqa/bench/argscichat"
	"airqa/report/render"
)

func text(t *testing.T, r *bench.Result, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b, render.Options{Format: format}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Results print in every format.
func TestFormats(t *testing.T) {
	b := argscichat.Benchmark()
	r := bench.Request{Dataset: fixture, Method: "tfidf", Similarity: "tfidf", Predictions: fixture + "/predictions.jsonl", Bootstrap: 200, Rules: bench.Rules{Seed: 1}}
	for name, call := range map[string]func() (*bench.Result, error){
		"stats":    func() (*bench.Result, error) { return b.Stats(t.Context(), r) },
		"baseline": func() (*bench.Result, error) { return b.Baseline(t.Context(), r) },
		"score":    func() (*bench.Result, error) { return b.Score(t.Context(), r) },
	} {
		result, err := call()
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range render.Formats() {
			if out := text(t, result, format); strings.Contains(out, "NaN") || len(out) < 100 {
				t.Errorf("%s as %s:\n%s", name, format, out)
			}
		}
		var data struct {
			Tables []struct{ Measures []struct{ Row string } }
			Faults []string
		}
		if name == "score" && !strings.Contains(text(t, result, "csv"), "predictions,,unreadable line,number,0") {
			t.Error("unreadable lines are not counted")
		}
		if err := json.Unmarshal([]byte(text(t, result, "json")), &data); err != nil || len(data.Tables) == 0 || len(data.Faults) == 0 {
			t.Errorf("%s: %v, %+v", name, err, data)
		}
	}
}

func TestModes(t *testing.T) {
	b := argscichat.Benchmark()
	r := bench.Request{Dataset: fixture, Predictions: fixture + "/predictions.jsonl"}
	value := func() float64 {
		result, err := b.Score(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return *result.Tables[0].Measures[0].Value
	}
	compat := value()
	r.Fixed = true
	// Fold 0 has 4 scored turns with a sum of 2, fold 1 has 5 with 4 2/3.
	if fixed := value(); math.Abs(compat-100*(2./4+14./15)/2) > 1e-9 || math.Abs(fixed-100*20./27) > 1e-9 {
		t.Errorf("compat %v, fixed %v", compat, fixed)
	}
}

func TestShow(t *testing.T) {
	data, err := argscichat.Load(fixture)
	if err != nil {
		t.Fatal(err)
	}
	const id = "Tern: Reading Tables in Scanned Reports_1"
	got, err := bench.Show(data, id, "rationales")
	if err != nil {
		t.Fatal(err)
	}
	want := "[s7] We release the pages and the code.\n\nuser: Hello! What is this paper about?\n" +
		"assistant: Hi! It is about a reader of tables in scans, called Tern.\n  supported by: We present Tern, a reader that finds cells without lines.\n\n" +
		"question: How much data does it need for a new archive?"
	if !strings.HasSuffix(got, want) || strings.Contains(got, "Twelve") {
		t.Errorf("got\n%s\nwant the end\n%s", got, want)
	}
	messages, err := bench.Show(data, "Reports_1", "messages")
	if err != nil || strings.Contains(messages, "supported by") || !strings.Contains(messages, "user: Hello!") {
		t.Errorf("messages: %v\n%s", err, messages)
	}
	if none, err := bench.Show(data, "Reports_1", "none"); err != nil || strings.Contains(none, "user:") {
		t.Errorf("none: %v\n%s", err, none)
	}
	for _, id := range []string{"Reports_", "nothing"} {
		if _, err := bench.Show(data, id, "none"); err == nil {
			t.Errorf("%s: no error", id)
		}
	}
}
