package words_test

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"airqa/internal/words"
)

func TestMark(t *testing.T) {
	for text, want := range map[string]string{
		"6.02·10²³ mol⁻¹":   "6.02·10^23 mol⁻¹",
		"10⁻⁷, (2+3)⁴, 5%¹": "10^−7, (2+3)^4, 5%^1",
		"101₂ and H₂O":      "101_2 and H₂O",
		"5³₂":               "5^3_2",
		"²⁰⁷Pb, m²³":        "²⁰⁷Pb, m²³",
		"¹1987":             "¹ 1987",
		"2¾ or ¾, x½":       "2 ¾ or ¾, x½",
		"plain 10^20 – 3":   "plain 10^20 – 3",
		"":                  "",
	} {
		if got := words.MarkScripts(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if got, want := strings.Count(norm.NFKC.String(words.MarkScripts(text)), "^"), strings.Count(want, "^"); got != want {
			t.Errorf("%q: %d marks of exponents, want %d", text, got, want)
		}
	}
}
