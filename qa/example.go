package qa

import (
	"encoding/json"
	"slices"
	"strings"
)

// Example is one question of a benchmark in AirQA form (paper, Appendix A.1). Loaders fill UUID and Question; every
// other field may be empty. Answers to a question without an Evaluator remain unscored.
type Example struct {
	UUID         string   `json:"uuid"`
	Question     string   `json:"question"`
	AnswerFormat string   `json:"answer_format"`
	Tags         []string `json:"tags"`
	// AnchorPDF has the UUIDs of the papers that the question names.
	AnchorPDF []string `json:"anchor_pdf"`
	// ReferencePDF has the UUIDs of supporting papers, which are not shown to the agent.
	ReferencePDF []string `json:"reference_pdf"`
	// Conference is the search scope, each a lower-case venue-year such as "acl2023".
	Conference []string  `json:"conference"`
	Evaluator  Evaluator `json:"evaluator,omitzero"`
	// Kind is what an answer consists of; empty in AirQA, whose answers are values.
	Kind Kind `json:"kind,omitempty"`
	// History has the earlier messages of a dialogue, oldest first.
	History []Utterance `json:"history,omitempty"`
	// Context is a text that baselines without tools show as it is, such as the introduction of the paper; empty in AirQA.
	Context string `json:"context,omitempty"`
	// Pool has the ids of the documents to rank. Their papers are those of ReferencePDF, in the same order.
	Pool []string `json:"pool,omitempty"`
	// ReasoningSteps are the annotator's notes. They are never shown to an agent.
	ReasoningSteps []string `json:"reasoning_steps,omitempty"`
	// State reports which chat models solved the question for the annotator; released files contain it.
	State     map[string]bool `json:"state,omitempty"`
	Annotator string          `json:"annotator,omitempty"`
	// Extra has the keys that are not AirQA's own (some companion benchmarks have them), byte for byte.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// Evaluator is the function that scores an answer and its arguments (paper, Appendix A.3).
type Evaluator struct {
	Func string `json:"eval_func"`
	// Kwargs is the JSON object of arguments, kept as text because 3 and 3.0 differ for an evaluator.
	Kwargs json.RawMessage `json:"eval_kwargs"`
}

// Utterance is an earlier message of a dialogue. Assistant messages may have rationales: passages that support them.
type Utterance struct {
	Role       Role     `json:"role"`
	Text       string   `json:"text"`
	Rationales []string `json:"rationales,omitempty"`
}

// Kind is what an answer to an example consists of.
type Kind string

// The kinds of the companion benchmarks.
const (
	// WithEvidence asks for a text and the ids of the passages that support it.
	WithEvidence Kind = "qa"
	// Dialogue asks for the next message, with evidence.
	Dialogue Kind = "dialogue"
	// Rank asks for the documents of the pool, best first.
	Rank Kind = "rank"
)

// Papers returns the UUIDs of anchor and reference papers, anchors first, without duplicates.
func (e Example) Papers() []string {
	var ids []string
	for _, id := range slices.Concat(e.AnchorPDF, e.ReferencePDF) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// The families of tags (paper, Table 2). A question has one type, one evaluation and any number of elements.
var (
	TypeTags       = []string{"single", "multiple", "retrieval", "comprehensive"}
	ElementTags    = []string{"text", "table", "image", "formula", "metadata"}
	EvaluationTags = []string{"objective", "subjective"}
)

// HasTag reports whether the example has a tag.
func (e Example) HasTag(tag string) bool { return slices.Contains(e.Tags, tag) }

// HasTags reports whether the example has all tags. A tag after "!" must be absent.
func (e Example) HasTags(tags ...string) bool {
	for _, tag := range tags {
		if name, not := strings.CutPrefix(tag, "!"); e.HasTag(name) == not {
			return false
		}
	}
	return true
}
