package bpe_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"airqa/internal/bpe"
)

// The ids in testdata are those of the tokenizers library. AIRQA_TEST_TOKENIZERS names a directory with a longer
// comparison in the same format: NAME.json is a tokenizer, NAME.ids.jsonl has the ids of each line of texts.jsonl.
func TestEncodeLikeTheLibrary(t *testing.T) {
	compare(t, "testdata")
	if dir := os.Getenv("AIRQA_TEST_TOKENIZERS"); dir != "" {
		compare(t, dir)
	}
}

func compare(t *testing.T, dir string) {
	expected, err := filepath.Glob(filepath.Join(dir, "*.ids.jsonl"))
	if err != nil || len(expected) == 0 {
		t.Fatalf("no expected ids in %s (%v)", dir, err)
	}
	for _, path := range expected {
		name := strings.TrimSuffix(filepath.Base(path), ".ids.jsonl")
		t.Run(name, func(t *testing.T) {
			tokenizer, err := bpe.Open(filepath.Join(dir, name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			texts, ids := lines(t, filepath.Join(dir, "texts.jsonl")), lines(t, path)
			for n := 1; texts.Scan() && ids.Scan(); n++ {
				text, want := unmarshal[string](t, texts.Bytes()), unmarshal[[]int32](t, ids.Bytes())
				if got := tokenizer.Encode(nil, text); !slices.Equal(got, want) {
					t.Errorf("line %d: %s", n, difference(text, got, want))
				}
				if got := tokenizer.Count(text); got != len(want) {
					t.Errorf("line %d: Count = %d, want %d", n, got, len(want))
				}
			}
			if texts.Scan() || ids.Scan() {
				t.Error("a different number of texts and ids")
			}
		})
	}
}

func lines(t *testing.T, path string) *bufio.Scanner {
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<28)
	return scanner
}

func unmarshal[T any](t *testing.T, data []byte) T {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// difference describes the first difference.
func difference(text string, got, want []int32) string {
	n := 0
	for n < min(len(got), len(want)) && got[n] == want[n] {
		n++
	}
	tail := func(ids []int32) []int32 { return ids[n:min(n+6, len(ids))] }
	return fmt.Sprintf("after %d ids: got %d, want %d in %s", n, tail(got), tail(want), text[:min(len(text), 200)])
}
