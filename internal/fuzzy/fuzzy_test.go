package fuzzy_test

import (
	"bufio"
	"os"
	"testing"

	"airqa/internal/fuzzy"
	"airqa/internal/pyliteral"
)

// TestOracle compares the four scores with what fuzzywuzzy gave for the same pairs.
func TestOracle(t *testing.T) {
	f, err := os.Open("testdata/fuzz.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	n := 0
	for ; lines.Scan(); n++ {
		v, err := pyliteral.FromJSON(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		row := v.(*pyliteral.Dict)
		a, _ := row.Get("a")
		b, _ := row.Get("b")
		for _, name := range []string{"ratio", "partial_ratio", "token_sort_ratio", "token_set_ratio"} {
			want, _ := row.Get(name)
			if got := fuzzy.ByName(name)(a.(string), b.(string)); int64(got) != want {
				t.Errorf("row %d: %s = %d, want %v\na %q\nb %q", n+1, name, got, want, a, b)
			}
		}
	}
	if n != 500 {
		t.Errorf("read %d rows, want 500", n)
	}
}
