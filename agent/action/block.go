package action

import (
	"regexp"
	"strings"
)

var blockPattern = regexp.MustCompile("(?s)```(?:[\\w+-]*[ \t]*\n)?(.*?)```")

// LastBlock returns the trimmed content of the last fenced block of a reply, ignoring thinking, or the whole trimmed
// reply if there is none. Baselines that ask once read their answer this way.
func LastBlock(reply string) string {
	reply = reply[afterThinking(reply):]
	blocks := blockPattern.FindAllStringSubmatch(reply, -1)
	if len(blocks) == 0 {
		return strings.TrimSpace(strings.Trim(strings.TrimSpace(reply), "`"))
	}
	return strings.TrimSpace(blocks[len(blocks)-1][1])
}

// afterThinking returns the start of the visible part of a reply without an action. An answer may mention the tags in
// its text, so an opening tag counts only before any block, a closing one only at the end of its line.
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
