package eval_test

import (
	"context"
	"encoding/json"
	"testing"

	"airqa/eval"
	"airqa/qa"
)

// TestFormatOnly scores wrong answers in fixed mode. Those of the first table are right without their wrapping.
func TestFormatOnly(t *testing.T) {
	const (
		text       = "eval_string_exact_match"
		number     = "eval_int_exact_match"
		float      = "eval_float_exact_match"
		truth      = "eval_bool_exact_match"
		structured = "eval_structured_object_exact_match"
		bert       = `{"gold": "BERT"}`
		three      = `{"gold": 3}`
		ab         = `{"gold": ["a", "b"]}`
	)
	runFormat(t, true, []formatCase{
		{"bold", text, bert, "**BERT**"},
		{"underlined", text, bert, "__BERT__"},
		{"italic", text, bert, "*BERT*"},
		{"code", text, bert, "`BERT`"},
		{"bold within", text, `{"gold": "the BERT model"}`, "the **BERT** model"},
		{"link", text, bert, "[BERT](https://example.org)"},
		{"heading", text, bert, "## BERT"},
		{"one bullet", text, bert, "- BERT"},
		{"double quotes", text, bert, `"BERT"`},
		{"single quotes", text, bert, "'BERT'"},
		{"typographic quotes", text, bert, "“BERT”"},
		{"guillemets", text, bert, "«BERT»"},
		{"typographic apostrophe", text, `{"gold": "Bayes' rule"}`, "Bayes’ rule"},
		{"full stop", text, bert, "BERT."},
		{"fence", text, bert, "```\nBERT\n```"},
		{"fence with an introduction", structured, ab, "Here is the list:\n```python\n['a', 'b']\n```"},
		{"fence in JSON", structured, `{"gold": {"a": 1}}`, "```json\n{\"a\": 1}\n```"},
		{"sentence", number, three, "The answer is 3."},
		{"sentence in bold", number, three, "The final answer is **3**."},
		{"bold label", text, bert, "**Answer:** BERT"},
		{"label", float, `{"gold": 0.5}`, "Answer: 0.5"},
		{"it is", text, bert, "It is BERT."},
		{"several layers", text, bert, "**The answer is: \"`BERT`\".**"},
		{"mathematics", number, three, "$3$"},
		{"displayed mathematics", number, three, `\[3\]`},
		{"boxed", number, three, `$\boxed{3}$`},
		{"thousands", number, `{"gold": 1000}`, "1,000"},
		{"millions with a fraction", float, `{"gold": 1234567.5}`, "1,234,567.5"},
		{"thin spaces", number, `{"gold": 12000}`, "12\u2009000"},
		{"thousands in a text", text, `{"gold": "1000 images"}`, "1,000 images"},
		{"Unicode minus", float, `{"gold": -0.5}`, "−0.5"},
		{"non-breaking hyphen", text, `{"gold": "GPT-4"}`, "GPT\u20114"},
		{"no-break space", text, `{"gold": "GPT 4"}`, "GPT\u00a04"},
		{"combining accent", text, `{"gold": "José"}`, "Jose\u0301"},
		{"truth value in bold", truth, `{"gold": true}`, "**True**."},
		{"bullets", structured, ab, "- a\n- b"},
		{"numbered bullets with an introduction", structured, ab, "The two are:\n1. a\n2. **b**"},
		{"lines", structured, ab, "a\nb"},
		{"commas", structured, ab, "a, b"},
		{"commas in brackets", structured, ab, "[a, b]"},
		{"commas and a stop", structured, ab, "The answer is a, b."},
		{"and", structured, ab, "a and b"},
		{"comma and and", structured, `{"gold": ["a", "b", "c"]}`, "a, b, and c"},
		{"numbers between commas", structured, `{"gold": [1000, 2]}`, "1,000, 2"},
		{"wrapped elements", structured, ab, "['**a**', '`b`']"},
		{"wrapped value", structured, `{"gold": {"a": "x"}}`, `{"a": "**x**"}`},
		{"number in an element", structured, `{"gold": [1000, "x"]}`, "['1,000', 'x']"},
		{"nested", structured, `{"gold": [["a"], ["b"]]}`, `[["a."], ["**b**"]]`},
		{"included", "eval_element_included", `{"gold": ["BERT", "T5"]}`, "**T5**"},
		{"list included", "eval_element_list_included", `{"gold": ["a", "b", "c"]}`, "c, a"},
		{"overlap", "eval_element_list_overlap", `{"gold": ["a", "b", "c"], "count": 2}`, "- b\n- x\n- a"},
		{"title", "eval_paper_relevance_with_reference_answer", `{"reference_answer": "Deep Nets"}`, "The answer is **Deep Nets**."},
		{"fuzzy", "eval_string_fuzzy_match", `{"gold": "abcd", "threshold": 100}`, "**abcd**"},
		{"conjunction", "eval_conjunction", pair(textFunc, isA, `"eval_int_exact_match"`, `{"gold": 1}`), "['**a**', '$1$']"},
		{"disjunction", "eval_disjunction", pair(textFunc, isA, textFunc, isA), "a, b"},
	})
	runFormat(t, false, []formatCase{
		{"another answer", text, bert, "**T5**"},
		{"more than the answer", text, bert, "**BERT** and T5"},
		{"the opposite", text, bert, "The answer is not BERT."},
		{"percent sign", float, `{"gold": 85.3}`, "85.3%"},
		{"about", float, `{"gold": 0.6}`, "≈0.6"},
		{"words for numbers", number, three, "three"},
		{"fractions", float, `{"gold": 0.5}`, "1/2"},
		{"superscript", number, `{"gold": 102}`, "10²"},
		{"another order", structured, ab, "b, a"},
		{"too many elements", structured, ab, "a, b, c"},
		{"long answer about it", text, bert, "The authors use BERT. It has 12 layers."},
		{"error message", text, bert, "[ERROR]: BERT"},
		{"negation", "eval_negation", `{"eval_func": "eval_string_exact_match", "eval_kwargs": {"gold": "\"a\""}}`, `"a"`},
		{"judged", "eval_reference_answer_with_llm", `{"question": "q", "reference_answer": "r"}`, "**no**"},
		{"judged part", "eval_conjunction", pair(textFunc, isA, llmFunc, asksFor), "['**a**', 'yes']"},
	})
}

type formatCase struct{ name, function, kwargs, answer string }

func runFormat(t *testing.T, want bool, cases []formatCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			counted := judgeFunc(func(eval.JudgeRequest) (bool, error) { asked++; return false, nil })
			e := qa.Evaluator{Func: tt.function, Kwargs: json.RawMessage(tt.kwargs)}
			r := eval.New(eval.Config{Judge: counted, Mode: eval.Fixed}).Score(context.Background(), e, eval.Text(tt.answer))
			if r.FormatOnly != want || r.Value != 0 || r.Verdict != qa.Wrong && r.Verdict != qa.Unparseable {
				t.Errorf("%s of %q: %s, format only %v, want %v", tt.function, tt.answer, r.Verdict, r.FormatOnly, want)
			}
			if asked > 1 {
				t.Errorf("the judge was asked %d times", asked)
			}
			r = eval.New(eval.Config{Judge: counted}).Score(context.Background(), e, eval.Text(tt.answer))
			if r.FormatOnly {
				t.Error("reference mode looks at the format")
			}
		})
	}
}
