package action

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/internal/lazyregexp"
)

// The kinds of a mark.
const (
	thoughtLabel     = "thought"
	actionLabel      = "action"
	observationLabel = "observation" // also the label of another speaker
	weakLabel        = "result"      // a result if it follows an action, otherwise a heading of the model's own
	thinkTag         = "think"       // a tag with a name of thinking
	otherTag         = "other"       // a tag with an unknown name
	resultTag        = "resultTag"
	plainTag         = "plain" // a tag around what the model says or does
	phraseMark       = "phrase"
	hiddenChannel    = "channel" // of harmony, the format of gpt-oss
	finalChannel     = "final"
	channelEnd       = "channelEnd"
)

// mark is a label, a tag or a phrase in a reply that separates thinking, actions and results.
type mark struct {
	kind       string
	start, end int
	// line is true at the start of a line, where decoration such as "### " or "**" belongs to the mark.
	line bool
	// heads is true at the start of a line, of a sentence, or behind another mark; ends is true at the end of a line.
	heads, ends bool
	// quoted is true directly behind a quotation mark or a backtick.
	quoted bool
	// tag is the tag; its end is 0 for other marks. The name of a phrase is the one that closes it.
	tag tag
	// closed is the end of the closing tag of an opening one, or 0 if there is none.
	closed int
}

// isLabel reports whether a mark is a label.
func (m mark) isLabel() bool {
	return m.kind == thoughtLabel || m.kind == actionLabel || m.kind == observationLabel || m.kind == weakLabel && m.tag.end == 0
}

// isTag reports whether a mark is a tag that encloses thinking or may do so.
func (m mark) isTag() bool { return m.kind == thinkTag || m.kind == otherTag }

//go:embed marks.txt
var marksText string

// lists has the words of marks.txt by kind.
var lists = func() map[string][]string {
	all := make(map[string][]string)
	for line := range strings.Lines(marksText) {
		if kind, list, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && line[0] != '#' {
			all[kind] = strings.Split(list, ", ")
		}
	}
	return all
}()

// labelKinds has the kind of each word of a label.
var labelKinds = func() map[string]string {
	kinds := make(map[string]string)
	for _, kind := range []string{weakLabel, observationLabel, actionLabel, thoughtLabel} {
		for _, word := range lists[kind] {
			kinds[word] = kind
		}
	}
	return kinds
}()

var (
	// closedBracket matches a closing tag in brackets, such as [/THINK].
	closedBracket = lazyregexp.New(`[\[【]/([\p{L}_:.▁-]+)`)
	// harmony matches what is left of the head of a message of harmony when a server removes the special tokens.
	harmony = lazyregexp.New(`^assistant(final|analysis|commentary)`)
	// harmonyStart is such a head at the start of a reply.
	harmonyStart = lazyregexp.New(`^\s*(analysis|commentary)(?:[^ \t:,.;)]|$)`)
)

// marksOf finds the marks of a reply that count in a grammar, and an empty one at its end. Tags that are named like a tool or a
// parameter hide nothing. A closing tag with a plain name ends thinking if the attributes of a tag before it with its name said so.
func (g Grammar) marksOf(reply string) []mark {
	ofTools, thinks, last := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, s := range g.Specs {
		ofTools[strings.ToLower(s.Name)] = true
		for _, p := range s.Params {
			ofTools[strings.ToLower(p.Name)] = true
		}
	}
	marks := findMarks(reply)
	for i, m := range marks {
		if m.tag.closing {
			last[m.tag.name] = m.start
		}
		switch {
		case m.tag.thinks:
			thinks[m.tag.name] = true
		case m.kind == plainTag && m.tag.closing && thinks[m.tag.name]:
			marks[i].kind = thinkTag
		case m.kind == otherTag && ofTools[m.tag.name]:
			marks[i].kind = plainTag
		}
	}
	if g.Format == XML { // whose own tags are text until an action begins
		marks = slices.DeleteFunc(marks, func(m mark) bool { return m.kind == plainTag })
	}
	link(reply, marks, last)
	return append(marks, mark{start: len(reply), end: len(reply)})
}

// findMarks finds the marks of a reply in order. Labels in brackets count anywhere, bare ones only at the start of a line, because
// "action:" is also an ordinary phrase. It reads every byte once: replies may have megabytes.
func findMarks(reply string) []mark {
	var found []mark
	i := 0
	if m := harmonyStart.FindStringSubmatchIndex(reply[:min(len(reply), longestTag)]); m != nil {
		found, i = append(found, mark{kind: hiddenChannel, start: m[2], end: m[3], line: true, heads: true}), m[3]
	}
	closed := make(map[string]bool)
	if strings.Contains(reply, "[/") || strings.Contains(reply, "【/") {
		for _, m := range closedBracket.FindAllStringSubmatch(reply, -1) {
			closed[strings.ToLower(m[1])] = true
		}
	}
	for i < len(reply) {
		if !mayBegin(reply, i) {
			i++
			continue
		}
		m, ok := markAt(reply, i, closed)
		if i = max(i+1, m.end); ok && m.kind != "" { // without a kind, it is only mentioned
			m.place(reply, found)
			found = append(found, m)
		}
	}
	return found
}

// mayBegin reports quickly whether a mark may begin at byte i: at the start of a line, or with the first byte of a delimiter.
func mayBegin(reply string, i int) bool {
	switch reply[i] {
	case '<', '{', '[', '\\', 0xE3, 0xEF, 0xE2, 0xC2:
		return true
	case 'a':
		if strings.HasPrefix(reply[i:], "assistant") {
			return true
		}
	}
	return i == 0 || reply[i-1] == '\n'
}

// markAt reads the mark at byte i. closed has the names of closing tags in brackets.
func markAt(reply string, i int, closed map[string]bool) (mark, bool) {
	head := reply[i:min(len(reply), i+longestTag)]
	if head[0] != '\n' && (i == 0 || reply[i-1] == '\n') {
		if m, ok := lineMark(head, i); ok {
			return m, true
		}
	}
	switch head[0] {
	case '[', '\\', 0xE3, 0xEF: // the first bytes of 【 and ［
		if m, ok := bracketMark(reply, i, head, closed); ok {
			return m, true
		}
	case '<', '{', 0xE2, 0xC2: // the first bytes of ◁ and «
	case 'a':
		m := harmony.FindStringSubmatch(head)
		if m == nil {
			return mark{}, false
		}
		return mark{kind: channelKind(m[1]), start: i, end: i + len(m[0])}, true
	default:
		return mark{}, false
	}
	return tagMark(reply, i)
}

// lineMark reads a phrase or a label without brackets at the start of a line, which head begins with; i is its place. A label has
// a colon, as in "**Action:**" and "2. Action: ", or else it is bold or a heading: "**Action**", "### Action 2".
func lineMark(head string, i int) (mark, bool) {
	if m, ok := phraseAt(head, i); ok {
		return m, true
	}
	from := pass(head, 0, " \t>*#_-") // decoration
	at := from
	if digits := pass(head, at, "0123456789"); digits > at && strings.IndexAny(head[digits:], ".)") == 0 {
		at = pass(head, digits+1, " \t*")
	}
	kind, _, end := labelAt(head, at)
	if kind == "" {
		return mark{}, false
	}
	marks := pass(head, end, "*_")
	colon := afterColon(head, pass(head, marks, " \t"))
	switch {
	case colon > 0:
		end = colon
	case at > from:
		return mark{}, false
	case marks > end && strings.Contains(head[:from], "*"):
		end = marks
	case restBlank(head, marks) && strings.Contains(head[:from], "#"):
		end = pass(head, marks, " \t\r")
	default:
		return mark{}, false
	}
	return mark{kind: kind, start: i, end: i + end, line: true}, true
}

// labelAt reads the one or two words of a label at byte i, whose kind is empty if there is none, and its number, as in "Action 2".
func labelAt(text string, i int) (kind, name string, end int) {
	end = letters(text, i)
	if more := min(end+1, len(text)); end > i && more > end && text[end] == ' ' && letters(text, more) > more {
		end = letters(text, more)
	}
	name = strings.ToLower(text[i:end])
	if number := pass(text, end, " \t#"); pass(text, number, "0123456789") > number {
		end = pass(text, number, "0123456789")
	}
	return labelKinds[name], name, end
}

// letters returns the end of the letters at byte i.
func letters(text string, i int) int {
	return len(text) - len(strings.TrimLeftFunc(text[i:], unicode.IsLetter))
}

// afterColon returns the end of the colon at byte i and the decoration behind it, or 0 if there is none.
func afterColon(text string, i int) int {
	for _, colon := range []string{":", "："} {
		if strings.HasPrefix(text[i:], colon) {
			return pass(text, i+len(colon), "*_")
		}
	}
	return 0
}

// bracketMark reads a label in brackets: "[Action]:", "[Action 2]", "\[Action\]:" and "【行动】".
func bracketMark(reply string, i int, head string, closed map[string]bool) (mark, bool) {
	at := pass(head, 0, "\\")
	open, n := utf8.DecodeRuneInString(head[at:])
	kind, name, end := labelAt(head, at+n)
	if !strings.ContainsRune("[【［", open) || kind == "" {
		return mark{}, false
	}
	at = pass(head, end, "\\")
	closing, n := utf8.DecodeRuneInString(head[at:])
	if !strings.ContainsRune("]】］", closing) {
		return mark{}, false
	}
	end = pass(head, at+n, "*")
	if colon := afterColon(head, pass(head, end, " \t")); colon > 0 {
		return mark{kind: kind, start: i, end: i + colon}, true
	}
	mentioned := kind == observationLabel || kind == weakLabel // thoughts mention "the [Observation] above"
	if name == "think" || kind == thoughtLabel && closed[name] || mentioned && inSentence(reply, i, i+end) {
		return mark{}, false // or Magistral's [THINK]
	}
	return mark{kind: kind, start: i, end: i + end}, true
}

// channelKind is the kind of a channel of harmony.
func channelKind(name string) string {
	if strings.EqualFold(name, "final") {
		return finalChannel
	}
	return hiddenChannel
}

// place sets what a mark's surroundings say about it.
func (m *mark) place(reply string, found []mark) {
	last := 0
	if len(found) > 0 {
		last = found[len(found)-1].end
	}
	from := max(last, m.start-longestTag)
	line := from + strings.LastIndexByte(reply[from:m.start], '\n') + 1
	behind := line == last && last > 0 && reply[last-1] != '\n' // another mark on the line
	if !m.line && !behind && strings.TrimLeft(reply[line:m.start], " \t>*#") == "" {
		m.start, m.line = line, true
	}
	gap := strings.TrimRight(reply[from:m.start], " \t\r\n*_+•-")
	end, _ := utf8.DecodeLastRuneInString(gap)
	m.heads = m.line || gap == "" || strings.ContainsRune(".!?…。！？>", end)
	m.ends = restBlank(reply, pass(reply, m.end, " \t*_:"))
	m.quoted = quotedAt(reply, m.start)
}

// quotedAt reports whether a quotation mark, a parenthesis or the mark of struck text is directly before byte i.
func quotedAt(reply string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(reply[:i])
	return i > 0 && strings.ContainsRune("\"'`~(“‘„「『", before)
}

// inSentence reports whether text stands both before and after a label on its line. Decoration such as "### " is no text.
func inSentence(reply string, start, end int) bool {
	before := strings.TrimLeft(reply[max(0, start-8):start], " \t>*#")
	beginsLine := before == "" || strings.HasSuffix(before, "\n")
	return !beginsLine && !restBlank(reply, end)
}

// adjoins reports whether there is only space between mark i and the mark before it.
func adjoins(reply string, marks []mark, i int) bool {
	return i > 0 && strings.TrimSpace(reply[marks[i-1].end:marks[i].start]) == ""
}

// firstFrom returns the index of the first mark that starts at byte i or later; it is the number of marks if none does.
func firstFrom(marks []mark, i int) int {
	first, _ := slices.BinarySearchFunc(marks, i, func(m mark, at int) int { return m.start - at })
	return first
}

// pass returns the index of the first byte from i on that is not in set.
func pass(s string, i int, set string) int {
	for i < len(s) && strings.IndexByte(set, s[i]) >= 0 {
		i++
	}
	return i
}

const space = " \t\r\n"

func restBlank(s string, i int) bool {
	i = pass(s, i, " \t\r")
	return i >= len(s) || s[i] == '\n'
}
