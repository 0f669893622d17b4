package action

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A call is found where the regular expression for it finds it.
func TestCallOf(t *testing.T) {
	pattern := regexp.MustCompile(`\bQuery[ \t]*\(`)
	pieces := []string{"Query", "Que", "ry", "(", " ", "\t", "\n", "_", "é", "x", "9", "\xff", "Query("}
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(r, "pieces"), "")
		want := -1
		if m := pattern.FindStringIndex(text); m != nil {
			want = m[0]
		}
		if got := callOf(text, "Query"); got != want {
			r.Fatalf("callOf(%q) = %d, want %d", text, got, want)
		}
	})
}
