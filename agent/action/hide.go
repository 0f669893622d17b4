package action

import (
	"strings"
	"unicode/utf8"

	"airqa/qa"
)

// link finds the closing tag of each opening one. Blocks with the same name may be nested. A closing tag of thinking closes a
// block with another name of thinking if no tag follows with the name of the block; last is where the last one of a name is.
func link(reply string, marks []mark, last map[string]int) {
	open := make(map[string][]int)
	var thoughts []int // the opening tags of thinking that nothing closed yet
	for i, m := range marks {
		name := m.tag.name
		stack := open[name]
		switch {
		case !m.isTag():
		case !m.tag.closing:
			if len(stack) > 0 && (!m.heads || repeats(reply, marks, i)) {
				continue // a mention, or the same tag again
			}
			if open[name] = append(stack, i); m.kind == thinkTag && last[name] <= m.start {
				thoughts = append(thoughts, i)
			}
		case len(stack) > 0:
			marks[stack[len(stack)-1]].closed = m.end
			open[name] = stack[:len(stack)-1]
		case m.kind == thinkTag && len(thoughts) > 0:
			marks[thoughts[len(thoughts)-1]].closed = m.end
			thoughts = thoughts[:len(thoughts)-1]
		}
	}
}

// repeats reports whether mark i has only space between it and the same mark.
func repeats(reply string, marks []mark, i int) bool {
	return adjoins(reply, marks, i) && marks[i-1].tag.name == marks[i].tag.name
}

// hide skips the thinking that mark i opens, and returns the last mark in it and where the text continues. A mark that opens none
// is text.
func (s *scanner) hide(i int) (int, int) {
	m := s.marks[i]
	inSentence := !m.heads && m.start > 1 && s.reply[m.start-1] == ' ' && identByte(s.reply[m.start-2]) && strings.HasPrefix(s.reply[m.end:], " ")
	// After a label or in a sentence, a tag is more likely mentioned than meant.
	end, inline, ok := s.block(i, s.spoke || inSentence)
	if !ok {
		s.mentioned[m.tag.name] = true
		return i, m.end
	}
	s.hidden = append(s.hidden, qa.Span{First: m.start, End: end})
	if !inline && !s.called {
		s.from = end
	}
	return firstFrom(s.marks, end) - 1, end
}

// block returns the end of what the mark at i hides, and whether it is inline: within a sentence, and so a part of the text around
// it. A block that is opened and not closed hides the rest. It returns false if the mark is only text; it is more likely mentioned
// than meant if doubtful is true.
func (s *scanner) block(i int, doubtful bool) (end int, inline, ok bool) {
	switch m := s.marks[i]; m.kind {
	case phraseMark:
		end, ok = s.phraseEnd(m)
		return end, ok && !m.heads, ok || m.heads || !doubtful
	case hiddenChannel:
		return s.channelEnd(i), false, true
	default:
		return s.tagEnd(m, doubtful)
	}
}

// phraseEnd finds the end of a notation without tags; it returns false if nothing closes it.
func (s *scanner) phraseEnd(m mark) (int, bool) {
	closing := m.tag.name
	if !s.missing[closing] {
		if n := strings.Index(s.reply[m.end:], closing); n >= 0 {
			return m.end + n + len(closing), true
		}
		s.missing[closing] = true
	}
	return len(s.reply), false
}

// channelEnd finds the end of a message of harmony.
func (s *scanner) channelEnd(i int) int {
	for _, m := range s.marks[i+1:] {
		switch m.kind {
		case channelEnd:
			return m.end
		case hiddenChannel, finalChannel:
			return m.start
		}
	}
	return len(s.reply)
}

// tagEnd finds the end of a block. One with a name of thinking may stand anywhere, but in a sentence it must end on its line. One
// with another name must be alone.
func (s *scanner) tagEnd(m mark, doubtful bool) (end int, inline, ok bool) {
	known := m.kind == thinkTag
	inline = known && !m.heads && !m.ends && doubtful
	if !known && !s.alone(m) {
		return 0, false, false
	}
	if m.closed > 0 {
		return m.closed, inline, !inline || !strings.Contains(s.reply[m.end:m.closed], "\n")
	}
	heading := m.tag.bracket && (!known || !m.tag.shout || !m.heads)
	return len(s.reply), false, !heading && !inline
}

// alone reports whether a tag is alone on a line, begins the reply, or begins a sentence with the text directly behind it.
func (s *scanner) alone(m mark) bool {
	glued := m.end < len(s.reply) && (identByte(s.reply[m.end]) || s.reply[m.end] >= utf8.RuneSelf)
	return m.heads && (m.ends || glued) || strings.TrimSpace(s.reply[:m.start]) == ""
}

// endsThinking reports whether a closing mark ends thinking whose beginning is not in the reply: templates of several
// models put the opening tag into the prompt.
func (s *scanner) endsThinking(m mark) bool {
	switch m.kind {
	case finalChannel:
		return true
	case thinkTag:
		return m.line || m.ends || !s.mentioned[m.tag.name]
	case otherTag:
		return m.line && m.ends && !m.tag.bracket && strings.TrimSpace(s.reply[m.end:]) != ""
	}
	return false
}

// opens reports whether a mark begins something that may be thinking.
func (m mark) opens() bool {
	return m.kind == phraseMark || m.kind == hiddenChannel || m.isTag() && !m.tag.closing
}

// Visible returns the text of a reply without its thinking. A tag inside a code fence is text.
func Visible(reply string) string {
	return Grammar{}.scan(reply).visible()
}

// WithoutThinking returns a reply without its thinking. A tag in the text of a call is part of it.
func (g Grammar) WithoutThinking(reply string) string {
	return strings.TrimLeft(g.scan(reply).visible(), space)
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
