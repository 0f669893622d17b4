package judge

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"airqa/eval"
	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

// Lexical is an [eval.Judge] that only compares words. It is for dry runs, demonstrations and tests without an
// endpoint, never for results. It is deterministic and never fails.
//
// An answer covers a text if it contains it, ignoring case, punctuation, plurals and articles, or if it contains every
// number of it and at least [LexicalShare] of its other words. Numbers and names with digits that occur in the question
// count as words. An answer is right if it covers the reference, one of the candidates, all points, or as many as
// required. A formula matches if the answer contains it after whitespace, braces and LaTeX layout commands are removed
// from both, and no digit follows it. Order matters only for formulas, if the request says so.
type Lexical struct{}

// LexicalShare is the fraction of a text's words that an answer must contain to cover it.
const LexicalShare = 0.6

// Judge compares the words of the answer with what r asks for. It never fails.
func (Lexical) Judge(_ context.Context, r eval.JudgeRequest) (bool, error) {
	words := contentWords(r.Prediction)
	answer := wording{text: " " + strings.Join(words, " ") + " ", words: setOf(words), asked: setOf(contentWords(r.Question))}
	switch r.Kind {
	case eval.JudgeReference:
		return answer.covers(r.Reference), nil
	case eval.JudgeCandidates:
		return slices.ContainsFunc(r.Candidates, answer.covers), nil
	case eval.JudgePartialPoints:
		return answer.covered(r.Points) >= r.Count, nil
	case eval.JudgePoints:
		return answer.covered(r.Points) == len(r.Points), nil
	case eval.JudgeReferenceAndPoints:
		return answer.covers(r.Reference) && answer.covered(r.Points) == len(r.Points), nil
	case eval.JudgeFormulas:
		return holdsFormulas(r), nil
	}
	return false, nil
}

// wording is a text split into words.
type wording struct {
	text  string // the words, each surrounded by spaces
	words map[string]bool
	asked map[string]bool // the words of the question
}

func setOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

func (w wording) covers(s string) bool {
	wanted := contentWords(s)
	if len(wanted) == 0 {
		return strings.TrimSpace(s) == ""
	}
	if strings.Contains(w.text, " "+strings.Join(wanted, " ")+" ") {
		return true
	}
	held, plain := 0, 0
	for _, x := range wanted {
		switch needed := strings.ContainsFunc(x, unicode.IsDigit) && !w.asked[x]; {
		case needed && !w.words[x]:
			return false
		case needed:
		case w.words[x]:
			held, plain = held+1, plain+1
		default:
			plain++
		}
	}
	return float64(held) >= LexicalShare*float64(plain)
}

func (w wording) covered(texts []string) int {
	n := 0
	for _, s := range texts {
		if w.covers(s) {
			n++
		}
	}
	return n
}

// emptyWords have no content of their own. "not" and "no" do.
var emptyWords = setOf(strings.Fields(`
	a an the this that these those it its they their them he she his her we our
	of in on to by for with as at from into than per via
	and or so but while which who whose where when because since rather also such both
	is are was were be been being has have had do does did can will would may`))

// contentWords splits s into numbers and lower-case words without a plural or verbal s. A point or comma between digits
// is kept, but "1,000" equals "1000" and "0.50" equals "0.5".
func contentWords(s string) []string {
	runes := []rune(python.Lower(s))
	inNumber := func(i int) bool {
		return i > 0 && i+1 < len(runes) && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1])
	}
	var b strings.Builder
	for i, r := range runes {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '.' && inNumber(i):
			b.WriteRune(r)
		case r == ',' && inNumber(i):
		default:
			b.WriteByte(' ')
		}
	}
	var words []string
	for w := range strings.FieldsSeq(b.String()) {
		if !emptyWords[w] {
			words = append(words, singular(plainNumber(w)))
		}
	}
	return words
}

// plainNumber drops trailing zeros of a decimal fraction.
func plainNumber(w string) string {
	if strings.Trim(w, "0123456789.") != "" || strings.Count(w, ".") != 1 {
		return w
	}
	return strings.TrimSuffix(strings.TrimRight(w, "0"), ".")
}

// singular drops a plural or third-person s. It may shorten other words, but consistently.
func singular(w string) string {
	if len(w) < 4 || w[len(w)-1] != 's' || strings.IndexByte("sui", w[len(w)-2]) >= 0 {
		return w
	}
	return w[:len(w)-1]
}

// latexNoise matches LaTeX commands that change the look of a formula, not its meaning.
var latexNoise = lazyregexp.New(`\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|nolimits|quad|qquad|mathrm|mathbf|mathit|text|operatorname|boldsymbol|bm)\b\*?|\\[,;:!> ]|\\[()\[\]]|[{}$~\s&]`)

// plainFormula returns a LaTeX formula without whitespace, braces and layout commands. It does no mathematics.
func plainFormula(s string) string {
	s = strings.NewReplacer(`\dfrac`, `\frac`, `\tfrac`, `\frac`, `\le `, `\leq `, `\ge `, `\geq `).Replace(s)
	return strings.TrimRight(latexNoise.ReplaceAllString(s, ""), ".,;")
}

// holdsFormulas reports whether the prediction contains every formula, in order unless any order is allowed.
func holdsFormulas(r eval.JudgeRequest) bool {
	rest := plainFormula(r.Prediction)
	for _, f := range r.Formulas {
		plain := plainFormula(f)
		i := indexFormula(rest, plain)
		if i < 0 || plain == "" {
			return false
		}
		if !r.IgnoreOrder {
			rest = rest[i+len(plain):]
		}
	}
	return len(r.Formulas) > 0
}

// indexFormula returns the first index of formula in s at which no number at either end continues beyond it, or -1.
func indexFormula(s, formula string) int {
	for at := 0; at <= len(s)-len(formula); at++ {
		i := strings.Index(s[at:], formula)
		if i < 0 {
			return -1
		}
		at += i
		end := at + len(formula)
		if !sameNumber(s, at) && !sameNumber(s, end) {
			return at
		}
	}
	return -1
}

// sameNumber reports whether position i is inside a number, with or without a decimal point.
func sameNumber(s string, i int) bool {
	before, after := strings.TrimSuffix(s[:i], "."), strings.TrimPrefix(s[i:], ".")
	return before != "" && after != "" && isDigit(before[len(before)-1]) && isDigit(after[0])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
