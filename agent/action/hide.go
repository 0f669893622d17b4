package action

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// hider finds the thinking in a reply. A block that is opened and not closed hides the rest.
type hider struct {
	reply string
	marks []mark
	// next is, for each mark, the next closing tag of the same name, and lone the next one at the start or the end of a
	// line; thinks is the next closing tag of any thinking. They are the number of marks if there is none.
	next, lone, thinks []int
	// missing are the closing phrases that do not occur any more.
	missing map[string]bool
	// mentioned are the names of opening tags that were read as text.
	mentioned map[string]bool
	// unclosed are the names of tags in brackets without an end.
	unclosed map[string]bool
	// first is where the text begins.
	first int
}

func newHider(reply string, specs []Spec) *hider {
	h := &hider{
		reply: reply, marks: marksOf(reply), first: pass(reply, 0, " \t\r\n"),
		missing: map[string]bool{}, mentioned: map[string]bool{}, unclosed: map[string]bool{},
	}
	h.dropPlain(specs)
	h.link()
	return h
}

// dropPlain removes the tags that hide nothing: those named like a tool or a parameter, and closing tags with a plain
// name. A plain one stays, and ends thinking, if the attributes of a tag before it with its name said thinking.
func (h *hider) dropPlain(specs []Spec) {
	ofTools := map[string]bool{}
	for _, s := range specs {
		ofTools[strings.ToLower(s.Name)] = true
		for _, p := range s.Params {
			ofTools[strings.ToLower(p.Name)] = true
		}
	}
	thinks := map[string]bool{}
	h.marks = slices.DeleteFunc(h.marks, func(m mark) bool {
		if m.tag.thinks {
			thinks[m.tag.name] = true
		}
		return m.kind == otherTag && ofTools[m.tag.name] || m.kind == plainTag && !thinks[m.tag.name]
	})
	for i := range h.marks {
		if h.marks[i].kind == plainTag {
			h.marks[i].kind = thinkTag
		}
	}
}

// link finds the closing tags that follow each mark. It goes backwards, so that one pass is enough.
func (h *hider) link() {
	n := len(h.marks)
	h.next, h.lone, h.thinks = make([]int, n), make([]int, n), make([]int, n)
	next, lone, last := map[string]int{}, map[string]int{}, n
	for i := n - 1; i >= 0; i-- {
		m := h.marks[i]
		if !m.isTag() {
			continue
		}
		h.next[i], h.lone[i], h.thinks[i] = orLast(next, m.tag.name, n), orLast(lone, m.tag.name, n), last
		if !m.tag.closing {
			continue
		}
		next[m.tag.name] = i
		if m.line || m.ends {
			lone[m.tag.name] = i
		}
		if m.kind == thinkTag {
			last = i
		}
	}
}

func orLast(of map[string]int, name string, otherwise int) int {
	if i, ok := of[name]; ok {
		return i
	}
	return otherwise
}

// extent is what an opening mark hides.
type extent struct {
	// end is where the visible text resumes; last is the last mark before it.
	end, last int
	// inline is true for a block within a sentence, which belongs to the text around it.
	inline bool
}

// rest hides everything.
func (h *hider) rest() (extent, bool) { return extent{len(h.reply), len(h.marks), false}, true }

// block returns what the mark at i hides; it returns false if the mark is only text. spoke is true after a label, where
// a tag within a sentence is more likely mentioned than meant.
func (h *hider) block(i int, spoke bool) (extent, bool) {
	switch m := h.marks[i]; m.kind {
	case phraseMark:
		return h.phrase(m, spoke)
	case hiddenChannel:
		return h.channel(i)
	case thinkTag:
		return h.known(i, spoke)
	case otherTag:
		return h.unknown(i)
	}
	return extent{}, false
}

// phrase finds the end of a notation without tags.
func (h *hider) phrase(m mark, spoke bool) (extent, bool) {
	closing := phrases[m.phrase].close
	if !h.missing[closing] {
		if n := strings.Index(h.reply[m.end:], closing); n >= 0 {
			end := m.end + n + len(closing)
			return extent{end, h.before(end), m.kind == phraseMark && !m.heads}, true
		}
		h.missing[closing] = true
	}
	if !m.heads && spoke {
		return extent{}, false
	}
	return h.rest()
}

// before returns the last mark that starts before a byte.
func (h *hider) before(end int) int { return firstFrom(h.marks, end) - 1 }

// channel finds the end of a message of harmony.
func (h *hider) channel(i int) (extent, bool) {
	for j := i + 1; j < len(h.marks); j++ {
		switch m := h.marks[j]; m.kind {
		case channelEnd:
			return extent{m.end, j, false}, true
		case hiddenChannel, finalChannel:
			return extent{m.start, j - 1, false}, true
		}
	}
	return h.rest()
}

// known finds the end of a block whose tag names thinking.
func (h *hider) known(i int, spoke bool) (extent, bool) {
	m := h.marks[i]
	if !m.heads && !m.ends && spoke {
		return h.inline(i)
	}
	if last, ok := h.match(i); ok {
		return extent{h.marks[last].end, last, false}, true
	}
	if m.tag.bracket && (!m.tag.shout || !m.heads) {
		return extent{}, false // a heading
	}
	return h.rest()
}

// inline finds the end of a block within a sentence: on the same line, or at the start or end of one.
func (h *hider) inline(i int) (extent, bool) {
	last := h.next[i]
	if last == len(h.marks) || strings.Contains(h.reply[h.marks[i].end:h.marks[last].start], "\n") {
		last = h.lone[i]
	}
	if last == len(h.marks) {
		return extent{}, false
	}
	return extent{h.marks[last].end, last, true}, true
}

// unknown finds the end of a block whose tag has another name: it must be alone on a line,
// begin the reply, or begin a sentence without a space behind it.
func (h *hider) unknown(i int) (extent, bool) {
	m := h.marks[i]
	glued := m.end < len(h.reply) && (identByte(h.reply[m.end]) || h.reply[m.end] >= utf8.RuneSelf) // with the text behind it
	alone := m.heads && (m.ends || glued) || m.start <= h.first
	if alone {
		if last, ok := h.match(i); ok {
			return extent{h.marks[last].end, last, false}, true
		}
		if m.tag.bracket {
			return extent{}, false
		}
		return h.rest()
	}
	if m.line && h.lone[i] < len(h.marks) {
		last := h.lone[i]
		return extent{h.marks[last].end, last, false}, true
	}
	return extent{}, false
}

// match returns the closing tag of the block that begins at mark i. Blocks inside are skipped. A tag of another name
// closes the block if none has its own name.
func (h *hider) match(i int) (int, bool) {
	if !h.mayClose(i) {
		return 0, false
	}
	m := h.marks[i]
	inner := map[string]int{}
	repeated := true // an opening tag directly after another one is the same
	for j := i + 1; j < len(h.marks); j++ {
		t := h.marks[j]
		if !t.isTag() {
			continue
		}
		own := t.tag.name == m.tag.name
		repeated = repeated && own && h.repeats(j)
		switch {
		case repeated:
		case !t.tag.closing:
			if !own || t.heads {
				inner[t.tag.name]++
			}
		case inner[t.tag.name] > 0:
			inner[t.tag.name]--
		case own, h.standsIn(i, t):
			return j, true
		}
	}
	h.unclosed[m.tag.name] = true
	return 0, false
}

// mayClose reports whether a tag that could close the block at mark i follows at all. It spares most searches, which would
// each run to the end of the reply.
func (h *hider) mayClose(i int) bool {
	m := h.marks[i]
	if m.tag.bracket && h.unclosed[m.tag.name] {
		return false
	}
	if h.next[i] < len(h.marks) {
		return true
	}
	return m.kind == thinkTag && h.thinks[i] < len(h.marks)
}

// repeats reports whether mark i is an opening tag with only space between it and the mark before.
func (h *hider) repeats(i int) bool {
	m := h.marks[i]
	return !m.tag.closing && strings.TrimSpace(h.reply[h.marks[i-1].end:m.start]) == ""
}

// standsIn reports whether a closing tag of another name closes the block at mark i: both name thinking, and no closing tag
// has the name of the block.
func (h *hider) standsIn(i int, closing mark) bool {
	return h.marks[i].kind == thinkTag && closing.kind == thinkTag && h.next[i] == len(h.marks)
}

// endsThinking reports whether the closing mark at i ends thinking whose beginning is not in the reply: templates of several
// models put the opening tag into the prompt.
func (h *hider) endsThinking(i int) bool {
	m := h.marks[i]
	switch m.kind {
	case finalChannel:
		return true
	case thinkTag:
		return m.line || m.ends || !h.mentioned[m.tag.name]
	case otherTag:
		return m.line && m.ends && !m.tag.bracket && strings.TrimSpace(h.reply[m.end:]) != ""
	}
	return false
}

// opens reports whether a mark begins something that may be thinking.
func (m mark) opens() bool {
	return m.kind == phraseMark || m.kind == hiddenChannel || m.isTag() && !m.tag.closing
}

// Visible returns the text of a reply without its thinking. A tag inside a code fence is text.
func Visible(reply string) string {
	v := visible{hider: newHider(reply, nil), after: strings.Count(reply, fence)}
	for i := 0; i < len(v.marks); i++ {
		m := v.marks[i]
		if !m.hides() || m.start < v.from {
			continue
		}
		v.countFences(m.start)
		if m.opens() {
			i = v.skip(i)
		} else {
			v.restart(i)
		}
	}
	v.kept.WriteString(reply[v.from:])
	return v.kept.String()
}

// visible collects the text of a reply outside of its thinking.
type visible struct {
	*hider
	kept strings.Builder
	// from is the start of the text that was neither kept nor dropped yet.
	from int
	// counted is where the counting of fences has come to; before and after are the fences on either side of it.
	counted, before, after int
}

// countFences counts the fences up to byte i.
func (v *visible) countFences(i int) {
	n := strings.Count(v.reply[v.counted:i], fence)
	v.before += n
	v.after -= n
	v.counted = i
}

// inFence reports whether the fences counted so far leave a code block open.
func (v *visible) inFence() bool { return v.before%2 == 1 }

// skip leaves out the block that the mark at i opens, and returns the last mark in it. A mark that opens none is text.
func (v *visible) skip(i int) int {
	if v.inFence() {
		return i
	}
	m := v.marks[i]
	e, ok := v.block(i, wordsAround(v.reply, m))
	if !ok {
		v.mentioned[m.tag.name] = true
		return i
	}
	v.kept.WriteString(v.reply[v.from:m.start])
	v.after -= strings.Count(v.reply[m.start:e.end], fence)
	v.from, v.counted = e.end, e.end
	return e.last
}

// restart drops everything before the mark at i if it ends thinking that began in the prompt. Within a sentence, the mark is
// only mentioned. Inside a code fence it is code, unless several fences follow: then the answer has a fence of its own.
func (v *visible) restart(i int) {
	m := v.marks[i]
	inSentence := !m.line && !m.ends && m.kind != finalChannel
	inCode := v.inFence() && v.after <= 1
	if inSentence || inCode || !v.endsThinking(i) {
		return
	}
	v.kept.Reset()
	v.from, v.before = m.end, 0
}

// wordsAround reports whether words of a sentence surround a mark.
func wordsAround(reply string, m mark) bool {
	before := strings.TrimRight(reply[max(0, m.start-2):m.start], " ")
	return !m.heads && m.end < len(reply) && reply[m.end] == ' ' && m.start > 0 && reply[m.start-1] == ' ' &&
		before != "" && identByte(before[len(before)-1])
}

// WithoutThinking removes the thinking at the start of a reply. A tag after the label of the action is part of a text.
func WithoutThinking(reply string) string {
	h := newHider(reply, nil)
	from := 0
	for i := 0; i < len(h.marks) && h.marks[i].kind != actionLabel; i++ {
		m := h.marks[i]
		switch {
		case m.opens():
			e, ok := h.block(i, false)
			if ok && e.last < len(h.marks) && strings.TrimSpace(reply[from:m.start]) == "" {
				from = e.end
			}
			if ok {
				i = e.last
			}
		case m.hides() && h.endsThinking(i):
			from = m.end
		}
	}
	if from == 0 {
		return reply
	}
	return strings.TrimLeft(reply[from:], " \t\r\n")
}
