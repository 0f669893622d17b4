package author

import (
	"fmt"
	"slices"
	"strings"

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
	// function, fixed arguments and answer format are those of all answers of the kind.
	function string
	fixed    arguments
	format   string
	// complete adds the gold and what follows from it; nil for a kind without evaluator.
	complete func(Draft, *rule) error
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

// kinds is the table of kinds. The format of a list is about its order; its elements complete it.
func kinds() []kindRow {
	anyCase, inAnyOrder := arguments{"lowercase": true}, arguments{"lowercase": true, "ignore_order": true}
	similar := arguments{"lowercase": true, "threshold": int64(similarity)}
	return []kindRow{
		{Auto, "guessed from the answer", false, "", nil, "", nil, nil},
		{
			Number, "an integer, or a number rounded to its decimals", false,
			"eval_int_exact_match", nil, "Your answer should be a Python integer", numberRule, numberVariants,
		},
		{
			Bool, "true or false", false,
			"eval_bool_exact_match", nil, "Your answer should be a Python boolean, True or False.", truthRule, truthVariants,
		},
		{
			String, "the same text, ignoring case", false,
			sameText, anyCase, oneText + ", exactly as it is written in the paper.", textRule, textVariants,
		},
		{
			Fuzzy, "nearly the same text: long names, titles", false,
			"eval_string_fuzzy_match", similar, oneText + ".", textRule, textVariants,
		},
		{
			Date, "a date such as 2024-05-31", false,
			sameText, nil, "Your answer should be a date in the form YYYY-MM-DD.", dateRule, dateVariants,
		},
		{List, "several values in order", true, sameValue, anyCase, ", in order", listRule, listVariants},
		{Set, "several values in any order", true, sameValue, inAnyOrder, ", in any order", listRule, listVariants},
		{Dict, `values by name, such as {"a": 1}`, false, sameValue, anyCase, "", dictRule, dictVariants},
		{OneOf, "any one of several right answers", true, "eval_element_included", anyCase, "", elementRule, textVariants},
		{Subset, "a list of right answers, complete or incomplete", true, "eval_element_list_included", anyCase, "", typedListRule, partialVariants},
		{Some, "at least N of several right answers", true, "eval_element_list_overlap", anyCase, "", someRule, partialVariants},
		{Parts, "several answers of different types, in order", true, "eval_conjunction", nil, "", partsRule, listVariants},
		{
			Paper, "a paper, by its title", false, "eval_paper_relevance_with_reference_answer", nil,
			"Your answer should be the title of the paper only, without any explanation.", paperRule, textVariants,
		},
		{
			PaperUUID, "a paper, by its uuid", false, sameText, anyCase,
			"Your answer should be the uuid of the paper as a string, without any explanation.", paperUUIDRule, textVariants,
		},
		{
			Formula, "a formula in LaTeX (judged)", false, "eval_complex_math_formula_with_llm", nil,
			"Your answer should be a single formula in LaTeX format.", judgedRule("formulas"), nil,
		},
		{Text, "free text with the same meaning (judged)", false, "eval_reference_answer_with_llm", nil, sentence, judgedRule("reference_answer"), nil},
		{
			AnyText, "free text with the meaning of one of several (judged)", true,
			"eval_candidate_reference_answer_with_llm", nil, sentence, anyTextRule, nil,
		},
		{
			Points, "free text that makes all points, or N of them (judged)", true,
			"eval_scoring_points_with_llm", nil, sentence, pointsRule, nil,
		},
		{None, "no evaluator: answers stay unscored", false, "", nil, "", nil, nil},
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
