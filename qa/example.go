package qa

import (
	"encoding/json"
	"slices"
)

// Example is one question of a benchmark in AirQA form (paper, Appendix A.1). Loaders fill UUID and Question; every other
// field may be empty. Answers to a question without an Evaluator stay unscored.
type Example struct {
	UUID         string   `json:"uuid"`
	Question     string   `json:"question"`
	AnswerFormat string   `json:"answer_format"`
	Tags         []string `json:"tags"`
	// AnchorPDF holds the uuids of the papers that the question names.
	AnchorPDF []string `json:"anchor_pdf"`
	// ReferencePDF holds the uuids of supporting papers; the agent is not told them.
	ReferencePDF []string `json:"reference_pdf"`
	// Conference is the search scope, each a lower-case venue-year such as "acl2023".
	Conference []string  `json:"conference"`
	Evaluator  Evaluator `json:"evaluator,omitzero"`
	// ReasoningSteps are the annotator's notes. They are never shown to an agent.
	ReasoningSteps []string `json:"reasoning_steps,omitempty"`
	// State tells which chat models solved the question for the annotator; released files carry it.
	State     map[string]bool `json:"state,omitempty"`
	Annotator string          `json:"annotator,omitempty"`
	// Extra keeps the keys that are not AirQA's own (companion benchmarks have some), byte for byte.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// Evaluator names the function that scores an answer and its arguments (paper, Appendix A.3).
type Evaluator struct {
	Func string `json:"eval_func"`
	// Kwargs is the JSON object of arguments, kept as text: 3 and 3.0 differ for an evaluator.
	Kwargs json.RawMessage `json:"eval_kwargs"`
}

// Papers returns the uuids of anchor and reference papers, anchors first, without repeats.
func (e Example) Papers() []string {
	var ids []string
	for _, id := range slices.Concat(e.AnchorPDF, e.ReferencePDF) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// HasTag tells whether tag is one of the example's tags.
func (e Example) HasTag(tag string) bool { return slices.Contains(e.Tags, tag) }
