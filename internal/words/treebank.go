package words

import (
	"strings"
	"unicode"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

type rule struct {
	find *lazyregexp.Regexp
	with string
}

func rules(pairs ...string) []rule {
	var list []rule
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, rule{lazyregexp.New(pairs[i]), pairs[i+1]})
	}
	return list
}

func apply(list []rule, text string) string {
	for _, r := range list {
		text = r.find.ReplaceAllString(text, r.with)
	}
	return text
}

var (
	opening = rules(
		"([«“‘„]|`+)", " ${1} ",
		`^"`, "``",
		"(``)", " ${1} ",
		`([ (\[{<])("|'{2})`, "${1} `` ",
	)
	punctuation = rules(
		`([^.])(\.)([\])}>"'»”’ ]*)[\s\p{Z}]*$`, "${1} ${2} ${3} ", // the full stop at the end of a sentence only
		`([:,])([^\p{Nd}])`, " ${1} ${2}",
		`([:,])$`, " ${1} ",
		`(\.{2,})`, " ${1} ",
		`([;@#$%&])`, " ${1} ",
		`([‒-―])`, " ${1} ",
		`([?!])`, " ${1} ",
		`([^'])' `, "${1} ' ",
		`([*])`, " ${1} ",
		`([\]\[(){}<>])`, " ${1} ",
		`(--)`, " ${1} ",
	)
	closing = rules(
		`([»”’])`, " ${1} ",
		`''`, " '' ",
		`"`, " '' ",
		`[\s\p{Z}]+`, " ",
		`([^' ])('[sS]|'[mM]|'[dD]|') `, "${1} ${2} ",
		`([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) `, "${1} ${2} ",
		`(?i)\b(can)(not)\b`, " ${1} ${2} ",
		`(?i)\b(d)('ye)\b`, " ${1} ${2} ",
		`(?i)\b(gim|lem)(me)\b`, " ${1} ${2} ",
		`(?i)\b(gon)(na)\b`, " ${1} ${2} ",
		`(?i)\b(got)(ta)\b`, " ${1} ${2} ",
		`(?i)\b(more)('n)\b`, " ${1} ${2} ",
		`(?i)\b(wan)(na)\b`, " ${1} ${2} ",
		`(?i) ('t)(is|was)\b`, " ${1} ${2} ",
	)
	quoted    = lazyregexp.New(`(^|[^\p{L}\p{N}_])'([\p{L}\p{N}_]+)`)
	shortened = lazyregexp.New(`(?i)([a-z]\.[a-z]|[^a-z](al|cf|dr|eq|fig|figs|mr|mrs|no|prof|resp|sec|vs|[a-z]))\.$`)
	clitic    = lazyregexp.New(`(?i)^(re|ve|ll|m|t|s|d|n)$`)
)

// Treebank returns the tokens of a text with case and punctuation, by the rules of NLTK's word_tokenize: clitics are
// tokens, and a full stop is one only at the end of a sentence. Sentences end before a capital or a digit, but not at a
// common abbreviation; NLTK's trained splitter knows more of these.
func Treebank(text string) []string {
	var sentences, list []string
	for _, s := range Sentences(text) {
		if n := len(sentences); n > 0 && shortened.MatchString(sentences[n-1]) {
			sentences[n-1] += " " + s
			continue
		}
		sentences = append(sentences, s)
	}
	for _, s := range sentences {
		s = quoted.ReplaceAllStringFunc(apply(opening, s), func(m string) string {
			before, word, _ := strings.Cut(m, "'")
			if clitic.MatchString(word) {
				return m
			}
			return before + "' " + word
		})
		list = append(list, python.Fields(apply(closing, " "+apply(punctuation, s)+" "))...)
	}
	return list
}

// Sentences splits a text after ". ", "? " and "! " before a capital or a digit.
func Sentences(s string) []string {
	var out []string
	runes := []rune(s)
	start := 0
	for i := 0; i+2 < len(runes); i++ {
		ends := strings.ContainsRune(".?!", runes[i]) && runes[i+1] == ' '
		if ends && (unicode.IsUpper(runes[i+2]) || unicode.IsDigit(runes[i+2])) {
			out = append(out, string(runes[start:i+1]))
			start = i + 2
		}
	}
	return append(out, string(runes[start:]))
}
