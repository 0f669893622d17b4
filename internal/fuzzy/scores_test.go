package fuzzy_test

import (
	"testing"

	"airqa/internal/fuzzy"
)

// FuzzScores checks that every score lies between 0 and 100, is the same again, and that equal texts have 100; and that
// Limit is never below Ratio.
func FuzzScores(f *testing.F) {
	f.Add("attention is all you need", "all you need is attention")
	f.Add("", "x")
	f.Add("Üñï¿", "\xff\xed\xa0\x80")
	f.Add("aab", "baa")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)*len(b) > 1e6 {
			t.Skip("long")
		}
		for _, name := range fuzzy.Names() {
			score := fuzzy.ByName(name)
			n := score(a, b)
			if n < 0 || n > 100 || score(a, b) != n {
				t.Fatalf("%s(%q, %q) = %d, then %d", name, a, b, n, score(a, b))
			}
		}
		if n := fuzzy.Ratio(a, b); n > fuzzy.Limit(a, b) || n != fuzzy.Ratio(b, a) {
			t.Fatalf("Ratio(%q, %q) = %d, the other way %d, limit %d", a, b, n, fuzzy.Ratio(b, a), fuzzy.Limit(a, b))
		}
		if n := fuzzy.Ratio(a, a); n != 100 {
			t.Fatalf("Ratio of %q with itself is %d", a, n)
		}
	})
}
