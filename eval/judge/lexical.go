package judge

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"airqa/eval"
	"airqa/internal/python"
)

// Lexical is an [eval.Judge] that compares words and understands nothing: for dry runs, demonstrations and tests
// without an endpoint, never for results. It is deterministic and never fails.
//
// A text is covered by an answer when the answer contains it (case, punctuation, plurals and articles aside), or when
// the answer holds every number of it and at least [LexicalShare] of its other words. Numbers and names with
// digits that the question says already count as words. An answer is right when it covers the reference, one
// of the candidates, all points, or as many as are asked for. A formula is met when the answer contains it after
// blanks, braces and layout commands of LaTeX are taken out of both, and no digit continues it. Order counts for
// formulas only, where the request says so.
type Lexical struct{}

// LexicalShare is the share of the words of a text that an answer must hold to cover it.
const LexicalShare = 0.6

// Judge implements [eval.Judge].
func (Lexical) Judge(_ context.Context, r eval.JudgeRequest) (bool, error) {
	answer := newWording(r.Prediction, r.Question)
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

// wording is a text as words.
type wording struct {
	text  string // the words, each between blanks
	words map[string]bool
	asked map[string]bool // the words of the question
}

func newWording(answer, question string) wording {
	words := contentWords(answer)
	return wording{text: " " + strings.Join(words, " ") + " ", words: setOf(words), asked: setOf(contentWords(question))}
}

func setOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// covers tells whether the text s is in w.
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

// covered counts the texts that w covers.
func (w wording) covered(texts []string) int {
	n := 0
	for _, s := range texts {
		if w.covers(s) {
			n++
		}
	}
	return n
}

// emptyWords carry no content of their own. "not" and "no" do.
var emptyWords = setOf(strings.Fields(`
	a an the this that these those it its they their them he she his her we our
	of in on to by for with as at from into than per via
	and or so but while which who whose where when because since rather also such both
	is are was were be been being has have had do does did can will would may`))

// contentWords splits s into lower-case words, without the s of a plural or verb, and numbers. A point or comma
// between digits stays, but "1,000" and "1000", "0.50" and "0.5" are the same number.
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

// plainNumber drops the zeros at the end of a decimal fraction.
func plainNumber(w string) string {
	if strings.Trim(w, "0123456789.") != "" || strings.Count(w, ".") != 1 {
		return w
	}
	return strings.TrimSuffix(strings.TrimRight(w, "0"), ".")
}

// singular drops an s that only marks a plural or a verb's third person. It may cut other words short, but all
// alike.
func singular(w string) string {
	if len(w) < 4 || w[len(w)-1] != 's' || strings.IndexByte("sui", w[len(w)-2]) >= 0 {
		return w
	}
	return w[:len(w)-1]
}
