package judge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/fixtures"
	"airqa/internal/testkit/fixturetest"
	"airqa/qa"
)

// goldRow is the right answer to a sample question.
type goldRow struct {
	UUID   string          `json:"uuid"`
	Answer json.RawMessage `json:"answer"`
}

// decodeLines reads JSON Lines.
func decodeLines[T any](t *testing.T, data []byte) []T {
	t.Helper()
	var out []T
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var row T
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	return out
}

// TestSampleGolds checks that every sample question accepts its own answer and has no fault.
func TestSampleGolds(t *testing.T) {
	questions := decodeLines[qa.Example](t, fixtures.Questions())
	golds := decodeLines[goldRow](t, fixturetest.Gold())
	if len(questions) != 40 || len(golds) != 40 {
		t.Fatalf("read %d questions and %d answers, want 40 each", len(questions), len(golds))
	}
	s := eval.New(eval.Config{Judge: judge.Lexical{}})
	for i, e := range questions {
		t.Run(e.UUID, func(t *testing.T) {
			answer, err := eval.JSON(golds[i].Answer)
			if err != nil {
				t.Fatal(err)
			}
			if r := s.Score(context.Background(), e.Evaluator, answer); r.Verdict != qa.Right || golds[i].UUID != e.UUID {
				t.Errorf("%s: %+v for %s", e.Evaluator.Func, r, golds[i].Answer)
			}
			for _, fault := range eval.Check(e.Evaluator) {
				t.Errorf("fault: %s", fault)
			}
		})
	}
}

// TestSampleAnswers tries other wordings and wrong answers on the sample questions that need a judge.
func TestSampleAnswers(t *testing.T) {
	tests := []struct {
		name, uuid, answer string
		right              bool
	}{
		{"reference, long way", "4f6a46dd", "According to the authors, Wader-3B had 60,000 refusal examples in its tuning data; other model families mention none. So declining is taught.", true},
		{"reference, another number", "4f6a46dd", "Its tuning data contained 6,000 refusal examples while the other families mention none; declining is taught.", false},
		{"reference, other cause", "4f6a46dd", "Larger models are better calibrated, so they decline more often.", false},
		{"reference, no answer", "4f6a46dd", "", false},
		{"reference, the question again", "4f6a46dd", "Which explanation do the authors of Saltmarsh offer for the skill of Wader-3B at declining?", false},
		{"candidates, first", "83a5beba", "It trusts the glyph boxes in the file: with a broken encoding or text behind an image it yields lines nobody can see.", true},
		{"candidates, third", "83a5beba", "A line cannot be read twice, which is wrong for table headers repeated on each page, as the assignment forbids reading it again.", true},
		{"candidates, none", "83a5beba", "It is slow on long documents.", false},
		{"points, other order", "55037bf5", "LumenParse wants to add scanned pages and is adding tables; AnchorWeave plans on anchoring equations.", true},
		{"points, one is missing", "55037bf5", "AnchorWeave will work on anchoring equations. LumenParse will be adding tables.", false},
		{"partial points, two", "c3ca610a", "A reader trusts a number quoted wrongly by its own paper. The answer is right in substance but in a unit the normaliser does not know.", true},
		{"partial points, one", "c3ca610a", "A reader trusts a number that its own paper quoted wrongly.", false},
		{"reference and points, no points", "2eef2246", "As long as the router is hot, close to uniform, no expert is preferred, so a large learning rate is harmless; it becomes sharp when the steps are small.", false},
		{"formula, other layout", "c94f044e", `$\text{Tide} = \dfrac{2 a d}{a + d} - \kappa e$.`, true},
		{"formula in a sentence", "c94f044e", `The score is \(Tide=\frac{2ad}{a+d}-\kappa e\), the harmonic mean less a penalty.`, true},
		{"formula, another sign", "c94f044e", `\mathrm{Tide}=\frac{2ad}{a+d}+\kappa e`, false},
		{"formula, another factor", "c94f044e", `\mathrm{Tide}=\frac{ad}{a+d}-\kappa e`, false},
		{"formula in a list", "f4201144", `T_t = 1 + (T_0 - 1) \frac{\eta_t}{\eta_0}`, true},
		{"formula, turned over", "f4201144", `T_t = 1 + (T_0 - 1) \frac{\eta_0}{\eta_t}`, false},
		{"formula and number", "89169fe9", `["\\eta_t = \\eta_0 \\cos^2(\\frac{\\pi t}{2S})", 12]`, true},
		{"formula and another number", "89169fe9", `["\\eta_t = \\eta_0 \\cos^2(\\frac{\\pi t}{2S})", 21]`, false},
	}
	evaluators := make(map[string]qa.Evaluator)
	for _, e := range decodeLines[qa.Example](t, fixtures.Questions()) {
		evaluators[e.UUID[:8]] = e.Evaluator
	}
	s := eval.New(eval.Config{Judge: judge.Lexical{}})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := s.Score(context.Background(), evaluators[tt.uuid], eval.Text(tt.answer))
			if r.Verdict == qa.Unscored || (r.Value == 1) != tt.right {
				t.Errorf("result %+v, want right: %v", r, tt.right)
			}
		})
	}
}

func TestLexical(t *testing.T) {
	reference := func(question, reference, prediction string) eval.JudgeRequest {
		return eval.JudgeRequest{Kind: eval.JudgeReference, Question: question, Reference: reference, Prediction: prediction}
	}
	points := func(kind eval.JudgeKind, count int, prediction string) eval.JudgeRequest {
		return eval.JudgeRequest{Kind: kind, Points: []string{"red", "green", "blue"}, Count: count, Reference: "colours", Prediction: prediction}
	}
	formulas := func(ignoreOrder bool, prediction string, list ...string) eval.JudgeRequest {
		return eval.JudgeRequest{Kind: eval.JudgeFormulas, Formulas: list, IgnoreOrder: ignoreOrder, Prediction: prediction}
	}
	tests := []struct {
		name    string
		request eval.JudgeRequest
		want    bool
	}{
		{"contained", reference("", "Adam", "It was trained with Adam."), true},
		{"not within a word", reference("", "Adam", "It was trained with AdamW."), false},
		{"case, articles and signs aside", reference("", "The BERT-base model.", "a bert base MODEL"), true},
		{"three of five words", reference("", "one two three four five", "five, one and three"), true},
		{"two of five words", reference("", "one two three four five", "five and one"), false},
		{"plural", reference("", "the readers abstain", "a reader abstains"), true},
		{"no plural", reference("", "loss", "los"), false},
		{"not is a word", reference("", "not", "it works"), false},
		{"number as written", reference("", "1,000 steps", "1000 steps"), true},
		{"zeros at the end", reference("", "0.50", "0.5"), true},
		{"another number", reference("", "5 steps of training", "6 steps of training"), false},
		{"a part of a number", reference("", "5", "0.5"), false},
		{"number of the question", reference("How good is GPT-4?", "GPT-4 fails at long chains", "it fails at long chains"), true},
		{"empty reference", reference("", "", "anything"), true},
		{"reference of signs", reference("", "?", "?"), false},
		{"foreign words", reference("", "Größe ΣΑΣ", "die größe σας"), true},
		{"all points", points(eval.JudgePoints, 0, "blue, green, red"), true},
		{"not all points", points(eval.JudgePoints, 0, "blue, green"), false},
		{"enough points", points(eval.JudgePartialPoints, 2, "blue, green"), true},
		{"not enough points", points(eval.JudgePartialPoints, 2, "blue"), false},
		{"points without the reference", points(eval.JudgeReferenceAndPoints, 0, "blue, green, red"), false},
		{"points and the reference", points(eval.JudgeReferenceAndPoints, 0, "colours: blue, green, red"), true},
		{"reference without the points", points(eval.JudgeReferenceAndPoints, 0, "colours"), false},
		{"a candidate", eval.JudgeRequest{Kind: eval.JudgeCandidates, Candidates: []string{"a cat", "dogs"}, Prediction: "Dogs!"}, true},
		{"no candidate", eval.JudgeRequest{Kind: eval.JudgeCandidates, Candidates: []string{"a cat", "dogs"}, Prediction: "birds"}, false},
		{"formulas in any order", formulas(true, "y=2, x=1", "x = 1", "y = 2"), true},
		{"formulas in order", formulas(false, "x=1, y=2", "x = 1", "y = 2"), true},
		{"formulas out of order", formulas(false, "y=2, x=1", "x = 1", "y = 2"), false},
		{"number that continues", formulas(true, "x+12", "x+1"), false},
		{"number that continues after a point", formulas(true, "x+1.5", "x+1"), false},
		{"number that began before", formulas(true, "32x", "2x"), false},
		{"number that continues, then the formula", formulas(true, "x+12=x+1", "x+1"), true},
		{"full stop after a formula", formulas(true, "It is $x+1$.", "$x+1$."), true},
		{"sized brackets", formulas(true, `f\bigl(x\bigr)\Bigg[y\Bigg]`, "f(x)[y]"), true},
		{"another symbol", formulas(true, `\alpha`, `\beta`), false},
		{"no formulas", formulas(true, "x"), false},
		{"empty formula", formulas(true, "x", "$ $"), false},
		{"unknown kind", eval.JudgeRequest{Kind: "taste", Prediction: "x"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := judge.Lexical{}.Judge(context.Background(), tt.request)
			if got != tt.want || err != nil {
				t.Errorf("got %v, %v, want %v", got, err, tt.want)
			}
		})
	}
}
