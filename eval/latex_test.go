package eval_test

import (
	"testing"

	"airqa/eval"
	"airqa/qa"
)

// TestLaTeXOfAnswers checks that fixed mode reads LaTeX as written and reference mode as Python does.
func TestLaTeXOfAnswers(t *testing.T) {
	gold := qa.Evaluator{Func: "eval_string_exact_match", Kwargs: []byte(`{"gold": "\\frac{a}{b}"}`)}
	answer := qa.Answer{Given: true, Text: "\frac{a}{b}", LaTeX: `\frac{a}{b}`}
	for mode, want := range map[eval.Mode]qa.Verdict{eval.Reference: qa.Wrong, eval.Fixed: qa.Right} {
		s := eval.New(eval.Config{Mode: mode})
		if got := s.Score(t.Context(), gold, eval.Answer(answer)).Verdict; got != want {
			t.Errorf("%s: %s, want %s", mode, got, want)
		}
		plain := qa.Answer{Given: true, Text: `\frac{a}{b}`}
		if got := s.Score(t.Context(), gold, eval.Answer(plain)).Verdict; got != qa.Right {
			t.Errorf("%s: %s without a second reading", mode, got)
		}
	}
}
