package redact

import (
	"slices"
	"strings"

	"airqa/qa"
)

// random reports whether a word looks as if it were drawn at random: one of its parts, or all parts together if they are
// long, mixed for the most part, or groups of the same length. UUIDs are no secrets.
func random(word string) bool {
	if len(word) < 16 || qa.IsUUID(word[:min(36, len(word))]) {
		return false
	}
	parts := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune("_-+/=.", r) })
	if slices.ContainsFunc(parts, unlikely) {
		return true
	}
	joined, mixed, groups := strings.Join(parts, ""), 0, true
	for _, part := range parts {
		if isMixed(part) {
			mixed += len(part)
		}
		groups = groups && len(part) == len(parts[0]) && part == strings.ToUpper(part)
	}
	return (len(joined) >= 7*len(parts) || 2*mixed >= len(joined) || groups) && unlikely(joined)
}

// isMixed reports whether a part has letters and digits, or small and capital letters.
func isMixed(part string) bool {
	digits, lower, upper := classes(part)
	return digits > 0 && lower+upper > 0 || lower > 0 && upper > 1
}

func classes(s string) (digits, lower, upper int) {
	for i := range len(s) {
		switch {
		case isDigit(s[i]):
			digits++
		case s[i] >= 'a' && s[i] <= 'z':
			lower++
		case isLetter(s[i]):
			upper++
		}
	}
	return digits, lower, upper
}

// pairs has the frequency of pairs of letters in English text and in identifiers, on a logarithmic scale from 0 to 9:
// row by first letter, column by second.
const pairs = "" +
	"36773672735878371878655552" + "63537321650632640553610161" + "74547457607654853657543140" + "64468542732544642664543452" +
	"75786764524778575988566752" + "63466632700654741655712140" + "53537345602535752664532222" + "72348312601343620545512141" +
	"66776772324779762688362516" + "30105110301000410052400000" + "53347333501434442454424020" + "74468642703744740466643061" +
	"75448223603454671365612230" + "74778683726646753478653252" + "66775753625778671877766422" + "73557445603633762757653150" +
	"50010000200301010221602000" + "74668663706567855877754261" + "73758456715554764478635173" + "74658548813654762876745572" +
	"55657550701668360777410303" + "72237421500332420232311210" + "63336336600435631653212200" + "54535422500322350226221320" +
	"33324222401445461476213012" + "30006003300110300010000023"

// unlikely reports whether a word of letters and digits is unlike English words and identifiers. Words drawn at random
// score 1.3 per pair of characters; 99 % of those with 20 characters score more than -0.25, and almost no identifier
// does.
func unlikely(word string) bool {
	digits, lower, upper := classes(word)
	letters := lower + upper
	if len(word) < 16 || letters < 4 || digits == 0 && (lower == 0 || upper < 4) || diversity(word) < 9 {
		return false
	}
	least := -0.25
	if digits == 0 || len(word) < 20 {
		least = 0.2
	}
	return surprise(word) > least*float64(len(word)-1)
}

// surprise adds up how rare the pairs of characters of a word are.
func surprise(word string) float64 {
	sum := 0.0
	for i := 1; i < len(word); i++ {
		a, b := word[i-1], word[i]
		switch {
		case b == a || b == a+1:
			sum-- // "aaaa", "1234", "abcd"
		case isDigit(a) != isDigit(b):
			sum += 1.3
		case isLetter(a) && isLetter(b):
			sum += 5.3 - float64(pairs[26*int(a|0x20-'a')+int(b|0x20-'a')]-'0')
		}
	}
	return sum
}

// diversity counts the different characters of a word.
func diversity(word string) int {
	var seen [256]bool
	n := 0
	for i := range len(word) {
		if !seen[word[i]] {
			seen[word[i]] = true
			n++
		}
	}
	return n
}
