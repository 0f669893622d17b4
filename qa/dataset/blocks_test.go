package dataset_test

import (
	"fmt"
	"os"
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

// A pipe can be read once only.
func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if _, err := w.WriteString("\ufeffone\ntwo é\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip("the system does not list open files")
	}
	var got strings.Builder
	for block, err := range dataset.LineBlocks("predictions", path) {
		if err != nil {
			t.Fatal(err)
		}
		got.Write(block.Data)
	}
	if got.String() != "one\ntwo é\n" {
		t.Errorf("got %q", got.String())
	}
}
