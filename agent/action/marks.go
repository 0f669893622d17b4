package action

import (
	"slices"
	"strings"
	"unicode/utf8"
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
	plainTag         = "plain" // a closing tag that counts only after an opening one whose attributes name thinking
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
	tag    tag
	// phrase is the index in phrases.
	phrase int
}

// isLabel reports whether a mark is a label.
func (m mark) isLabel() bool {
	return m.kind == thoughtLabel || m.kind == actionLabel || m.kind == observationLabel || m.kind == weakLabel && m.tag.end == 0
}

// isTag reports whether a mark is a tag that encloses thinking or may do so.
func (m mark) isTag() bool { return m.kind == thinkTag || m.kind == otherTag }

// hides reports whether a mark may begin or end thinking.
func (m mark) hides() bool {
	switch m.kind {
	case thinkTag, otherTag, phraseMark, hiddenChannel, finalChannel, channelEnd:
		return true
	}
	return false
}

// labels are the words that models write, longer ones before their prefixes.
var labels = []struct {
	kind  string
	words []string
}{
	{thoughtLabel, []string{
		"thoughts", "thought", "thinking", "think", "思考", "想法", "gedanken", "gedanke", "pensamiento", "pensamento", "pensiero", "pensée", "réflexion",
		"мысль", "생각",
	}},
	{actionLabel, []string{"action", "行动", "动作", "行動", "aktion", "acción", "ação", "azione", "действие", "행동"}},
	{observationLabel, []string{
		"observations", "observation", "观察", "观测", "觀察", "観察", "beobachtung", "observación", "observação", "osservazione", "наблюдение", "관찰",
		"tool outputs", "tool output", "tool results", "tool result", "tool response", "function output", "function result", "function response",
		"user", "human",
	}},
	{weakLabel, []string{
		"results", "result", "outputs", "output", "response", "search results", "search result", "query results", "query result", "returned", "returns",
		"结果", "結果", "输出", "輸出", "返回", "ergebnis", "ausgabe", "resultado", "risultato", "résultat", "результат", "결과", "출력",
	}},
}

// marksOf finds the marks of a reply in order. Labels in brackets count anywhere, bare ones only at the start of a
// line, because "action:" is also an ordinary phrase. It reads every byte once: replies may have megabytes.
func marksOf(reply string) []mark {
	found, closed := strippedHarmony(reply), closedBrackets(reply)
	for i, newLine := 0, len(found) == 0; i < len(reply); {
		m, ok := mark{}, false
		if newLine {
			newLine = false
			m, ok = lineMark(reply, i)
		}
		if !ok {
			m, ok = markAt(reply, i, closed)
		}
		if ok && m.kind == "" {
			i = m.end // only mentioned
			continue
		}
		if ok {
			m.place(reply, found)
			found = append(found, m)
			i = m.end
			newLine = m.kind == phraseMark && reply[m.end-1] == '\n'
			continue
		}
		newLine = reply[i] == '\n'
		i++
	}
	return found
}

// firstFrom returns the index of the first mark that starts at byte i or later; it is the number of marks if none does.
func firstFrom(marks []mark, i int) int {
	first, _ := slices.BinarySearchFunc(marks, i, func(m mark, at int) int { return m.start - at })
	return first
}

// place sets what a mark's surroundings say about it.
func (m *mark) place(reply string, found []mark) {
	before, ok := lineBefore(reply, found, m.start)
	if !m.line && ok && strings.TrimLeft(before, " \t>*#") == "" {
		m.start, m.line = m.start-len(before), true
	}
	last := 0
	if len(found) > 0 {
		last = found[len(found)-1].end
	}
	gap := strings.TrimRight(reply[max(last, m.start-longestTag):m.start], " \t\r\n*_+•-")
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

// lineBefore returns the text before byte i on its line; it returns false if another mark is on the line.
func lineBefore(reply string, found []mark, i int) (string, bool) {
	from := 0
	if len(found) > 0 {
		from = found[len(found)-1].end
	}
	before := reply[from:i]
	if at := strings.LastIndexByte(before, '\n'); at >= 0 {
		return before[at+1:], true
	}
	return before, from == 0 || reply[from-1] == '\n'
}

// lineMark reads a phrase, or a label without brackets, at the start of a line.
func lineMark(reply string, i int) (mark, bool) {
	at := pass(reply, i, " \t>*#")
	if at == len(reply) || reply[at] == '\n' {
		return mark{}, false
	}
	for n, p := range phrases {
		if lower(reply[at]) == lower(p.open[0]) && at+len(p.open) <= len(reply) && strings.EqualFold(reply[at:at+len(p.open)], p.open) {
			return mark{kind: phraseMark, start: at, end: at + len(p.open), phrase: n, line: true}, true
		}
		if p.close[0] != '\n' && p.close != "-->" && strings.HasPrefix(reply[at:], p.close) {
			return mark{kind: thinkTag, start: at, end: at + len(p.close), tag: tag{name: p.close, closing: true}, line: true}, true
		}
	}
	return lineLabel(reply, i)
}

// lineLabel reads a label without brackets at the start of a line: "Action:", "**Action:**", "### Action 2".
func lineLabel(reply string, i int) (mark, bool) {
	body := pass(reply, i, " \t>*#_-")
	if digits := pass(reply, body, "0123456789"); digits > body && digits < len(reply) && strings.IndexByte(".)", reply[digits]) >= 0 {
		body = pass(reply, digits+1, " \t*")
	}
	kind, after := wordAt(reply, body)
	if kind == "" {
		return mark{}, false
	}
	bold := pass(reply, after, "*_")
	if end := colon(reply, bold); end > 0 {
		return mark{kind: kind, start: i, end: end, line: true}, true
	}
	heading := strings.Contains(reply[i:body], "#") && restBlank(reply, bold)
	if heading || bold > after && strings.Contains(reply[i:body], "*") {
		return mark{kind: kind, start: i, end: bold, line: true}, true
	}
	return mark{}, false
}

// markAt reads a label in brackets, a tag, or a channel of harmony.
func markAt(reply string, i int, closed map[string]bool) (mark, bool) {
	switch reply[i] {
	case '[', '\\', 0xE3: // the first byte of 【
		if m, ok := bracketLabel(reply, i, closed); ok {
			return m, true
		}
	case '<', '{', 0xE2, 0xC2: // the first bytes of ◁ and «
	case 'a':
		return glued(reply, i)
	default:
		return mark{}, false
	}
	return tagMark(reply, i)
}

// tagMark reads a tag. One in quotation marks is only mentioned.
func tagMark(reply string, i int) (mark, bool) {
	if m, ok := phraseTag(reply, i); ok {
		return m, true
	}
	t, ok := tagAt(reply, i)
	if !ok {
		return mark{}, false
	}
	if quotedAt(reply, i) && t.end < len(reply) && strings.IndexByte("\"'`", reply[t.end]) >= 0 {
		return mark{end: t.end}, true
	}
	m := mark{kind: t.kind(), start: i, end: t.end, tag: t}
	switch {
	case t.opensChannel():
		return channel(reply, i, t.end), true
	case t.endsMessage():
		m.kind = channelEnd
	case t.opensTurn():
		if ownTurn(reply, t.end) {
			return mark{}, false
		}
		m.kind = observationLabel
	case t.pipe && m.kind == resultTag:
		m.kind = observationLabel
	}
	return m, true
}

// phraseTag reads a phrase that looks like a tag, such as "<!--": it counts anywhere, not only at the start of a line.
func phraseTag(reply string, i int) (mark, bool) {
	for n, p := range phrases {
		if p.open[0] == '<' && strings.HasPrefix(reply[i:], p.open) {
			return mark{kind: phraseMark, start: i, end: i + len(p.open), phrase: n}, true
		}
	}
	return mark{}, false
}

// ownTurn reports whether a turn whose speaker is named at byte i is the model's own: it names the model, or nobody.
func ownTurn(reply string, i int) bool {
	end := nameEnd(reply, i)
	return end == i || speakers[strings.ToLower(reply[i:end])]
}

// channel reads the head of a message of harmony, which ends at <|message|>.
func channel(reply string, start, end int) mark {
	name := nameEnd(reply, end)
	m := mark{kind: hiddenChannel, start: start, end: name}
	if strings.EqualFold(reply[end:name], "final") {
		m.kind = finalChannel
	}
	if at := strings.Index(reply[name:min(len(reply), name+longestTag)], "<|message|>"); at >= 0 {
		m.end = name + at + len("<|message|>")
	}
	return m
}

// glued reads what is left of a channel of harmony when a server removes the special tokens: "...assistantfinal...".
func glued(reply string, i int) (mark, bool) {
	role, ok := oneOf(reply, i, "assistant")
	if !ok {
		return mark{}, false
	}
	if end, ok := oneOf(reply, role, "final"); ok {
		return mark{kind: finalChannel, start: i, end: end}, true
	}
	if end, ok := oneOf(reply, role, "analysis", "commentary"); ok {
		return mark{kind: hiddenChannel, start: i, end: end}, true
	}
	return mark{}, false
}

// strippedHarmony reads the channel at the start of a reply without special tokens: "analysisWe need ...".
func strippedHarmony(reply string) []mark {
	start := pass(reply, 0, " \t\r\n")
	for _, word := range []string{"analysis", "commentary"} {
		end := start + len(word)
		if strings.HasPrefix(reply[start:], word) && end < len(reply) && strings.IndexByte(" \t:,.;)", reply[end]) < 0 {
			return []mark{{kind: hiddenChannel, start: start, end: end, line: true, heads: true}}
		}
	}
	return nil
}

// closedBrackets returns the names of closing tags in brackets, such as [/THINK].
func closedBrackets(reply string) map[string]bool {
	closed := make(map[string]bool)
	for before, rest, ok := strings.Cut(reply, "/"); ok; before, rest, ok = strings.Cut(rest, "/") {
		if strings.HasSuffix(before, "[") || strings.HasSuffix(before, "【") {
			closed[strings.ToLower(rest[:nameEnd(rest, 0)])] = true
		}
	}
	return closed
}

// bracketLabel reads "[Action]:", "[Action 2]", "\[Action\]:" and "【行动】". In the middle of a line, an observation label
// needs its colon, because thoughts mention "the [Observation] above".
func bracketLabel(reply string, i int, closed map[string]bool) (mark, bool) {
	at, ok := oneOf(reply, i, `\[`, "[", "【")
	if !ok {
		return mark{}, false
	}
	word := at
	kind, at := wordAt(reply, at)
	if kind == "" {
		return mark{}, false
	}
	after, ok := oneOf(reply, at, `\]`, "]", "】")
	if !ok {
		return mark{}, false
	}
	end := pass(reply, after, "*")
	if after := colon(reply, end); after > 0 {
		return mark{kind: kind, start: i, end: after}, true
	}
	if name := reply[word:at]; strings.EqualFold(name, "think") || kind == thoughtLabel && closed[strings.ToLower(name)] {
		return mark{}, false // Magistral's [THINK]
	}
	if (kind == observationLabel || kind == weakLabel) && inSentence(reply, i, end) {
		return mark{}, false
	}
	return mark{kind: kind, start: i, end: end}, true
}

// inSentence reports whether text stands both before and after a label on its line. Decoration such as "### " is no text.
func inSentence(reply string, start, end int) bool {
	before := strings.TrimLeft(reply[max(0, start-8):start], " \t>*#")
	beginsLine := before == "" || strings.HasSuffix(before, "\n")
	return !beginsLine && !restBlank(reply, end)
}

// wordAt reads the word of a label and a number after it; kind is empty if there is none.
func wordAt(reply string, i int) (kind string, end int) {
	if i >= len(reply) {
		return "", i
	}
	for _, l := range labelsBy[lower(reply[i])] {
		end := i + len(l.word)
		if end > len(reply) || !strings.EqualFold(reply[i:end], l.word) {
			continue
		}
		number := pass(reply, end, " \t#")
		if digits := pass(reply, number, "0123456789"); digits > number {
			end = digits
		}
		return l.kind, end
	}
	return "", i
}

// labelWord is a word of labels.
type labelWord struct{ kind, word string }

// labelsBy has the words of labels by their first byte, in lower case.
var labelsBy = func() (by [256][]labelWord) {
	for _, label := range labels {
		for _, word := range label.words {
			for _, first := range []string{word, strings.ToUpper(word)} {
				c := lower(first[0])
				if l := (labelWord{label.kind, word}); !slices.Contains(by[c], l) {
					by[c] = append(by[c], l)
				}
			}
		}
	}
	return by
}()

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// colon skips whitespace, a colon and the end of bold type; it returns 0 if there is no colon.
func colon(reply string, i int) int {
	end, ok := oneOf(reply, pass(reply, i, " \t"), ":", "：")
	if !ok {
		return 0
	}
	return pass(reply, end, "*_")
}

func oneOf(s string, i int, wanted ...string) (int, bool) {
	for _, w := range wanted {
		if strings.HasPrefix(s[i:], w) {
			return i + len(w), true
		}
	}
	return i, false
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
