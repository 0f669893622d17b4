package terminal

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// Style paints text on a terminal. The zero value leaves it as it is.
type Style struct{ on bool }

// StyleOf returns a style that paints if f is a terminal with colours and NO_COLOR is not set (https://no-color.org).
func StyleOf(f *os.File, getenv func(string) string) Style {
	return Style{getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))}
}

// Paint returns text with an ANSI code, such as "32" for green.
func (s Style) Paint(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold returns text in bold.
func (s Style) Bold(text string) string { return s.Paint("1", text) }

// levels are the prefixes of messages and their colours.
var levels = []struct{ prefix, code string }{{"airqa:", "1;31"}, {"warning:", "33"}, {"note:", "36"}}

// Message returns a message with its level painted: "warning:" in yellow, "note:" in cyan, "airqa:" in red.
func (s Style) Message(text string) string {
	for _, l := range levels {
		if rest, found := strings.CutPrefix(text, l.prefix); found {
			return s.Paint(l.code, l.prefix) + rest
		}
	}
	return text
}
