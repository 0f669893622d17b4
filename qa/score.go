package qa

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Verdict is the result of scoring an answer.
type Verdict string

// The verdicts. Unscored is not zero: the evaluator or its judge failed, and the record can be scored again.
const (
	Right       Verdict = "right"
	Wrong       Verdict = "wrong"
	Unparseable Verdict = "unparseable" // wrong, because the answer could not be parsed as the function requires
	Unscored    Verdict = "unscored"
)

// Score is the score of one episode.
type Score struct {
	UUID    string  `json:"uuid"`
	Repeat  int     `json:"repeat,omitempty"`
	Verdict Verdict `json:"verdict"`
	// FormatOnly marks a wrong or unparseable answer that would be right without its wrapping, such as quotes or
	// Markdown. Only fixed scoring sets it.
	FormatOnly bool `json:"format_only,omitempty"`
	// Value is in [0, 1]: 0 or 1 for every function of the paper.
	Value float64 `json:"score"`
	// Measures are all measures of an answer to a companion benchmark by name, in [0, 1]; one that leaves the question out is
	// absent. Match is the type of the gold answer that it matches best.
	Measures map[string]float64 `json:"measures,omitempty"`
	Match    string             `json:"match,omitempty"`
	// Func is the evaluation function; Reason explains an unparseable or unscored answer, or a wrong one that could not be
	// compared.
	Func   string `json:"eval_func"`
	Reason string `json:"reason,omitempty"`
	// Votes has the vote of each judge of a panel, in order; empty for a single judge.
	Votes []Vote `json:"votes,omitempty"`
}

// MeasureText lists the measures by name, such as "Answer-F1 0.7143; Evidence-F1 0; best match: extractive".
func (s Score) MeasureText() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s.Measures)) {
		parts = append(parts, fmt.Sprintf("%s %.4g", name, s.Measures[name]))
	}
	if s.Match != "" {
		parts = append(parts, "best match: "+s.Match)
	}
	return strings.Join(parts, "; ")
}

// panelName matches the name of a panel of judges.
var panelName = regexp.MustCompile(`^(majority|all|any)\((.*)\)$`)

// JudgeName returns the canonical name of a judge, with the members of a panel sorted: panels with the same members are
// the same judge.
func JudgeName(name string) string {
	rule, members, ok := PanelMembers(name)
	if !ok {
		return name
	}
	slices.Sort(members)
	return rule + "(" + strings.Join(members, ",") + ")"
}

// PanelMembers parses the name of a panel; ok is false for a single judge.
func PanelMembers(name string) (rule string, members []string, ok bool) {
	panel := panelName.FindStringSubmatch(name)
	if panel == nil {
		return "", nil, false
	}
	return panel[1], strings.Split(panel[2], ","), true
}

// Vote is the vote of one judge of a panel on one answer. A function that asks its judges several times (a conjunction
// of two subjective ones) has several votes per judge.
type Vote struct {
	Judge string `json:"judge"`
	Right bool   `json:"right"`
	// Failed explains why there is no verdict; Right is then meaningless.
	Failed string `json:"failed,omitempty"`
}

// ByEpisode returns pointers to scores by the name of their episode.
func ByEpisode(scores []Score) map[string]*Score {
	by := make(map[string]*Score, len(scores))
	for i, s := range scores {
		by[EpisodeID(s.UUID, s.Repeat)] = &scores[i]
	}
	return by
}

// Outcome is the way an episode ended. The list is closed.
type Outcome string

// The outcomes.
const (
	Answered        Outcome = "answered"
	TurnLimit       Outcome = "turn_limit"
	TokenLimit      Outcome = "token_limit"
	CostLimit       Outcome = "cost_limit"
	TimeLimit       Outcome = "time_limit"
	FormatErrors    Outcome = "format_errors" // the same kind of unreadable reply too often in a row
	RepeatLimit     Outcome = "repeat_limit"  // the same call too often in a row
	ContextOverflow Outcome = "context_overflow"
	EndpointError   Outcome = "endpoint_error"
	NoImages        Outcome = "no_images" // the model or its server does not accept images
	ToolFailure     Outcome = "tool_failure"
	Cancelled       Outcome = "cancelled"
)

// Failed reports whether the episode ended for a reason outside the agent's control: it says nothing about the agent's
// ability and is not scored.
func (o Outcome) Failed() bool { return o.Again() || o == NoImages }

// Again reports whether the failure may be transient, so that the episode is run again.
func (o Outcome) Again() bool { return o == EndpointError || o == ToolFailure || o == Cancelled }

// Answer is the final answer of an episode.
type Answer struct {
	// Given is false if the episode ended without an answer.
	Given bool `json:"given"`
	// Text is the answer as printed by Python's str(), which the paper's evaluators read.
	Text string `json:"text"`
	// Literal is the answer as printed by Python's repr(), which preserves its type; empty if the answer did not come
	// from an action.
	Literal string `json:"literal,omitempty"`
	// LaTeX is Text with LaTeX commands as the model wrote them, which Python would read as escapes ("\frac" begins
	// with a form feed there). It is empty if that makes no difference.
	LaTeX string `json:"latex,omitempty"`
	// Evidence has the ids of the passages that support the answer, Ranking those of documents, best first, as given:
	// unknown ones are kept.
	Evidence []string `json:"evidence,omitempty"`
	Ranking  []string `json:"ranking,omitempty"`
}
