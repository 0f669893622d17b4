package action

import (
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
	p := parts{scanner: g.scan(step.Reply.Text)}
	p.hidden = append([]qa.Span{{End: p.head}}, p.hidden...)
	known := []Part{{PartThought, step.ThoughtAt}}
	if a := step.Action; a != nil {
		known = append(known, Part{PartAction, qa.Span{First: a.Start, End: a.End}})
	}
	for _, k := range slices.DeleteFunc(known, func(k Part) bool { return k.First >= k.End }) {
		if k.First >= p.at && k.End <= len(p.reply) {
			p.until(k.First, k.Kind)
			p.add(k.Kind, k.First, k.End)
		}
	}
	p.until(len(p.reply), "")
	return p.list
}

// parts collects the parts of a reply.
type parts struct {
	*scanner
	list []Part
	at   int
}

// add adds what is visible of a range.
func (p *parts) add(kind string, first, end int) {
	if span := proseIn(p.reply, first, end); span.End > 0 {
		p.list = append(p.list, Part{kind, span})
	}
	p.at = end
}

// until adds the hidden parts and the rest before byte end, where a part of a kind begins that labels may introduce.
func (p *parts) until(end int, next string) {
	cuts := p.labels(end, next)
	for _, h := range p.hidden {
		cuts = append(cuts, Part{PartHidden, h})
	}
	slices.SortStableFunc(cuts, func(a, b Part) int { return a.First - b.First })
	for _, c := range cuts {
		first, stop := max(c.First, p.at), min(c.End, end)
		if first >= stop {
			continue
		}
		p.add(PartRest, p.at, first)
		if p.at = stop; c.Kind != "" {
			p.add(c.Kind, first, stop)
		}
	}
	p.add(PartRest, p.at, end)
}

// labels returns the labels before byte end, without a kind, that introduce a part: the last of its kind, and that of the
// thought before an action without one.
func (p *parts) labels(end int, next string) (cuts []Part) {
	wanted := map[string]bool{next: true}
	if next == PartAction && !slices.ContainsFunc(p.list, func(k Part) bool { return k.Kind == PartThought }) {
		wanted[PartThought] = true
	}
	kinds := map[string]string{actionLabel: PartAction, thoughtLabel: PartThought}
	for _, m := range slices.Backward(p.marks) {
		if kind := kinds[m.kind]; kind != "" && wanted[kind] && m.start >= p.at && m.end <= end {
			cuts = append(cuts, Part{"", qa.Span{First: m.start, End: m.end}})
			wanted[kind] = false
		}
	}
	return cuts
}
