// Package benchtest calls companion benchmarks in tests: start from [Check], or from [Run] for a file of predictions.
package benchtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/eval"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/report/render"
	"airqa/run/importer"
	"airqa/run/scoring"
	"airqa/run/session"
	"airqa/runlog"
)

// Case is a call of a function of a benchmark: stats, or compare.
type Case struct {
	Function string
	Request  bench.Request
	// Predictions is a file that becomes a run of the request, in the row "predictions".
	Predictions string
	// Want are values of the tables by "table row column", Note is a part of the notes.
	Want map[string]string
	Note string
	// Err is a part of the error; empty for none.
	Err string
}

// Check makes the calls in their order.
func Check(t *testing.T, b bench.Benchmark, cases []Case) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Function+" "+c.Request.Method+c.Request.Setting+c.Err, func(t *testing.T) {
			got, notes, err := c.call(t, b)
			if c.Err != "" {
				if err == nil || !strings.Contains(err.Error(), c.Err) {
					t.Errorf("%v, want %q", err, c.Err)
				}
				return
			}
			if err != nil || !strings.Contains(notes, c.Note) {
				t.Fatalf("%v, notes %s", err, notes)
			}
			for key, want := range c.Want {
				if got[key] != want {
					t.Errorf("%s = %q, want %q", key, got[key], want)
				}
			}
		})
	}
}

// call makes the call, with a run of the predictions.
func (c Case) call(t *testing.T, b bench.Benchmark) (values map[string]string, notes string, err error) {
	t.Helper()
	if c.Predictions != "" {
		dir, _, err := Run(t, b, c.Predictions, c.Request)
		if err != nil {
			return nil, "", err
		}
		c.Request.Runs = append(c.Request.Runs, dir)
	}
	return Call(t, b, c.Function, c.Request)
}

// Call runs a function of a benchmark, prints its result, and returns the values of its tables by "table row column", and
// its notes.
func Call(t *testing.T, b bench.Benchmark, function string, r bench.Request) (values map[string]string, notes string, err error) {
	t.Helper()
	run := map[string]func(context.Context, bench.Request) (*bench.Result, error){"stats": b.Stats, "compare": b.Compare}[function]
	result, err := run(t.Context(), r)
	if err != nil {
		return nil, "", err
	}
	values = make(map[string]string)
	for _, table := range result.Tables {
		for _, m := range table.Measures {
			value := "-"
			if m.Value != nil {
				raw, _ := json.Marshal(*m.Value)
				value = string(raw)
			}
			values[table.Name+" "+m.Row+" "+m.Column] = value
		}
	}
	var out strings.Builder
	if err := result.Write(&out, render.Options{}); err != nil {
		t.Error(err)
	}
	return values, strings.Join(result.Notes, "\n"), nil
}

// Run makes a run of a file of predictions in the benchmark's own format and scores it, as airqa score does. It returns the
// run directory, called "predictions", and the faults of the file.
func Run(t *testing.T, b bench.Benchmark, path string, r bench.Request) (dir string, faults []*dataset.Fault, err error) {
	t.Helper()
	data, err := b.Load(r.Dataset, r.Choice)
	if err != nil {
		return "", nil, err
	}
	given, faults, err := b.Predictions.Read(path, data)
	if err != nil {
		return "", faults, err
	}
	dir = filepath.Join(t.TempDir(), "predictions")
	return dir, faults, Answered(t, b, data, dir, given, r)
}

// Answered makes a run of answers by the id of their item, and scores it.
func Answered(t *testing.T, b bench.Benchmark, data *bench.Dataset, dir string, given map[string]qa.Answer, r bench.Request) error {
	t.Helper()
	examples, err := bench.Questions(data, bench.Config{})
	if err != nil {
		return err
	}
	var answers []importer.Prediction
	for _, ex := range examples {
		if a, ok := given[ex.UUID]; ok {
			answers = append(answers, importer.Prediction{UUID: ex.UUID, Answer: a})
		}
	}
	c := importer.Config{Paths: []string{"predictions.jsonl"}, Out: dir, Program: "airqa test"}
	if _, err := importer.Predictions(t.Context(), c, examples, answers, time.Unix(1e9, 0)); err != nil {
		return err
	}
	return Score(t, b, dir, r.Fixed)
}

// RoundTrip gives each answer to all items of the data, and none. The scores of a run, whose questions have the gold, must
// equal the scores of the data itself, in both modes.
func RoundTrip(t *testing.T, b bench.Benchmark, path string, list ...qa.Answer) {
	t.Helper()
	data, err := b.Load(path, bench.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range append(list, qa.Answer{}) {
		given, answers := make(map[string]qa.Answer), make([]qa.Answer, len(data.Items))
		for i, it := range data.Items {
			if a.Given {
				given[it.UUID] = a
			}
			answers[i] = verbatim(b, data.Papers()[it.Document], a)
		}
		for _, fixed := range []bool{false, true} {
			dir := filepath.Join(t.TempDir(), "run")
			if err := Answered(t, b, data, dir, given, bench.Request{Fixed: fixed}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(b.Scored("", data.Items, answers, fixed).Scores, scoresOf(t, dir)); diff != "" {
				t.Errorf("answer %+v, fixed %t (-want +got)\n%s", a, fixed, diff)
			}
		}
	}
}

// scoresOf are the scores of a run, without the reason for a missing answer.
func scoresOf(t *testing.T, dir string) []qa.Score {
	t.Helper()
	_, scores, err := runlog.ReadScores(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range scores {
		if scores[i].Reason == "no prediction" {
			scores[i].Reason = ""
		}
	}
	return scores
}

// verbatim is an answer with the texts of a paper's units for their ids, if the benchmark compares texts.
func verbatim(b bench.Benchmark, d bench.Document, a qa.Answer) qa.Answer {
	a.Evidence = slices.Clone(a.Evidence)
	for i, e := range a.Evidence {
		for _, u := range d.Units {
			if b.Predictions.Units == nil && u.ID == e {
				a.Evidence[i] = u.Text
			}
		}
	}
	return a
}

// Score scores a run, without a judge.
func Score(t *testing.T, b bench.Benchmark, dir string, fixed bool) error {
	t.Helper()
	s := session.Session{
		Now: time.Now, Program: "airqa test", Getenv: func(string) string { return "" }, Redact: func(b []byte) []byte { return b },
		Others:     bench.Scorers([]bench.Benchmark{b}),
		Interrupts: func() (context.Context, <-chan struct{}, func()) { return t.Context(), nil, func() {} },
	}
	judge, err := scoring.Judges{Names: []string{scoring.NoJudge}}.Open(s, "")
	if err != nil {
		return fmt.Errorf("open no judge: %w", err)
	}
	mode := map[bool]eval.Mode{false: eval.Reference, true: eval.Fixed}[fixed]
	_, err = scoring.Scoring{Session: s, Mode: mode, Judge: judge}.Run(dir)
	return err
}

// File writes a file in a folder of the test and returns its path.
func File(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
