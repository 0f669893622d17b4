// Package terminal makes untrusted text safe to print: a model, a PDF or a questions file must not be able to move the
// cursor, change colours or hide a line. It also has what commands share on a terminal: tables, a pager, and [Progress] with the
// [Notice] of long work.
package terminal

import (
	"fmt"
	"strings"
	"unicode"
)

// Safe escapes control characters and characters that reorder text, as \x1b or \u202e. It keeps newlines and tabs.
func Safe(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if strings.IndexFunc(text, unsafe) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !unsafe(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// Message is [Safe] with every further line indented, so that a newline in a file name or uuid cannot imitate another
// message.
func Message(text string) string {
	lines := strings.Split(Safe(text), "\n")
	for i, line := range lines {
		if i > 0 && line != "" && line[0] != ' ' {
			lines[i] = "  " + line
		}
	}
	return strings.Join(lines, "\n")
}

// Line is [Safe] on one line, with whitespace collapsed to single spaces.
func Line(text string) string { return Safe(strings.Join(strings.Fields(text), " ")) }

func unsafe(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}
