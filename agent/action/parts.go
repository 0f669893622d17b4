package action

import (
	"cmp"
	"slices"

	"airqa/qa"
)

// The kinds of a [Part].
const (
	PartThought = "thought"
	PartAction  = "action"
	// PartHidden is thinking that is not part of the thought.
	PartHidden = "hidden reasoning"
	// PartRest is anything else, such as text after the action.
	PartRest = "rest of the reply"
)

// Part is a range of a reply.
type Part struct {
	Kind string
	qa.Span
}

// Hidden reports whether a part is thinking that is not part of the thought.
func (p Part) Hidden() bool { return p.Kind == PartHidden }

// Parts splits the reply of a step, as [Grammar.ReadStep] filled it, into parts for people, in order. Together they are the
// whole reply without whitespace between them and without the labels of its thought and its action.
func (g Grammar) Parts(step qa.Step) []Part {
	s := g.scan(step.Reply.Text)
	thought, action := step.ThoughtAt, qa.Span{}
	if a := step.Action; a != nil {
		action = qa.Span{First: a.Start, End: a.End}
	}
	begins := thought.First
	if thought.End == 0 {
		begins = action.First // the label of a thought without text
	}
	// What comes earlier in this list covers the rest of it. Labels are of no kind.
	known := []Part{{PartRest, qa.Span{}}, {PartThought, thought}, {PartAction, action}, {PartHidden, qa.Span{End: s.head}}}
	for _, h := range s.hidden {
		known = append(known, Part{PartHidden, h})
	}
	known = append(known, Part{"", s.lastLabel(thoughtLabel, 0, begins)}, Part{"", s.lastLabel(actionLabel, thought.End, action.First)})

	owners := make([]int, len(s.reply)+1) // the index in known for each byte; nothing owns the end
	owners[len(s.reply)] = -1
	for n, k := range known {
		for i := k.First; i < k.End && k.End <= len(s.reply); i++ {
			owners[i] = cmp.Or(owners[i], n)
		}
	}
	var parts []Part
	for first, i := 0, 1; i < len(owners); i++ {
		if owners[i] == owners[first] {
			continue
		}
		kind := known[owners[first]].Kind
		if span := proseIn(s.reply, first, i); span.End > 0 && kind != "" {
			parts = append(parts, Part{kind, span})
		}
		first = i
	}
	return parts
}

// lastLabel returns the last label of a kind between two bytes.
func (s *scanner) lastLabel(kind string, from, end int) qa.Span {
	for _, m := range slices.Backward(s.marks) {
		if m.kind == kind && m.start >= from && m.end <= end {
			return qa.Span{First: m.start, End: m.end}
		}
	}
	return qa.Span{}
}
