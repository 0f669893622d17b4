package action

import (
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

// maxWork limits the searches for calls without a label, in bytes for each byte of the reply.
const maxWork = 8

// maxFaults limits the malformed calls that are read: one may run to the end of the reply. Ordinary replies have one.
const maxFaults = 32

// reader looks for the action of one reply.
type reader struct {
	Grammar
	*hider
	// spoke is true after the first label of the visible part.
	spoke bool
	// from is the start of the visible part: after the last thinking block.
	from int
	// stop is the start of the first result, or -1. No action is read after it.
	stop int
	// found is the action or the malformed call; nil before there is either.
	found *Reading
	// unlabelled is true if found had no label.
	unlabelled bool
	// considered is an answer without a label that thinking follows. It counts if no other call does.
	considered *Reading
	// refused is the last call that was found where none may be, or that has a placeholder.
	refused *parsed
	// past is the end of the call that was found: marks before it belong to its text.
	past int
	// asked is the end of the first action label without a call; 0 if there is none. line is the end of its line, if it
	// begins one.
	asked, line int
	// hid is true if thinking was skipped.
	hid          bool
	work, faults int
	// opening is where the search for the next call has come to.
	opening int
	// ahead is, for each mark, whether an action label that begins a line follows before a result.
	ahead []bool
}

// Read finds the action of a reply. The first call counts: if it is malformed, the reply is an error, whatever follows.
// Thinking is ignored, and so is everything after a result, which the model must have made up.
//
// After an action label, the call may follow words or a code fence. Without a label, it must begin a line or a fence. The
// call that ends the episode always must, and it must not be quoted, negated or part of a sentence.
func (g Grammar) Read(reply string) Reading {
	r := &reader{Grammar: g, hider: newHider(reply, g.Specs), stop: -1}
	r.ahead = labelsAhead(r.marks)
	end := r.scan()
	if r.found == nil && r.stop < 0 {
		r.bare(end)
	}
	if r.found == nil && r.asked == 0 {
		r.found = r.considered
	}
	if r.found == nil {
		return r.missed()
	}
	if r.found.Error != nil {
		r.found.Kept = r.keptUntil(max(r.past, r.found.Error.Offset))
	}
	return *r.found
}

// labelsAhead returns, for each mark and for the end, whether an action label that begins a line follows before a result.
func labelsAhead(marks []mark) []bool {
	ahead := make([]bool, len(marks)+1)
	for i := len(marks) - 1; i >= 0; i-- {
		ahead[i] = ahead[i+1]
		switch m := marks[i]; {
		case m.kind == observationLabel:
			ahead[i] = false
		case m.kind == actionLabel && m.line:
			ahead[i] = true
		}
	}
	return ahead
}

// scan processes the marks in order. It returns where the reply ends, or where thinking begins that runs to its end.
func (r *reader) scan() int {
	for i := 0; i < len(r.marks); i++ {
		if r.marks[i].start < r.past {
			continue
		}
		next, ok := r.pass(i)
		if !ok {
			return r.marks[i].start
		}
		i = next
	}
	return len(r.reply)
}

// missed is the reading of a reply without a call that may run.
func (r *reader) missed() Reading {
	from := max(r.from, r.asked)
	if r.refused != nil && r.refused.fault != nil {
		return Reading{Error: r.refused.fault, Kept: r.keptUntil(r.refused.end)}
	}
	return Reading{Error: r.none(min(from, len(r.reply))), Kept: r.keptUntil(from)}
}

// pass processes mark i and returns the last mark it covers; it returns false if the rest is thinking.
func (r *reader) pass(i int) (int, bool) {
	m := r.marks[i]
	if r.nothingYet() && m.kind != thoughtLabel && m.kind != channelEnd {
		r.bare(m.start)
		if r.past > m.start {
			return i, true // part of the text of a call
		}
	}
	r.spoke = r.spoke || m.isLabel()
	switch m.kind {
	case actionLabel:
		r.labelled(i)
	case observationLabel, resultTag:
		r.halt(m)
	case weakLabel:
		r.halt(m)
		r.consider()
	default:
		return r.thinking(i)
	}
	return i, true
}

// halt notes the first result. A tag within a sentence and a weak label are one only after an action label.
func (r *reader) halt(m mark) {
	heading := m.kind == resultTag && (m.line || m.heads)
	result := m.kind == observationLabel || heading || r.asked > 0
	if result && r.stop < 0 {
		r.stop = m.start
	}
}

// consider puts an answer without a label aside, because more follows.
func (r *reader) consider() {
	if r.found != nil && r.unlabelled && r.found.Action != nil && r.found.Action.Name == last {
		r.considered, r.found = r.found, nil
		r.from = r.past
	}
}

// nothingYet reports whether there has been no label and no call, so that a call without a label is allowed.
func (r *reader) nothingYet() bool { return r.found == nil && r.asked == 0 && r.stop < 0 }

// thinking skips what the mark at i hides. What came before a closing tag without an opening one is thinking too; after
// a result, there is still no action.
func (r *reader) thinking(i int) (int, bool) {
	m := r.marks[i]
	if m.opens() {
		e, ok := r.block(i, r.spoke)
		if !ok {
			r.mentioned[m.tag.name] = true
			return i, true
		}
		r.hid = true
		r.consider()
		if e.last == len(r.marks) {
			return i, false
		}
		if r.found == nil && !e.inline {
			r.from = e.end
		}
		return e.last, true
	}
	if r.endsThinking(i) {
		r.from, r.found, r.considered, r.refused, r.past, r.asked, r.line, r.spoke = m.end, nil, nil, nil, 0, 0, 0, false
	}
	return i, true
}

// labelled reads the call after the action label at mark i. It takes precedence over one without a label.
func (r *reader) labelled(i int) {
	m := r.marks[i]
	if r.stop >= 0 || r.found != nil && !r.unlabelled || m.quoted && r.ahead[i+1] {
		return
	}
	r.found, r.considered, r.past, r.unlabelled = nil, nil, 0, false
	limit := r.limit(m.end)
	c, ok := r.after(r.reply, m.end, limit)
	if ok && !r.tired() && r.take(c, m.end, r.end(c.at, limit), func(p parsed) bool { return r.stands(i, c, p) }) {
		r.found.Thought = r.thought(m.start)
		return
	}
	if r.asked == 0 {
		r.asked = m.end
		if m.line {
			r.line = lineEnd(r.reply, m.end)
		}
	}
}

// bare reads a call without a label that begins a line or a code fence before limit.
func (r *reader) bare(limit int) {
	if !r.opensBefore(limit) {
		return
	}
	from := r.from
	for r.found == nil && r.asked == 0 && from < limit && !r.tired() {
		r.work += limit - from
		at, ok := r.begins(r.reply, from, limit)
		if !ok {
			return
		}
		if r.take(candidate{at: at}, r.from, r.end(at, r.limit(at+1)), func(p parsed) bool { return r.alone(at, p) }) {
			r.unlabelled = true
			r.prefer(limit)
			r.found.Thought = r.thought(at)
			return
		}
		from = max(at+1, r.refused.end)
	}
}

// opensBefore reports whether anything like a call begins between the start of the visible part and limit.
func (r *reader) opensBefore(limit int) bool {
	if r.opening < r.from {
		r.opening = r.from
	}
	for r.opening < limit && !r.opens(r.reply, r.opening, len(r.reply)) {
		r.opening++
	}
	return r.opening < limit
}

// tired reports whether the reply has cost too much.
func (r *reader) tired() bool { return r.work > maxWork*len(r.reply) || r.faults > maxFaults }

// prefer replaces an answer without a label by another call that follows it: the answer was only considered.
func (r *reader) prefer(limit int) {
	if r.found.Action == nil || r.found.Action.Name != last || r.past >= limit {
		return
	}
	r.work += limit - r.past
	at, ok := r.begins(r.reply, r.past, limit)
	if !ok {
		return
	}
	if got := r.parse(r.reply, at, r.end(at, r.limit(at+1))); got.action != nil && got.action.Name != last {
		r.take(candidate{at: at}, r.past, r.end(at, r.limit(at+1)), func(parsed) bool { return true })
	}
}

// limit returns where the search for an action after byte from ends: the next label, or a tag that begins a line. Other
// tags may be part of its text.
func (r *reader) limit(from int) int {
	for _, m := range r.marks[firstFrom(r.marks, from):] {
		heading := m.kind == otherTag && m.tag.bracket
		if m.isLabel() || m.line && !heading {
			return m.start
		}
	}
	return len(r.reply)
}

// end returns the latest end of the action at byte i. A mapping in YAML ends by its indentation.
func (r *reader) end(i, limit int) int {
	if r.Format != YAML {
		return limit
	}
	return yamlEnd(r.reply, i, r.marks)
}

// take parses a call and reports whether it may run there. since is the earliest start of its fence, limit its latest
// end.
func (r *reader) take(c candidate, since, limit int, fits func(parsed) bool) bool {
	got := r.parse(r.reply, c.at, limit)
	r.work += max(0, got.end-c.at)
	if got.fault != nil {
		r.faults++
	}
	if got.blank || got.action != nil && !fits(got) {
		r.refused, r.past = &got, max(r.past, got.end)
		return false
	}
	call := c.at
	found := Reading{Action: got.action, Error: got.fault, Kept: got.end}
	if got.action != nil && strings.Contains(r.reply[since:call], "`") {
		end := pass(r.reply, got.end, " \t;\r\n")
		if after := pass(r.reply, end, "`"); after > end { // the end of the code fence
			found.Kept = min(after, end+3)
		}
	}
	r.found, r.past = &found, got.end
	return true
}

// keptUntil returns the end of the kept part of a reply without an action: the next label after byte at, where the
// model continued without a result. A reply that begins with an observation keeps its label.
func (r *reader) keptUntil(at int) int {
	for _, m := range r.marks {
		result := m.kind == observationLabel || m.kind == resultTag && m.line || m.kind == weakLabel && (r.found != nil || r.asked > 0)
		if m.start < at || !result && (r.found == nil || !m.isLabel()) {
			continue
		}
		if kept := len(strings.TrimRight(r.reply[:m.start], " \t\r\n")); kept > 0 {
			return kept
		}
		return m.end
	}
	return len(r.reply)
}

// thought returns the text before the action at byte end: after the last thought label of a line, or else the first
// one, or else from the start.
func (r *reader) thought(end int) qa.Span {
	start, labels := r.from, 0
	for _, m := range r.marks[firstFrom(r.marks, r.from):] {
		if m.start >= end {
			break
		}
		if m.kind == thoughtLabel && (m.line || labels == 0) {
			start, labels = m.end, labels+1
		}
	}
	text := withoutOpening(r.reply[start:end])
	first := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	if first >= len(text) {
		return qa.Span{}
	}
	return qa.Span{First: start + first, End: start + len(text)}
}

// withoutOpening removes the fence, the bold type or the quote that opens the action from the end of a thought.
func withoutOpening(text string) string {
	fence := strings.LastIndex(text, "```")
	if fence >= 0 && !strings.Contains(strings.TrimSpace(text[fence:]), "\n") && strings.Count(text, "```")%2 == 1 {
		text = text[:fence]
	}
	text = strings.TrimRight(text, " \t\r\n")
	for _, quote := range []string{"**", "`"} {
		if strings.Count(text, quote)%2 == 1 {
			text = strings.TrimRight(strings.TrimSuffix(text, quote), " \t\r\n")
		}
	}
	return text
}
