package fuzzy

import (
	"slices"
	"strings"
	"unicode"

	"airqa/internal/python"
)

// TokenSortRatio is the [Ratio] of the sorted words.
func TokenSortRatio(a, b string) int { return Ratio(sorted(clean(a, true)), sorted(clean(b, true))) }

// PartialTokenSortRatio is the [PartialRatio] of the sorted words.
func PartialTokenSortRatio(a, b string) int {
	return PartialRatio(sorted(clean(a, true)), sorted(clean(b, true)))
}

// TokenSetRatio is the best [Ratio] among the common words and the common words followed by the rest of either text.
func TokenSetRatio(a, b string) int { return tokenSet(clean(a, true), clean(b, true), Ratio) }

// PartialTokenSetRatio is [TokenSetRatio] with [PartialRatio]: 100 as soon as one word is common.
func PartialTokenSetRatio(a, b string) int {
	return tokenSet(clean(a, true), clean(b, true), PartialRatio)
}

func sorted(s string) string {
	words := python.Fields(s)
	slices.Sort(words)
	return strings.Join(words, " ")
}

func tokenSet(a, b string, score Score) int {
	if a == "" || b == "" {
		return 0
	}
	wordsA, wordsB := wordSet(a), wordSet(b)
	var common, onlyA, onlyB []string
	for _, w := range wordsA {
		if slices.Contains(wordsB, w) {
			common = append(common, w)
		} else {
			onlyA = append(onlyA, w)
		}
	}
	for _, w := range wordsB {
		if !slices.Contains(wordsA, w) {
			onlyB = append(onlyB, w)
		}
	}
	both := strings.Join(common, " ")
	withA := python.Strip(both + " " + strings.Join(onlyA, " "))
	withB := python.Strip(both + " " + strings.Join(onlyB, " "))
	return max(score(both, withA), score(both, withB), score(withA, withB))
}

// wordSet returns the distinct words of s, sorted.
func wordSet(s string) []string {
	words := python.Fields(s)
	slices.Sort(words)
	return slices.Compact(words)
}

// clean prepares a text for word comparison: characters other than letters, digits and underscores become spaces (a
// lone surrogate becomes one), letters lower case. With ascii, U+0080 to U+00FF are removed first; higher characters
// remain.
func clean(s string, ascii bool) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := python.DecodeRune(s[i:])
		i += n
		switch {
		case ascii && 0x80 <= r && r <= 0xFF:
		case r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
	}
	return python.Strip(python.Lower(b.String()))
}
