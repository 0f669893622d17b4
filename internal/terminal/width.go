package terminal

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"
)

// columns measures text independently of the locale, so that output is reproducible.
var columns = &runewidth.Condition{}

// Width returns the number of terminal columns of text.
func Width(text string) int { return columns.StringWidth(text) }

// Clip is [Line] cut to at most width columns, with "…" at the cut. A width below 1 cuts nothing.
func Clip(text string, width int) string {
	text = Line(text)
	if width < 1 {
		return text
	}
	return columns.Truncate(text, width, "…")
}

// Pad pads text with spaces to width columns, on the left if right-aligned.
func Pad(text string, width int, right bool) string {
	if right {
		return columns.FillLeft(text, width)
	}
	return columns.FillRight(text, width)
}

// ProseWidth is the line length for prose: the width of the terminal, or 100 columns without one (0).
func ProseWidth(width int) int { return cmp.Or(max(width, 0), 100) }

// Wrap makes text safe and wraps it into lines of at most width columns. The first line keeps its indentation; the
// others begin with indent. A longer word, such as a path to copy, is not broken. A width below 1 disables wrapping.
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

// Hard is [Line] broken into lines of at most width columns: after a space, underscore, hyphen or slash if possible,
// otherwise inside a word.
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

// Compact formats a non-negative number in a few characters: 950, 1.2k, 34k, 1.2M.
func Compact(x float64) string {
	switch {
	case x >= 999_500:
		return fmt.Sprintf("%.1fM", x/1e6)
	case x >= 9_950:
		return fmt.Sprintf("%.0fk", x/1e3)
	case x >= 999.5:
		return fmt.Sprintf("%.1fk", x/1e3)
	}
	return fmt.Sprintf("%.0f", x)
}

// Truncate returns the first n characters of text, with mark if it has more.
func Truncate(text string, n int, mark string) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return text[:i] + mark
		}
		n--
	}
	return text
}

// Cost is [USD] of an amount that may be unknown.
func Cost(usd *float64, unknown string) string {
	if usd == nil {
		return unknown
	}
	return USD(*usd)
}

// USD formats an amount, below ten cents to a hundredth of a cent.
func USD(x float64) string {
	if x > 0 && x < 0.1 {
		return fmt.Sprintf("$%.4f", x)
	}
	return fmt.Sprintf("$%.2f", x)
}
