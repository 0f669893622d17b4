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
	s := shapeOf(part)
	switch {
	case len(part) < shortest:
		return true
	case s.letters == 0:
		return s.digits <= longestNumber
	case s.digits == 0: // a word, or several in CamelCase of five letters or more on average
		return s.letters <= longestWord && s.turns <= 3 || s.turns > 0 && 5*(s.turns+1) <= s.letters
	}
	numberAtEnd := isDigit(part[0]) || isDigit(part[len(part)-1])
	return numberAtEnd && s.isNumbered()
}

// shape is how the letters and digits of a part alternate, by which a word differs from a key.
type shape struct {
	letters, digits int
	// runs are the numbers, of one digit or more.
	runs int
	// turns are the changes from a small letter to a capital, as in CamelCase.
	turns int
	// odd means that a turn is not the beginning of a word: a digit or another capital follows its capital.
	odd bool
}

func shapeOf(part string) shape {
	var s shape
	for i := range len(part) {
		switch c := part[i]; {
		case isDigit(c):
			s.digits++
			if i == 0 || !isDigit(part[i-1]) {
				s.runs++
			}
		case c < 'a' && i > 0 && part[i-1] >= 'a':
			s.turns++
			s.odd = s.odd || i+1 < len(part) && part[i+1] < 'a'
		}
	}
	s.letters = len(part) - s.digits
	return s
}

// isNumbered reports whether letters and digits are a word with one short number.
func (s shape) isNumbered() bool {
	return !s.odd && s.runs == 1 && s.digits <= 4 && s.letters <= longestWord && s.turns <= 2
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
