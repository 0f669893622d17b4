package eval

import (
	"fmt"
	"strings"

	"airqa/internal/python"
)

// description is what a model reads about a function before it chooses one: what passes, and a case with the arguments
// and an answer that passes.
type description struct {
	function, text string
	kwargs, answer string
}

// descriptions are those of the paper's functions, in the order of [Functions]. A function without one is not offered.
var descriptions = []description{
	{
		"eval_string_exact_match", "The answer is the same text as gold. For single words, names and short terms with one spelling.",
		`{"gold": "LoRA", "lowercase": true}`, "lora",
	},
	{
		"eval_string_fuzzy_match", "The answer is nearly the same text as gold, by the share of equal characters. For titles and longer names with small variations.",
		`{"gold": "Stanford Question Answering Dataset", "threshold": 90, "lowercase": true}`, "stanford question-answering dataset",
	},
	{"eval_bool_exact_match", "The answer is true or false like gold. For yes-no questions.", `{"gold": true}`, "True"},
	{"eval_int_exact_match", "The answer is the same whole number. For counts and years.", `{"gold": 12}`, "12"},
	{
		"eval_float_exact_match", "The answer is the same number, rounded to ndigits decimals if given. For measured values and percentages.",
		`{"gold": 72.9, "ndigits": 1}`, "72.9",
	},
	{
		"eval_structured_object_exact_match", "The answer is a list or dictionary equal to gold in every element. For several values at once; lists whose order does not matter need ignore_order.",
		`{"gold": ["SQuAD", "HotpotQA"], "ignore_order": true, "lowercase": true}`, `["hotpotqa", "squad"]`,
	},
	{
		"eval_element_included", "The answer is one of the elements of gold. For questions with several equally right answers.",
		`{"gold": ["GPU", "graphics card"], "lowercase": true}`, "graphics card",
	},
	{
		"eval_element_list_included", "Every element of the answer, a list, is an element of gold. Only if an incomplete list is right as well.",
		`{"gold": ["English", "German", "French"]}`, `["German", "English"]`,
	},
	{
		"eval_element_list_overlap", "At least count elements of the answer, a list, are elements of gold. For questions such as: name two of the languages.",
		`{"gold": ["English", "German", "French"], "count": 2}`, `["German", "French"]`,
	},
	{
		"eval_paper_relevance_with_reference_answer", "The answer is the title of the paper reference_answer. For questions that ask for a paper.",
		`{"question": "Which paper introduces residual connections?", "reference_answer": "Deep Residual Learning for Image Recognition"}`, "Deep Residual Learning for Image Recognition",
	},
	{
		"eval_reference_answer_with_llm", "A judge finds that the answer means the same as reference_answer. For explanations and anything that can be said in several ways.",
		`{"question": "Why is the encoder frozen?", "reference_answer": "To keep the memory needed for training low."}`, "Because this saves memory during training.",
	},
	{
		"eval_candidate_reference_answer_with_llm", "A judge finds that the answer means the same as one of the candidates.",
		`{"question": "What limits the method?", "candidate_reference_answers": ["It needs labelled data.", "It is slow on long inputs."]}`, "It needs labelled data.",
	},
	{
		"eval_scoring_points_with_llm", "A judge finds all scoring points in the answer. For answers of several parts.",
		`{"question": "How do the two losses differ?", "scoring_points": ["The first is computed per token.", "The second is computed per sentence."]}`,
		"One is per token, the other per sentence.",
	},
	{
		"eval_partial_scoring_points_with_llm", "A judge finds at least count of the scoring points in the answer; count is smaller than their number.",
		`{"question": "Name one drawback.", "scoring_points": ["High cost.", "Low recall."], "count": 1}`, "It costs a lot.",
	},
	{
		"eval_reference_answer_and_scoring_points_with_llm", "A judge finds the meaning of reference_answer and all scoring points in the answer.",
		`{"question": "Which model is best, and why?", "reference_answer": "Model B", "scoring_points": ["It was trained on more data."]}`,
		"Model B, as it saw more training data.",
	},
	{
		"eval_complex_math_formula_with_llm", "A judge finds the answer mathematically equivalent to the formulas in LaTeX. For formulas.",
		`{"question": "How is the loss defined?", "formulas": "L = -\\log p(y \\mid x)"}`, `L = -\log p(y|x)`,
	},
	{
		"eval_conjunction", "The answer is a list; element i passes function i of eval_func_list with its arguments. For several answers of different kinds.",
		`{"eval_func_list": ["eval_int_exact_match", "eval_string_exact_match"], "eval_kwargs_list": [{"gold": 3}, {"gold": "Adam", "lowercase": true}]}`, `[3, "adam"]`,
	},
	{
		"eval_disjunction", "The answer is a list; for at least one i, element i passes function i of eval_func_list with its arguments.",
		`{"eval_func_list": ["eval_int_exact_match", "eval_string_exact_match"], "eval_kwargs_list": [{"gold": 3}, {"gold": "three"}]}`, `[3, "none"]`,
	},
	{
		"eval_negation", "The answer does not pass the function eval_func with the arguments eval_kwargs. For anything except one answer.",
		`{"eval_func": "eval_string_exact_match", "eval_kwargs": {"gold": "English", "lowercase": true}}`, "German",
	},
}

// hints describe the parameters whose names do not.
var hints = map[string]string{
	"gold":                        "the right answer",
	"lowercase":                   "ignore case",
	"ignore_blank":                "ignore all whitespace",
	"ignore_order":                "lists match in any order",
	"ndigits":                     "decimals to round to",
	"tolerance":                   "permitted relative difference",
	"threshold":                   "similarity that suffices, 0 to 100",
	"fuzz_method":                 "measure of similarity",
	"element_type":                "type of the elements: str, int, float or structured",
	"count":                       "number that suffices",
	"question":                    "the question, for the judge",
	"reference_answer":            "the right answer; for a paper its exact title",
	"candidate_reference_answers": "list of right answers",
	"scoring_points":              "list of statements, one sentence each",
	"formulas":                    "a formula or a list of formulas, in LaTeX",
	"eval_func":                   "name of the function",
	"eval_kwargs":                 "its arguments",
	"eval_func_list":              "names of the functions",
	"eval_kwargs_list":            "their arguments, in the same order",
}

// Catalogue describes the functions with their parameters and an example each, for a prompt.
func Catalogue() string {
	var b strings.Builder
	for _, d := range descriptions {
		f := find(functions, d.function)
		_, _ = fmt.Fprintf(&b, "## %s\n%s\nParameters:\n", d.function, d.text)
		for _, p := range f.Params {
			if p.Name != modelParam.Name && p.Name != temperatureParam.Name {
				_, _ = fmt.Fprintf(&b, "- %s (%s, %s): %s\n", p.Name, p.Kind, p.use(), hints[p.Name])
			}
		}
		_, _ = fmt.Fprintf(&b, "Example: {\"eval_func\": %q, \"eval_kwargs\": %s} accepts the answer %s\n\n", d.function, d.kwargs, d.answer)
	}
	return strings.TrimSpace(b.String())
}

// use is "required", or "default" with the value.
func (p Param) use() string {
	if p.Required {
		return "required"
	}
	return "default " + python.Repr(p.Default)
}

// TakesQuestion reports whether a function has a parameter for the question.
func TakesQuestion(function string) bool {
	f := find(functions, function)
	return f != nil && f.param(questionParam.Name) != nil
}
