package eval_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"airqa/eval"
	"airqa/qa"

	"github.com/google/go-cmp/cmp"
)

// agrees checks that an explanation has the scores of both modes and that its checks are consistent with them.
func agrees(t *testing.T, e qa.Evaluator, p eval.Prediction, judge eval.Judge) eval.Explanation {
	t.Helper()
	x := eval.New(eval.Config{Judge: judge}).Explain(context.Background(), e, p)
	for _, r := range []eval.Reading{x.Reference, x.Fixed} {
		want := eval.New(eval.Config{Judge: judge, Mode: r.Mode}).Score(context.Background(), e, p)
		if r.Verdict != want.Verdict || r.Reason != want.Reason || (r.FormatOnly != "") != want.FormatOnly || (r.Score == nil) != (want.Verdict == qa.Unscored) || r.Score != nil && *r.Score != want.Value {
			t.Errorf("%s of %s: the explanation says %s (%s), scoring %s (%s)", r.Mode, e.Kwargs, r.Verdict, r.Reason, want.Verdict, want.Reason)
		}
		if r.Check.Verdict != want.Verdict || r.Check.Pass != (want.Verdict == qa.Right) {
			t.Errorf("%s of %s: the check says %s, scoring %s", r.Mode, e.Kwargs, r.Check.Verdict, want.Verdict)
		}
		addsUp(t, e, r.Mode, r.Check)
	}
	if x.Reference.Verdict != x.Fixed.Verdict && len(x.Differences) == 0 {
		t.Errorf("%s with %s differs without a difference", e.Func, e.Kwargs)
	}
	return x
}

// addsUp checks that a comparison of lists or dictionaries passes exactly if all its parts pass, and that every
// comparison has a rule.
func addsUp(t *testing.T, e qa.Evaluator, m eval.Mode, c eval.Comparison) {
	t.Helper()
	if c.Rule == "" {
		t.Errorf("%s of %s: no rule at %q", m, e.Kwargs, c.Path)
	}
	all := true
	for _, part := range c.Checks {
		all = all && part.Pass
		addsUp(t, e, m, part)
	}
	logical := c.Function == "eval_disjunction" || c.Function == "eval_negation" || c.Function == "eval_element_list_overlap"
	raised := strings.HasPrefix(c.Rule, "the authors' evaluator fails: ")
	if len(c.Checks) > 0 && !logical && !raised && c.Verdict != qa.Unscored && all != c.Pass {
		t.Errorf("%s of %s: %q passes: %v; all its parts: %v", m, e.Kwargs, c.Path, c.Pass, all)
	}
}

// TestExplainAgrees compares explanations with scores in both modes, on all golden cases and on answers to other
// questions, and marshals them to JSON.
func TestExplainAgrees(t *testing.T) {
	golds := rows[goldRow](t, "testdata/synthetic.gold.jsonl")
	answers := rows[predRow](t, "testdata/synthetic.pred.jsonl")
	for i, p := range answers {
		explainRow(t, golds[i].Evaluator, p)
		explainRow(t, golds[i].Evaluator, answers[(i+397)%len(answers)]) // and an unrelated answer
	}
}

func TestExplainAgreesOnReal(t *testing.T) {
	examples := realExamples(t)
	for _, p := range rows[predRow](t, filepath.Join(shared, "scoring", "real.pred.jsonl")) {
		explainRow(t, examples[p.UUID], p)
	}
}

func explainRow(t *testing.T, e qa.Evaluator, p predRow) {
	t.Helper()
	answer, err := eval.JSON(p.Answer)
	if err != nil {
		t.Fatal(err)
	}
	for _, judge := range []eval.Judge{approves, deadJudge{}} {
		x := agrees(t, e, answer, judge)
		if _, err := json.Marshal(x); err != nil {
			t.Errorf("%s: %v", p.UUID, err)
		}
	}
}

func TestExplain(t *testing.T) {
	tests := []struct {
		name, function, kwargs, answer string
		reference, fixed               string   // verdicts
		rules                          []string // path and rule of the leaves, in reference and then in fixed
		differences                    []eval.Difference
	}{
		{
			"order before lower case", "eval_structured_object_exact_match", `{"gold": ["zebra", "apple"], "ignore_order": true, "lowercase": true}`,
			`"['apple', 'Zebra']"`, wrong, right,
			[]string{
				`[1] text 'zebra' ≠ 'apple', in lower case`, `[0] text 'apple' ≠ 'zebra', in lower case`,
				`[0] text 'zebra' = 'zebra', in lower case (element [1] of the answer)`, `[1] text 'apple' = 'apple', in lower case (element [0] of the answer)`,
			},
			[]eval.Difference{
				{Path: "[0]", Reference: "wrong: text 'apple' ≠ 'zebra', in lower case", Fixed: "right: text 'zebra' = 'zebra', in lower case (element [1] of the answer)"},
				{Path: "[1]", Reference: "wrong: text 'zebra' ≠ 'apple', in lower case", Fixed: "right: text 'apple' = 'apple', in lower case (element [0] of the answer)"},
			},
		},
		{
			"keys and numbers", "eval_structured_object_exact_match", `{"gold": {"1": {"k": 3.14}, "n": 2}, "ndigits": 2}`,
			`"{'1': {'k': 3.2}, 'n': 2.5}"`, wrong, wrong,
			[]string{
				`["1"]["k"] float 3.2 vs 3.14 rounded to 2 digits, relative tolerance 1e-06`, `["n"] int() makes 2 of 2.5, 2 = 2`,
				`["1"]["k"] float 3.2 vs 3.14 rounded to 2 digits, relative tolerance 1e-06`, `["n"] number 2.5 ≠ 2`,
			},
			[]eval.Difference{{Path: `["n"]`, Reference: "right: int() makes 2 of 2.5, 2 = 2", Fixed: "wrong: number 2.5 ≠ 2"}},
		},
		{
			"part of a conjunction", "eval_conjunction", pair(textFunc, isA, `"eval_string_fuzzy_match"`, `{"gold": "abcdefgh", "threshold": 0.9}`),
			`["a", "abcdefgx"]`, right, wrong,
			[]string{`[0] text 'a' = 'a'`, `[1] fuzzy ratio 88 ≥ 0.9`, `[0] text 'a' = 'a'`, `[1] fuzzy ratio 88 < 90.0`},
			[]eval.Difference{{Path: "[1]", Function: "eval_string_fuzzy_match", Reference: "right: fuzzy ratio 88 ≥ 0.9", Fixed: "wrong: fuzzy ratio 88 < 90.0"}},
		},
		{
			"all that is wrong", "eval_structured_object_exact_match", `{"gold": [1, 2, 3, {"a": 1, "b": 2}]}`, `[4, 2, 6, {"a": 1, "c": 2}]`, wrong, wrong,
			[]string{
				"[0] int() makes 4 of 4, 4 ≠ 1", "[1] int() makes 2 of 2, 2 = 2", "[2] int() makes 6 of 6, 6 ≠ 3", `[3]["a"] int() makes 1 of 1, 1 = 1`, `[3]["b"] the answer has no such key`,
				"[0] number 4 ≠ 1", "[1] number 2 = 2", "[2] number 6 ≠ 3", `[3]["a"] number 1 = 1`, `[3]["b"] the answer has no such key`,
			},
			[]eval.Difference{},
		},
		{
			"keys in another case", "eval_structured_object_exact_match", `{"gold": {"K": 1, "k": 2}, "lowercase": true}`, `{"k": 1, "other": 2}`, wrong, wrong,
			[]string{
				`["k"] int() makes 1 of 1, 1 ≠ 2`,
				`["k"] 1 values under equivalent keys, want 2, each matching a different one`, `["k"] 1 values under equivalent keys, want 2, each matching a different one`,
			},
			[]eval.Difference{},
		},
		{
			"another reading of the gold", "eval_string_exact_match", `{"gold": ["BERT"]}`, `"BERT"`, wrong, right,
			[]string{" text 'BERT' ≠ \"['BERT']\"", " text 'BERT' = 'BERT'"},
			[]eval.Difference{{Function: "eval_string_exact_match", Reference: "wrong: text 'BERT' ≠ \"['BERT']\"", Fixed: "right: text 'BERT' = 'BERT'"}},
		},
		{
			"another number of keys", "eval_structured_object_exact_match", `{"gold": {"a": 1, "b": 2}}`, `{"a": 1}`, wrong, wrong,
			[]string{" the answer has 1 keys, want 2", " the answer has 1 keys, want 2"},
			[]eval.Difference{},
		},
		{
			"closest of the titles", "eval_paper_relevance_with_reference_answer", `{"reference_answer": ["Shallow Trees", "Deep Nets"], "question": "q"}`, `"Deep Cats"`,
			wrong, wrong,
			[]string{" fuzzy ratio 78 < 95, in lower case", " fuzzy ratio 78 < 95, in lower case"},
			[]eval.Difference{},
		},
		{
			"closest of the golds", "eval_element_included", `{"gold": ["xyz", "abcd"]}`, `"abce"`, wrong, wrong,
			[]string{" none of 2 golds; closest: text 'abce' ≠ 'abcd'", " none of 2 golds; closest: text 'abce' ≠ 'abcd'"},
			[]eval.Difference{},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			answer, err := eval.JSON(json.RawMessage(tt.answer))
			if err != nil {
				t.Fatal(err)
			}
			x := agrees(t, qa.Evaluator{Func: tt.function, Kwargs: json.RawMessage(tt.kwargs)}, answer, approves)
			if string(x.Reference.Verdict) != tt.reference || string(x.Fixed.Verdict) != tt.fixed {
				t.Errorf("%s and %s, want %s and %s", x.Reference.Verdict, x.Fixed.Verdict, tt.reference, tt.fixed)
			}
			if diff := cmp.Diff(tt.rules, append(leaves(x.Reference.Check), leaves(x.Fixed.Check)...)); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.differences, x.Differences); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

func leaves(c eval.Comparison) []string {
	if len(c.Checks) == 0 {
		return []string{c.Path + " " + c.Rule}
	}
	var out []string
	for _, part := range c.Checks {
		out = append(out, leaves(part)...)
	}
	return out
}

// An explanation of a judged answer states the verdict of the judge.
func TestExplainJudged(t *testing.T) {
	e := qa.Evaluator{Func: "eval_reference_answer_with_llm", Kwargs: json.RawMessage(asksFor)}
	for accepted, want := range map[bool]string{true: "the judge accepts it", false: "the judge rejects it"} {
		x := agrees(t, e, eval.Text("b"), judgeFunc(func(eval.JudgeRequest) (bool, error) { return accepted, nil }))
		for _, r := range []eval.Reading{x.Reference, x.Fixed} {
			if r.Check.Rule != want {
				t.Errorf("%s: rule %q, want %q", r.Mode, r.Check.Rule, want)
			}
		}
	}
}

// An explanation shows both sides of a comparison, in Python's form.
func TestExplainSides(t *testing.T) {
	e := qa.Evaluator{Func: "eval_element_included", Kwargs: json.RawMessage(`{"gold": ["abcd", "x"]}`)}
	x := agrees(t, e, eval.Text("abcd"), nil)
	for _, r := range []eval.Reading{x.Reference, x.Fixed} {
		if r.Check.Said != "'abcd'" || r.Check.Gold == "" || !strings.Contains(r.Check.Gold, "'abcd'") {
			t.Errorf("%s: %s compared with %s", r.Mode, r.Check.Said, r.Check.Gold)
		}
	}
}

func TestExplainArguments(t *testing.T) {
	e := qa.Evaluator{Func: "eval_string_fuzzy_match", Kwargs: json.RawMessage(
		`{"gold": "a", "threshold": 0.9, "ignore_case": "true", "ignore_blanks": true, "note": "x"}`)}
	x := agrees(t, e, eval.Text("A"), nil)
	want := []eval.Argument{
		{Name: "gold", Value: "'a'", Status: eval.ArgumentGiven},
		{Name: "fuzz_method", Value: "'ratio'", Status: eval.ArgumentDefault},
		{Name: "threshold", Value: "0.9", Status: eval.ArgumentGiven, Fixed: "threshold = 90.0"},
		{Name: "ignore_blank", Value: "False", Status: eval.ArgumentDefault},
		{Name: "lowercase", Value: "False", Status: eval.ArgumentDefault},
		{Name: "ignore_case", Value: "'true'", Status: eval.ArgumentMisspelled, Means: "lowercase", Fixed: "lowercase = True"},
		{Name: "ignore_blanks", Value: "True", Status: eval.ArgumentMisspelled, Means: "ignore_blank"},
		{Name: "note", Value: "'x'", Status: eval.ArgumentIgnored},
	}
	if diff := cmp.Diff(want, x.Arguments); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestExplainFaults explains results without a comparison.
func TestExplainFaults(t *testing.T) {
	for name, e := range map[string]qa.Evaluator{
		"no function":   {Func: "nonsense", Kwargs: json.RawMessage(`{}`)},
		"no JSON":       {Func: "eval_int_exact_match", Kwargs: json.RawMessage(`{`)},
		"no dictionary": {Func: "eval_int_exact_match", Kwargs: json.RawMessage(`[]`)},
		"no gold":       {Func: "eval_int_exact_match", Kwargs: json.RawMessage(`{}`)},
		"bad part":      {Func: "eval_conjunction", Kwargs: json.RawMessage(pair(textFunc, isA, `5`, `{}`))},
		"bad lists":     {Func: "eval_conjunction", Kwargs: json.RawMessage(`{"eval_func_list": 5, "eval_kwargs_list": 6}`)},
		"bad negation":  {Func: "eval_negation", Kwargs: json.RawMessage(`{"eval_func": 5, "eval_kwargs": 6}`)},
		"no judge":      {Func: "eval_reference_answer_with_llm", Kwargs: json.RawMessage(asksFor)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, p := range []eval.Prediction{eval.Text("a"), eval.Text("[ERROR]: none"), {}} {
				agrees(t, e, p, nil)
			}
		})
	}
}

// TestExplainCompanion explains the score of a companion benchmark by its measures, with the gold of a wrong answer.
func TestExplainCompanion(t *testing.T) {
	e := qa.Evaluator{Func: eval.Companion("x"), Kwargs: json.RawMessage(`{"gold": "Yes; No"}`)}
	others := eval.Others{e.Func: func(_ json.RawMessage, m eval.Mode) (func(qa.Answer) qa.Score, error) {
		return func(a qa.Answer) qa.Score {
			s := qa.Score{Verdict: qa.Wrong, Match: "boolean", Measures: map[string]float64{"F1": 0.05, "Evidence": float64(len(a.Evidence)) / 3}}
			if s.Value = 0.05; m == eval.Fixed {
				s.Measures["Evidence"] = 1
			}
			return s
		}, nil
	}}
	s := eval.New(eval.Config{Others: others})
	x := s.Explain(t.Context(), e, eval.Answer(qa.Answer{Given: true, Text: "Perhaps", Evidence: []string{"p1"}}))
	check := x.Reference.Check
	if check.Rule != "Evidence 0.3333; F1 0.05; best match: boolean" || check.Pass || check.Verdict != qa.Wrong || check.Gold != "'Yes; No'" || check.Said != "'Perhaps'" ||
		*x.Reference.Score != 0.05 || x.Prediction != "'Perhaps'" {
		t.Errorf("%+v", x)
	}
	want := []eval.Difference{{Function: "bench_x", Reference: check.Rule, Fixed: "Evidence 1; F1 0.05; best match: boolean"}}
	if diff := cmp.Diff(want, x.Differences); diff != "" {
		t.Errorf("differences (-want +got)\n%s", diff)
	}
	if x := eval.New(eval.Config{}).Explain(t.Context(), e, eval.Text("a")); x.Reference.Verdict != qa.Unscored || !strings.Contains(x.Reference.Reason, "bench_x") {
		t.Errorf("a benchmark that is not known: %+v", x)
	}
}

// TestExplainAsksOnce expects one question to the judge although both modes and every check need the verdict.
func TestExplainAsksOnce(t *testing.T) {
	asked := 0
	judge := judgeFunc(func(eval.JudgeRequest) (bool, error) { asked++; return true, nil })
	e := qa.Evaluator{Func: "eval_conjunction", Kwargs: json.RawMessage(pair(textFunc, isA, llmFunc, asksFor))}
	p, err := eval.JSON(json.RawMessage(`["a", "b"]`))
	if err != nil {
		t.Fatal(err)
	}
	eval.New(eval.Config{Judge: judge}).Explain(context.Background(), e, p)
	if asked != 1 {
		t.Errorf("the judge was asked %d times, want once", asked)
	}
}

// FuzzExplain checks that no answer and no arguments cause a panic, that scores are 0 or 1, and that the explanation
// agrees with them.
func FuzzExplain(f *testing.F) {
	f.Add(uint8(5), `{"gold": [["a", 1.5], {"b": null}], "ignore_order": true, "lowercase": true, "threshold": 90}`, `[{'b': None}, ("A", 1.5)]`)
	f.Add(uint8(5), `{"gold": {"a": 1, "A": [true, 0.0]}, "lowercase": "true", "nidigits": "2"}`, `{"a": [1e-10, false], 1: 2}`)
	f.Add(uint8(8), `{"gold": "abc", "count": 2, "element_type": "structured"}`, "{1, 2.5, 'x'}")
	f.Add(uint8(4), `{"gold": "1e308", "ndigits": -308, "tolerance": 0.1}`, "1_0e3")
	f.Add(uint8(9), `{"reference_answer": ["A", 5], "threshold": 0.5}`, "“a”")
	f.Add(uint8(16), `{"eval_func_list": ["eval_int_exact_match"], "eval_kwargs_list": [{"gold": 1}]}`, "1,")
	f.Add(uint8(18), `{"eval_func": "eval_negation", "eval_kwargs": {"eval_func": "eval_int_exact_match", "eval_kwargs": {"gold": 1}}}`, "x")
	functions := eval.Functions()
	f.Fuzz(func(t *testing.T, index uint8, kwargs, answer string) {
		if strings.Count(kwargs, "[")*len(answer) > 1e5 {
			t.Skip("explanations of large lists take long")
		}
		e := qa.Evaluator{Func: functions[int(index)%len(functions)].Name, Kwargs: json.RawMessage(kwargs)}
		agrees(t, e, eval.Text(answer), approves)
		for _, m := range []eval.Mode{eval.Reference, eval.Fixed} {
			outcomeOf(t, eval.New(eval.Config{Judge: approves, Mode: m}).Score(context.Background(), e, eval.Text(answer)))
		}
		if _, ok := eval.GoldAnswer(e); ok {
			eval.Lint(context.Background(), qa.Example{Evaluator: e})
		}
	})
}
