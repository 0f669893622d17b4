package lexical

import (
	_ "embed"
	"strings"
)

//go:embed english.txt
var englishWords string

// english is the English stop list of scikit-learn: 318 words, historical spellings included.
var english = set(englishWords)

func set(text string) map[string]bool {
	words := make(map[string]bool)
	for w := range strings.FieldsSeq(text) {
		words[w] = true
	}
	return words
}
