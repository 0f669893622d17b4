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
	// closing is, for each opening tag, the mark that closes it, or -1.
	closing []int
	// mentioned are the names of opening tags that were read as text.
	mentioned map[string]bool
	// missing are the closing phrases that do not occur any more.
	missing map[string]bool
}

// namePlain makes tags that are named like a tool or a parameter plain: they hide nothing. A closing tag with a plain name ends
// thinking if the attributes of a tag before it with its name said so.
func (h *hider) namePlain(specs []Spec) {
	ofTools, thinks := map[string]bool{}, map[string]bool{}
	for _, s := range specs {
		ofTools[strings.ToLower(s.Name)] = true
		for _, p := range s.Params {
			ofTools[strings.ToLower(p.Name)] = true
		}
	}
	for i, m := range h.marks {
		switch {
		case m.tag.thinks:
			thinks[m.tag.name] = true
		case m.kind == plainTag && m.tag.closing && thinks[m.tag.name]:
			h.marks[i].kind = thinkTag
		case m.kind == otherTag && ofTools[m.tag.name]:
			h.marks[i].kind = plainTag
		}
	}
}

// link finds the closing tag of each opening one. Blocks with the same name may be nested. A closing tag of thinking closes a
// block with another name of thinking if no tag follows with the name of the block.
func (h *hider) link() {
	h.closing = slices.Repeat([]int{-1}, len(h.marks))
	last, open := h.lastClosing(), map[string][]int{}
	var thoughts []int // the opening tags of thinking that nothing closed yet
	for i, m := range h.marks {
		stack := open[m.tag.name]
		switch {
		case !m.isTag():
		case !m.tag.closing:
			if len(stack) > 0 && (!m.heads || h.repeats(i)) {
				continue // a mention, or the same tag again
			}
			if open[m.tag.name] = append(stack, i); m.kind == thinkTag && last[m.tag.name] <= i {
				thoughts = append(thoughts, i)
			}
		case len(stack) > 0:
			h.closing[stack[len(stack)-1]] = i
			open[m.tag.name] = stack[:len(stack)-1]
		case m.kind == thinkTag && len(thoughts) > 0:
			h.closing[thoughts[len(thoughts)-1]] = i
			thoughts = thoughts[:len(thoughts)-1]
		}
	}
}

// lastClosing returns the last closing tag of each name.
func (h *hider) lastClosing() map[string]int {
	last := make(map[string]int)
	for i, m := range h.marks {
		if m.tag.closing {
			last[m.tag.name] = i
		}
	}
	return last
}

// repeats reports whether mark i has only space between it and the mark before.
func (h *hider) repeats(i int) bool {
	return i > 0 && h.marks[i-1].tag.name == h.marks[i].tag.name && strings.TrimSpace(h.reply[h.marks[i-1].end:h.marks[i].start]) == ""
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
	case thinkTag, otherTag:
		return h.tagged(i, spoke)
	}
	return extent{}, false
}

// phrase finds the end of a notation without tags.
func (h *hider) phrase(m mark, spoke bool) (extent, bool) {
	closing := phrases[m.phrase].close
	if !h.missing[closing] {
		if n := strings.Index(h.reply[m.end:], closing); n >= 0 {
			end := m.end + n + len(closing)
			return extent{end, firstFrom(h.marks, end) - 1, !m.heads}, true
		}
		h.missing[closing] = true
	}
	if !m.heads && spoke {
		return extent{}, false
	}
	return h.rest()
}

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

// tagged finds the end of a block. One with a name of thinking may stand anywhere, but in a sentence it must end on its line. One
// with another name must be alone.
func (h *hider) tagged(i int, spoke bool) (extent, bool) {
	m, closing := h.marks[i], h.closing[i]
	known := m.kind == thinkTag
	inline := known && !m.heads && !m.ends && spoke
	if !known && !h.alone(m) {
		return extent{}, false
	}
	if closing >= 0 {
		end := h.marks[closing].end
		return extent{end, closing, inline}, !inline || !strings.Contains(h.reply[m.end:end], "\n")
	}
	heading := m.tag.bracket && (!known || !m.tag.shout || !m.heads)
	return extent{len(h.reply), len(h.marks), false}, !heading && !inline
}

// alone reports whether a tag is alone on a line, begins the reply, or begins a sentence with the text directly behind it.
func (h *hider) alone(m mark) bool {
	glued := m.end < len(h.reply) && (identByte(h.reply[m.end]) || h.reply[m.end] >= utf8.RuneSelf)
	return m.heads && (m.ends || glued) || strings.TrimSpace(h.reply[:m.start]) == ""
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
	s := Grammar{}.scanner(reply)
	s.text = true
	s.scan()
	return s.visible()
}

// WithoutThinking returns a reply without its thinking. A tag in the text of a call is part of it.
func (g Grammar) WithoutThinking(reply string) string {
	s := g.scanner(reply)
	s.scan()
	return strings.TrimLeft(s.visible(), " \t\r\n")
}

// visible returns the text outside of thinking.
func (s *scanner) visible() string {
	var kept strings.Builder
	from := s.head
	for _, h := range s.hidden {
		if h.First >= from {
			kept.WriteString(s.reply[from:h.First])
			from = h.End
		}
	}
	kept.WriteString(s.reply[from:])
	return kept.String()
}
