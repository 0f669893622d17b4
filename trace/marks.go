package trace

import (
	"slices"

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
				list = append(list, Mark{Step: s.N, Kind: MarkRepeated, First: at[0], Wasted: spent(s)})
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

// spent is the tokens of a step's call; 0 for one from the cache.
func spent(s qa.Step) int {
	if s.Reply == nil || s.Reply.Cached {
		return 0
	}
	return s.Reply.Usage.Prompt + s.Reply.Usage.Completion
}

func tally(marks []Mark) (counts map[MarkKind]int, wasted int) {
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

// errorsOf lists the kinds of errors of an episode: parse errors, errors and empty results of tools, and the classes of
// failed requests.
func errorsOf(rec runlog.Recorded, marks map[MarkKind]int) []string {
	var list []string
	for _, s := range rec.Steps {
		if s.ParseError != nil {
			list = append(list, s.ParseError.Kind)
		}
		if s.Reply != nil {
			list = append(list, classes(s.Reply.Attempts)...)
		}
	}
	list = append(list, classes(rec.FailedAttempts)...)
	for _, kind := range []MarkKind{MarkError, MarkEmpty, MarkReply, MarkRepeated} {
		if marks[kind] > 0 {
			list = append(list, string(kind))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
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
