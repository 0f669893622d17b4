package preflight_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/train/preflight"
)

// trainerCase is a data set, and what LLaMA-Factory 0.9.5 with datasets 4.0.0 did with it and with each row.
type trainerCase struct {
	ID       string
	Settings json.RawMessage
	Rows     []json.RawMessage
	Load     preflight.Load
	Outcomes []preflight.Outcome
}

const caseInfo = `{"case": {"file_name": "data.jsonl", "formatting": "sharegpt", "columns": {"messages": "conversations", "system": "system"},
	"tags": {"role_tag": "from", "content_tag": "value", "user_tag": "human", "assistant_tag": "gpt", "observation_tag": "observation",
	"function_tag": "function_call", "system_tag": "system"}}}`

// open writes the files of a case.
func (c trainerCase) open(t *testing.T) *preflight.Dataset {
	t.Helper()
	var rows strings.Builder
	for _, row := range c.Rows {
		rows.WriteString(string(row) + "\n")
	}
	dir := write(t, map[string]string{"dataset_info.json": caseInfo, "llamafactory.yaml": string(c.Settings), "data.jsonl": rows.String()})
	d, err := preflight.Open(preflight.Options{Path: dir, Trainer: preflight.LLaMAFactory})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestTrainerCases checks data sets of which is known what LLaMA-Factory does with them. A row that it keeps is ok, every other
// one is wrong. With AIRQA_TEST_TRAINER, a Python with LLaMA-Factory, its own loader reads them again.
func TestTrainerCases(t *testing.T) {
	raw, err := os.ReadFile("testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var c trainerCase
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			want := make([]preflight.Outcome, len(c.Outcomes))
			for i, outcome := range c.Outcomes {
				want[i] = map[bool]preflight.Outcome{true: preflight.OK, false: preflight.Wrong}[outcome == preflight.Kept]
			}
			got, _ := outcomes(t, c.open(t))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
		t.Run(c.ID+"/trainer", func(t *testing.T) {
			python := os.Getenv("AIRQA_TEST_TRAINER")
			if python == "" {
				t.Skip("AIRQA_TEST_TRAINER names no Python")
			}
			d := c.open(t)
			if err := d.RunTrainer(t.Context(), preflight.Interpreter{Path: python, Getenv: os.Getenv}); err != nil {
				t.Fatal(err)
			}
			_, total := outcomes(t, d)
			if run := total.Trainer[0]; run.Load != c.Load {
				t.Errorf("load = %s, %s, want %s", run.Load, run.Error, c.Load)
			}
			var got []preflight.Outcome
			_, err := d.Rows(func(r preflight.Row) error {
				if r.Trainer != nil {
					got = append(got, r.Trainer.Outcome)
				}
				return nil
			})
			if diff := cmp.Diff(c.Outcomes, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// outcomes returns our outcomes of all rows, and the total.
func outcomes(t *testing.T, d *preflight.Dataset) (list []preflight.Outcome, total preflight.Total) {
	t.Helper()
	total, err := d.Rows(func(r preflight.Row) error {
		list = append(list, r.Outcome)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, total
}
