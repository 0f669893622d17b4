package author

import (
	"fmt"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/internal/python"
	"airqa/qa"
)

// Kind is the type of a gold answer. It determines the evaluation function.
type Kind string

// The kinds. All but the last six are objective.
const (
	Auto      Kind = "auto"
	Number    Kind = "number"
	Bool      Kind = "bool"
	String    Kind = "string"
	Fuzzy     Kind = "fuzzy"
	Date      Kind = "date"
	List      Kind = "list"
	Set       Kind = "set"
	Dict      Kind = "dict"
	OneOf     Kind = "one-of"
	Subset    Kind = "subset"
	Some      Kind = "some"
	Parts     Kind = "parts"
	Paper     Kind = "paper"
	PaperUUID Kind = "paper-uuid"
	Formula   Kind = "formula"
	Text      Kind = "text"
	AnyText   Kind = "any-text"
	Points    Kind = "points"
	None      Kind = "none"
)

// kindRow describes a kind: to a person, and how its answers are scored.
type kindRow struct {
	kind Kind
	text string
	// several is true if the answer is a list.
	several bool
	// function, options and answer format are those of all answers of the kind.
	function string
	options  arguments
	format   string
	// gold reads the answer. It may change what else the rule has. It is nil for a kind without evaluator.
	gold func(Draft, *rule) (python.Value, error)
	// variants are other ways to write a gold, and wrong answers; may be nil.
	variants func(gold string) []string
}

const (
	sameText  = "eval_string_exact_match"
	sameValue = "eval_structured_object_exact_match"
	oneText   = "Your answer should be a single string"
	sentence  = "Your answer should be one or two sentences."
	// similarity suffices for a fuzzy match, of 100.
	similarity = 90
)

// The options of a kind.
var (
	anyCase    = arguments{"lowercase": true}
	inAnyOrder = arguments{"lowercase": true, "ignore_order": true}
	similar    = arguments{"lowercase": true, "threshold": int64(similarity)}
)

// kinds is the table of kinds. The format of a list is about its order; its elements complete it.
func kinds() []kindRow {
	return []kindRow{
		{kind: Auto, text: "guessed from the answer"},
		{
			kind: Number, text: "an integer, or a number rounded to its decimals", function: "eval_int_exact_match",
			format: "Your answer should be a Python integer", gold: numberGold, variants: numberVariants,
		},
		{
			kind: Bool, text: "true or false", function: "eval_bool_exact_match",
			format: "Your answer should be a Python boolean, True or False.", gold: truthGold, variants: truthVariants,
		},
		{
			kind: String, text: "the same text, ignoring case", function: sameText, options: anyCase,
			format: oneText + ", exactly as it is written in the paper.", gold: textGold, variants: textVariants,
		},
		{
			kind: Fuzzy, text: "nearly the same text: long names, titles", function: "eval_string_fuzzy_match", options: similar,
			format: oneText + ".", gold: textGold, variants: textVariants,
		},
		{
			kind: Date, text: "a date such as 2024-05-31", function: sameText,
			format: "Your answer should be a date in the form YYYY-MM-DD.", gold: dateGold, variants: dateVariants,
		},
		{
			kind: List, text: "several values in order", several: true, function: sameValue, options: anyCase,
			format: ", in order", gold: listGold, variants: listVariants,
		},
		{
			kind: Set, text: "several values in any order", several: true, function: sameValue, options: inAnyOrder,
			format: ", in any order", gold: listGold, variants: listVariants,
		},
		{
			kind: Dict, text: `values by name, such as {"a": 1}`, function: sameValue, options: anyCase,
			gold: dictGold, variants: dictVariants,
		},
		{
			kind: OneOf, text: "any one of several right answers", several: true, function: "eval_element_included", options: anyCase,
			gold: elementGold, variants: textVariants,
		},
		{
			kind: Subset, text: "a list of right answers, complete or incomplete", several: true,
			function: "eval_element_list_included", options: anyCase, gold: typedListGold, variants: partialVariants,
		},
		{
			kind: Some, text: "at least N of several right answers", several: true,
			function: "eval_element_list_overlap", options: anyCase, gold: someGold, variants: partialVariants,
		},
		{
			kind: Parts, text: "several answers of different types, in order", several: true, function: "eval_conjunction",
			gold: partsGold, variants: listVariants,
		},
		{
			kind: Paper, text: "a paper, by its title", function: "eval_paper_relevance_with_reference_answer",
			format: eval.TitleFormat,
			gold:   titleGold, variants: textVariants,
		},
		{
			kind: PaperUUID, text: "a paper, by its uuid", function: sameText, options: anyCase,
			format: "Your answer should be the uuid of the paper as a string, without any explanation.",
			gold:   uuidGold, variants: textVariants,
		},
		{
			kind: Formula, text: "a formula in LaTeX (judged)", function: "eval_complex_math_formula_with_llm",
			format: "Your answer should be a single formula in LaTeX format.", gold: judgedGold,
		},
		{
			kind: Text, text: "free text with the same meaning (judged)", function: "eval_reference_answer_with_llm",
			format: sentence, gold: judgedGold,
		},
		{
			kind: AnyText, text: "free text with the meaning of one of several (judged)", several: true,
			function: "eval_candidate_reference_answer_with_llm", format: sentence, gold: anyTextGold,
		},
		{
			kind: Points, text: "free text that makes all points, or N of them (judged)", several: true,
			function: "eval_scoring_points_with_llm", format: sentence, gold: pointsGold,
		},
		{kind: None, text: "no evaluator: answers stay unscored"},
	}
}

// row returns the row of a kind; an empty one if there is none.
func (k Kind) row() kindRow {
	all := kinds()
	i := slices.IndexFunc(all, func(row kindRow) bool { return row.kind == k })
	if i < 0 {
		return kindRow{kind: k}
	}
	return all[i]
}

// Kinds are the names of all kinds.
func Kinds() (names []string) {
	for _, row := range kinds() {
		names = append(names, string(row.kind))
	}
	return names
}

// ParseKind returns the kind of a name. An empty name is [Auto].
func ParseKind(name string) (Kind, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "":
		return Auto, nil
	case "int", "integer", "float":
		return Number, nil
	case "boolean":
		return Bool, nil
	}
	if slices.Contains(Kinds(), name) {
		return Kind(name), nil
	}
	return "", qa.Usagef("there is no answer type %q; the types are %s", name, strings.Join(Kinds(), ", "))
}

// KindList lists the kinds with their meaning, one a line.
func KindList() string {
	var b strings.Builder
	for _, row := range kinds() {
		_, _ = fmt.Fprintf(&b, "  %-10s  %s\n", row.kind, row.text)
	}
	return strings.TrimRight(b.String(), "\n")
}

// Guess returns the kind of an answer from how it looks.
func Guess(answer string) Kind {
	answer = strings.TrimSpace(answer)
	if answer == "" {
		return None
	}
	if _, ok := truths[strings.ToLower(answer)]; ok {
		return Bool
	}
	if _, ok := numberIn(answer); ok {
		return Number
	}
	if _, ok := date(answer); ok {
		return Date
	}
	switch literal(answer).(type) {
	case *python.Dict:
		return Dict
	case python.List, python.Tuple, python.Set:
		return Set
	}
	switch {
	case qa.IsUUID(answer):
		return PaperUUID
	case latexCommand.MatchString(answer):
		return Formula
	case strings.Contains(answer, ";") && short(strings.Split(answer, ";")):
		return Set
	case short([]string{answer}):
		return String
	}
	return Text
}
