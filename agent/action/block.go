package action

import (
	"regexp"
	"strings"
)

var blockPattern = regexp.MustCompile("(?s)```(?:[\\w+-]*[ \t]*\n)?(.*?)```")

// LastBlock returns the content of the last fenced block of a reply, trimmed, and the whole reply, trimmed, when it
// has none. The baselines that ask once read their answer so. Thinking does not count.
func LastBlock(reply string) string {
	reply = reply[afterThinking(reply):]
	blocks := blockPattern.FindAllStringSubmatch(reply, -1)
	if len(blocks) == 0 {
		return strings.TrimSpace(strings.Trim(strings.TrimSpace(reply), "`"))
	}
	return strings.TrimSpace(blocks[len(blocks)-1][1])
}

// afterThinking returns where the visible part of a reply begins that holds no action. An answer may speak of the tags in
// its text: an opening one counts before any block, a closing one at an end of its line.
func afterThinking(reply string) int {
	from := 0
	marks := marksOf(reply)
	closing := closings(marks)
	for i := 0; i < len(marks); i++ {
		m := marks[i]
		switch {
		case m.kind == openTag && !strings.Contains(reply[from:m.start], "```"):
			if i = closing[i]; i == len(marks) {
				return len(reply)
			}
			from = marks[i].end
		case m.kind == closeTag && (m.line || restBlank(reply, m.end)):
			from = m.end
		}
	}
	return from
}
