package stream_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/eval"
	"airqa/eval/stream"
	"airqa/qa"
)

// shared holds the authors' examples, which are not part of the repository.
var shared = filepath.Join("..", "..", "..", "shared", "data")

// present skips a test whose file is missing.
func present(t testing.TB, elem ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{shared}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the authors' cases are not here: %v", err)
	}
	return path
}

// row is an answer and its score from the authors' package.
type row struct {
	UUID   string          `json:"uuid"`
	Answer json.RawMessage `json:"answer"`
	Repeat int             `json:"repeat"`
	Score  *float64        `json:"score,omitempty"`
}

// rows reads scored answers and numbers the repeats of each question.
func rows(t testing.TB, path string) []row {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	var list []row
	times := make(map[string]int)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		r.Repeat = times[r.UUID]
		times[r.UUID]++
		list = append(list, r)
	}
	return list
}

// numbered writes rows as predictions with their repeats.
func numbered(t testing.TB, list []row) string {
	t.Helper()
	var lines []string
	for _, r := range list {
		r.Score = nil
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	return write(t, "numbered.jsonl", lines...)
}

// TestScoresOfTheAuthors compares with the scores of the authors' package, in which failed judges count as 0.
func TestScoresOfTheAuthors(t *testing.T) {
	synthetic := filepath.Join("..", "testdata", "synthetic.pred.jsonl")
	tests := []struct {
		name  string
		files func(t *testing.T) (stream.Files, []row)
		want  int
	}{
		{"invented", func(t *testing.T) (stream.Files, []row) {
			return stream.Files{Golds: filepath.Join("..", "testdata", "synthetic.gold.jsonl"), Predictions: synthetic}, rows(t, synthetic)
		}, 1900},
		{"invented, beside the checkout", func(t *testing.T) (stream.Files, []row) {
			preds := present(t, "scoring", "synthetic.pred.jsonl")
			return stream.Files{Golds: present(t, "scoring", "synthetic.gold.jsonl"), Predictions: preds}, rows(t, preds)
		}, 1900},
		{"released", func(t *testing.T) (stream.Files, []row) {
			list := rows(t, present(t, "scoring", "real.pred.jsonl"))
			return stream.Files{Golds: present(t, "airqa", "test_data_553.jsonl"), Predictions: numbered(t, list)}, list
		}, 1200},
	}
	dead := judgeFunc(func(context.Context, eval.JudgeRequest) (bool, error) { return false, errors.New("no endpoint") })
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, list := tt.files(t)
			want := make(map[string]float64)
			for _, r := range list {
				want[fmt.Sprint(r.UUID, r.Repeat)] = *r.Score
			}
			got := 0
			var report stream.Report
			for s, err := range f.Score(context.Background(), stream.Config{Scorer: eval.New(eval.Config{Judge: dead})}, &report) {
				if err != nil {
					t.Fatal(err)
				}
				if s.Reason == stream.NoPrediction {
					continue
				}
				got++
				if s.Verdict == qa.Unscored && !strings.Contains(s.Reason, "no endpoint") {
					t.Errorf("%s is unscored: %s", s.UUID, s.Reason)
				}
				if score, known := want[fmt.Sprint(s.UUID, s.Repeat)]; !known || s.Value != score {
					t.Errorf("%s/%d scores %v (%s), want %v", s.UUID, s.Repeat, s.Value, s.Reason, score)
				}
			}
			if got != tt.want || report.Paired != tt.want {
				t.Errorf("%d scores, %d paired, want %d", got, report.Paired, tt.want)
			}
		})
	}
}
