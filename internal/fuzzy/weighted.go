package fuzzy

import "math"

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
