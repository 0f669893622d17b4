package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// letters are the names of Greek letters after NFKC, which makes ϵ, ϕ, µ and the letters of mathematical alphabets plain.
var letters = map[rune]string{
	'α': "alpha", 'β': "beta", 'γ': "gamma", 'δ': "delta", '∆': "delta", 'ε': "epsilon", 'ζ': "zeta", 'η': "eta", 'θ': "theta",
	'ι': "iota", 'κ': "kappa", 'λ': "lambda", 'μ': "mu", 'ν': "nu", 'ξ': "xi", 'ο': "omicron", 'π': "pi", 'ρ': "rho", 'σ': "sigma",
	'ς': "sigma", 'τ': "tau", 'υ': "upsilon", 'φ': "phi", 'χ': "chi", 'ψ': "psi", 'ω': "omega",
}

// letterNames are the names in letters.
var letterNames = func() map[string]bool {
	names := make(map[string]bool)
	for _, name := range letters {
		names[name] = true
	}
	return names
}()

// letterName returns the name of a Greek letter r, the n bytes at i, that is alone or beside digits and Latin letters;
// "" for another character, and within a word of Greek.
func letterName(text string, i int, r rune, n int) string {
	if r < utf8.RuneSelf {
		return ""
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+n:])
	if unicode.Is(unicode.Greek, before) || unicode.Is(unicode.Greek, after) {
		return ""
	}
	return letters[unicode.ToLower(r)]
}

// Numerals are the numbers from zero to twenty in words.
var Numerals = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
	"seventeen eighteen nineteen twenty")

// synonyms are words that a paper writes in another way: small numbers, and letters as commands of LaTeX.
var synonyms = map[string]string{
	"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11",
	"twelve": "12", "lamda": "lambda", "varepsilon": "epsilon", "vartheta": "theta", "varkappa": "kappa", "varpi": "pi", "varrho": "rho",
	"varsigma": "sigma", "varphi": "phi",
}
