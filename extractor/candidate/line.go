package candidate

import (
	"encoding/json"

	"airqa/qa"
)

// Stages of a candidate. Those of gates are made by [GateStage].
const (
	// Explore writes a question and an answer from a paper, Track makes a scorable example of them.
	Explore = "explore"
	Track   = "track"
	// Accept ends every candidate: its line has the final outcome.
	Accept = "accept"
	// Act is the trajectory of an accepted question.
	Act = "act"
)

// GateStage returns the stage of a gate.
func GateStage(gate string) string { return "gate:" + gate }

// Outcome is the result of a stage for a candidate.
type Outcome string

// The outcomes. The line of stage [Accept] has one of the first four.
const (
	Accepted Outcome = "accepted"
	Rejected Outcome = "rejected"
	// Failed means that a call failed for a reason that may be transient; a later invocation tries again if the quota is
	// not filled.
	Failed Outcome = "failed"
	// Pending means that the invocation ended first.
	Pending Outcome = "pending"
	// Done means that the candidate passed to the next stage.
	Done Outcome = "done"
)

// Reason is the code of a reason why a candidate was not accepted. The list is closed.
type Reason string

// Reasons of stages [Explore] and [Track].
const (
	NoElement   Reason = "no_element"   // no paper has such an element
	NoPair      Reason = "no_pair"      // no further pair of single questions to merge
	BadReply    Reason = "bad_reply"    // no usable reply after all attempts
	CallRefused Reason = "call_refused" // the endpoint refuses the request
	CallFailed  Reason = "call_failed"  // the endpoint failed
)

// Reasons of gates.
const (
	GoldFails         Reason = "gold_fails"             // the answer does not pass its own evaluator
	AlteredPasses     Reason = "altered_gold_passes"    // a wrong answer passes
	NoEvidence        Reason = "no_evidence"            // the evidence is not in the paper
	PointsAtPage      Reason = "points_at_page"         // "this table" without saying which
	LeaksAnswer       Reason = "leaks_answer"           // the question or its answer format has the answer
	NamesPaper        Reason = "names_paper"            // the question names the paper that it asks for
	WithoutPaper      Reason = "answered_without_paper" // a model answers it without the paper
	NotSolved         Reason = "not_solved"             // it is not answered with the evidence
	SecondPaper       Reason = "second_paper_fits"      // another paper fits the description
	NotRetrieved      Reason = "own_paper_not_found"    // its own paper does not fit best
	Duplicate         Reason = "duplicate"              // an accepted question is the same or nearly the same
	EvaluatorUnscored Reason = "unscored"               // a judge gave no verdict
)

// Reasons of stage [Accept].
const (
	Surplus     Reason = "surplus"     // the quota is filled
	NotTracked  Reason = "not_tracked" // explored only
	Interrupted Reason = "interrupted" // stopped by the user
	Budget      Reason = "budget"      // a budget was reached
)

// Line is a line of the ledger: what one stage did with one candidate. The last line of a candidate and stage counts.
type Line struct {
	Format    int      `json:"format"`
	Candidate string   `json:"candidate"`
	Stage     string   `json:"stage"`
	Category  Category `json:"category"`
	// Paper is the uuid of the paper, Element the ids of its elements, separated by commas. Merged questions have the
	// papers and the candidates of their parts.
	Paper   string `json:"paper,omitempty"`
	Element string `json:"element,omitempty"`
	Seed    uint64 `json:"seed"`
	// Attempt is the number of replies that the stage asked for.
	Attempt int     `json:"attempt,omitempty"`
	Outcome Outcome `json:"outcome"`
	Reason  Reason  `json:"reason,omitempty"`
	Detail  string  `json:"detail,omitempty"`
	// Calls are the keys of the stage's replies in the folder replies.
	Calls []string `json:"calls,omitempty"`
	// Usage is that of the calls when they were made, USD their cost; nil if the price is unknown.
	Usage qa.Usage `json:"usage,omitzero"`
	USD   *float64 `json:"usd,omitempty"`
	// Fingerprint is that of the stage, Input the hash of what it read. A line with both unchanged is not computed again.
	Fingerprint string `json:"fingerprint,omitempty"`
	Input       string `json:"input,omitempty"`
	// Data is the stage's product: the question of [Explore], the example of [Track], the findings of a gate, the row of
	// an accepted candidate.
	Data json.RawMessage `json:"data,omitempty"`
}

// Identity returns the fields that name a candidate and what it is made from.
func (l Line) Identity() Line {
	return Line{Candidate: l.Candidate, Category: l.Category, Paper: l.Paper, Element: l.Element, Seed: l.Seed}
}

// Verdicts of gates in accepted rows.
const (
	Passed = "passed"
	// Skipped means that the gate was switched off.
	Skipped = "skipped"
	// NotApplicable means that the gate does not apply to the question type.
	NotApplicable = "not_applicable"
)

// Gate is the verdict of a gate in an accepted row.
type Gate struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"`
	Detail  string `json:"detail,omitempty"`
	// Agreement is the share of independent answers that were right; only of the gate that solves the question again.
	Agreement *float64 `json:"agreement,omitempty"`
}

// Evidence is where a question's answer is in its paper.
type Evidence struct {
	Paper string `json:"paper"`
	// Page counts from 1; 0 if the element has no single page.
	Page    int    `json:"page,omitempty"`
	Element string `json:"element,omitempty"`
	// Kind is the kind of the element, such as [Table].
	Kind string `json:"kind,omitempty"`
	// Box is [x0, y0, width, height] in points; nil if unknown.
	Box []int `json:"box,omitempty"`
	// Span is the byte range of Quote in the element's text; nil if the evidence is the element as a whole.
	Span  []int  `json:"span,omitempty"`
	Quote string `json:"quote,omitempty"`
}

// Synth is the key "synth" of a row: where a question comes from and what its gates found.
type Synth struct {
	Candidate string     `json:"candidate"`
	Category  Category   `json:"category"`
	Parts     []string   `json:"parts,omitempty"` // the candidates that a merged question consists of
	Gates     []Gate     `json:"gates"`
	Evidence  []Evidence `json:"evidence"`
}

// SynthKey is the key of a row with its [Synth].
const SynthKey = "synth"

// SynthOf reads where a row comes from; false if it has no such key.
func SynthOf(ex qa.Example) (s Synth, ok bool) {
	raw, ok := ex.Extra[SynthKey]
	return s, ok && json.Unmarshal(raw, &s) == nil
}
