package action

import (
	"cmp"
	"slices"
	"strings"

	"airqa/qa"
)

// Grammar reads the replies of one set of tools.
type Grammar struct {
	Specs []Spec
	// Format is the format of actions; the zero value is [Python].
	Format Format
}

// Reading is the action of a reply or the error in its place, never both.
type Reading struct {
	Action *qa.Action
	Error  *qa.ParseError
	// Thought is the byte range of the thought; empty if there is none.
	Thought qa.Span
	// Kept is the number of bytes of the reply that belong to the turn: text after the action is dropped.
	Kept int
}

// last is the tool that ends an episode.
const last = "Answer"

// Read finds the action of a reply. The first call counts, whatever carries it: a label, a line of its own, a fence or native
// markup. If it is malformed, the reply is an error, whatever follows. Thinking is ignored.
//
// A call of Answer is final unless another call or a result is before or after it. Words may follow it after a label, in a
// fence or in native markup; on a line of its own, only closing marks may. If it is not final, the first later call outside of a
// result is the action.
func (g Grammar) Read(reply string) Reading {
	s := g.scan(reply)
	var c choice
	for i := range s.items {
		it := &s.items[i]
		if it.kind != callItem {
			c.note(it)
		} else if s.settles(&c, it) {
			return s.found(*it)
		}
	}
	if c.answer != nil && !c.open && !c.result && s.ends(*c.answer) {
		return s.found(*c.answer)
	}
	return s.missed(c)
}

// choice is the state of the search for the action among the items of a reply.
type choice struct {
	// answer is the last call of Answer; it is not final if open is true.
	answer *item
	open   bool
	// asked is the first action label without a call.
	asked *item
	// result is true after the mark of a result; within is true up to the next label.
	result, within bool
}

// note notes a label, or a tag around a result.
func (c *choice) note(it *item) {
	switch it.kind {
	case observationLabel, resultTag, weakLabel: // a weak one counts only after an action
		c.within = it.firm || c.asked != nil || c.answer != nil
		c.result = c.result || c.within
		return
	case actionLabel:
		c.asked = cmp.Or(c.asked, it)
	}
	c.within = false
}

// settles considers a call and reports whether it is the action of the reply.
func (s *scanner) settles(c *choice, it *item) bool {
	switch {
	case c.within && !slices.Contains([]string{labelled, inLine, native}, it.carrier), c.result && c.answer == nil:
		return false
	case it.fault != nil || it.action.Name != last:
		return true
	}
	again := c.answer != nil && c.answer.action.Text == it.action.Text
	c.open = c.open || c.answer != nil && !again || it.carrier == among || s.mayFollowResult(c.asked, it)
	c.answer = it
	return false
}

// mayFollowResult reports whether text is between the line of an action label without a call and the label of a call: the
// model may have made up a result without marks.
func (s *scanner) mayFollowResult(asked, it *item) bool {
	if asked == nil || !asked.firm {
		return false
	}
	line := lineEnd(s.reply, asked.end)
	return line < it.start && strings.TrimSpace(s.reply[line:it.start]) != ""
}

// ends reports whether nothing follows a call of Answer that may take it back.
func (s *scanner) ends(it item) bool {
	switch it.carrier {
	case bare:
		return s.blank(it.end, len(s.reply))
	case inLine:
		return s.blank(it.end, lineEnd(s.reply, it.end))
	}
	return true
}

// blank reports whether nothing but closing marks, tags without content and thinking is between two bytes.
func (s *scanner) blank(from, to int) bool {
	for from < to {
		from = pass(s.reply, from, " \t\r\n`~*_)]}.;$")
		n, hides := slices.BinarySearchFunc(s.hidden, from, func(h qa.Span, at int) int { return h.First - at })
		rest := s.reply[from:]
		t, isTag := tagAt(s.reply, from)
		switch {
		case hides && s.hidden[n].End > from:
			from = s.hidden[n].End
		case isTag && rest[0] == '<' && (t.closing || t.pipe):
			from = t.end
		case strings.HasPrefix(rest, "。"):
			from += len("。")
		case from < to:
			return false
		}
	}
	return true
}

// found is the reading of a call.
func (s *scanner) found(it item) Reading {
	r := Reading{Action: it.action, Error: it.fault, Thought: s.thought(it.start), Kept: it.kept}
	if it.fault != nil {
		r.Kept = s.keptUntil(max(it.end, it.fault.Offset), true)
	}
	return r
}

// missed is the reading of a reply without a call that may run.
func (s *scanner) missed(c choice) Reading {
	if s.refused != nil && c.answer == nil {
		return Reading{Error: s.refused.fault, Kept: s.keptUntil(s.refused.end, false)}
	}
	from := s.from
	for _, it := range []*item{c.asked, c.answer} {
		if it != nil {
			from = max(from, it.end)
		}
	}
	return Reading{Error: s.none(c, min(from, len(s.reply))), Kept: s.keptUntil(from, c.answer != nil || c.asked != nil)}
}

// keptUntil returns the end of the kept part of a reply without an action: the next label after byte at, where the model
// continued without a result. A reply that begins with an observation keeps its label.
func (s *scanner) keptUntil(at int, acted bool) int {
	for _, m := range s.marks {
		result := m.kind == observationLabel || m.kind == resultTag && m.line || m.kind == weakLabel && acted
		if m.start < at || !result && (!acted || !m.isLabel()) {
			continue
		}
		if kept := len(strings.TrimRight(s.reply[:m.start], " \t\r\n")); kept > 0 {
			return kept
		}
		return m.end
	}
	return len(s.reply)
}

// thought returns the text before the action at byte end: after the last thought label of a line, or else the first
// one, or else from the start.
func (s *scanner) thought(end int) qa.Span {
	start, labels := s.from, 0
	for _, m := range s.marks[firstFrom(s.marks, s.from):] {
		if m.start >= end {
			break
		}
		if m.kind == thoughtLabel && (m.line || labels == 0) {
			start, labels = m.end, labels+1
		}
	}
	text := withoutOpening(s.reply[start:max(start, end)])
	return proseIn(s.reply, start, start+len(text))
}

// withoutOpening removes the fence, the bold type or the quote that opens the action from the end of a thought.
func withoutOpening(text string) string {
	for _, mark := range []string{fence, "~~~"} {
		open := strings.LastIndex(text, mark)
		if open >= 0 && !strings.Contains(strings.TrimSpace(text[open:]), "\n") && strings.Count(text, mark)%2 == 1 {
			text = text[:open]
		}
	}
	text = strings.TrimRight(text, " \t\r\n")
	for _, quote := range []string{"**", "`"} {
		if strings.Count(text, quote)%2 == 1 {
			text = strings.TrimRight(strings.TrimSuffix(text, quote), " \t\r\n")
		}
	}
	return text
}
