package tokens_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"airqa/internal/tokens"
)

// TestBound compares the bound with the counts of the tokenizers' own libraries: of rows of an export, code, tables, formulas
// and other languages. A bound that is far too high would shorten rows for nothing.
func TestBound(t *testing.T) {
	raw, err := os.ReadFile("testdata/counts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var c struct {
			Name, Text string
			Counts     map[string]int
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			got, most := tokens.Bound(c.Text), 0
			for tokenizer, n := range c.Counts {
				most = max(most, n)
				if got < n {
					t.Errorf("%d tokens, but %d of %s", got, n, tokenizer)
				}
			}
			if isRow := strings.HasPrefix(c.Name, "row"); isRow && got > most*6/5 {
				t.Errorf("%d tokens for a row of at most %d", got, most)
			}
		})
	}
}

func TestBoundOfBytes(t *testing.T) {
	for text, want := range map[string]int{"": 0, "\xff\xfe\xfd": 3, "2024": 5} {
		if got := tokens.Bound(text); got != want {
			t.Errorf("Bound(%q) = %d, want %d", text, got, want)
		}
	}
}
