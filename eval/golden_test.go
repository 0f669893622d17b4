package eval_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/eval"
	"airqa/qa"
)

// goldRow is an example; only the evaluator matters here.
type goldRow struct {
	UUID      string
	Evaluator qa.Evaluator
}

// predRow is an answer and its score from the authors' package.
type predRow struct {
	UUID, Case string
	Answer     json.RawMessage
	Score      float64
}

// deadJudge always fails, like the judges of the authors' package when the scores were made without an endpoint.
type deadJudge struct{}

func (deadJudge) Judge(context.Context, eval.JudgeRequest) (bool, error) {
	return false, errors.New("no endpoint")
}

// rows reads a JSON Lines file.
func rows[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	var out []T
	for lines.Scan() {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s, line %d: %v", path, len(out)+1, err)
		}
		out = append(out, row)
	}
	return out
}

// checkRow compares one score; a failed judge counts as 0, as in the authors' package.
func checkRow(t *testing.T, s *eval.Scorer, e qa.Evaluator, p predRow) {
	t.Helper()
	answer, err := eval.JSON(p.Answer)
	if err != nil {
		t.Errorf("%s %s: %v", p.UUID, p.Case, err)
		return
	}
	r := s.Score(context.Background(), e, answer)
	if r.Verdict == qa.Unscored && !strings.Contains(r.Reason, "no endpoint") {
		t.Errorf("%s %s: unscored: %s", p.UUID, p.Case, r.Reason)
	}
	if r.Value != p.Score {
		t.Errorf("%s %s: score %v (%s), want %v\n%s\nanswer %s", p.UUID, p.Case, r.Value, r.Reason, p.Score, e.Kwargs, p.Answer)
	}
}

func TestSyntheticScores(t *testing.T) {
	golds := rows[goldRow](t, "testdata/synthetic.gold.jsonl")
	answers := rows[predRow](t, "testdata/synthetic.pred.jsonl")
	if len(golds) != 1900 || len(answers) != 1900 {
		t.Fatalf("read %d golds and %d answers, want 1900 each", len(golds), len(answers))
	}
	s := eval.New(eval.Config{Judge: deadJudge{}})
	for i, p := range answers {
		checkRow(t, s, golds[i].Evaluator, p)
	}
}

// shared holds the authors' examples, which are not part of the repository.
var shared = filepath.Join("..", "..", "shared", "data")

func realExamples(t testing.TB) map[string]qa.Evaluator {
	t.Helper()
	path := filepath.Join(shared, "airqa", "test_data_553.jsonl")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the authors' examples are not here: %v", err)
	}
	examples := make(map[string]qa.Evaluator)
	for _, g := range rows[goldRow](t, path) {
		examples[g.UUID] = g.Evaluator
	}
	return examples
}

func TestRealScores(t *testing.T) {
	examples := realExamples(t)
	answers := rows[predRow](t, filepath.Join(shared, "scoring", "real.pred.jsonl"))
	if len(examples) != 553 || len(answers) != 1200 {
		t.Fatalf("read %d examples and %d answers, want 553 and 1200", len(examples), len(answers))
	}
	s := eval.New(eval.Config{Judge: deadJudge{}})
	for _, p := range answers {
		checkRow(t, s, examples[p.UUID], p)
	}
}
