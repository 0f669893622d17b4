package render_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"airqa/eval"
	"airqa/internal/testkit/golden"
	"airqa/qa"
	"airqa/report/render"
)

// explanation returns what explain prints about an answer.
func explanation(t *testing.T, ex qa.Example, answer string, width int, asJSON bool) string {
	t.Helper()
	var out bytes.Buffer
	o := render.Options{Width: width}
	if asJSON {
		o.Format = "json"
	}
	x := eval.New(eval.Config{}).Explain(t.Context(), ex.Evaluator, eval.Text(answer))
	if err := render.Explanation(&out, ex, x, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestExplainForAPerson(t *testing.T) {
	ex := qa.Example{UUID: "u1", Question: "Which two?", Evaluator: qa.Evaluator{
		Func:   "eval_structured_object_exact_match",
		Kwargs: json.RawMessage(`{"gold": ["zebra", "apple"], "ignore_order": true, "ignore_case": true}`),
	}}
	got := explanation(t, ex, "['apple', 'Zebra']", 0, false)
	golden.Check(t, "explain.golden", got)
}

// TestExplainIsSafe shows that no text of others moves the cursor, and that lines keep to the width.
func TestExplainIsSafe(t *testing.T) {
	ex := qa.Example{UUID: "u\x1b[2J", Question: "a\rb \x1b[31m", Evaluator: qa.Evaluator{
		Func: "eval_conjunction", Kwargs: json.RawMessage(`{"eval_func_list": ["eval_\u001b[1m", "eval_string_exact_match"],
			"eval_kwargs_list": [{}, {"gold": "` + strings.Repeat("word ", 60) + `", "\u202eodd": "\u001b]0;x"}]}`),
	}}
	got := explanation(t, ex, "['\x1b[2J', '"+strings.Repeat("x", 5000)+"']", 60, false)
	if strings.ContainsAny(got, "\x1b\r\u202e") {
		t.Errorf("control characters in %q", got)
	}
	for line := range strings.Lines(got) {
		if n := utf8.RuneCountInString(line); n > 61 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}

func TestExplainManyElements(t *testing.T) {
	items := strings.Repeat(`"a", `, 40) + `"b"`
	ex := qa.Example{UUID: "u", Evaluator: qa.Evaluator{Func: "eval_structured_object_exact_match", Kwargs: json.RawMessage(`{"gold": [` + items + `]}`)}}
	got := explanation(t, ex, strings.Replace("["+items+"]", `"b"`, `"c"`, 1), 0, false)
	if strings.Count(got, "✓ 40 more") != 2 || strings.Count(got, "[40] text 'c' ≠ 'b'") != 2 || !strings.Contains(got, "The two modes agree.") {
		t.Errorf("got\n%s", got)
	}
}

func TestExplainAsJSON(t *testing.T) {
	ex := qa.Example{UUID: "u", Question: "a < b?", Evaluator: qa.Evaluator{Func: "eval_reference_answer_with_llm", Kwargs: json.RawMessage(`{"reference_answer": "r", "question": "q"}`)}}
	got := explanation(t, ex, "yes", 0, true)
	const begins = `{"uuid":"u","question":"a < b?","function":"eval_reference_answer_with_llm","arguments":[{"name":"reference_answer","value":"'r'","status":"given"},`
	if !strings.HasPrefix(got, begins) || !strings.Contains(got, `"mode":"fixed","verdict":"unscored","score":null`) || strings.Count(got, "\n") != 1 {
		t.Errorf("got %s", got)
	}
}
