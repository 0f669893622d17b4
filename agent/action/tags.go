package action

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pair is what opens a notation, and what closes it.
type pair struct{ open, close string }

// pairs returns the pairs of a kind in marks.txt.
func pairs(kind string) (all []pair) {
	for _, text := range lists[kind] {
		open, closing, _ := strings.Cut(strings.ReplaceAll(text, `\n`, "\n"), " … ")
		all = append(all, pair{open, closing})
	}
	return all
}

var (
	angles = pairs("tag")
	// delimiters enclose the name of a tag. A closing tag has a slash after the first. Text in brackets may also be a heading, so a
	// bracketed tag counts on weaker evidence only with its closing tag.
	delimiters = append(angles, pairs("bracket")...)
	// phrases are the notations of thinking without tags. Each begins a line or the reply, but a comment; opened and not closed, it
	// hides the rest.
	phrases = pairs("phrase")
)

// phraseAt reads a phrase, or the closing of one, at the start of a line, which head begins with; i is its place.
func phraseAt(head string, i int) (mark, bool) {
	at := pass(head, 0, " \t>*#")
	if at == len(head) || head[at] == '\n' {
		return mark{}, false
	}
	first := head[at] | 0x20
	for _, p := range phrases {
		if first != p.open[0]|0x20 && first != p.close[0]|0x20 {
			continue
		}
		if len(head) >= at+len(p.open) && strings.EqualFold(head[at:at+len(p.open)], p.open) {
			return mark{kind: phraseMark, start: i + at, end: i + at + len(p.open), tag: tag{name: p.close}, line: true}, true
		}
		if p.close[0] != '\n' && p.close != "-->" && strings.HasPrefix(head[at:], p.close) {
			end := i + at + len(p.close)
			return mark{kind: thinkTag, start: i + at, end: end, tag: tag{name: p.close, end: end, closing: true}, line: true}, true
		}
	}
	return mark{}, false
}

const (
	longestName = 64  // bytes of a tag's name
	longestTag  = 240 // bytes of a tag with its attributes, of a label, or of the head of a message
)

// tag is a tag in a reply.
type tag struct {
	// name is in lower case, without the words begin and end.
	name            string
	end             int
	closing, opened bool
	pipe, bracket   bool
	// shout is true for a name in capital or lower-case letters, unlike a heading.
	shout bool
	// thinks is true if the attributes name thinking.
	thinks bool
}

// tagMark reads a tag, a comment, or the head of a message of harmony. A tag in quotation marks is only mentioned.
func tagMark(reply string, i int) (mark, bool) {
	if m, ok := phraseAt(reply[i:min(len(reply), i+longestTag)], i); ok && m.start == i { // a comment may begin within a line
		m.line = false
		return m, true
	}
	t, ok := tagAt(reply, i)
	if !ok {
		return mark{}, false
	}
	m := mark{kind: t.kind(), start: i, end: t.end, tag: t}
	switch {
	case quotedAt(reply, i) && strings.ContainsAny(reply[t.end:min(len(reply), t.end+1)], "\"'`"):
		m.kind = ""
	case t.pipe && t.name == "channel" && !t.closing:
		return channelMark(reply, i, t.end), true
	case t.endsMessage():
		m.kind = channelEnd
	case t.opensTurn():
		speaker := reply[t.end:nameEnd(reply, t.end)]
		m.kind = observationLabel
		return m, speaker != "" && !is("speaker", strings.ToLower(speaker)) // otherwise it is the model's own turn
	}
	return m, true
}

// channelMark is the head of a message of harmony; end is where its tag ends.
func channelMark(reply string, start, end int) mark {
	name := nameEnd(reply, end)
	m := mark{kind: channelKind(reply[end:name]), start: start, end: name}
	if at := strings.Index(reply[name:min(len(reply), name+longestTag)], "<|message|>"); at >= 0 {
		m.end = name + at + len("<|message|>")
	}
	return m
}

// nameEnd returns the end of the name of a tag or a speaker at byte i.
func nameEnd(reply string, i int) int {
	end := i
	for end < len(reply) && end-i < longestName {
		r, n := utf8.DecodeRuneInString(reply[end:])
		if !unicode.IsLetter(r) && !strings.ContainsRune("_:-.▁", r) && (end == i || !unicode.IsDigit(r)) {
			break
		}
		end += n
	}
	return end
}

func is(kind, name string) bool { return slices.Contains(lists[kind], name) }

// tagAt reads the tag at byte i.
func tagAt(reply string, i int) (tag, bool) {
	for n, d := range delimiters {
		if !strings.HasPrefix(reply[i:], d.open) {
			continue
		}
		t := tag{bracket: n >= len(angles), pipe: len(d.open) > 1 && d.open[0] == '<'}
		at := pass(reply, i+len(d.open), " \t")
		if at < len(reply) && reply[at] == '/' {
			t.closing, at = true, pass(reply, at+1, " \t")
		}
		end := nameEnd(reply, at)
		if end == at && !t.pipe {
			continue
		}
		length := strings.Index(reply[end:min(len(reply), i+longestTag)], d.close)
		if length < 0 || !t.attributes(reply[end:end+length]) {
			continue
		}
		t.end = end + length + len(d.close)
		t.named(reply[at:end])
		return t, true
	}
	return tag{}, false
}

// attributes reports whether a tag may have this text after its name: nothing, one word, or pairs.
func (t *tag) attributes(text string) bool {
	if strings.ContainsAny(text, "<>\n") {
		return false
	}
	trimmed := strings.TrimSpace(text)
	if strings.HasSuffix(trimmed, "/") {
		return false // it is empty
	}
	t.thinks = partOf("think part", strings.ToLower(trimmed))
	if trimmed == "" || strings.Contains(trimmed, "=") {
		return trimmed == "" || !t.bracket
	}
	return !t.bracket && text != trimmed && len(strings.Fields(trimmed)) == 1
}

// named sets the name and what it says about the kind of the tag.
func (t *tag) named(name string) {
	lower := strings.ToLower(name)
	t.shout = name == lower || name == strings.ToUpper(name)
	if at := strings.LastIndexByte(lower, ':'); at >= 0 && is("plain", lower[at+1:]) {
		lower = lower[at+1:] // <minimax:tool_call>
	}
	var kept []string
	for _, word := range strings.FieldsFunc(lower, func(r rune) bool { return strings.ContainsRune("_:-.▁", r) }) {
		switch {
		case is("opens", word):
			t.opened = true
		case is("closes", word):
			t.closing = true
		case word != "of":
			kept = append(kept, word)
		}
	}
	t.name = strings.Join(kept, "_")
}

// partOf reports whether a text contains one of the words of a kind.
func partOf(kind, text string) bool {
	return slices.ContainsFunc(lists[kind], func(part string) bool { return strings.Contains(text, part) })
}

// kind classifies a tag by its name.
func (t *tag) kind() string {
	plain := is("plain", t.name) || t.name == ""
	list := strings.Split(t.name, "_")
	switch {
	case t.thinks, !plain && (is("think name", t.name) || partOf("think part", t.name)):
		return thinkTag
	case is("weak result", t.name) && !t.pipe:
		return weakLabel
	case plain:
		return plainTag
	case is("result name", t.name), len(list) > 1 && is("result end", list[len(list)-1]) && partOf("result source", t.name):
		if t.pipe {
			return observationLabel
		}
		return resultTag
	}
	return otherTag
}

// endsMessage reports whether the tag ends a message of harmony: <|end|>, <|return|>, <|call|>.
func (t *tag) endsMessage() bool {
	return t.pipe && (t.name == "" && t.closing || t.name == "return" || t.name == "call")
}

// opensTurn reports whether the name of a speaker may follow the tag: <|start|>, <|im_start|>, <start_of_turn>,
// <|start_header_id|>.
func (t *tag) opensTurn() bool {
	return t.opened && !t.closing && (t.name == "" && t.pipe || t.name == "im" || t.name == "turn" || strings.HasPrefix(t.name, "header"))
}
