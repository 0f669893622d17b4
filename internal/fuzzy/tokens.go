package fuzzy

import (
	"math"
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

// QRatio is the [Ratio] of the cleaned texts; characters U+0080 to U+00FF do not count.
func QRatio(a, b string) int { return quick(clean(a, true), clean(b, true)) }

// UQRatio is [QRatio] with all characters.
func UQRatio(a, b string) int { return quick(clean(a, false), clean(b, false)) }

func quick(a, b string) int {
	if a == "" || b == "" {
		return 0
	}
	return Ratio(a, b)
}

// WRatio is the best of several scores, weighted by how far they are from a plain [Ratio].
func WRatio(a, b string) int { return weighted(clean(a, true), clean(b, true)) }

// UWRatio is [WRatio] with all characters.
func UWRatio(a, b string) int { return weighted(clean(a, false), clean(b, false)) }

// fuzzywuzzy's weights for words instead of the whole, a part instead of the whole, and a part of a much longer text;
// and the length ratios from which parts are tried and count as much longer.
const (
	wordWeight     = 0.95
	partWeight     = 0.90
	farPartWeight  = 0.6
	partFromLength = 1.5
	farFromLength  = 8
)

func weighted(a, b string) int {
	if a == "" || b == "" {
		return 0
	}
	base := float64(Ratio(a, b))
	la, lb := length(a), length(b)
	lengths := float64(max(la, lb)) / float64(min(la, lb))
	if lengths < partFromLength {
		words := float64(Ratio(sorted(a), sorted(b))) * wordWeight
		set := float64(plainTokenSet(a, b, Ratio)) * wordWeight
		return int(math.RoundToEven(max(base, words, set)))
	}
	part := partWeight
	if lengths > farFromLength {
		part = farPartWeight
	}
	parts := float64(PartialRatio(a, b)) * part
	words := float64(PartialRatio(sorted(a), sorted(b))) * wordWeight * part
	set := float64(plainTokenSet(a, b, PartialRatio)) * wordWeight * part
	return int(math.RoundToEven(max(base, parts, words, set)))
}

// plainTokenSet is the score of word sets for cleaned texts: equal ones score 100.
func plainTokenSet(a, b string, score Score) int {
	if a == b {
		return 100
	}
	return tokenSet(a, b, score)
}
