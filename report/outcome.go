package report

import (
	"maps"
	"slices"

	"airqa/eval"
	"airqa/qa"
)

// Outcome counts the episodes of a run with one outcome.
type Outcome struct {
	Name     string `json:"outcome"`
	Episodes int    `json:"episodes"`
	// Counted reports whether such episodes count in the accuracy. Failures that are not the agent's do not.
	Counted bool `json:"counted"`
}

// Outcomes are all outcomes in table order, including questions without an episode.
type Outcomes []Outcome

// Outcomes of scoring and of questions without an episode, in addition to [qa.Outcome].
const (
	formatOnly  = "format_only"
	judgeError  = "judge_error"
	noEvaluator = "no_evaluator"
	notScored   = "not_scored"
	damaged     = "damaged"
	notRun      = "not_run"
)

// allOutcomes lists the outcomes: those that count in the accuracy, then the rest.
func allOutcomes() Outcomes {
	counted := []string{
		string(qa.Right), string(qa.Wrong), string(qa.Unparseable), formatOnly, string(qa.TurnLimit), string(qa.TokenLimit),
		string(qa.CostLimit), string(qa.TimeLimit), string(qa.FormatErrors), string(qa.RepeatLimit), string(qa.ContextOverflow),
	}
	others := []string{
		string(qa.ToolFailure), string(qa.EndpointError), string(qa.NoImages), string(qa.Cancelled),
		judgeError, noEvaluator, notScored, damaged, notRun,
	}
	var list Outcomes
	for i, name := range slices.Concat(counted, others) {
		list = append(list, Outcome{Name: name, Counted: i < len(counted)})
	}
	return list
}

func countOutcomes(questions []question) Outcomes {
	list := allOutcomes()
	for _, q := range questions {
		for _, t := range q.tries {
			name := t.outcome()
			i := slices.IndexFunc(list, func(o Outcome) bool { return o.Name == name })
			if i < 0 {
				list = append(list, Outcome{Name: name, Counted: t.scored()})
				i = len(list) - 1
			}
			list[i].Episodes++
		}
	}
	return list
}

// outcome names the end of a try: its verdict if it has an answer or no episode, otherwise the episode's outcome. Tries
// that ended after scoring have no score.
func (t try) outcome() string {
	var ended qa.Outcome
	if t.episode != nil {
		ended = t.episode.outcome
	}
	switch {
	case ended.Failed():
		return string(ended)
	case t.score == nil && t.episode != nil && t.episode.damaged:
		return damaged
	case t.score == nil && ended == "":
		return notRun
	case t.score == nil:
		return notScored
	case ended != "" && ended != qa.Answered:
		return string(ended)
	}
	return verdictOf(*t.score)
}

// verdictOf names the score of an answer.
func verdictOf(s qa.Score) string {
	switch {
	case s.Verdict == qa.Unscored && eval.NeverScored(s.Reason):
		return noEvaluator
	case s.Verdict == qa.Unscored:
		return judgeError
	case s.FormatOnly:
		return formatOnly
	}
	return string(s.Verdict)
}

// Function has the tally of one evaluation function.
type Function struct {
	Name string `json:"function"`
	Tally
}

// Tally counts how the answers to some questions were scored.
type Tally struct {
	// Right to Unscored count answers; with repeats, a question has several. FormatOnly counts wrong answers that would
	// be right without their wrapping, such as quotes or Markdown ([qa.Score]).
	Right       int `json:"right"`
	Wrong       int `json:"wrong"`
	Unparseable int `json:"unparseable"`
	FormatOnly  int `json:"format_only"`
	Unscored    int `json:"unscored"`
	// Accuracy is over questions.
	Accuracy Cell `json:"accuracy"`
}

// tallies counts answers by the keys of their questions, of which each may have several. The results are sorted by key.
func tallies[T any](o Options, questions []question, keys func(qa.Example) []string, of func(string, Tally) T) []T {
	byKey := make(map[string]*Tally)
	for _, q := range questions {
		for _, key := range keys(q.Example) {
			if byKey[key] == nil {
				byKey[key] = &Tally{}
			}
			for _, t := range q.tries {
				if t.score != nil {
					byKey[key].add(*t.score)
				}
			}
		}
	}
	list := make([]T, 0, len(byKey))
	for _, name := range slices.Sorted(maps.Keys(byKey)) {
		t := *byKey[name]
		t.Accuracy = o.cell(name, questions, func(ex qa.Example) bool { return slices.Contains(keys(ex), name) })
		list = append(list, of(name, t))
	}
	return list
}

func (t *Tally) add(s qa.Score) {
	switch {
	case s.Verdict == qa.Right:
		t.Right++
	case s.FormatOnly:
		t.FormatOnly++
	case s.Verdict == qa.Unparseable:
		t.Unparseable++
	case s.Verdict == qa.Unscored:
		t.Unscored++
	default:
		t.Wrong++
	}
}
