package words

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	hyphenBreak = regexp.MustCompile(`(\p{Ll})-\s*\n\s*(\p{Ll})`)
	blanks      = regexp.MustCompile(`\s+`)
	endPattern  = regexp.MustCompile(`[.?!]["”’)]*(?:\d{1,2})?\s+`)
	abbreviated = regexp.MustCompile(`(?i)(?:\b(?:fig|figs|tab|eq|eqs|sec|al|vs|cf|e\.g|i\.e|resp|no|st|dr|approx)|\b\p{Lu})\.\s*$`)
	ligatures   = strings.NewReplacer("ﬁ", "fi", "ﬂ", "fl", "ﬀ", "ff", "ﬃ", "ffi", "ﬄ", "ffl", "−", "-", "\u00ad", "")
)

var greek = strings.NewReplacer("α", " alpha ", "β", " beta ", "γ", " gamma ", "δ", " delta ", "ε", " epsilon ", "ϵ", " epsilon ",
	"η", " eta ", "θ", " theta ", "κ", " kappa ", "λ", " lambda ", "μ", " mu ", "π", " pi ", "ρ", " rho ", "σ", " sigma ", "τ", " tau ",
	"φ", " phi ", "ω", " omega ")

// Spelled names the Greek letters, so that a question about lambda finds λ.
func Spelled(text string) string { return greek.Replace(text) }

// Flat joins the lines of a text and the words that were divided at their ends.
func Flat(text string) string {
	text = hyphenBreak.ReplaceAllString(ligatures.Replace(text), "$1$2")
	return strings.TrimSpace(blanks.ReplaceAllString(text, " "))
}

// Sentence is a stretch of text with the stems of its words.
type Sentence struct {
	Text  string
	Stems map[string]bool
}

// Sentences cuts a text into sentences. A short line before a capital is a heading or the end of a paragraph.
func Sentences(text string) []string {
	var list []string
	for block := range strings.SplitSeq(blockEnd.ReplaceAllString(text, "$1\x00$2"), "\x00") {
		list = append(list, splitBlock(Flat(block))...)
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

var clausePattern = regexp.MustCompile(`(?i)(?:(?:,|;)?\s+and,?|\?)\s+((?:(?:in|on|at|by|with|for|from|to|under|of)\s+)?(?:what|which|how|who|where|when)\b)`)

// Clauses cuts a question where a second one begins: "…, and how many …".
func Clauses(question string) []string {
	var list []string
	start := 0
	for _, m := range clausePattern.FindAllStringSubmatchIndex(question, -1) {
		list = append(list, strings.TrimSpace(question[start:m[0]]))
		start = m[2]
	}
	return append(list, strings.TrimSpace(question[start:]))
}
