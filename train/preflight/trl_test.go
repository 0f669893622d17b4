package preflight_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/train/preflight"
)

// What TRL 1.16 with datasets 5.2 did with each file, or that it depends on the version of datasets.
func TestTRL(t *testing.T) {
	const (
		prompt = `"prompt":[{"role":"user","content":"q"}]`
		answer = `"completion":[{"role":"assistant","content":"x"}]`
		pair   = `"chosen":[{"role":"assistant","content":"x"}],"rejected":[{"role":"assistant","content":"y"}]`
	)
	tests := []struct {
		name string
		rows []string
		load preflight.Load
		want []preflight.Outcome
	}{
		{
			"a column of numbers and texts",
			[]string{"{" + prompt + "," + answer + `,"n":1}`, "{" + prompt + "," + answer + `,"n":"s"}`},
			"not_checked",
			[]preflight.Outcome{"kept", "kept"},
		},
		{
			"an object beside a text",
			[]string{"{" + prompt + "," + answer + `,"n":{"a":1}}`, "{" + prompt + "," + answer + `,"n":"s"}`},
			"not_checked",
			[]preflight.Outcome{"kept", "kept"},
		},
		{"a list of a number and a text", []string{"{" + prompt + "," + answer + `,"n":[1,"x"]}`}, "not_checked", []preflight.Outcome{"kept"}},
		{
			"an empty answer",
			[]string{"{" + prompt + `,"completion":[]}`, "{" + prompt + "," + answer + "}"},
			"ok",
			[]preflight.Outcome{"dropped", "kept"},
		},
		{"an empty prompt", []string{`{"prompt":[],` + answer + "}"}, "crash", []preflight.Outcome{"crash"}},
		{
			"no answer",
			[]string{"{" + prompt + `,"completion":null}`, "{" + prompt + "," + answer + "}"},
			"crash",
			[]preflight.Outcome{"crash", "kept"},
		},
		{"a pair", []string{"{" + prompt + "," + pair + "}"}, "ok", []preflight.Outcome{"kept"}},
		{"a pair of texts", []string{`{"prompt":"hello ","chosen":"there","rejected":"you"}`}, "ok", []preflight.Outcome{"kept"}},
		{"a pair whose prompt is its common start", []string{
			`{"chosen":[{"role":"user","content":"q"},{"role":"assistant","content":"x"}],` +
				`"rejected":[{"role":"user","content":"q"},{"role":"assistant","content":"y"}]}`,
		}, "ok", []preflight.Outcome{"kept"}},
		{
			"a pair without an answer",
			[]string{"{" + prompt + `,"chosen":null,"rejected":[{"role":"assistant","content":"y"}]}`, "{" + prompt + "," + pair + "}"},
			"crash",
			[]preflight.Outcome{"crash", "kept"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data.jsonl")
			if err := os.WriteFile(path, []byte(strings.Join(tt.rows, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			got, total := checked(t, preflight.Options{Path: path, Trainer: preflight.TRL, Today: time.Unix(0, 0)})
			if total.Load != tt.load {
				t.Errorf("load = %s, want %s", total.Load, tt.load)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
		})
	}
}

// Tools stand in the system prompt, as Qwen's templates write them. What only the tokenizer's template knows is not checked.
func TestTRLTools(t *testing.T) {
	const (
		tools  = `"tools": "[{\"name\": \"f\", \"parameters\": {}}]"`
		prompt = `{"prompt": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}], `
		answer = `"completion": [{"role": "assistant", "content": "x"}]`
	)
	tests := []struct{ name, row, want string }{
		{"tools", prompt + answer + ", " + tools + "}", "s\n\n# Tools\n"},
		{"a list", prompt + answer + `, "tools": [{"name": "f"}]}`, "s\n\n# Tools\n"},
		{"no system prompt", `{"prompt": [{"role": "user", "content": "q"}], ` + answer + ", " + tools + "}", "<|im_start|>system\n# Tools\n"},
		{"no tools", prompt + answer + `, "tools": "[]"}`, "s<|im_end|>"},
		{"a call", prompt +
			`"completion": [{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f"}}]}]}`, "tool calls are"},
		{"images", prompt + answer + `, "images": ["i.png"]}`, "images are measured"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data.jsonl")
			if err := os.WriteFile(path, []byte(tt.row), 0o600); err != nil {
				t.Fatal(err)
			}
			d, err := preflight.Open(preflight.Options{Path: path, Trainer: preflight.TRL})
			if err != nil {
				t.Fatal(err)
			}
			spans, err := d.Spans(0)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = spans[0].Text
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("row = %s, want %s", got, tt.want)
			}
		})
	}
}

// trlOutcome is what TRL did with a case.
type trlOutcome struct {
	Total struct {
		Load        preflight.Load `json:"load"`
		TrainerRows *int           `json:"trainer_rows"`
	} `json:"total"`
	Rows []struct {
		Outcome preflight.Outcome `json:"outcome"`
		Tokens  int               `json:"tokens"`
		Trained int               `json:"trained"`
		Text    string            `json:"trained_text"`
	} `json:"rows"`
}

// TestTRLTrainer compares outcomes, tokens and trained tokens with what SFTTrainer of TRL 1.16.0 (transformers 5.23.0,
// datasets 5.2.0) made of the cases in testdata/trl.
func TestTRLTrainer(t *testing.T) {
	dir := filepath.Join("testdata", "trl")
	outcomes := lines(t, filepath.Join(dir, "outcomes.jsonl"))
	for i, line := range lines(t, filepath.Join(dir, "cases.jsonl")) {
		var c trainerCase
		var want trlOutcome
		unmarshal(t, line, &c)
		unmarshal(t, outcomes[i], &want)
		t.Run(c.ID, func(t *testing.T) { compareTRL(t, c, want) })
	}
}

func compareTRL(t *testing.T, c trainerCase, want trlOutcome) {
	dir := c.write(t)
	config := filepath.Join(dir, "trl.json")
	raw, err := json.Marshal(c.Args)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := preflight.Open(preflight.Options{
		Path: filepath.Join(dir, "data.jsonl"), Trainer: preflight.TRL, Training: config,
		Tokenizer: "testdata/trl/tokenizer.json", Today: time.Unix(0, 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := trlOutcome{}
	got.Total.Load = want.Total.Load
	total, err := file.Rows(t.Context(), func(r preflight.Row) error {
		row := want.Rows[r.Row]
		row.Outcome, row.Tokens, row.Trained, row.Text = r.Outcome, 0, 0, ""
		if r.Outcome == preflight.Kept {
			row.Tokens, row.Trained, row.Text = r.Tokens, r.Trained, trainedText(t, file, r.Row)
		}
		got.Rows = append(got.Rows, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got.Total.Load = total.Load
	if total.Load == "ok" {
		got.Total.TrainerRows = total.TrainerRows
	}
	if want.Total.Load != "ok" {
		want.Total.TrainerRows = nil // none, which stops the training
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-TRL +airqa):\n%s", diff)
	}
}

// trainedText is what airqa export show prints as trained.
func trainedText(t *testing.T, file *preflight.Dataset, row int) (text string) {
	t.Helper()
	spans, err := file.Spans(row)
	if err != nil {
		t.Errorf("row %d is not shown: %v", row, err)
	}
	for _, s := range spans {
		if s.State == preflight.Trained {
			text += s.Text
		}
	}
	return strings.ToValidUTF8(text, "\uFFFD") // a letter that is cut in half
}
