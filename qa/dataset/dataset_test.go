package dataset_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa/dataset"
)

const good = `{"uuid":"u1","question":"Q?","answer_format":"A number.","tags":["single","text","objective"],"anchor_pdf":["p"],"reference_pdf":[],"conference":[],"evaluator":{"eval_func":"eval_int_exact_match","eval_kwargs":{"gold":3}}}`

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFaults(t *testing.T) {
	second := strings.Replace(good, `"u1"`, `"u2"`, 1)
	tests := []struct {
		name, line string
		want       string // in the fault's text
		loaded     bool
	}{
		{"truncated", good[:60], "not a JSON object", false},
		{"a list", `[1]`, "not a JSON object: the record has the wrong type", false},
		{"no question", strings.Replace(second, `"question"`, `"Question_"`, 1), `missing question`, false},
		{"empty uuid", strings.Replace(second, `"u2"`, `""`, 1), `field "uuid" is empty`, false},
		{"tags of another kind", strings.Replace(second, `["single","text","objective"]`, `"single"`, 1), `field "tags" must be a list of strings, not "single"`, true},
		{"no evaluator", strings.Replace(second, `"evaluator"`, `"evaluators"`, 1), `missing evaluator`, true},
		{"kwargs a list", strings.Replace(second, `{"gold":3}`, `[3]`, 1), `"eval_kwargs" of the evaluator must be an object`, false},
		{"same uuid", good, "duplicate uuid, first used at", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, "q.jsonl", good+"\n\n"+tt.line+"\n"+strings.Replace(good, `"u1"`, `"u3"`, 1))
			list, faults, err := dataset.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(faults) != 1 || faults[0].Line != 3 || !strings.Contains(faults[0].Error(), tt.want) || faults[0].Loaded != tt.loaded {
				t.Errorf("faults = %v, want one on line 3 with %q, loaded %v", faults, tt.want, tt.loaded)
			}
			want := 2
			if tt.loaded {
				want = 3
			}
			if len(list) != want || list[len(list)-1].UUID != "u3" {
				t.Errorf("loaded %d examples, want %d with u3 last", len(list), want)
			}
		})
	}
}

func TestLinesKeepEverything(t *testing.T) {
	line := strings.TrimSuffix(good, "}") + `,"anchor_image":{"a":1.50},"state":{"m":true}}`
	path := write(t, "q.jsonl", line)
	first, _, err := dataset.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := dataset.Lines(first)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), `"anchor_image":{"a":1.50}`) {
		t.Errorf("the extra key changed: %s", raw)
	}
	second, faults, err := dataset.Load(write(t, "again.jsonl", string(raw)))
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("examples changed on the way (-want +got):\n%s", diff)
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, uuid := range map[string]string{"b.json": "u2", "a.json": "u1", "notes.txt": "no"} {
		text := strings.Replace(good, `"u1"`, `"`+uuid+`"`, 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, _, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].UUID != "u1" || list[1].UUID != "u2" {
		t.Errorf("folder gave %v", list)
	}
}

func TestMissingFile(t *testing.T) {
	list, faults, err := dataset.Load(filepath.Join(t.TempDir(), "none.jsonl"))
	if list != nil || faults != nil || err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%d questions, %d faults, error = %v", len(list), len(faults), err)
	}
}

// All released questions load (spec: 553 records, 244 of them retrieval).
func TestReleasedQuestions(t *testing.T) {
	path := "../../../shared/data/airqa/test_data_553.jsonl"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the released questions are not beside the checkout")
	}
	list, faults, err := dataset.Load(path)
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	retrieval := 0
	for _, ex := range list {
		if ex.HasTag("retrieval") {
			retrieval++
		}
	}
	if len(list) != 553 || retrieval != 244 {
		t.Errorf("%d examples, %d of them retrieval; want 553 and 244", len(list), retrieval)
	}
}
