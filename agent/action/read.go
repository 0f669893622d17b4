package action

import (
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

// maxTries limits the searches of one reply to keep the time linear. Ordinary replies need one or two.
const maxTries = 32

// reader looks for the action of one reply.
type reader struct {
	Grammar
	reply string
	marks []mark
	// closing is the next closing tag of each mark.
	closing []int
	// spoke is true after the first label of the visible part.
	spoke bool
	// from is the start of the visible part: after the last thinking block.
	from int
	// stop is the start of the first observation, or -1. No action is read after it.
	stop int
	// found is the action or the malformed call; nil before there is either.
	found *Reading
	// unlabelled is true if found had no label.
	unlabelled bool
	// past is the end of the call that was found: marks before it belong to its text.
	past int
	// asked is the end of the first action label without a call; 0 if there is none.
	asked int
	tries int
}

// Read finds the action of a reply. The first call counts: if it is malformed, the reply is an error, whatever follows.
// Thinking blocks are ignored, and so is everything after an observation, which the model must have made up.
//
// After an action label, the call may follow words or a code fence. Without a label, it must begin a line or a fence.
func (g Grammar) Read(reply string) Reading {
	r := &reader{Grammar: g, reply: reply, marks: marksOf(reply), stop: -1}
	r.closing = closings(r.marks)
	end := len(reply)
	for i := 0; i < len(r.marks); i++ {
		m := r.marks[i]
		if m.start < r.past {
			continue
		}
		next, ok := r.pass(i)
		if !ok {
			end = m.start
			break
		}
		i = next
	}
	if r.found == nil && r.stop < 0 {
		r.bare(end)
	}
	if r.found == nil {
		from := max(r.from, r.asked)
		return Reading{Error: r.none(from), Kept: r.keptUntil(from)}
	}
	if r.found.Error != nil {
		r.found.Kept = r.keptUntil(max(r.past, r.found.Error.Offset))
	}
	return *r.found
}

// pass processes mark i and returns the last mark it covers; it returns false if the rest is thinking.
func (r *reader) pass(i int) (int, bool) {
	m := r.marks[i]
	if r.nothingYet() && m.kind != thoughtLabel {
		r.bare(m.start)
		if r.past > m.start {
			return i, true // part of the text of a call
		}
	}
	r.spoke = r.spoke || m.kind != openTag && m.kind != closeTag
	switch m.kind {
	case actionLabel:
		r.labelled(i)
	case observationLabel:
		if r.stop < 0 {
			r.stop = m.start
		}
	case openTag:
		if r.found == nil {
			return r.thinking(i)
		}
	case closeTag:
		// Without a start tag, as the templates of several models add it: drop what was found before the end of thinking.
		// After an observation, there is still no action.
		r.from, r.found, r.past, r.asked, r.spoke = m.end, nil, 0, 0, false
	}
	return i, true
}

// nothingYet reports whether there has been no label and no call, so that a call without a label is allowed.
func (r *reader) nothingYet() bool { return r.found == nil && r.asked == 0 && r.stop < 0 }

// thinking skips the block opened by the tag at mark i. A tag in the middle of a thought is text.
func (r *reader) thinking(i int) (int, bool) {
	m, closing := r.marks[i], r.closing[i]
	switch {
	case m.line || !r.spoke:
		if closing == len(r.marks) {
			return i, false
		}
		r.from = r.marks[closing].end
		return closing, true
	case closing == i+1 && closing < len(r.marks) && !strings.Contains(r.reply[m.end:r.marks[closing].start], "\n"):
		return closing, true
	}
	return i, true
}

// closings returns, for each mark, the index of the next closing tag, or the number of marks if there is none.
func closings(marks []mark) []int {
	next := make([]int, len(marks))
	last := len(marks)
	for i := len(marks) - 1; i >= 0; i-- {
		next[i] = last
		if marks[i].kind == closeTag {
			last = i
		}
	}
	return next
}

// labelled reads the call after the action label at mark i. It takes precedence over one without a label.
func (r *reader) labelled(i int) {
	if r.stop >= 0 || r.found != nil && !r.unlabelled {
		return
	}
	r.found, r.past, r.unlabelled = nil, 0, false
	if r.tries > maxTries {
		return
	}
	at := r.marks[i].end
	limit := r.limit(at)
	r.tries++
	call, ok := r.after(r.reply, at, limit)
	if !ok || r.tries > maxTries {
		if r.asked == 0 {
			r.asked = at
		}
		return
	}
	r.take(call, at, limit)
	if r.found != nil {
		r.found.Thought = r.thought(r.marks[i].start)
	}
}

// bare reads a call without a label that begins a line or a code fence before limit.
func (r *reader) bare(limit int) {
	if r.tries++; r.found != nil || r.asked > 0 || r.from >= limit || r.tries > maxTries {
		return
	}
	call, ok := r.begins(r.reply, r.from, limit)
	if !ok {
		return
	}
	r.take(call, r.from, r.limit(call+1))
	if r.unlabelled = r.found != nil; r.unlabelled {
		r.found.Thought = r.thought(call)
	}
}

// limit returns the latest end of an action that begins before byte from: the next label, or a tag that begins a line.
// Other tags may be part of its text.
func (r *reader) limit(from int) int {
	i, _ := slices.BinarySearchFunc(r.marks, from, func(m mark, at int) int { return m.start - at })
	for _, m := range r.marks[i:] {
		if m.line || m.kind != openTag && m.kind != closeTag {
			return m.start
		}
	}
	return len(r.reply)
}

// take parses the call at a byte of the reply. since is the earliest start of its fence, limit the next mark.
func (r *reader) take(call, since, limit int) {
	got := r.parse(r.reply, call, limit)
	found := Reading{Action: got.action, Error: got.fault, Kept: got.end}
	if got.action != nil && strings.Contains(r.reply[since:call], "`") {
		end := pass(r.reply, got.end, " \t;\r\n")
		if after := pass(r.reply, end, "`"); after > end { // the end of the code fence
			found.Kept = min(after, end+3)
		}
	}
	r.found, r.past = &found, got.end
}

// keptUntil returns the end of the kept part of a reply without an action: the next label after byte at, where the
// model continued without a result. A reply that begins with an observation keeps its label.
func (r *reader) keptUntil(at int) int {
	for _, m := range r.marks {
		if m.start < at || m.kind != observationLabel && (r.found == nil || m.kind == openTag || m.kind == closeTag) {
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
	for _, m := range r.marks {
		if m.start >= end {
			break
		}
		if m.start >= r.from && m.kind == thoughtLabel && (m.line || labels == 0) {
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
