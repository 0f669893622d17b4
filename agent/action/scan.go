package action

import (
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// The kinds of an item.
const (
	callItem   = "call"
	askedItem  = "asked" // an action label without a call
	resultItem = "result"
	labelItem  = "label" // of a thought or an action
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

// item is a part of the visible reply that decides which call is its action.
type item struct {
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

// scanner lists the items of a reply.
type scanner struct {
	Grammar
	*hider
	items []item
	// text is true if there are no calls to find, only thinking: a tag in a fence is text then.
	text bool
	// hidden are the parts that are thinking.
	hidden []qa.Span
	// head is where thinking ends that began in the prompt; from is where the text before the action begins, after the last
	// thinking.
	head, from int
	// spoke is true after the first label of the visible part.
	spoke bool
	// label is the last action label, an index of marks, as long as no text but its call may follow; otherwise -1.
	label int
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

func (g Grammar) scanner(reply string) *scanner {
	h := &hider{reply: reply, marks: marksOf(reply), mentioned: map[string]bool{}, missing: map[string]bool{}}
	h.namePlain(g.Specs)
	if g.Format == XML { // whose own tags are text until an action begins
		h.marks = slices.DeleteFunc(h.marks, func(m mark) bool { return m.kind == plainTag })
	}
	h.link()
	return &scanner{Grammar: g, hider: h, label: -1}
}

// scan lists the items of the reply in order.
func (s *scanner) scan() {
	at := 0
	for i := 0; i <= len(s.marks); i++ {
		stop := len(s.reply)
		if i < len(s.marks) {
			stop = s.marks[i].start
		}
		if stop < at {
			continue // part of the text of a call
		}
		s.calls(i, at, stop)
		if n := len(s.items); n > 0 && s.items[n-1].kind == callItem {
			at = max(at, s.items[n-1].end)
		}
		if i == len(s.marks) || stop < at {
			continue
		}
		i, at = s.mark(i)
	}
}

// mark processes mark i and returns the last mark that it covers, and where the text continues.
func (s *scanner) mark(i int) (int, int) {
	m := s.marks[i]
	spoke := s.spoke
	if m.isLabel() {
		s.spoke, s.label = true, -1
	}
	switch m.kind {
	case actionLabel:
		if s.words = false; !m.quoted {
			if s.label = i; s.line < m.end {
				s.line = lineEnd(s.reply, m.end)
			}
			s.items = append(s.items, item{kind: askedItem, start: m.start, parsed: parsed{end: m.end}, firm: m.line})
		}
	case thoughtLabel:
		s.items = append(s.items, item{kind: labelItem, start: m.start})
	case observationLabel, resultTag, weakLabel:
		firm := m.kind == observationLabel || m.kind == resultTag && (m.line || m.heads)
		s.items = append(s.items, item{kind: resultItem, start: m.start, firm: firm})
	default:
		return s.tag(i, spoke)
	}
	return i, m.end
}

// tag processes a mark that is no label: it may carry a call, or begin or end thinking.
func (s *scanner) tag(i int, spoke bool) (int, int) {
	m := s.marks[i]
	if p, ok := s.nativeAt(m); ok {
		if m.kind == hiddenChannel {
			s.from = m.start
		}
		s.add(item{kind: callItem, start: s.markup(i), parsed: p, carrier: native, kept: s.closed(p.end)})
		return i, max(p.end, m.end)
	}
	code := s.inFence && s.text && (m.opens() || strings.Count(s.reply[m.end:], fence) <= 1)
	switch {
	case code, m.kind == otherTag && !m.tag.closing && s.carries(i):
	case m.opens():
		return s.hide(i, spoke)
	case s.endsThinking(i):
		// Everything before was thinking that began in the prompt. After a result, there is still no action.
		s.items = slices.DeleteFunc(s.items, func(it item) bool { return it.kind != resultItem || !it.firm })
		s.head, s.from, s.spoke, s.label, s.called, s.refused = m.end, m.end, false, -1, false, nil
	}
	return i, m.end
}

// nativeAt reads the call in or behind a tag that names no thinking.
func (s *scanner) nativeAt(m mark) (parsed, bool) {
	if m.kind == otherTag && s.Format == JSON {
		return parsed{}, false // an object in it may be an action of the format that was asked for
	}
	opening := (m.kind == otherTag || m.kind == plainTag) && !m.tag.closing
	addressed := m.kind == hiddenChannel && strings.Contains(s.reply[m.start:m.end], "=") // to=functions.Retrieve
	if !opening && !addressed {
		return parsed{}, false
	}
	return s.native(m)
}

// carries reports whether a call follows directly behind mark i and a few more tags.
func (s *scanner) carries(i int) bool {
	for j := i + 1; j < min(len(s.marks), i+4) && strings.TrimSpace(s.reply[s.marks[j-1].end:s.marks[j].start]) == ""; j++ {
		if _, ok := s.nativeAt(s.marks[j]); ok {
			return true
		}
	}
	return false
}

// markup returns where the markup begins that mark i ends: tags with nothing between them.
func (s *scanner) markup(i int) int {
	for i > 0 && s.marks[i-1].tag.end > 0 && strings.TrimSpace(s.reply[s.marks[i-1].end:s.marks[i].start]) == "" {
		i--
	}
	return s.marks[i].start
}

// hide skips the thinking that mark i opens. A mark that opens none is text.
func (s *scanner) hide(i int, spoke bool) (int, int) {
	m := s.marks[i]
	before := strings.TrimSuffix(s.reply[:m.start], " ")
	inSentence := !m.heads && len(before) == m.start-1 && before != "" && identByte(before[len(before)-1]) &&
		strings.HasPrefix(s.reply[m.end:], " ")
	e, ok := s.block(i, spoke || inSentence)
	if !ok {
		s.mentioned[m.tag.name] = true
		return i, m.end
	}
	s.hidden = append(s.hidden, qa.Span{First: m.start, End: e.end})
	if !e.inline && !s.called {
		s.from = e.end
	}
	return e.last, e.end
}

// calls lists the calls between two bytes without a mark; i is the next mark.
func (s *scanner) calls(i, at, stop int) {
	fresh := at == 0 || i > 0 && s.marks[i-1].end == at && !s.marks[i-1].quoted || s.reply[at-1] == '\n'
	for at < stop {
		if at >= s.lineEnd {
			s.lineStart, s.lineEnd = at, lineEnd(s.reply, at)+1
		}
		start, end := at, min(s.lineEnd, stop)
		text, open := s.untilFence(at, end)
		if fresh || s.label >= 0 && at < s.line {
			if next, ok := s.call(at, at+len(text), stop); ok {
				at, fresh = next, false
				continue
			}
		}
		s.pass(text, at+len(text))
		if at, fresh = end, true; open >= 0 {
			at = s.fence(start+open+len(fence), end)
		}
	}
}

// untilFence returns the text of a line before a fence, and where the fence begins in it; -1 if there is none.
func (s *scanner) untilFence(at, end int) (string, int) {
	text := s.reply[at:end]
	open := strings.Index(text, fence)
	if open < 0 && strings.HasPrefix(strings.TrimLeft(text, " \t>"), "~~~") {
		open = strings.Index(text, "~~~")
	}
	if open >= 0 {
		text = text[:open]
	}
	return text, open
}

// pass notes text that is no call: the call of a label may follow on the next line of text, not later.
func (s *scanner) pass(text string, end int) {
	switch {
	case strings.Trim(text, " \t\r\n>*`") == "":
	case end > s.line+1:
		s.label = -1
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

// call reads the call that begins at byte at of a line, behind what may precede it, and returns its end.
func (s *scanner) call(at, end, stop int) (int, bool) {
	if s.faults > 32 { // each may run to the end of the reply; ordinary replies have one
		return at, false
	}
	carrier, i := s.carrier(at, end, stop)
	if i < 0 {
		return at, false
	}
	p := s.parse(s.reply, i, s.limit(i))
	if p.fault != nil {
		s.faults++
	}
	next := max(p.end, i+1)
	if p.blank {
		s.refused = &p
		return next, true
	}
	s.add(item{kind: callItem, start: min(i, s.callAt(at, end)), parsed: p, carrier: carrier, kept: s.kept(at, i, p.end)})
	return next, true
}

// add appends a call. The label before it is no label without a call.
func (s *scanner) add(it item) {
	if s.label >= 0 && it.carrier != bare {
		it.start = s.marks[s.label].start
	}
	if n := len(s.items); n > 0 && s.items[n-1].kind == askedItem && it.carrier != bare {
		s.items = s.items[:n-1]
	}
	s.items = append(s.items, it)
	s.called = s.called || it.fault != nil || it.action.Name != last
}

// carrier finds the call that begins on a line and its carrier; the position is -1 if there is none.
func (s *scanner) carrier(at, end, stop int) (string, int) {
	if s.inFence && s.deeper() {
		return "", -1
	}
	direct := s.label >= 0 && !s.words
	i := s.callAt(at, end)
	if direct || s.inFence {
		i = s.unwrapped(i, end, stop)
	}
	if !s.opens(s.reply, i, stop) {
		return s.otherwise(at, i, end, stop)
	}
	switch {
	case s.inFence && !direct:
		return fenced, i
	case s.label >= 0 && !direct && at <= s.line:
		return among, i
	}
	return s.behind(), i
}

// otherwise finds a call among words, or one of an action that there is not at byte i, directly behind a label.
func (s *scanner) otherwise(at, i, end, stop int) (string, int) {
	j := s.amongWords(at, end, stop)
	if j < 0 && s.label >= 0 && !s.words && s.Format.orPython() == Python && called(s.reply[i:end]) {
		return s.behind(), i
	}
	return among, j
}

// behind is the carrier of a call that no fence and no words carry.
func (s *scanner) behind() string {
	switch {
	case s.label < 0:
		return bare
	case s.marks[s.label].line:
		return labelled
	}
	return inLine
}

// wrapper is a piece of code before a call: "result = ", "print(".
var wrapper = lazyregexp.New(`^[A-Za-z_][\w.]*[ \t]*[=(][ \t]*`)

// unwrapped skips the code before a call at byte i; without a call, it skips nothing.
func (s *scanner) unwrapped(i, end, stop int) int {
	for at := i; at < end; {
		if s.opens(s.reply, at, stop) {
			return at
		}
		n := len(wrapper.FindString(s.reply[at:end]))
		if n == 0 {
			break
		}
		at += n
	}
	return i
}

// amongWords finds a call among the words on the line of an action label; it returns -1 if there is none. One in parentheses is
// only mentioned.
func (s *scanner) amongWords(at, end, stop int) int {
	if s.label < 0 {
		return -1
	}
	depth := 0
	for j := at; j < end && at < s.line; j++ {
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
	for {
		i := pass(s.reply[:end], at, " \t>*")
		if i < end && s.reply[i] == '`' && !strings.HasPrefix(s.reply[i:], fence) {
			i++
		}
		if i == at {
			return i
		}
		at = i
	}
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
		next := pass(s.reply, i, " \t\r\n)]}`")
		if next == len(s.reply) {
			return i
		}
		t, ok := tagAt(s.reply, next)
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
