package merge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airqa/qa"
	"airqa/run/shard"
	"airqa/runlog"
)

// judged makes two shards whose questions have an objective and a subjective answer in turn, and scores the first by a judge.
func (w *world) judged(judge string) (folder string) {
	for i := range w.examples {
		w.examples[i].Evaluator = qa.Evaluator{Func: "eval_int_exact_match", Kwargs: []byte(`{"gold": 1}`)}
		if i%2 == 1 {
			w.examples[i].Evaluator = qa.Evaluator{Func: "eval_reference_answer_with_llm", Kwargs: []byte(`{"reference_answer": "1", "question": "?"}`)}
		}
	}
	folder = w.shards(2)
	w.ok(runlog.WriteScores(filepath.Join(folder, "1"), runlog.Scoring{Mode: "reference", Judge: judge, Created: clock}, nil, nil))
	return folder
}

// The merged run is scored by the rules of its shards, without a call: an answer without a kept verdict stays unscored, and a
// notice has the command that scores it.
func TestMergeScores(t *testing.T) {
	tests := []struct {
		judge    string
		verdicts int
		notice   string
	}{
		{"offline", 10, ""},
		{"none", 5, ""},
		{"openai:a", 5, "5 answers have no verdict of openai:a; airqa score with that judge asks for them"},
		{"any(openai:a,openai:b)", 5, "5 answers have no verdict of any(openai:a,openai:b)"},
	}
	for _, tt := range tests {
		t.Run(tt.judge, func(t *testing.T) {
			w := newWorld(t)
			r := w.merged(false, w.judged(tt.judge))
			_, scores, err := runlog.FindScores(w.path("out"), runlog.Choice{Scoring: "reference"})
			if err != nil || len(scores) != 10 || runlog.Verdicts(scores) != tt.verdicts {
				t.Errorf("%d scores, %d verdicts, %v", len(scores), runlog.Verdicts(scores), err)
			}
			if len(r.Scores) != 1 || r.Scores[0] != "reference."+tt.judge {
				t.Errorf("result %+v", r)
			}
			notices := strings.ReplaceAll(strings.Join(w.notices, "\n"), w.path("out"), "OUT")
			if !strings.Contains(notices, tt.notice) || tt.notice == "" && strings.Contains(notices, "no verdict") {
				t.Errorf("notices %q", notices)
			}
		})
	}
}

// Verdicts of all shards and of the earlier merge are kept, each once.
func TestMergeVerdicts(t *testing.T) {
	w := newWorld(t)
	folder := w.shards(2)
	for i, lines := range []string{"{\"a\":1}\n{\"b\":1}\n", "{\"b\":1}\n{\"c\":1}\nhalf"} {
		w.ok(os.WriteFile(filepath.Join(folder, fmt.Sprint(i+1), "verdicts.jsonl"), []byte(lines), 0o600))
	}
	w.merged(false, folder)
	w.ok(os.WriteFile(w.path("out/verdicts.jsonl"), []byte("{\"b\":1}\n{\"d\":1}\n"), 0o600))
	w.merged(false, folder)
	if got := w.read("out/verdicts.jsonl"); got != "{\"a\":1}\n{\"b\":1}\n{\"c\":1}\n{\"d\":1}\n" {
		t.Errorf("verdicts %q", got)
	}
}

// A merged run was created when its first shard was.
func TestCreated(t *testing.T) {
	w := newWorld(t)
	for i, age := range []time.Duration{time.Hour, 3 * time.Hour, 2 * time.Hour} {
		w.shard(fmt.Sprintf("shards/%d", i+1), shard.Part{Index: i + 1, Of: 3}, nil, func(c *runlog.Config) { c.Created = clock.Add(-age) })
	}
	w.merged(false, w.path("shards"))
	c, err := runlog.ReadConfig(w.path("out"))
	w.ok(err)
	if want := clock.Add(-3 * time.Hour); !c.Created.Equal(want) {
		t.Errorf("created %v, want %v", c.Created, want)
	}
}
