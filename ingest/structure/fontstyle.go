package structure

import (
	"strings"
	"unicode"

	"airqa/ingest/layout"
	"airqa/internal/lazyregexp"
)

// fontStyle is the font style of a line, for comparing headings.
type fontStyle struct {
	font string
	size float64
}

func printOf(l layout.Line) fontStyle {
	if len(l.Words) == 0 {
		return fontStyle{}
	}
	best := l.Words[0]
	for _, w := range l.Words {
		if w.Size > best.Size+0.2 {
			best = w
		}
	}
	return fontStyle{font: best.Font, size: l.Size}
}

func (p fontStyle) like(o fontStyle) bool { return p.font == o.font && abs(p.size-o.size) < 0.35 }

// standsOut reports whether a line looks like a heading: bold, larger than the text, in capitals, or in italics. The whole
// line must be italic, because a phrase in italics is not a heading.
func (r *paperReader) standsOut(l layout.Line) bool {
	if l.Bold && l.Size > 0.87*r.Doc.BodySize || l.Size > 1.08*r.Doc.BodySize {
		return true
	}
	if l.Size <= 0.93*r.Doc.BodySize {
		return false
	}
	if isCapitals(l.Text()) || capsFont.MatchString(printOf(l).font) {
		return true
	}
	n := l.CharsOf(func(w layout.Word) bool {
		italic, judged := r.italics[w.Font]
		if !judged {
			italic = italicFont.MatchString(w.Font)
			r.italics[w.Font] = italic
		}
		return italic
	})
	return n > 0 && n*10 >= l.Chars()*9
}

func isCapitals(s string) bool {
	upper, lower := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r):
			lower++
		}
	}
	return upper > 2 && lower == 0
}

var capsFont = lazyregexp.New(`(?i)(csc|smallcap|caps|-sc|sc\d|[a-z]cc\d|xcc)`)

var italicFont = lazyregexp.New(`(?i)(ital|obli|cmti|sfti|cmsl|-it$|ti\d)`)

// folded reduces a text to lower-case letters and digits without accents, to ignore typographic differences.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, layout.WithoutAccents(s))
}

func abs(x float64) float64 { return max(x, -x) }
