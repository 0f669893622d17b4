package action

import (
	_ "embed"
	"slices"
	"strings"
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
	// tag is the tag; its end is 0 for other marks.
	tag tag
	// phrase is the index in phrases.
	phrase int
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

// labelPattern matches the one or two words of a label and its number.
const labelPattern = `(\pL+(?: \pL+)?)(?:[ \t#]*\d+)?`

var (
	// lineLabel matches "Action:", "**Action:**", "2. Action: " at the start of a line, and without a colon "**Action**" and
	// "### Action 2".
	lineLabel = lazyregexp.New(`(?im)\A(?:[ \t>*#_-]*(?:\d+[.)][ \t*]*)?` + labelPattern + `[*_]*[ \t]*[:：][*_]*` +
		`|[ \t>#_-]*\*[ \t>*#_-]*` + labelPattern + `[*_]+|[ \t>*_-]*#[ \t>*#_-]*` + labelPattern + `[*_]*[ \t]*\r?$)`)
	// bracketLabel matches "[Action]:", "[Action 2]", "\[Action\]:" and "【行动】".
	bracketLabel = lazyregexp.New(`^(?i)(?:\\\[|\[|【|［)` + labelPattern + `(?:\\\]|\]|】|］)\**(?:[ \t]*[:：][*_]*)?`)
	// closedBracket matches a closing tag in brackets, such as [/THINK].
	closedBracket = lazyregexp.New(`[\[【]/([\p{L}_:.▁-]+)`)
	// harmony matches what is left of the head of a message of harmony when a server removes the special tokens.
	harmony = lazyregexp.New(`^assistant(final|analysis|commentary)`)
	// harmonyStart is such a head at the start of a reply.
	harmonyStart = lazyregexp.New(`^\s*(analysis|commentary)(?:[^ \t:,.;)]|$)`)
)

// marksOf finds the marks of a reply in order. Labels in brackets count anywhere, bare ones only at the start of a line, because
// "action:" is also an ordinary phrase. It reads every byte once: replies may have megabytes.
func marksOf(reply string) []mark {
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
		m, ok := markAt(reply, i, closed)
		if !ok {
			i++
			continue
		}
		if i = m.end; m.kind == "" {
			continue // only mentioned
		}
		m.place(reply, found)
		found = append(found, m)
	}
	return found
}

// markAt reads the mark at byte i. closed has the names of closing tags in brackets.
func markAt(reply string, i int, closed map[string]bool) (mark, bool) {
	head := reply[i:min(len(reply), i+longestTag)]
	if i == 0 || reply[i-1] == '\n' {
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
		if !strings.HasPrefix(head, "assistant") {
			return mark{}, false
		}
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

// startsLabel has the ASCII letters with which the words of labels and phrases begin.
var startsLabel = func() (set [utf8.RuneSelf]bool) {
	add := func(c byte) {
		if c < utf8.RuneSelf && c != '\n' {
			set[c] = true
		}
	}
	for word := range labelKinds {
		add(word[0])
		add(strings.ToUpper(word)[0])
	}
	for _, p := range phrases {
		add(p.open[0])
		add(strings.ToLower(p.open)[0])
		add(p.close[0])
	}
	return set
}()

func mayStart(c byte) bool { return c >= utf8.RuneSelf || startsLabel[c] }

// lineMark reads a phrase or a label without brackets at the start of a line, which head begins with; i is its place.
func lineMark(head string, i int) (mark, bool) {
	at := pass(head, 0, " \t>*#_-")
	if digits := pass(head, at, "0123456789"); digits > at {
		at = pass(head, digits, ".) \t*")
	}
	if at == len(head) || !mayStart(head[at]) {
		return mark{}, false
	}
	if m, ok := phraseAt(head, i); ok {
		return m, true
	}
	if m := lineLabel.FindStringSubmatchIndex(head); m != nil {
		n := max(m[2], m[4], m[6]) // of the alternative that matches
		kind := labelKinds[strings.ToLower(head[n:max(m[3], m[5], m[7])])]
		return mark{kind: kind, start: i, end: i + m[1], line: true}, kind != ""
	}
	return mark{}, false
}

// bracketMark reads a label in brackets.
func bracketMark(reply string, i int, head string, closed map[string]bool) (mark, bool) {
	var m []int
	if at := pass(head, 0, "\\["); at < len(head) && mayStart(head[at]) {
		m = bracketLabel.FindStringSubmatchIndex(head)
	}
	if m == nil {
		return mark{}, false
	}
	name, end := strings.ToLower(head[m[2]:m[3]]), i+m[1]
	kind, known := labelKinds[name]
	if !known {
		return mark{}, false
	}
	if !strings.ContainsAny(head[m[3]:m[1]], ":：") {
		mentioned := kind == observationLabel || kind == weakLabel // thoughts mention "the [Observation] above"
		if name == "think" || kind == thoughtLabel && closed[name] || mentioned && inSentence(reply, i, end) {
			return mark{}, false // or Magistral's [THINK]
		}
	}
	return mark{kind: kind, start: i, end: end}, true
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
	if line == last && last > 0 && reply[last-1] != '\n' {
		line = -1 // another mark is on the line
	}
	if !m.line && line >= 0 && strings.TrimLeft(reply[line:m.start], " \t>*#") == "" {
		m.start, m.line = line, true
	}
	gap := strings.TrimRight(reply[from:m.start], " \t\r\n*_+•-")
	m.heads = m.line || gap == ""
	for _, end := range []string{".", "!", "?", "…", "。", "！", "？", ">"} {
		m.heads = m.heads || strings.HasSuffix(gap, end)
	}
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

func restBlank(s string, i int) bool {
	i = pass(s, i, " \t\r")
	return i >= len(s) || s[i] == '\n'
}
