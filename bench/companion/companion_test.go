package companion_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench/companion"
	"airqa/report/render"
)

const fixture = "../../fixtures/argscichat"

func text(t *testing.T, r *companion.Result, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b, render.Options{Format: format}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// agree measures a table and returns the value of each measure.
func agree(t *testing.T, table string) map[string]*float64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "r.csv")
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := companion.Agree(companion.AgreeRequest{File: file})
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string]*float64)
	for _, m := range r.Tables[0].Measures {
		values[m.Row] = m.Value
	}
	return values
}

func TestAgree(t *testing.T) {
	// The check values are those of Krippendorff's example, turned so that rows are units.
	four := agree(t, "A,B,C,D\n1,1,.,1\n2,2,3,2\n3,3,3,3\n3,3,3,3\n2,2,2,2\n1,2,3,4\n4,4,4,4\n1,1,2,1\n2,2,2,2\n,5,5,5\n,,1,1\n,3,,\n")
	two := agree(t, "unit,system,true\nx,0,0\ny,1,1\nz,2,1\n4,1,1\n5,0,0\n6,2,2\n7,1,2\n8,1,1\n9,0,1\n10,2,2\n11,,2\n")
	words := agree(t, "a,b\nyes,yes\nno,yes\nno,no\n")
	tests := []struct {
		values  map[string]*float64
		measure string
		want    float64
	}{
		{four, "Krippendorff's alpha, nominal", 0.743421},
		{four, "Krippendorff's alpha, ordinal", 0.815388},
		{four, "Krippendorff's alpha, interval", 0.849107},
		{four, "Krippendorff's alpha, ratio", 0.797403},
		{two, "macro precision, the second being true", 0.694444},
		{two, "macro recall", 0.755556},
		{two, "macro F1", 0.711111},
		{two, "Spearman's rho", 0.731925},
		{two, "exact agreement", 0.7},
		{words, "Cohen's kappa", 0.4},
		{words, "Krippendorff's alpha, nominal", 4. / 9},
		{words, "Fleiss' kappa", 1. / 3},
	}
	for _, tt := range tests {
		if v := tt.values[tt.measure]; v == nil || *v < tt.want-5e-7 || *v > tt.want+5e-7 {
			t.Errorf("%s: want %v", tt.measure, tt.want)
		}
	}
	if _, ok := words["Spearman's rho"]; ok {
		t.Error("words have ranks")
	}
	if v, ok := agree(t, "a,b\n1,1\n1,1\n")["Fleiss' kappa"]; !ok || v != nil {
		t.Error("the kappa of equal values is not undefined")
	}
}

// Every benchmark of the list has its commands, and results print in every format.
func TestFormats(t *testing.T) {
	b, err := companion.Find("argscichat")
	if err != nil {
		t.Fatal(err)
	}
	r := companion.Request{Dataset: fixture, Method: "tfidf", Similarity: "tfidf", Predictions: fixture + "/predictions.jsonl", Bootstrap: 200, Seed: 1}
	for name, call := range map[string]func() (*companion.Result, error){
		"stats":    func() (*companion.Result, error) { return b.Stats(t.Context(), r) },
		"baseline": func() (*companion.Result, error) { return b.Baseline(t.Context(), r) },
		"score":    func() (*companion.Result, error) { return b.Score(t.Context(), r) },
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
	b, err := companion.Find("argscichat")
	if err != nil {
		t.Fatal(err)
	}
	r := companion.Request{Dataset: fixture, Predictions: fixture + "/predictions.jsonl"}
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
	const id = "Tern: Reading Tables in Scanned Reports_1"
	got, err := companion.Show("argscichat", fixture, id, "rationales")
	if err != nil {
		t.Fatal(err)
	}
	want := "[s7] We release the pages and the code.\n\nuser: Hello! What is this paper about?\n" +
		"assistant: Hi! It is about a reader of tables in scans, called Tern.\n  supported by: We present Tern, a reader that finds cells without lines.\n\n" +
		"question: How much data does it need for a new archive?"
	if !strings.HasSuffix(got, want) || strings.Contains(got, "Twelve") {
		t.Errorf("got\n%s\nwant the end\n%s", got, want)
	}
	messages, err := companion.Show("argscichat", fixture, "Reports_1", "messages")
	if err != nil || strings.Contains(messages, "supported by") || !strings.Contains(messages, "user: Hello!") {
		t.Errorf("messages: %v\n%s", err, messages)
	}
	if none, err := companion.Show("argscichat", fixture, "Reports_1", "none"); err != nil || strings.Contains(none, "user:") {
		t.Errorf("none: %v\n%s", err, none)
	}
	for _, id := range []string{"Reports_", "nothing"} {
		if _, err := companion.Show("argscichat", fixture, id, "none"); err == nil {
			t.Errorf("%s: no error", id)
		}
	}
	if _, err := companion.Find("imagenet"); err == nil {
		t.Error("no error for an unknown benchmark")
	}
}
