package terminal

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"
)

// columns measures text without asking the locale, so that output is the same everywhere.
var columns = &runewidth.Condition{}

// Width returns the number of columns that text takes on a terminal.
func Width(text string) int { return columns.StringWidth(text) }

// Clip returns text as [Line] does, cut to at most width columns with "…" at the end of what was cut. A width below 1 cuts
// nothing.
func Clip(text string, width int) string {
	text = Line(text)
	if width < 1 {
		return text
	}
	return columns.Truncate(text, width, "…")
}

// Pad adds spaces to text up to width columns, before it for numbers that are aligned to the right.
func Pad(text string, width int, right bool) string {
	if right {
		return columns.FillLeft(text, width)
	}
	return columns.FillRight(text, width)
}

// ProseWidth is the length of lines of sentences: the width of the terminal, or 100 columns where there is none (0).
func ProseWidth(width int) int { return cmp.Or(max(width, 0), 100) }

// Wrap makes text safe and breaks it between words into lines of at most width columns. The first line keeps its
// indentation; the others begin with indent. A longer word, such as a path that one copies, stays whole. A width below 1
// breaks nothing.
func Wrap(text string, width int, indent string) string {
	text = Safe(text)
	if width < 1 || Width(text) <= width && !strings.Contains(text, "\n") {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:len(text)-len(strings.TrimLeft(text, " "))])
	used, empty := b.Len(), true
	for word := range strings.FieldsSeq(text) {
		size := Width(word)
		switch {
		case empty:
		case used+1+size > width:
			b.WriteString("\n" + indent)
			used = Width(indent)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used, empty = used+size, false
	}
	return b.String()
}

// Hard returns text as [Line] does, as lines of at most width columns: broken after a space, an underscore, a hyphen or a
// slash where there is one, and inside a word otherwise.
func Hard(text string, width int) []string {
	rest := Line(text)
	var lines []string
	for width > 1 && Width(rest) > width {
		line := columns.Truncate(rest, width, "")
		if at := strings.LastIndexAny(line, " _-/"); at >= len(line)/3 {
			line = line[:at+1]
		}
		rest = strings.TrimLeft(rest[len(line):], " ")
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return append(lines, rest)
}

// Plural returns a number with its noun: "1 question", "2 questions".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
