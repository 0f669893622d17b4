package argscichat_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"airqa/bench"
	"airqa/bench/argscichat"
	"airqa/internal/testkit/benchtest"
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
	r := bench.Request{Dataset: fixture, Method: "tfidf", Similarity: "tfidf", Bootstrap: 200, Seed: 1}
	dir, _, err := benchtest.Run(t, b, fixture+"/predictions.jsonl", r)
	if err != nil {
		t.Fatal(err)
	}
	withRun := bench.Request{Dataset: fixture, Runs: []string{dir}, Bootstrap: 200, Seed: 1}
	for name, call := range map[string]func() (*bench.Result, error){
		"stats":    func() (*bench.Result, error) { return b.Stats(t.Context(), r) },
		"baseline": func() (*bench.Result, error) { return b.Compare(t.Context(), r) },
		"score":    func() (*bench.Result, error) { return b.Compare(t.Context(), withRun) },
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
		if name == "score" && !strings.Contains(text(t, result, "csv"), "folds of predictions,") {
			t.Error("the run has no table of folds")
		}
		if err := json.Unmarshal([]byte(text(t, result, "json")), &data); err != nil || len(data.Tables) == 0 || len(data.Faults) == 0 {
			t.Errorf("%s: %v, %+v", name, err, data)
		}
	}
}

func TestModes(t *testing.T) {
	value := func(fixed bool) float64 {
		got, _, err := compare(t, bench.Request{Dataset: fixture, Fixed: fixed}, fixture+"/predictions.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		v, err := strconv.ParseFloat(got["scores predictions Rationale-F1"], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	// Fold 0 has 4 scored turns with a sum of 2, fold 1 has 5 with 4 2/3.
	if reference, fixed := value(false), value(true); math.Abs(reference-100*(2./4+14./15)/2) > 1e-9 || math.Abs(fixed-100*20./27) > 1e-9 {
		t.Errorf("reference %v, fixed %v", reference, fixed)
	}
}

func TestShow(t *testing.T) {
	data, err := argscichat.Load(fixture, bench.Choice{})
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

// study is a folder with a dialogue of two turns about a paper of two sentences of abstract and five of introduction.
func study(t *testing.T, boundary string) string {
	t.Helper()
	dir := t.TempDir()
	paper := `{"P":{"id":"P","title":"P",` + boundary + `"content":["A one.","A two.","I one.","I two.","I three.","I four.","I five."],"message_pairs":[
{"id":"P_0","P_Message":"Q?","DE_Message":"A.","facts":["A two.","I one.","I five."],"history":[],"history_ids":[],"history_facts":[]},
{"id":"P_1","P_Message":"Q2?","DE_Message":"B.","facts":["I three."],"history":["Q?","A.","A two. I one.","I five.","P"],"history_ids":["P_0"],
"history_facts":[["A two. I one.","I five.","P"]]}]}}`
	for name, text := range map[string]string{"test": paper, "train": "{}", "val": "{}"} {
		if err := os.WriteFile(filepath.Join(dir, "fold_0_"+name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestBoundary(t *testing.T) {
	got, notes, err := benchtest.Call(t, argscichat.Benchmark(), "stats", bench.Request{Dataset: study(t, `"abstract_sentences":2,`)})
	if err != nil {
		t.Fatal(err)
	}
	// A rationale is where it begins, and the title is nowhere: "A two. I one." of the abstract, "I five." and "I three." of the rest.
	for key, want := range map[string]string{
		"rationales rationales from the abstract, % value": "33.333333333333336", "rationales rationales from the introduction, % value": "66.66666666666667",
		"introduction 1 %": "33.333333333333336", "introduction 5 %": "33.333333333333336", "introduction 9 %": "33.333333333333336", "introduction 10 %": "0",
	} {
		if got[key] != want {
			t.Errorf("%s = %q, want %q", key, got[key], want)
		}
	}
	if strings.Contains(notes, "not in the data") || !strings.Contains(notes, "turns of the data with more than two rationales, the paper's maximum (the first is P_0): 1") {
		t.Errorf("notes %s", notes)
	}
	data, err := argscichat.Load(study(t, `"abstract_sentences":2,`), bench.Choice{})
	if err != nil || data.Documents[0].Abstract != "A one. A two." || len(data.Faults) > 0 {
		t.Errorf("%v, %+v, faults %v", err, data.Documents, data.Faults)
	}
	for boundary, fault := range map[string]string{
		"": "", `"abstract_sentences":8,`: "is 8, but the paper has 7 sentences", `"abstract_sentences":-1,`: "is -1", `"abstract_sentences":"2",`: "is a string",
	} {
		got, notes, err := benchtest.Call(t, argscichat.Benchmark(), "stats", bench.Request{Dataset: study(t, boundary)})
		if err != nil || got["rationales rationales from the abstract, % value"] != "-" || got["introduction 1 %"] != "" || !strings.Contains(notes, "not in the data") {
			t.Errorf("%s: %v, %v, %s", boundary, err, got, notes)
		}
		data, err := argscichat.Load(study(t, boundary), bench.Choice{})
		if err != nil || len(data.Faults) != min(1, len(fault)) || fault != "" && !strings.Contains(data.Faults[0].Error(), fault) {
			t.Errorf("%s: %v, faults %v", boundary, err, data.Faults)
		}
	}
}

func TestSpans(t *testing.T) {
	predictions := benchtest.File(t, "p.jsonl", `{"pair_id":"P_1","article_id":"P","predicted_answer":"B","predicted_evidence":["s1","s2","s3"]}`)
	for _, c := range []struct {
		dataset, predictions string
		noted                bool
	}{{study(t, ""), predictions, true}, {fixture, fixture + "/predictions.jsonl", false}} {
		r := bench.Request{Dataset: c.dataset}
		dir, _, err := benchtest.Run(t, argscichat.Benchmark(), c.predictions, r)
		if err != nil {
			t.Fatal(err)
		}
		r.Runs = []string{dir}
		_, notes, err := benchtest.Call(t, argscichat.Benchmark(), "compare", r)
		const note = "predictions with more than two rationales, the paper's maximum (the first is P_1): 1"
		if err != nil || strings.Contains(notes, note) != c.noted {
			t.Errorf("%s: %v, notes %s", c.dataset, err, notes)
		}
	}
}
