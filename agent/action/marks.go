package action

import "strings"

// The kinds of a mark.
const (
	thoughtLabel     = "thought"
	actionLabel      = "action"
	observationLabel = "observation"
	openTag          = "<think>"
	closeTag         = "</think>"
)

// mark is a label or a thinking tag in a reply.
type mark struct {
	kind       string
	start, end int
	// line is true at the start of a line, where decoration such as "### " or "**" belongs to the mark.
	line bool
}

// labels are the words that models write, longer ones before their prefixes.
var labels = []struct {
	kind  string
	words []string
}{
	{thoughtLabel, []string{"thoughts", "thought", "thinking", "think", "思考", "想法"}},
	{actionLabel, []string{"action", "行动", "动作"}},
	{observationLabel, []string{"observations", "observation", "观察", "观测"}},
}

// tags enclose the thinking of reasoning models.
var tags = []struct{ tag, kind string }{
	{"<think>", openTag}, {"<thinking>", openTag}, {"</think>", closeTag}, {"</thinking>", closeTag},
}

// marksOf finds the marks of a reply in order. Labels in brackets count anywhere, bare ones only at the start of a
// line, because "action:" is also an ordinary phrase. It reads every byte once: replies may have megabytes.
func marksOf(reply string) []mark {
	var found []mark
	for i, newLine := 0, true; i < len(reply); {
		if newLine {
			newLine = false
			if m, ok := lineLabel(reply, i); ok {
				found = append(found, m)
				i = m.end
				continue
			}
		}
		m, ok := markAt(reply, i)
		if ok {
			if before := lineBefore(reply, found, m.start); strings.TrimLeft(before, " \t>*#") == "" {
				m.start, m.line = m.start-len(before), true
			}
			found = append(found, m)
			i = m.end
			continue
		}
		newLine = reply[i] == '\n'
		i++
	}
	return found
}

// lineBefore returns the text before byte i on its line, after the last mark.
func lineBefore(reply string, found []mark, i int) string {
	from := 0
	if len(found) > 0 {
		from = found[len(found)-1].end
	}
	before := reply[from:i]
	if at := strings.LastIndexByte(before, '\n'); at >= 0 {
		return before[at+1:]
	}
	if from > 0 {
		return "x" // the previous mark is on the same line
	}
	return before
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
		return mark{kind, i, end, true}, true
	}
	heading := strings.Contains(reply[i:body], "#") && restBlank(reply, bold)
	if heading || bold > after && strings.Contains(reply[i:body], "*") {
		return mark{kind, i, bold, true}, true
	}
	return mark{}, false
}

// markAt reads a label in brackets or a thinking tag.
func markAt(reply string, i int) (mark, bool) {
	switch reply[i] {
	case '[', '\\', 0xE3: // the first byte of 【
		return bracketLabel(reply, i)
	case '<':
		for _, t := range tags {
			if len(reply)-i >= len(t.tag) && strings.EqualFold(reply[i:i+len(t.tag)], t.tag) {
				return mark{kind: t.kind, start: i, end: i + len(t.tag)}, true
			}
		}
	}
	return mark{}, false
}

// bracketLabel reads "[Action]:", "[Action 2]", "\[Action\]:" and "【行动】". In the middle of a line, an observation label
// needs its colon, because thoughts mention "the [Observation] above".
func bracketLabel(reply string, i int) (mark, bool) {
	at, ok := oneOf(reply, i, `\[`, "[", "【")
	if !ok {
		return mark{}, false
	}
	kind, at := wordAt(reply, at)
	if kind == "" {
		return mark{}, false
	}
	if at, ok = oneOf(reply, at, `\]`, "]", "】"); !ok {
		return mark{}, false
	}
	end := pass(reply, at, "*")
	if after := colon(reply, end); after > 0 {
		return mark{kind: kind, start: i, end: after}, true
	}
	before := strings.TrimLeft(reply[max(0, i-8):i], " \t>*#")
	beginsLine := before == "" || strings.HasSuffix(before, "\n")
	if kind == observationLabel && !beginsLine && !restBlank(reply, end) {
		return mark{}, false
	}
	return mark{kind: kind, start: i, end: end}, true
}

// wordAt reads the word of a label and a number after it; kind is empty if there is none.
func wordAt(reply string, i int) (kind string, end int) {
	for _, label := range labels {
		for _, word := range label.words {
			end := i + len(word)
			if end > len(reply) || !strings.EqualFold(reply[i:end], word) {
				continue
			}
			number := pass(reply, end, " \t#")
			if digits := pass(reply, number, "0123456789"); digits > number {
				end = digits
			}
			return label.kind, end
		}
	}
	return "", i
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
