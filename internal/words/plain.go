package words

import "strings"

// longestWord is the maximum length of a word of letters; a longer one is a part of a key.
const longestWord = 15

// Hyphenated reports whether every part of a text between hyphens, underscores and points could be a word, an
// abbreviation, a number or a version: "learn-compatible-estimators" and "BERT-base-v2", but not "3Gf6Jq1M". The text has
// only ASCII letters and digits otherwise.
func Hyphenated(text string) bool {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("-_.", r) }) {
		if !plain(part) {
			return false
		}
	}
	return true
}

// plain reports whether a part is at most one run of digits beside words: "learn", "ResNet50", "2024", "3d", "mT5".
func plain(part string) bool {
	const shortest, longestNumber = 6, 8
	digits, runs, turns, odd := 0, 0, 0, false
	for i := range len(part) {
		switch c := part[i]; {
		case c >= '0' && c <= '9':
			digits++
			if i == 0 || part[i-1] < '0' || part[i-1] > '9' {
				runs++
			}
		case c < 'a' && i > 0 && part[i-1] >= 'a':
			turns++ // from a small letter to a capital, as in CamelCase
			odd = odd || i+1 < len(part) && part[i+1] < 'a'
		}
	}
	letters := len(part) - digits
	switch {
	case len(part) < shortest:
		return true
	case letters == 0:
		return digits <= longestNumber
	case digits == 0:
		return len(part) <= longestWord && turns <= 3 || turns > 0 && 5*(turns+1) <= letters
	}
	return !odd && runs == 1 && digits <= 4 && letters <= longestWord && turns <= 2 && (isDigit(part[0]) || isDigit(part[len(part)-1]))
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
