package windows

import "strings"

// withoutThinking removes the thinking blocks at the start of a reply. Templates of several models put the opening tag
// into the prompt, so a closing tag alone also ends a block.
func withoutThinking(text string) string {
	for {
		rest, ok := afterBlock(text)
		if !ok {
			return text
		}
		text = rest
	}
}

// afterBlock returns the text after a thinking block at its start. A tag after a label is part of a text.
func afterBlock(text string) (string, bool) {
	for _, name := range []string{"think>", "thinking>"} {
		before, after, found := strings.Cut(text, "</"+name)
		if !found {
			continue
		}
		before = strings.TrimSpace(before)
		if strings.HasPrefix(before, "<"+name) || !strings.Contains(before, "<"+name) && !strings.Contains(before, "[Action]") {
			return strings.TrimLeft(after, " \t\r\n"), true
		}
	}
	return text, false
}
