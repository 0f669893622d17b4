package tools

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"airqa/internal/ledger"
	"airqa/internal/terminal"
	"airqa/internal/tokens"
	"airqa/qa"
)

// MaxTokens is the token limit of a result in one turn (paper, Appendix C.2: "5K").
const MaxTokens = 5000

// cellMark marks a truncated cell.
const cellMark = " …[cut]"

// show prints rows as lines of JSON, within limit tokens and at most maxRows rows; 0 rows is no limit.
func show(r qa.Rows, limit, maxRows int) qa.Observation {
	if len(r.Values) == 0 {
		return qa.Observation{Status: qa.StatusEmpty, Text: "[Warning]: the result is empty."}
	}
	t := table{rows: r, left: limit, maxRows: maxRows}
	if lines, ok := small(r, limit); ok && !t.full(len(lines)-1) {
		t.shown = lines
		return t.observation(limit)
	}
	for i := range r.Values {
		if t.full(i) || !t.add(i) {
			break
		}
	}
	return t.observation(limit)
}

// small encodes rows that fit without counting tokens: a token has at least one byte, and these rows, each with its
// newline, have at most limit bytes. Counting dominates the cost of a small result.
func small(r qa.Rows, limit int) ([]string, bool) {
	if r.More || len(r.Values) > limit {
		return nil, false
	}
	lines := make([]string, len(r.Values))
	for i, row := range r.Values {
		lines[i] = encodeRow(r.Columns, row)
		if limit -= len(lines[i]) + 1; limit < 0 {
			return nil, false
		}
	}
	return lines, true
}

type table struct {
	rows qa.Rows
	left int // tokens
	// maxRows is the maximum number of rows to show; 0 means no limit.
	maxRows int
	shown   []string
	// shortened is the number of characters omitted from cells of the last row.
	shortened int
}

// full reports whether i rows reach the row limit.
func (t *table) full(i int) bool { return t.maxRows > 0 && i >= t.maxRows }

// add shows row i, or as much of it as fits. It reports whether to try the next row.
func (t *table) add(i int) bool {
	line := encodeRow(t.rows.Columns, t.rows.Values[i])
	if n := count(line, t.left); n <= t.left {
		t.shown = append(t.shown, line)
		t.left -= n
		return true
	}
	if t.left < 64 && i > 0 { // too little of the row would be shown
		return false
	}
	// The row is shown with its longest cells truncated, to the longest maximum cell length at which it fits.
	row := t.rows.Values[i]
	over := sort.Search(longest(row), func(drop int) bool {
		cut, _ := clip(row, longest(row)-drop)
		return count(encodeRow(t.rows.Columns, cut), t.left) <= t.left
	})
	if most := longest(row) - over; most > 0 {
		cut, dropped := clip(row, most)
		line := encodeRow(t.rows.Columns, cut)
		t.left -= count(line, t.left)
		t.shown, t.shortened = append(t.shown, line), dropped
		return false
	}
	// There are too many columns even for empty cells: show the beginning of the line.
	head, _ := tokens.Cut(line, max(t.left-8, 1))
	t.shortened = utf8.RuneCountInString(line) - utf8.RuneCountInString(head)
	t.shown = append(t.shown, head+cellMark)
	t.left = 0
	return false
}

// count returns the number of tokens of a line with its newline. A line of more than 64 bytes per token on average is
// not text; it counts as too long without being tokenized completely.
func count(line string, left int) int {
	if len(line) > 64*(left+1) {
		return left + 1
	}
	return tokens.Count(line) + 1
}

// longest returns the length of the longest cell in characters.
func longest(row []any) int {
	most := 0
	for _, v := range row {
		most = max(most, utf8.RuneCountInString(cellText(v)))
	}
	return most
}

// clip truncates every cell to n characters and counts the omitted characters.
func clip(row []any, n int) ([]any, int) {
	out, dropped := make([]any, len(row)), 0
	for i, v := range row {
		out[i] = v
		text := []rune(cellText(v))
		if len(text) > n {
			out[i] = string(text[:n]) + cellMark
			dropped += len(text) - n
		}
	}
	return out, dropped
}

func cellText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return JSONValue(v)
}

func (t *table) observation(limit int) qa.Observation {
	total := len(t.rows.Values)
	body := strings.Join(t.shown, "\n")
	o := qa.Observation{Status: qa.StatusOK}
	whole := len(t.shown) == total && t.shortened == 0
	if whole && !t.rows.More {
		o.Text = fmt.Sprintf("%s\n(%s)", body, terminal.Plural(total, "row"))
		return o
	}
	cut := &qa.Cut{RowsShown: len(t.shown), RowsTotal: total, Tokens: limit - t.left, TokenLimit: limit}
	o.Cut = cut
	if t.rows.More {
		cut.RowsTotal = -1
	}
	o.Text = body + "\n" + t.reason(cut, whole)
	if !whole {
		var full strings.Builder
		for i := range t.rows.Values {
			full.WriteString(JSONRow(t.rows, i) + "\n")
		}
		o.Full = full.String()
	}
	return o
}

// reason formats the line below a truncated result and sets the reason in cut.
func (t *table) reason(cut *qa.Cut, whole bool) string {
	total := terminal.Plural(len(t.rows.Values), "row")
	if t.rows.More {
		total = "more than " + total
	}
	switch {
	case whole:
		cut.Reason = "rows"
		return fmt.Sprintf("(the first %s of %s: the row limit is reached; narrow the question or use LIMIT and OFFSET)",
			terminal.Plural(len(t.shown), "row"), total)
	case t.shortened > 0:
		cut.Reason = "cell"
		return fmt.Sprintf("(%d of %s shown, the last with %d characters left out of its cells, marked%s: the limit of %d tokens is reached; ask for fewer columns, fewer rows or a part of the text)",
			len(t.shown), total, t.shortened, cellMark, cut.TokenLimit)
	case t.full(len(t.shown)):
		cut.Reason = "rows"
		return fmt.Sprintf("(%d of %s shown: the limit of %d rows is reached; narrow the query, or use LIMIT and OFFSET)", len(t.shown), total, t.maxRows)
	default:
		cut.Reason = "tokens"
		return fmt.Sprintf("(%d of %s shown: the limit of %d tokens is reached; ask for fewer columns or rows)",
			len(t.shown), total, cut.TokenLimit)
	}
}

// encodeRow encodes a row as a JSON object with the columns in order. Duplicate column names are kept.
func encodeRow(columns []string, row []any) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, v := range row {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(JSONValue(columns[i]))
		b.WriteString(": ")
		b.WriteString(JSONValue(v))
	}
	b.WriteByte('}')
	return b.String()
}

// JSONValue writes a value of [qa.Rows], or a list of numbers, as JSON with every character as it is (no \u003c).
func JSONValue(v any) string {
	text, _ := ledger.EncodeText(v) // such values can be encoded
	return text
}

// JSONRow writes row i as one JSON object, for output.
func JSONRow(r qa.Rows, i int) string { return encodeRow(r.Columns, r.Values[i]) }
