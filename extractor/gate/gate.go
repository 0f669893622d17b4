// Package gate decides whether a synthesized question is good: each [Gate] checks one property and gives a [Verdict].
// Start from [All] and [Gate.Check]. Gates call a model only through [Tools].
package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"airqa/env/paperdb"
	"airqa/eval"
	"airqa/eval/judge"
	"airqa/extractor/candidate"
	"airqa/prompts"
	"airqa/qa"
	"airqa/tools"
)

// Subject is a question to check.
type Subject struct {
	Material candidate.Material
	Draft    candidate.Draft
	Example  qa.Example
	// Answer is the right answer as a respondent should give it; empty for a merged question.
	Answer string
}

// kind returns the question type.
func (s Subject) kind() string { return s.Material.ID.Category.Type() }

// Library has the papers that gates search.
type Library interface {
	tools.Retriever
	// PageTexts returns the text of each page of a paper.
	PageTexts(ctx context.Context, paperID string) ([]string, error)
	// Paper returns the metadata of a paper.
	Paper(ctx context.Context, paperID string) (paperdb.Metadata, error)
}

// Tools are what gates use. Model and Library are required by some gates only.
type Tools struct {
	Library
	// Model answers questions.
	Model qa.Model
	// Judge decides about subjective answers.
	Judge eval.Judge
	// Solve is the number of independent answers with the evidence.
	Solve int
	// Prompts are the texts that the model is shown.
	Prompts prompts.Set
}

// Verdict is the result of a gate.
type Verdict struct {
	// Reason is empty if the question passes.
	Reason candidate.Reason `json:"reason,omitempty"`
	Detail string           `json:"detail,omitempty"`
	// Agreement is the share of right answers; only of [SolvedAgain].
	Agreement *float64 `json:"agreement,omitempty"`
	// Evidence is where the answer is; only of [Located].
	Evidence []candidate.Evidence `json:"evidence,omitempty"`
	// NotApplicable means that the gate does not apply to questions of this type.
	NotApplicable bool `json:"not_applicable,omitempty"`
}

func rejected(reason candidate.Reason, format string, args ...any) Verdict {
	return Verdict{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// Gate checks a property of a question.
type Gate struct {
	Name string
	// Version changes when the same question may get another verdict.
	Version int
	// Prompts are the prompts of its calls; none for a gate that calls no model itself.
	Prompts []string
	// Types are the question types that it applies to; nil means all.
	Types []string
	check func(ctx context.Context, t Tools, s Subject) (Verdict, error)
}

// Check returns the verdict. An error is one of a call, or of reading the papers.
func (g Gate) Check(ctx context.Context, t Tools, s Subject) (Verdict, error) {
	if g.Types != nil && !slices.Contains(g.Types, s.kind()) {
		return Verdict{NotApplicable: true}, nil
	}
	return g.check(ctx, t, s)
}

// Names of gates. [Unlike] compares a question with other accepted ones, which is not done here.
const (
	GoldPasses    = "evaluator"
	Mutation      = "mutation"
	SelfContained = "self_contained"
	Located       = "evidence"
	Unique        = "unique"
	ClosedBook    = "closed_book"
	SolvedAgain   = "solved_again"
	Unlike        = "duplicate"
)

// fromOnePaper are the types of questions that were explored; merged ones consist of accepted questions.
var fromOnePaper = []string{candidate.Single, candidate.Comprehensive, candidate.Retrieval}

// All returns the gates in the order in which they apply: those without calls first.
func All() []Gate {
	judgePrompts := judge.PromptNames()
	asks := append([]string{"plain", "task"}, judgePrompts...)
	return []Gate{
		{Name: SelfContained, Version: 2, Types: fromOnePaper, check: selfContained},
		{Name: Located, Version: 2, Types: fromOnePaper, check: located},
		{Name: Unique, Version: 1, Types: []string{candidate.Retrieval}, check: unique},
		{Name: GoldPasses, Version: 1, Prompts: judgePrompts, check: goldPasses},
		{Name: Mutation, Version: 2, Prompts: judgePrompts, check: mutated},
		{Name: ClosedBook, Version: 2, Prompts: asks, Types: fromOnePaper, check: closedBook},
		{
			Name: SolvedAgain, Version: 1, Prompts: slices.Concat(asks, candidate.ContextPrompts()),
			Types: []string{candidate.Single, candidate.Comprehensive}, check: solvedAgain,
		},
		{Name: Unlike, Version: 1},
	}
}

// Names returns the names of gates.
func Names(gates []Gate) []string {
	names := []string{}
	for _, g := range gates {
		names = append(names, g.Name)
	}
	return names
}

// Place is the place of a stage of a candidate in the order in which the stages run; unknown ones are last.
func Place(stage string) int {
	order := []string{candidate.Explore, candidate.Track}
	for _, name := range Names(All()) {
		order = append(order, candidate.GateStage(name))
	}
	order = append(order, candidate.Accept, candidate.Act)
	if i := slices.Index(order, stage); i >= 0 {
		return i
	}
	return len(order)
}

// Select returns the gates with the given names, or all if there are none. A name after "!" leaves its gate out.
func Select(names []string) ([]Gate, error) {
	if slices.Equal(names, []string{"none"}) {
		return nil, nil
	}
	var only, without []string
	for _, name := range names {
		bare, negated := strings.CutPrefix(name, "!")
		if known := Names(All()); !slices.Contains(known, bare) {
			return nil, qa.Usagef("unknown gate %q; the gates are %s", bare, strings.Join(known, ", "))
		}
		if negated {
			without = append(without, bare)
		} else {
			only = append(only, bare)
		}
	}
	return slices.DeleteFunc(All(), func(g Gate) bool {
		return len(only) > 0 && !slices.Contains(only, g.Name) || slices.Contains(without, g.Name)
	}), nil
}
