package offline

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// filler are words of questions that say nothing about what is asked, as stems.
var filler = stems("paper papers according answer author authors article work study find name give tell please much many " +
	"exact exactly propose proposed first second two three four figure table section called using used use respectively")

func stems(text string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range wordsOf(spelled.Replace(text)) {
		set[stem(w)] = true
	}
	return set
}

func stem(word string) string { return english.Stem(strings.ToLower(word), false) }

var wordPattern = regexp.MustCompile(`[\p{L}\p{N}]+(?:[.,]\d+)*`)

// wordsOf returns the runs of letters and digits; "61.4" is one, "state-of-the-art" four.
func wordsOf(text string) []string { return wordPattern.FindAllString(text, -1) }

// terms returns the content words of a question, each once, in their order.
func terms(question string) []string {
	var list []string
	seen := make(map[string]bool)
	for _, w := range wordsOf(question) {
		s := stem(w)
		if english.IsStopWord(strings.ToLower(w)) || filler[s] || seen[s] {
			continue
		}
		seen[s] = true
		list = append(list, w)
	}
	return list
}

// terms are those of a text without the names and years of the conferences that are searched anyway.
func (t *task) terms(text string) []string {
	return slices.DeleteFunc(terms(text), func(w string) bool {
		return slices.ContainsFunc(t.scopes, func(s scope) bool { return strings.EqualFold(w, s.name) || w == s.year })
	})
}

// weights maps the stem of a word to what it counts.
type weights map[string]float64

// sum adds the weights of the stems that occur in both.
func (w weights) sum(in map[string]bool) float64 {
	total := 0.0
	// Sums of floats depend on their order: a map has none.
	for _, s := range sortedKeys(in) {
		total += w[s]
	}
	return total
}

// weigh gives every term of a question its weight: words that few sentences hold count more, the names and years of
// conferences nothing.
func (t *task) weigh(question string, sentences []sentence) weights {
	w := make(weights)
	for _, term := range t.terms(question) {
		s := stem(term)
		with := 0
		for _, sen := range sentences {
			if sen.stems[s] {
				with++
			}
		}
		w[s] = 0.5 + math.Log(float64(len(sentences)+1)/float64(with+1))
	}
	return w
}

var (
	hyphenBreak = regexp.MustCompile(`(\p{Ll})-\s*\n\s*(\p{Ll})`)
	blanks      = regexp.MustCompile(`\s+`)
	endPattern  = regexp.MustCompile(`[.?!]["”’)]*(?:\d{1,2})?\s+`)
	abbreviated = regexp.MustCompile(`(?i)(?:\b(?:fig|figs|tab|eq|eqs|sec|al|vs|cf|e\.g|i\.e|resp|no|st|dr|approx)|\b\p{Lu})\.\s*$`)
	ligatures   = strings.NewReplacer("ﬁ", "fi", "ﬂ", "fl", "ﬀ", "ff", "ﬃ", "ffi", "ﬄ", "ffl", "−", "-", "\u00ad", "")
)

// spelled names the Greek letters, so that a question about lambda finds λ.
var spelled = strings.NewReplacer("α", " alpha ", "β", " beta ", "γ", " gamma ", "δ", " delta ", "ε", " epsilon ", "ϵ", " epsilon ",
	"η", " eta ", "θ", " theta ", "κ", " kappa ", "λ", " lambda ", "μ", " mu ", "π", " pi ", "ρ", " rho ", "σ", " sigma ", "τ", " tau ",
	"φ", " phi ", "ω", " omega ")

// flat joins the lines of a text and the words that were divided at their ends.
func flat(text string) string {
	text = hyphenBreak.ReplaceAllString(ligatures.Replace(text), "$1$2")
	return strings.TrimSpace(blanks.ReplaceAllString(text, " "))
}

// sentence is a stretch of text with the stems of its words and where it was seen.
type sentence struct {
	text  string
	stems map[string]bool
	paper string
}

// split cuts a text into sentences. A short line before a capital is a heading or the end of a paragraph.
func split(text string) []string {
	var list []string
	for block := range strings.SplitSeq(blockEnd.ReplaceAllString(text, "$1\x00$2"), "\x00") {
		list = append(list, splitBlock(flat(block))...)
	}
	return list
}

var blockEnd = regexp.MustCompile(`(?m)([.?!:]|^.{1,40})\s*\n\s*([\p{Lu}\d])`)

func splitBlock(text string) []string {
	var list []string
	start := 0
	for _, m := range endPattern.FindAllStringIndex(text, -1) {
		next := []rune(text[m[1]:min(m[1]+4, len(text))])
		open := len(next) > 0 && unicode.IsLower(next[0])
		if open || abbreviated.MatchString(text[start:m[1]]) {
			continue
		}
		list = append(list, strings.TrimSpace(text[start:m[1]]))
		start = m[1]
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" {
		list = append(list, rest)
	}
	return list
}
