package action

import (
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// The carriers of a call, from the one that says most to the one that says least.
const (
	labelled = "labelled" // behind an action label that begins a line
	fenced   = "fenced"
	native   = "native" // in the markup of a model's own tool calls
	inLine   = "inLine" // behind an action label within a line
	bare     = "bare"   // on a line of its own
	among    = "among"  // among words on the line of an action label
)

// callItem is the kind of an item that is a call.
const callItem = "call"

// item is a part of the visible reply that decides which call is its action.
type item struct {
	// kind is [callItem] or the kind of a mark: a label, or a tag around a result. An action label has no call behind it.
	kind string
	// start is where the label, the markup or the call begins.
	start int
	// parsed has the call, and the end of the item.
	parsed
	carrier string
	// kept is the end of a call with the marks that close it.
	kept int
	// firm is true for the mark of a result that is one in any place, and for an action label that begins a line.
	firm bool
}

// scanner lists the items of a reply and its thinking, in one pass: a tag in a call hides nothing, and a call in thinking is none.
type scanner struct {
	Grammar
	reply string
	marks []mark
	items []item
	// hidden are the parts that are thinking; mentioned are the names of opening tags that were read as text.
	hidden    []qa.Span
	mentioned map[string]bool
	// missing are the closing phrases that do not occur any more.
	missing map[string]bool
	// head is where thinking ends that began in the prompt; from is where the text before the action begins, after the last
	// thinking.
	head, from int
	// spoke is true after the first label of the visible part.
	spoke bool
	// label is the last action label, as long as no text but its call may follow.
	label *mark
	// line is the end of its line; words is true if words follow it.
	line  int
	words bool
	// next is the label of a line after the last call, an index of marks.
	next int
	// lineStart and lineEnd delimit the current line, or the part of it behind a fence.
	lineStart, lineEnd int
	// inFence is true in a fence; indent is the indentation of its first line, or -1.
	inFence bool
	indent  int
	// called is true after a call that is no answer.
	called bool
	// refused is the last call with a placeholder.
	refused *parsed
	faults  int
}

// scan lists the items of a reply in order.
func (g Grammar) scan(reply string) *scanner {
	s := &scanner{Grammar: g, reply: reply, marks: g.marksOf(reply), mentioned: map[string]bool{}, missing: map[string]bool{}}
	for i, at := 0, 0; i < len(s.marks); i++ {
		if s.marks[i].start < at {
			continue // part of the text of a call
		}
		if at = s.calls(i, at); at <= s.marks[i].start {
			i, at = s.mark(i)
		}
	}
	return s
}

// mark processes mark i and returns the last mark that it covers, and where the text continues.
func (s *scanner) mark(i int) (int, int) {
	m := &s.marks[i]
	if m.isLabel() {
		s.spoke, s.label = true, nil
	}
	firm := m.kind == observationLabel || m.kind == resultTag && m.heads
	switch m.kind {
	case actionLabel:
		if s.words = false; m.quoted {
			return i, m.end
		}
		if s.label = m; s.line < m.end {
			s.line = lineEnd(s.reply, m.end)
		}
		firm = m.line
	case thoughtLabel, observationLabel, resultTag, weakLabel:
	default:
		return s.tag(i)
	}
	s.items = append(s.items, item{kind: m.kind, start: m.start, parsed: parsed{end: m.end}, firm: firm})
	return i, m.end
}

// tag processes a mark that is no label: it may carry a call, or begin or end thinking.
func (s *scanner) tag(i int) (int, int) {
	m := s.marks[i]
	if p, ok := s.native(m); ok {
		if m.kind == hiddenChannel {
			s.from = m.start
		}
		s.add(item{kind: callItem, start: s.markup(i), parsed: p, carrier: native, kept: s.closed(p.end)})
		return i, max(p.end, m.end)
	}
	switch {
	case s.isCode(m), m.kind == otherTag && !m.tag.closing && s.carries(i):
	case m.opens():
		return s.hide(i)
	case s.endsThinking(m):
		// Everything before was thinking that began in the prompt. After a result, there is still no action.
		s.items = slices.DeleteFunc(s.items, func(it item) bool { return !it.firm || it.kind == callItem || it.kind == actionLabel })
		s.head, s.from, s.spoke, s.label, s.called, s.refused = m.end, m.end, false, nil, false, nil
	}
	return i, m.end
}

// isCode reports whether a tag in a fence is text, because there are no tools and so no calls to find.
func (s *scanner) isCode(m mark) bool {
	return len(s.Specs) == 0 && s.inFence && (m.opens() || strings.Count(s.reply[m.end:], fence) <= 1)
}

// carries reports whether a call follows directly behind mark i and a few more tags.
func (s *scanner) carries(i int) bool {
	for j := i + 1; j < min(len(s.marks), i+4) && adjoins(s.reply, s.marks, j); j++ {
		if _, ok := s.native(s.marks[j]); ok {
			return true
		}
	}
	return false
}

// markup returns where the markup begins that mark i ends: tags with nothing between them.
func (s *scanner) markup(i int) int {
	for adjoins(s.reply, s.marks, i) && s.marks[i-1].tag.end > 0 {
		i--
	}
	return s.marks[i].start
}

// calls lists the calls between byte at and mark i and returns where the text continues.
func (s *scanner) calls(i, at int) int {
	stop := s.marks[i].start
	begins := at == 0 || i > 0 && s.marks[i-1].end == at && !s.marks[i-1].quoted || s.reply[at-1] == '\n'
	for at < stop {
		if at >= s.lineEnd {
			s.lineStart, s.lineEnd = at, lineEnd(s.reply, at)+1
		}
		end := min(s.lineEnd, stop)
		open := s.fenceIn(at, end)
		if begins || s.label != nil && at < s.line {
			if next := s.call(at, open, stop); next > at {
				at, begins = next, false
				continue
			}
		}
		s.pass(s.reply[at:open], open)
		if at, begins = end, true; open < end {
			at = s.fence(open+len(fence), end)
		}
	}
	return at
}

// fenceIn returns where a fence begins between two bytes of a line, or else the end.
func (s *scanner) fenceIn(at, end int) int {
	if n := strings.Index(s.reply[at:end], fence); n >= 0 {
		return at + n
	}
	if i := pass(s.reply[:end], at, " \t>"); strings.HasPrefix(s.reply[i:end], "~~~") {
		return i
	}
	return end
}

// pass notes text that is no call: the call of a label may follow on the next line of text, not later.
func (s *scanner) pass(text string, end int) {
	switch {
	case strings.Trim(text, " \t\r\n>*`") == "":
	case end > s.line+1:
		s.label = nil
	default:
		s.words = true
	}
}

// fence enters or leaves a fence whose mark ends at byte i, and returns where its content begins.
func (s *scanner) fence(i, end int) int {
	s.inFence = !s.inFence
	s.indent = -1
	if s.inFence { // behind the name of the language
		name := pass(s.reply[:end], i, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-")
		if name < end && strings.IndexByte(" \t\r\n{<", s.reply[name]) >= 0 {
			i = pass(s.reply[:end], name, " \t")
		}
	}
	s.lineStart = i
	return i
}

// call reads the call that begins at byte at of a line, behind what may precede it, and returns its end; at if there is none.
func (s *scanner) call(at, end, stop int) int {
	i, carrier := s.find(at, end, stop)
	if i < 0 {
		return at
	}
	p := s.parse(s.reply, i, s.limit(i))
	if p.fault != nil {
		s.faults++
	}
	if p.blank {
		s.refused = &p
	} else {
		s.add(item{kind: callItem, start: min(i, s.callAt(at, end)), parsed: p, carrier: carrier, kept: s.kept(at, i, p.end)})
	}
	return max(p.end, i+1)
}

// find finds the call of a line that begins at byte at, and its carrier; the position is -1 if there is none.
func (s *scanner) find(at, end, stop int) (int, string) {
	if s.faults > 32 || s.inFence && s.deeper() { // each fault may run to the end of the reply; ordinary replies have one
		return -1, ""
	}
	direct := s.label != nil && !s.words
	i := s.callAt(at, end)
	if direct || s.inFence {
		i = s.unwrapped(i, end, stop)
	}
	if !s.opens(s.reply, i, stop) {
		unknown := direct && s.Format.orPython() == Python && called(s.reply[i:end]) // a call of no tool
		if j := s.amongWords(at, end, stop); j >= 0 || !unknown {
			return j, among
		}
	}
	return i, s.carrier(direct, at)
}

// add appends a call. The label before it is no label without a call.
func (s *scanner) add(it item) {
	if s.label != nil && it.carrier != bare {
		it.start = s.label.start
	}
	if n := len(s.items); n > 0 && s.items[n-1].kind == actionLabel && it.carrier != bare {
		s.items = s.items[:n-1]
	}
	s.items = append(s.items, it)
	s.called = s.called || it.fault != nil || it.action.Name != last
}

// carrier is the carrier of a call at the beginning of the text at byte at; direct is true behind a label without words.
func (s *scanner) carrier(direct bool, at int) string {
	switch {
	case s.inFence && !direct:
		return fenced
	case s.label == nil:
		return bare
	case !direct && at <= s.line:
		return among
	case s.label.line:
		return labelled
	}
	return inLine
}

// wrapper is a piece of code before a call: "result = ", "print(".
var wrapper = lazyregexp.New(`^[A-Za-z_][\w.]*[ \t]*[=(][ \t]*`)

// unwrapped skips the code before a call at byte i; without a call, it skips nothing.
func (s *scanner) unwrapped(i, end, stop int) int {
	for at, n := i, 1; n > 0 && at < end; at += n {
		if s.opens(s.reply, at, stop) {
			return at
		}
		n = len(wrapper.FindString(s.reply[at:end]))
	}
	return i
}

// amongWords finds a call among the words on the line of an action label; it returns -1 if there is none. One in parentheses is
// only mentioned.
func (s *scanner) amongWords(at, end, stop int) int {
	depth := 0
	for j := at; j < end && s.label != nil && at < s.line; j++ {
		switch {
		case s.reply[j] == '(':
			depth++
		case s.reply[j] == ')':
			depth--
		case depth <= 0 && (j == 0 || !identByte(s.reply[j-1])) && s.opens(s.reply, j, stop):
			return j
		}
	}
	return -1
}

// deeper reports whether a line of a fence is indented more than its first one: it belongs to a condition or a loop.
func (s *scanner) deeper() bool {
	start := s.lineStart
	n := pass(s.reply, start, " \t>")
	if n >= len(s.reply) || s.reply[n] == '\n' || s.reply[n] == '\r' {
		return false
	}
	if s.indent < 0 {
		s.indent = n - start
	}
	return n-start > s.indent
}

// callAt skips what may precede a call: indentation, marks of quoted and bold text, single backquotes.
func (s *scanner) callAt(at, end int) int {
	for at < end && (strings.IndexByte(" \t>*", s.reply[at]) >= 0 || s.reply[at] == '`' && !strings.HasPrefix(s.reply[at:], fence)) {
		at++
	}
	return at
}

// limit returns the latest end of the action at byte i. A mapping in YAML ends by its indentation, a string with line breaks
// before the next label.
func (s *scanner) limit(i int) int {
	if s.Format == YAML {
		return yamlEnd(s.reply, i, s.marks)
	}
	for ; s.next < len(s.marks); s.next++ {
		if m := s.marks[s.next]; m.start >= i && m.isLabel() && m.line {
			return m.start
		}
	}
	return len(s.reply)
}

// kept returns the end of a call with the fence that closes it.
func (s *scanner) kept(since, at, end int) int {
	if !s.inFence && !strings.Contains(s.reply[since:at], "`") {
		return end
	}
	next := pass(s.reply, end, " \t;\r\n)")
	if after := pass(s.reply, next, "`"); after > next {
		return min(after, next+len(fence))
	}
	return end
}

// closed returns the end of the markup of a native call that ends at byte i.
func (s *scanner) closed(i int) int {
	i = pass(s.reply, i, ")]}")
	for {
		t, ok := tagAt(s.reply, pass(s.reply, i, " \t\r\n)]}`"))
		if !ok || !t.closing && !t.endsMessage() {
			return i
		}
		i = t.end
	}
}

func lineEnd(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}
