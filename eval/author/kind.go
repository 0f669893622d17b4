package author

import (
	"fmt"
	"slices"
	"strings"

	"airqa/internal/exit"
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

// kindInfo describes a kind to a person.
type kindInfo struct {
	kind Kind
	text string
	// several is true if the answer is a list.
	several bool
}

var kinds = []kindInfo{
	{Auto, "chosen from how the answer looks", false},
	{Number, "a number: a whole one, or rounded to its decimals", false},
	{Bool, "true or false", false},
	{String, "the same text, ignoring case", false},
	{Fuzzy, "nearly the same text: long names, titles", false},
	{Date, "a day, as 2024-05-31", false},
	{List, "several values in order", true},
	{Set, "several values in any order", true},
	{Dict, "values by name, as {\"a\": 1}", false},
	{OneOf, "any one of several right answers", true},
	{Subset, "a list of right answers, complete or not", true},
	{Some, "at least --count of several right answers", true},
	{Parts, "several answers of different types, in order", true},
	{Paper, "a paper, by its title", false},
	{PaperUUID, "a paper, by its uuid", false},
	{Formula, "a formula in LaTeX (judged)", false},
	{Text, "free text with the same meaning (judged)", false},
	{AnyText, "free text that means one of several (judged)", true},
	{Points, "free text that makes all points, or --count of them (judged)", true},
	{None, "no evaluator: answers stay unscored", false},
}

// Kinds are the names of all kinds.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k.kind)
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
	return "", exit.Misuse("there is no answer type %q; the types are %s", name, strings.Join(Kinds(), ", "))
}

// info returns the description of a kind.
func (k Kind) info() kindInfo {
	i := slices.IndexFunc(kinds, func(info kindInfo) bool { return info.kind == k })
	if i < 0 {
		return kindInfo{kind: k}
	}
	return kinds[i]
}

// KindList lists the kinds with their meaning, one a line.
func KindList() string {
	var b strings.Builder
	for _, k := range kinds {
		_, _ = fmt.Fprintf(&b, "  %-10s  %s\n", k.kind, k.text)
	}
	return strings.TrimRight(b.String(), "\n")
}
