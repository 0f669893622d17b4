package offline

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

var (
	trackedPattern = regexp.MustCompile(`(?s)^\[Question\]: (.*)\n\[Answer\]: (.*)$`)
	listOfTwo      = regexp.MustCompile(`^\[[\d.]+, [\d.]+\]$`)
)

// evaluator chooses a function for a question and its answer.
func (a *author) evaluator() string {
	m := trackedPattern.FindStringSubmatch(strings.TrimSpace(a.material))
	if m == nil {
		return "I find no question."
	}
	text, answer := m[1], m[2]
	function, format, kwargs := "eval_string_exact_match", "a single string, as it is written in the paper.", map[string]any{"gold": answer, "lowercase": true}
	_, decimals, isFloat := strings.Cut(answer, ".")
	switch {
	case plainNumber.MatchString(answer) && isFloat:
		function, format = "eval_float_exact_match", fmt.Sprintf("a Python float rounded to %d decimal places.", len(decimals))
		if len(decimals) == 1 {
			format = "a Python float rounded to 1 decimal place."
		}
		kwargs = map[string]any{"gold": json.Number(answer), "ndigits": len(decimals)}
	case plainNumber.MatchString(answer):
		function, format, kwargs = "eval_int_exact_match", "a Python integer.", map[string]any{"gold": json.Number(answer)}
	case listOfTwo.MatchString(answer):
		function, format = "eval_structured_object_exact_match", "a Python list of two numbers."
		kwargs = map[string]any{"gold": json.RawMessage(answer)}
	case strings.HasPrefix(text, "Which formula"):
		function, format, kwargs = "eval_complex_math_formula_with_llm", "a single formula in LaTeX format.", map[string]any{"formulas": answer, "question": text}
	case len(words(answer)) > 8:
		function, format, kwargs = "eval_reference_answer_with_llm", "one or two sentences.", map[string]any{"reference_answer": answer, "question": text}
	}
	raw, err := json.Marshal(map[string]any{"eval_func": function, "eval_kwargs": kwargs})
	if err != nil {
		return "I cannot write the evaluator."
	}
	return fmt.Sprintf("[Thought]: The type of the answer decides.\n```txt\n[Question]: %s\n[Evaluator]: %s\n[Answer Format]: Your answer should be %s\n[Answer]: %s\n```",
		text, raw, format, answer)
}

// The parts of a judge's prompt.
var (
	asksVerdict  = regexp.MustCompile(`^You grade\b`)
	verdictFence = regexp.MustCompile("```(\\S*)\nTrue/False\n```")
	references   = regexp.MustCompile(`(?s)\n\[(?:Reference|Scoring)[^\]]*\](?: \(\d+\))?:\n+(.*?)\n\n\[`)
	prediction   = regexp.MustCompile(`(?s)\[Predicted Answer\]:\n(=+\S*=+)\n(.*)\n(=+\S*=+)\n`)
)

// enough is the share of the reference's words that an answer must have.
const enough = 0.7

// grade answers the prompt of a judge: an answer passes that has most words of the reference, and not many others.
func grade(system, user string) (string, bool) {
	fence, said := verdictFence.FindStringSubmatch(system), prediction.FindStringSubmatch(user)
	wanted := references.FindStringSubmatch(user)
	if !asksVerdict.MatchString(system) || fence == nil || said == nil || wanted == nil {
		return "", false
	}
	reference, answer := setOf(wanted[1]), setOf(said[2])
	verdict := "False"
	if overlap(reference, answer) >= enough && overlap(answer, reference) >= enough {
		verdict = "True"
	}
	return fmt.Sprintf("This compares words only.\n```%s\n%s\n```", fence[1], verdict), true
}

// overlap is the share of a set's words in another set.
func overlap(of, in map[string]bool) float64 {
	n := 0
	for w := range of {
		if in[w] {
			n++
		}
	}
	return float64(n) / float64(max(len(of), 1))
}
