// Package benchtest calls companion benchmarks in tests: start from [Check].
package benchtest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench"
	"airqa/report/render"
)

// Case is a call of a function of a benchmark: stats, baseline or score.
type Case struct {
	Function string
	Request  bench.Request
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
			got, notes, err := Call(t, b, c.Function, c.Request)
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

// Call runs a function of a benchmark, prints its result, and returns the values of its tables by "table row column", and
// its notes.
func Call(t *testing.T, b bench.Benchmark, function string, r bench.Request) (values map[string]string, notes string, err error) {
	t.Helper()
	run := map[string]func(context.Context, bench.Request) (*bench.Result, error){"stats": b.Stats, "baseline": b.Baseline, "score": b.Score}[function]
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

// File writes a file in a folder of the test and returns its path.
func File(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
