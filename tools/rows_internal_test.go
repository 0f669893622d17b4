package tools

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/qa"
)

// A row fits if it takes exactly the remaining tokens.
func TestRowThatJustFits(t *testing.T) {
	rows := qa.Rows{Columns: []string{"text"}, Values: [][]any{{strings.Repeat("word ", 100)}}}
	n := count(encodeRow(rows.Columns, rows.Values[0]), 1000)
	for left, fits := range map[int]bool{n: true, n - 1: false} {
		if got := (&table{rows: rows, left: left}).add(0); got != fits {
			t.Errorf("a row of %d tokens fits in %d: %v", n, left, got)
		}
	}
}

// Omitting a single character of a cell counts as truncation.
func TestOneCharacterCut(t *testing.T) {
	rows := qa.Rows{Columns: []string{"text"}, Values: [][]any{{"ab"}}}
	o := (&table{rows: rows, shown: []string{`{"text": "a …[cut]"}`}, shortened: 1}).observation(9)
	if o.Cut == nil || o.Cut.Reason != "cell" || !strings.Contains(o.Text, "1 characters left out") {
		t.Errorf("cut %+v: %s", o.Cut, o.Text)
	}
}

// A cell that does not fit is shown up to the last token.
func TestCutCellUsesAllTokens(t *testing.T) {
	rows := qa.Rows{Columns: []string{"text"}, Values: [][]any{{strings.Repeat("word ", 200)}}}
	for limit := 70; limit < 90; limit++ {
		shown := table{rows: rows, left: limit}
		if shown.add(0); shown.left != 0 {
			t.Errorf("%d of %d tokens are left", shown.left, limit)
		}
	}
}

// A small result is shown exactly like one that is counted.
func TestSmallIsNoOther(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rows := qa.Rows{Columns: []string{"a", "text"}, More: rapid.Bool().Draw(r, "more")}
		for range rapid.IntRange(1, 8).Draw(r, "rows") {
			text := strings.Repeat(rapid.SampledFrom([]string{"é ", "word ", "\x01", "𝛼", "12"}).Draw(r, "piece"), rapid.IntRange(0, 30).Draw(r, "times"))
			rows.Values = append(rows.Values, []any{int64(1), text})
		}
		limit := rapid.IntRange(1, 400).Draw(r, "limit")
		counted := table{rows: rows, left: limit}
		for i := range rows.Values {
			if !counted.add(i) {
				break
			}
		}
		if diff := cmp.Diff(counted.observation(limit), Table(rows, limit)); diff != "" {
			r.Fatalf("(-counted +got):\n%s", diff)
		}
	})
}
