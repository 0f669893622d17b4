package qa

import (
	"regexp"
	"slices"
	"strings"
)

// Verdict tells what scoring made of an answer.
type Verdict string

// The verdicts. Unscored is no zero: the evaluator or its judge failed, and the record can be scored again.
const (
	Right       Verdict = "right"
	Wrong       Verdict = "wrong"
	Unparseable Verdict = "unparseable" // wrong, because the answer could not be read as the function needs it
	Unscored    Verdict = "unscored"
)

// Score is the result of scoring one episode.
type Score struct {
	UUID    string  `json:"uuid"`
	Repeat  int     `json:"repeat,omitempty"`
	Verdict Verdict `json:"verdict"`
	// FormatOnly marks a wrong or unparseable answer that would be right without its wrapping, such as quotes or Markdown.
	// Only fixed scoring sets it.
	FormatOnly bool `json:"format_only,omitempty"`
	// Value is in [0, 1]: 0 or 1 for every function of the paper.
	Value float64 `json:"score"`
	// Func is the evaluation function; Reason says why a record is unscored or unparseable.
	Func   string `json:"eval_func"`
	Reason string `json:"reason,omitempty"`
	// Votes are what each judge of a panel said, in the order of the panel; empty for a single judge.
	Votes []Vote `json:"votes,omitempty"`
}

// panelName is the name of a panel of judges.
var panelName = regexp.MustCompile(`^(majority|all|any)\((.*)\)$`)

// JudgeName returns the name of a judge with the members of a panel in order: panels of the same members are the same judge.
func JudgeName(name string) string {
	rule, members, ok := PanelMembers(name)
	if !ok {
		return name
	}
	slices.Sort(members)
	return rule + "(" + strings.Join(members, ",") + ")"
}

// PanelMembers takes the name of a panel apart; ok is false for the name of a single judge.
func PanelMembers(name string) (rule string, members []string, ok bool) {
	panel := panelName.FindStringSubmatch(name)
	if panel == nil {
		return "", nil, false
	}
	return panel[1], strings.Split(panel[2], ","), true
}

// Vote is what one judge of a panel said of one answer. Where a function asks its judges several times (a conjunction of
// two subjective ones), there is a vote for each.
type Vote struct {
	Judge string `json:"judge"`
	Right bool   `json:"right"`
	// Failed says why there is no verdict; Right means nothing then.
	Failed string `json:"failed,omitempty"`
}
