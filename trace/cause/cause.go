// Package cause finds where the evidence for a question was lost on its way from the database to the answer, and names the
// cause of a wrong answer: the six causes of the AirQA paper (Appendix D.2 and D.3), a wrong gold answer, a wrong scorer,
// a limit of the run, and unknown. Start from [Finder.FindLoss], whose rungs are the [Level] constants, and [Finder.Of]; rules.go lists the
// rules in the order in which they apply. docs/why.md says how often they are right.
//
// The evidence is what a question names: the papers and the gold answer of its evaluator, or, for a synthesized
// question, places in papers. The package compares it with the results recorded in the run log: by passage, page and row
// ids if both sides have them, otherwise by text. A text match is weak: a short gold answer such as "3" is in many passages.
// The rules read the question, the recorded episode and its score, and nothing else.
package cause

import (
	"context"
	"fmt"
	"slices"

	"airqa/eval"
	"airqa/internal/words"
	"airqa/qa"
	"airqa/runlog"
)

// Code is a cause.
type Code string

// The causes. The first six are those of the paper.
const (
	// LackOfContext: the agent searches, but does not find the relevant part of the paper.
	LackOfContext Code = "lack_of_context"
	// OverConfidence: the agent answers too early.
	OverConfidence Code = "over_confidence"
	// MissingPaper: the question needs several papers, and the agent does not look into all of them.
	MissingPaper Code = "missing_paper"
	// TextualReasoning: the agent has the relevant text in view and does not understand it.
	TextualReasoning Code = "textual_reasoning"
	// VisualReasoning: the agent does not get or does not understand a figure, table or formula.
	VisualReasoning Code = "visual_reasoning"
	// Repetition: the agent takes the same action again and again.
	Repetition Code = "repetition"
	// WrongGold: the gold answer or the evaluator of the question is at fault.
	WrongGold Code = "wrong_gold"
	// WrongScorer: the answer agrees with the gold, and the scorer or the judge did not notice.
	WrongScorer Code = "wrong_scorer"
	// Unknown: no rule applies.
	Unknown Code = "unknown"
	// OutsideScope: Retrieve did not search a paper of the question, by the setting of the run. It is no fault of the agent.
	OutsideScope Code = "outside_scope"
)

// Codes returns the causes in the order of tables.
func Codes() []Code {
	return []Code{
		LackOfContext, OverConfidence, MissingPaper, TextualReasoning, VisualReasoning, Repetition, WrongGold, WrongScorer,
		Unknown, OutsideScope,
	}
}

// Ref is a place in the log or the question that a cause is based on.
type Ref struct {
	// Step is the step of the episode, from 1; 0 for a field of the question, the answer or the score.
	Step int `json:"step,omitempty"`
	// Field is a path in the JSON of airqa trace: "reply.text", "action.text", "observation.text", "observation.full",
	// "observation.hits" of the step, or "answer.text", "evaluator.eval_kwargs", "score"; or "run." and a path in run.json.
	Field string `json:"field"`
	// First and End are the byte range of Quote in the field; both 0 if the field is not a text.
	First int    `json:"first"`
	End   int    `json:"end"`
	Quote string `json:"quote,omitempty"`
}

// Cause is the cause of a wrong answer.
type Cause struct {
	// Code is empty for a right answer, and for one without a verdict.
	Code Code `json:"cause"`
	// Rule is the name of the rule that applied; Why is what it found, in a sentence.
	Rule string `json:"rule,omitempty"`
	Why  string `json:"why,omitempty"`
	// Confidence is (right+1)/(found+2) of this rule in the development fixtures: 0.5 for a rule that found nothing there.
	// Of a weak cause, it is the lower end of Wilson's 95% interval for right/found.
	Confidence float64 `json:"confidence"`
	// Weak means that the cause rests on a match by text alone: the same text may be elsewhere, and mean something else.
	Weak     bool  `json:"weak,omitempty"`
	Evidence []Ref `json:"evidence,omitempty"`
}

// By is the rule of the cause and its confidence; "no rule" without one.
func (c Cause) By() string {
	switch {
	case c.Rule == "":
		return "no rule"
	case c.Weak:
		return fmt.Sprintf("rule %s, confidence %.2f, by text alone", c.Rule, c.Confidence)
	}
	return fmt.Sprintf("rule %s, confidence %.2f", c.Rule, c.Confidence)
}

// Episode is what the rules read.
type Episode struct {
	qa.Example
	runlog.Recorded
	Score *qa.Score
	Loss  Loss
	// Peers are the other answers to the question, in this run and others.
	Peers []Peer
}

// Peer is an answer to the same question in another episode.
type Peer struct {
	Answer  qa.Answer
	Verdict qa.Verdict
}

// Of names the cause of a wrong answer. ctx ends only the comparison of the answer with the gold.
func (f *Finder) Of(ctx context.Context, e Episode) Cause {
	if e.Score == nil || e.Score.Verdict != qa.Wrong && e.Score.Verdict != qa.Unparseable || e.Outcome.Failed() {
		return Cause{}
	}
	known := f.factsOf(ctx, e)
	for _, r := range rules {
		if c, ok := r.find(known); ok {
			c.Code, c.Rule, c.Confidence = r.code, r.name, r.confidence(c.Weak)
			c.Evidence = slices.DeleteFunc(c.Evidence, func(ref Ref) bool { return ref.Field == "" })
			return c
		}
	}
	return Cause{Code: Unknown, Why: e.Loss.Why}
}

// Finder finds the causes of wrong answers, and where evidence was lost, for episodes of one file of questions. It keeps what
// it made of texts that episodes share, such as golds, equal answers and results of equal queries. Its zero value is ready for
// use by one goroutine.
type Finder struct {
	folded    map[string]string
	rows      map[field][]row
	questions map[string]question
	size      int // of the texts in folded and rows, in bytes
}

// question is what all episodes of a question have in common.
type question struct {
	items  []Item
	golds  [][]string
	asked  map[string]bool
	faults []eval.Finding
}

// keep counts a text that is about to be kept. When the texts are too many, all that was kept is dropped.
func (f *Finder) keep(text string) {
	const mostKept = 32 << 20 // the maximum size of the texts that a [Finder] keeps
	if f.folded == nil || f.size > mostKept {
		*f = Finder{folded: make(map[string]string), rows: make(map[field][]row), questions: make(map[string]question)}
	}
	f.size += len(text)
}

func (f *Finder) fold(text string) string {
	folded, ok := f.folded[text]
	if !ok {
		folded = words.Fold(text)
		f.keep(text)
		f.folded[text] = folded
	}
	return folded
}

func (f *Finder) question(ex qa.Example) question {
	q, ok := f.questions[ex.UUID]
	if !ok {
		q = question{items: itemsOf(ex), golds: Golds(ex.Evaluator), asked: words.Content(words.Fold(ex.Question))}
		f.keep(ex.Question)
		f.questions[ex.UUID] = q
	}
	return q
}

// faults returns what [eval.Lint] finds wrong with the question.
func (f *Finder) faults(ctx context.Context, ex qa.Example) []eval.Finding {
	q := f.question(ex)
	if q.faults == nil {
		q.faults = append([]eval.Finding{}, eval.Lint(ctx, ex)...)
		f.questions[ex.UUID] = q
	}
	return q.faults
}
