// Package fuzzy scores the similarity of two texts from 0 to 100, exactly like the Python package fuzzywuzzy 0.18 with
// python-Levenshtein 0.26. [Ratio] and its variants are the scores; [ByName] returns one by the name that evaluators
// use. Thresholds are the caller's.
package fuzzy

import (
	"math"
	"strings"
	"unicode/utf8"

	"airqa/internal/python"
)

// Score compares two texts; the result is from 0 to 100.
type Score func(a, b string) int

// ByName returns the score with a fuzzywuzzy name, such as "partial_ratio", or nil.
func ByName(name string) Score {
	for _, s := range scores {
		if s.name == name {
			return s.score
		}
	}
	return nil
}

// scores are all functions of fuzzywuzzy's module fuzz that compare two texts.
var scores = []struct {
	name  string
	score Score
}{
	{"ratio", Ratio},
	{"partial_ratio", PartialRatio},
	{"token_sort_ratio", TokenSortRatio},
	{"token_set_ratio", TokenSetRatio},
	{"partial_token_sort_ratio", PartialTokenSortRatio},
	{"partial_token_set_ratio", PartialTokenSetRatio},
	{"QRatio", QRatio},
	{"UQRatio", UQRatio},
	{"WRatio", WRatio},
	{"UWRatio", UWRatio},
}

// Names returns all names for [ByName].
func Names() []string {
	names := make([]string, len(scores))
	for i, s := range scores {
		names[i] = s.name
	}
	return names
}

// Ratio is the share of characters in a common subsequence: 100 for equal texts, 0 if one is empty.
func Ratio(a, b string) int {
	return compare(a, b, similarity[byte], similarity[rune])
}

// Limit is the highest possible [Ratio] for texts of the lengths of a and b. It is cheap.
func Limit(a, b string) int {
	la, lb := length(a), length(b)
	if la+lb == 0 {
		return 100
	}
	return percent(1 - float64(max(la, lb)-min(la, lb))/float64(la+lb))
}

// LimitOf is the highest possible score with a name from [Names] for texts of the lengths of a and b. It sorts and aligns
// nothing, so it is cheap for a text that is far longer than the other.
func LimitOf(name, a, b string) int {
	switch name {
	case "ratio":
		return Limit(a, b)
	case "QRatio", "WRatio", "token_sort_ratio":
		a, b = clean(a, true), clean(b, true)
	case "UQRatio", "UWRatio":
		a, b = clean(a, false), clean(b, false)
	default:
		return 100
	}
	switch name {
	case "token_sort_ratio":
		return Limit(strings.Join(python.Fields(a), " "), strings.Join(python.Fields(b), " "))
	case "QRatio", "UQRatio":
		return Limit(a, b)
	}
	if max(length(a), length(b)) > farFromLength*min(length(a), length(b)) {
		return max(Limit(a, b), percent(farPartWeight))
	}
	return 100
}

// compare returns the percentage of a similarity of two texts: of their bytes if both are ASCII.
func compare(a, b string, ofBytes func(a, b []byte) float64, ofRunes func(a, b []rune) float64) int {
	switch {
	case a == b:
		return 100
	case a == "" || b == "":
		return 0
	case python.IsASCII(a) && python.IsASCII(b):
		return percent(ofBytes([]byte(a), []byte(b)))
	}
	return percent(ofRunes(runes(a), runes(b)))
}

// percent rounds a similarity to a percentage, ties to even.
func percent(s float64) int { return int(math.RoundToEven(100 * s)) }

// similarity is 1 - d/L for the insertion and deletion distance d. (L-d)/L would be a different float64 for some
// lengths and round differently.
func similarity[C char](a, b []C) float64 {
	total := len(a) + len(b)
	if total == 0 {
		return 1
	}
	d := total - 2*commonLength(a, b)
	return 1 - float64(d)/float64(total)
}

// char is the unit of comparison: bytes in ASCII texts, runes otherwise.
type char interface{ byte | rune }

// length returns the number of characters of s, counting a lone surrogate as one.
func length(s string) int {
	if utf8.ValidString(s) {
		return utf8.RuneCountInString(s)
	}
	return len(runes(s))
}

// runes returns the characters of s, with a lone surrogate as one.
func runes(s string) []rune {
	out := make([]rune, 0, len(s))
	for i := 0; i < len(s); {
		r, n := python.DecodeRune(s[i:])
		out = append(out, r)
		i += n
	}
	return out
}

// PartialRatio is the best [Ratio] of the shorter text with a part of the same length of the longer one. The parts
// tried begin at the equal runs of an alignment.
func PartialRatio(a, b string) int {
	return compare(a, b, bestPart[byte], bestPart[rune])
}

func bestPart[C char](shorter, longer []C) float64 {
	if len(shorter) > len(longer) {
		shorter, longer = longer, shorter
	}
	best, last := 0.0, -1
	al := aligner[C]{}
	al.align(shorter, longer, position{}, len(longer))
	for _, m := range append(al.found, block{len(shorter), len(longer), 0}) { // ends with an empty run
		start := max(0, m.b-m.a)
		if start == last {
			continue
		}
		last = start
		part := longer[start:min(len(longer), start+len(shorter))]
		best = max(best, similarity(shorter, part))
	}
	return best
}

// likeness is the minimum similarity for a name to count as a misspelling of another.
const likeness = 70

// Nearest returns the name that is most like the given one, or "" if none is.
func Nearest(name string, names []string) string {
	best, score := "", likeness-1
	for _, n := range names {
		if s := Ratio(name, n); s > score {
			best, score = n, s
		}
	}
	return best
}
