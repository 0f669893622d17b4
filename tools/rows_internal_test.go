package tools

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A small result is shown as the one that is counted.
func TestSmallIsNoOther(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rows := Rows{Columns: []string{"a", "text"}, More: rapid.Bool().Draw(r, "more")}
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
