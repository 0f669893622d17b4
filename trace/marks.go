package trace

import (
	"cmp"
	"fmt"

	"airqa/qa"
	"airqa/runlog"
	"airqa/trace/cause"
)

// MarkKind is the kind of a [Mark].
type MarkKind string

// The kinds of marks.
const (
	// MarkFormat: the reply has no action that can be read.
	MarkFormat MarkKind = "format"
	// MarkError: the tool answered with an error.
	MarkError MarkKind = "error"
	// MarkEmpty: the result is empty.
	MarkEmpty MarkKind = "empty"
	// MarkRepeated: the action was taken before, for the third time or more.
	MarkRepeated MarkKind = "repeated"
	// MarkCut: a part of the result was not shown.
	MarkCut MarkKind = "cut"
	// MarkLeft: the last request did not contain the result any more.
	MarkLeft MarkKind = "left_window"
	// MarkReply: the reply was cut off by the token limit for one reply.
	MarkReply MarkKind = "cut_reply"
)

// MarkKinds returns the kinds of marks in the order of lists.
func MarkKinds() []MarkKind {
	return []MarkKind{MarkFormat, MarkError, MarkEmpty, MarkRepeated, MarkCut, MarkLeft, MarkReply}
}

// Mark is something to notice about a step.
type Mark struct {
	// Step counts from 1.
	Step int      `json:"step"`
	Kind MarkKind `json:"kind"`
	// First is the first step with the same action, for MarkRepeated.
	First int `json:"first,omitempty"`
	// Wasted is the tokens of the step's call, for MarkRepeated.
	Wasted int `json:"wasted_tokens,omitempty"`
}

// StepTitle names the action of a step, or what its reply is instead of one.
func StepTitle(s qa.Step) string {
	switch {
	case s.ParseError != nil:
		return "no action"
	case s.Action == nil:
		return "reply"
	}
	return s.Action.Name
}

// StepMarks returns the marks of one step of the episode.
func (e Episode) StepMarks(step int) []Mark {
	var list []Mark
	for _, m := range e.Marks {
		if m.Step == step {
			list = append(list, m)
		}
	}
	return list
}

// markLabels describe marks in a few words.
var markLabels = map[MarkKind]string{
	MarkFormat: "no readable action", MarkError: "tool error", MarkEmpty: "empty result", MarkCut: "result cut",
	MarkLeft: "left the window", MarkReply: "reply cut off",
}

// Label describes a mark in a few words.
func (m Mark) Label() string {
	if m.Kind == MarkRepeated {
		return fmt.Sprintf("same action as step %d", m.First)
	}
	return markLabels[m.Kind]
}

// Sentence describes a mark of a step with its details.
func (m Mark) Sentence(s qa.Step) string {
	switch m.Kind {
	case MarkFormat:
		return cmp.Or("format error: "+s.ParseError.Reason, "format error")
	case MarkRepeated:
		return fmt.Sprintf("repeated: the same action as step %d; %d tokens wasted", m.First, m.Wasted)
	case MarkCut:
		return cutSentence(s.Observation.Cut)
	case MarkLeft:
		return "left the window: the last request did not contain this result"
	case MarkReply:
		return "reply cut off at the token limit"
	}
	return m.Label()
}

// cutSentence describes a cut: "cut: 2 of 5 rows shown (limit of 5000 tokens)".
func cutSentence(c *qa.Cut) string {
	total := fmt.Sprint(c.RowsTotal)
	if c.RowsTotal < 0 {
		total = "more"
	}
	text := fmt.Sprintf("cut: %d of %s rows shown", c.RowsShown, total)
	switch c.Reason {
	case "cell":
		text += ", the last one in part"
	case "rows":
		return text + " (row limit)"
	}
	return text + fmt.Sprintf(" (limit: %d tokens)", c.TokenLimit)
}

// Marks returns the marks of an episode in the order of its steps.
func Marks(rec runlog.Recorded) []Mark {
	var list []Mark
	view := cause.InView(rec)
	taken := make(map[string][]int)
	for _, s := range rec.Steps {
		add := func(on bool, kind MarkKind) {
			if on {
				list = append(list, Mark{Step: s.N, Kind: kind})
			}
		}
		add(s.ParseError != nil, MarkFormat)
		add(s.Reply != nil && s.Reply.Finish == qa.FinishLength, MarkReply)
		if s.Action != nil && s.By == qa.ByModel {
			taken[s.Action.Text] = append(taken[s.Action.Text], s.N)
			if at := taken[s.Action.Text]; len(at) >= cause.LeastRepeats {
				m := Mark{Step: s.N, Kind: MarkRepeated, First: at[0]}
				if s.Reply != nil && !s.Reply.Cached {
					m.Wasted = s.Reply.Usage.Prompt + s.Reply.Usage.Completion
				}
				list = append(list, m)
			}
		}
		if o := s.Observation; o != nil {
			add(o.Status == qa.StatusError, MarkError)
			add(o.Status == qa.StatusEmpty, MarkEmpty)
			add(o.Cut != nil, MarkCut)
			add(o.Status != qa.StatusFinal && rec.Outcome != "" && !view[s.N], MarkLeft)
		}
	}
	return list
}

// TallyMarks counts marks by kind, and the tokens of repeated steps.
func TallyMarks(marks []Mark) (counts map[MarkKind]int, wasted int) {
	if len(marks) == 0 {
		return nil, 0
	}
	counts = make(map[MarkKind]int)
	for _, m := range marks {
		counts[m.Kind]++
		wasted += m.Wasted
	}
	return counts, wasted
}

func classes(attempts []qa.Attempt) []string {
	var list []string
	for _, a := range attempts {
		if a.Error != "" {
			list = append(list, string(a.Error))
		}
	}
	return list
}
