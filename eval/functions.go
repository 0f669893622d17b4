package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/internal/fuzzy"
	"airqa/internal/python"
	"airqa/qa"
	"airqa/qa/dataset"
)

const (
	noThreshold = int64(-1)
	inAnyOrder  = "lists match in any order"
)

// TitleFormat is the answer format of questions that ask for a paper. It asks for what AirQA's asks (paper, Table 1): the exact
// title, and nothing else.
const TitleFormat = "Your answer should be the exact title of the paper and nothing else."

// The parameters that several functions have.
var (
	lowercaseParam   = optional("lowercase", KindBool, false, "ignore case").misspelt("ignore_case")
	ignoreBlankParam = optional("ignore_blank", KindBool, false, "ignore all whitespace")
	ignoreOrderParam = optional("ignore_order", KindBool, false, inAnyOrder)
	toleranceParam   = optional("tolerance", KindNumber, 1e-6, "permitted relative difference")
	methodParam      = oneOf("fuzz_method", defaultMethod, "measure of similarity", fuzzy.Names())
	questionParam    = required(questionName, KindText, "the question, for the judge")
	referenceParam   = required("reference_answer", KindText, "the right answer; for a paper its exact title")
	pointsParam      = required("scoring_points", KindList, "list of statements, one sentence each").misspelt("scoring_point")
	countParam       = optional("count", KindInt, int64(1), "number that suffices")
)

func goldParam(k Kind) Param { return required("gold", k, "the right answer") }

func ndigitsParam(value python.Value) Param {
	return optional("ndigits", KindInt|KindNull, value, "decimals to round to").misspelt("nidigits")
}

func thresholdParam(value int64) Param {
	return optional("threshold", KindNumber, value, "similarity that suffices, 0 to 100")
}

// elementParams are the parameters of a function on list elements, after others. The order affects structured elements
// only.
func elementParams(others ...Param) []Param {
	return append(others, goldParam(KindList),
		oneOf("element_type", "str", "type of the elements: str, int, float or structured",
			[]string{"str", "int", "float", "structured"}),
		ndigitsParam(int64(2)), toleranceParam, methodParam, thresholdParam(noThreshold), lowercaseParam, ignoreBlankParam, ignoreOrderParam)
}

// judgedParams are the parameters of a subjective function, after others. The last two are known but unused: the judge is
// chosen per run, not per example.
func judgedParams(others ...Param) []Param {
	return append(others, questionParam, optional("llm_model", KindText, "gpt-4o-mini", ""), optional("temperature", KindNumber, 0.0, ""))
}

// orderedParams are the parameters of a subjective function that may take the order into account, after others.
func orderedParams(others ...Param) []Param {
	return judgedParams(append(others, optional("ignore_order", KindBool, true, inAnyOrder))...)
}

// functions are the functions of the paper's Table 8, in its order.
var functions = []Function{
	{
		Name: "eval_string_exact_match", Genre: objective, Category: "match", compare: matching.exact,
		Params: []Param{goldParam(KindText), lowercaseParam, ignoreBlankParam},
		text:   "The answer is the same text as gold. For single words, names and short terms with one spelling.",
		kwargs: `{"gold": "LoRA", "lowercase": true}`, answer: "lora",
	},
	{
		Name: "eval_string_fuzzy_match", Genre: objective, Category: "match", compare: matching.fuzzy,
		Params: []Param{goldParam(KindText), methodParam, thresholdParam(95), ignoreBlankParam, lowercaseParam},
		text:   "The answer is nearly the same text as gold, by the share of equal characters. For titles and longer names with small variations.",
		kwargs: `{"gold": "Stanford Question Answering Dataset", "threshold": 90, "lowercase": true}`,
		answer: "stanford question-answering dataset",
	},
	{
		Name: "eval_bool_exact_match", Genre: objective, Category: "match", compare: matching.truth,
		Params: []Param{goldParam(KindBool)},
		text:   "The answer is true or false like gold. For yes-no questions.",
		kwargs: `{"gold": true}`, answer: "True",
	},
	{
		Name: "eval_int_exact_match", Genre: objective, Category: "match", compare: matching.whole,
		Params: []Param{goldParam(KindInt)},
		text:   "The answer is the same whole number. For counts and years.",
		kwargs: `{"gold": 12}`, answer: "12",
	},
	{
		Name: "eval_float_exact_match", Genre: objective, Category: "match", compare: matching.float,
		Params: []Param{goldParam(KindNumber), ndigitsParam(nil), toleranceParam},
		text:   "The answer is the same number, rounded to ndigits decimals if given. For measured values and percentages.",
		kwargs: `{"gold": 72.9, "ndigits": 1}`, answer: "72.9",
	},
	{
		Name: "eval_structured_object_exact_match", Genre: objective, Category: "match", compare: matching.structured,
		Params: []Param{goldParam(KindAny), ignoreOrderParam, toleranceParam, ndigitsParam(nil), lowercaseParam, ignoreBlankParam, thresholdParam(noThreshold), methodParam},
		text:   "The answer is a list or dictionary equal to gold in every element. For several values at once; lists whose order does not matter need ignore_order.",
		kwargs: `{"gold": ["SQuAD", "HotpotQA"], "ignore_order": true, "lowercase": true}`, answer: `["hotpotqa", "squad"]`,
	},
	{
		Name: "eval_element_included", Genre: objective, Category: "set", anyGold: true, compare: matching.included,
		Params: elementParams(),
		text:   "The answer is one of the elements of gold. For questions with several equally right answers.",
		kwargs: `{"gold": ["GPU", "graphics card"], "lowercase": true}`, answer: "graphics card",
	},
	{
		Name: "eval_element_list_included", Genre: objective, Category: "set", anyGold: true, compare: matching.allIncluded,
		Params: elementParams(),
		text:   "Every element of the answer, a list, is an element of gold. Only if an incomplete list is right as well.",
		kwargs: `{"gold": ["English", "German", "French"]}`, answer: `["German", "English"]`,
	},
	{
		Name: "eval_element_list_overlap", Genre: objective, Category: "set", anyGold: true, compare: matching.overlap,
		Params: elementParams(countParam),
		text:   "At least count elements of the answer, a list, are elements of gold. For questions such as: name two of the languages.",
		kwargs: `{"gold": ["English", "German", "French"], "count": 2}`, answer: `["German", "French"]`,
	},
	{
		Name: "eval_paper_relevance_with_reference_answer", Genre: objective, Category: "retrieval", anyGold: true, compare: matching.title,
		Params: []Param{
			{Name: questionParam.Name, Kind: KindText, Required: true, Formal: true, hint: questionParam.hint},
			required(referenceParam.Name, KindText|KindList, referenceParam.hint), thresholdParam(95),
		},
		Closed: true,
		text:   "The answer is the title of the paper reference_answer. For questions that ask for a paper.",
		kwargs: `{"question": "Which paper introduces residual connections?", "reference_answer": "Deep Residual Learning for Image Recognition"}`,
		answer: "Deep Residual Learning for Image Recognition",
	},
	{
		Name: "eval_reference_answer_with_llm", Genre: subjective, Category: "semantic", judge: JudgeReference,
		Params: judgedParams(referenceParam),
		text:   "A judge finds that the answer means the same as reference_answer. For explanations and anything that can be said in several ways.",
		kwargs: `{"question": "Why is the encoder frozen?", "reference_answer": "To keep the memory needed for training low."}`,
		answer: "Because this saves memory during training.",
	},
	{
		Name: "eval_candidate_reference_answer_with_llm", Genre: subjective, Category: "semantic", anyGold: true, judge: JudgeCandidates,
		Params: judgedParams(required("candidate_reference_answers", KindList, "list of right answers")),
		text:   "A judge finds that the answer means the same as one of the candidates.",
		kwargs: `{"question": "What limits the method?", "candidate_reference_answers": ["It needs labelled data.", "It is slow on long inputs."]}`,
		answer: "It needs labelled data.",
	},
	{
		Name: "eval_scoring_points_with_llm", Genre: subjective, Category: "semantic", judge: JudgePoints,
		Params: orderedParams(pointsParam),
		text:   "A judge finds all scoring points in the answer. For answers of several parts.",
		kwargs: `{"question": "How do the two losses differ?", "scoring_points": ["The first is computed per token.", "The second is computed per sentence."]}`,
		answer: "One is per token, the other per sentence.",
	},
	{
		Name: "eval_partial_scoring_points_with_llm", Genre: subjective, Category: "semantic", anyGold: true, judge: JudgePartialPoints,
		Params: judgedParams(pointsParam, countParam),
		text:   "A judge finds at least count of the scoring points in the answer; count is smaller than their number.",
		kwargs: `{"question": "Name one drawback.", "scoring_points": ["High cost.", "Low recall."], "count": 1}`, answer: "It costs a lot.",
	},
	{
		Name: "eval_reference_answer_and_scoring_points_with_llm", Genre: subjective, Category: "semantic", judge: JudgeReferenceAndPoints,
		Params: orderedParams(referenceParam, pointsParam),
		text:   "A judge finds the meaning of reference_answer and all scoring points in the answer.",
		kwargs: `{"question": "Which model is best, and why?", "reference_answer": "Model B", "scoring_points": ["It was trained on more data."]}`,
		answer: "Model B, as it saw more training data.",
	},
	{
		Name: "eval_complex_math_formula_with_llm", Genre: subjective, Category: "formula", judge: JudgeFormulas,
		Params: orderedParams(required("formulas", KindText|KindList, "a formula or a list of formulas, in LaTeX").misspelt("fomulas")),
		text:   "A judge finds the answer mathematically equivalent to the formulas in LaTeX. For formulas.",
		kwargs: `{"question": "How is the loss defined?", "formulas": "L = -\\log p(y \\mid x)"}`, answer: `L = -\log p(y|x)`,
	},
	{
		Name: "eval_conjunction", Genre: logical, Closed: true, need: needAll,
		Params: joinedParams,
		text:   "The answer is a list; element i passes function i of eval_func_list with its arguments. For several answers of different kinds.",
		kwargs: `{"eval_func_list": ["eval_int_exact_match", "eval_string_exact_match"], "eval_kwargs_list": [{"gold": 3}, {"gold": "Adam", "lowercase": true}]}`,
		answer: `[3, "adam"]`,
	},
	{
		Name: "eval_disjunction", Genre: logical, Closed: true, anyGold: true, need: needOne,
		Params: joinedParams,
		text:   "The answer is a list; for at least one i, element i passes function i of eval_func_list with its arguments.",
		kwargs: `{"eval_func_list": ["eval_int_exact_match", "eval_string_exact_match"], "eval_kwargs_list": [{"gold": 3}, {"gold": "three"}]}`,
		answer: `[3, "none"]`,
	},
	{
		Name: "eval_negation", Genre: logical, Closed: true,
		Params: []Param{required("eval_func", KindText, "name of the function"), required("eval_kwargs", KindDict, "its arguments")},
		text:   "The answer does not pass the function eval_func with the arguments eval_kwargs. For anything except one answer.",
		kwargs: `{"eval_func": "eval_string_exact_match", "eval_kwargs": {"gold": "English", "lowercase": true}}`, answer: "German",
	},
}

// joinedParams are the parameters of a function that applies several.
var joinedParams = []Param{
	required("eval_func_list", KindList, "names of the functions"),
	required("eval_kwargs_list", KindList, "their arguments, in the same order"),
}

// Functions returns the evaluation functions in the order of the paper's Table 8.
func Functions() []Function { return slices.Clone(functions) }

// Find returns the function with a name, or nil.
func Find(name string) *Function {
	for i := range functions {
		if functions[i].Name == name {
			return &functions[i]
		}
	}
	return nil
}

// Describe returns what a prompt says about a function: its name (function), description, parameters, one a line, and an example
// with an answer that passes (use_case).
func (f Function) Describe() map[string]string {
	var params []string
	for _, p := range f.Params {
		use := "required"
		if !p.Required {
			use = "default " + python.Repr(p.Default)
		}
		if p.hint != "" {
			params = append(params, fmt.Sprintf("- %s (%s, %s): %s", p.Name, p.Kind, use, p.hint))
		}
	}
	return map[string]string{
		"function": f.Name, "description": f.text, "parameters": strings.Join(params, "\n"),
		"use_case": fmt.Sprintf("{\"eval_func\": %q, \"eval_kwargs\": %s} accepts the answer %s", f.Name, f.kwargs, f.answer),
	}
}

// AnyGold reports whether the golds of a function are alternatives: any of them is a right answer, or part of one.
func AnyGold(function string) bool {
	f := Find(function)
	return f != nil && f.anyGold
}

// AddQuestion adds the question to the arguments of a function that takes it, unless they have one.
func AddQuestion(e *qa.Evaluator, question string) error {
	var kwargs map[string]json.RawMessage
	if err := json.Unmarshal(e.Kwargs, &kwargs); err != nil {
		return dataset.FieldError(err)
	}
	if kwargs == nil {
		return errors.New("they are null")
	}
	f := Find(e.Func)
	if _, given := kwargs[questionName]; given || f == nil || f.Param(questionName) == nil {
		return nil
	}
	var err error
	if kwargs[questionName], err = json.Marshal(question); err == nil {
		e.Kwargs, err = json.Marshal(kwargs)
	}
	return err
}
