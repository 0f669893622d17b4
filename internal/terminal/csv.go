package terminal

import (
	"encoding/csv"
	"io"
	"iter"
	"strconv"
	"strings"
)

// WriteCSV writes records as CSV (RFC 4180 with line feeds) for programs and spreadsheets. A text that a spreadsheet
// would take for a formula gets a leading apostrophe (OWASP, CSV injection); numbers are unchanged. With safe, control
// characters are replaced as in [Safe]; otherwise all other characters are exact.
func WriteCSV(w io.Writer, records iter.Seq[[]string], safe bool) error {
	out := csv.NewWriter(w)
	for r := range records {
		fields := make([]string, len(r))
		for i, f := range r {
			if safe {
				f = Safe(f)
			}
			begin := strings.TrimLeft(f, " \t\r\n") // spreadsheets ignore it
			if _, err := strconv.ParseFloat(f, 64); err != nil && begin != "" && strings.ContainsRune("=+-@", rune(begin[0])) {
				f = "'" + f
			}
			fields[i] = f
		}
		if len(fields) != 1 || fields[0] != "" {
			if err := out.Write(fields); err != nil {
				return err
			}
			continue
		}
		out.Flush() // a single empty field is quoted, because readers skip empty lines
		if _, err := io.WriteString(w, "\"\"\n"); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
