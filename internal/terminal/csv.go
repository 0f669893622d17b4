package terminal

import (
	"strconv"
	"strings"
)

// CSV makes fields safe for a CSV file that may be opened in a spreadsheet: control characters are replaced as by [Safe],
// and a text that a spreadsheet would take for a formula gets an apostrophe in front (OWASP, CSV injection). Numbers stay
// as they are.
func CSV(fields []string) []string {
	safe := make([]string, len(fields))
	for i, f := range fields {
		f = Safe(f)
		if _, err := strconv.ParseFloat(f, 64); err != nil && formula(f) {
			f = "'" + f
		}
		safe[i] = f
	}
	return safe
}

// formula looks past blanks, as spreadsheets do.
func formula(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return text != "" && strings.ContainsRune("=+-@", rune(text[0]))
}
