package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa/dataset"
)

// Records are returned whole with their line numbers, wherever a block ends.
func TestBlocks(t *testing.T) {
	long := strings.Repeat("x", 700<<10)
	many := make([]string, 40_000)
	for i := range many {
		many[i] = strings.Repeat("y", i%40+1)
	}
	tests := []struct{ name, text string }{
		{"nothing", ""},
		{"blank lines", "\n\n \n"},
		{"no last end of line", "a\nb"},
		{"byte order mark", "\ufeffa\n\nb\n"},
		{"a line longer than blocks", "a\n" + long + "\nb\n" + long},
		{"many blocks", strings.Join(many, "\n") + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var want, got []string
			for i, line := range strings.Split(strings.TrimPrefix(tt.text, "\ufeff"), "\n") {
				if strings.TrimSpace(line) != "" {
					want = append(want, fmt.Sprint(i+1, line))
				}
			}
			for block, err := range dataset.LineBlocks("lines", write(t, "f.jsonl", tt.text)) {
				if err != nil {
					t.Fatal(err)
				}
				for n, raw := range block.Records() {
					got = append(got, fmt.Sprint(n, strings.TrimSuffix(string(raw), "\n")))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("records (-want +got):\n%.2000s", diff)
			}
		})
	}
}
