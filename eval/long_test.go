package eval_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"airqa/eval"
	"airqa/fixtures"
	"airqa/internal/fuzzy"
	"airqa/qa"
)

// marks are what models repeat when they collapse, most of them one layer of wrapping each.
var marks = []string{
	"```\n", "- ", `\boxed{`, "# ", "'", "[", "(", "{'a':", "**", "$x$ ", `\frac{1}{`, `{"a": 1}, `, "a, ", "a and ", "a\n", "1,", "-",
	"é", "\u200b", "模型", "1+", "not ", `\`, "The answer is ", "> ", "“", "¬", "[a](", "0.", "a;", "\t",
	"'a' ", "9", "1e", "1_", "}", `"`, `\\frac `, "b'a'", "¼", "١", "”",
}

// An answer of 60 KB costs milliseconds in each function and mode: with a search through all layers, one of them took half a
// minute.
func TestLongAnswers(t *testing.T) {
	const size, most = 60_000, 10 * time.Second // for all marks; on a busy machine
	seen := make(map[string]bool)
	for line := range strings.Lines(string(fixtures.Questions())) {
		var q struct {
			Evaluator qa.Evaluator `json:"evaluator"`
		}
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		if seen[q.Evaluator.Func] {
			continue
		}
		seen[q.Evaluator.Func] = true
		for _, mode := range []eval.Mode{eval.Reference, eval.Fixed} {
			start := time.Now()
			prepared := eval.New(eval.Config{Mode: mode}).Prepare(q.Evaluator)
			for _, mark := range marks {
				if r := prepared.Score(context.Background(), eval.Text(strings.Repeat(mark, size/len(mark))+"a")); r.FormatOnly {
					t.Errorf("%s, %s: many of %q are right but for their format", q.Evaluator.Func, mode, mark)
				}
			}
			if took := time.Since(start); took > most {
				t.Errorf("%s, %s: %s for %d answers", q.Evaluator.Func, mode, took, len(marks))
			}
		}
	}
	if len(seen) != 19 {
		t.Errorf("%d functions", len(seen))
	}
}

// Lists, long texts and dictionaries cost little in each fuzzy method, as texts, elements and values: in [eval.Fixed] because of its
// bounds, in [eval.Reference] because a repeated element is compared once.
func TestLongFuzzyAnswers(t *testing.T) {
	const size, most = 60_000, 5 * time.Second // for all answers; on a busy machine
	repeated := func(s string) string { return strings.Repeat(s, size/len(s)) }
	answers := []string{
		"[" + repeated("'abc', ") + "]", "{" + repeated("'a': 1, ") + "}", repeated("the model learns a language "), repeated("word"), repeated("[") + repeated("]"),
		"['" + repeated("x y ") + "']", "[" + repeated("9") + "]", repeated("'a' 'b' "), repeated("(1,"),
	}
	const gold = `["the model learns a representation of language in forty tasks", "abc", "GPT-4"]`
	for _, method := range fuzzy.Names() {
		options := `, "threshold": 90, "fuzz_method": "` + method + `"}`
		for function, kwargs := range map[string]string{
			"eval_string_fuzzy_match": `{"gold": "the model learns a representation of language in forty tasks"`, "eval_element_included": `{"gold": ` + gold,
			"eval_element_list_included": `{"gold": ` + gold, "eval_element_list_overlap": `{"gold": ` + gold, "eval_structured_object_exact_match": `{"ignore_order": true, "gold": ` + gold,
		} {
			for _, mode := range []eval.Mode{eval.Reference, eval.Fixed} {
				start := time.Now()
				prepared := eval.New(eval.Config{Mode: mode}).Prepare(qa.Evaluator{Func: function, Kwargs: json.RawMessage(kwargs + options)})
				for _, a := range answers {
					prepared.Score(t.Context(), eval.Text(a))
				}
				if took := time.Since(start); took > most {
					t.Errorf("%s with %s, %s: %s for %d answers", function, method, mode, took, len(answers))
				}
			}
		}
	}
}
