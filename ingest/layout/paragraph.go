package layout

import (
	"cmp"
	"math"
	"slices"
	"unicode"
)

// edge has the left and right edges of a column's text and its usual line spacing.
type edge struct {
	left, right, leading float64
}

// edgeOf measures a column of a page. The result is zero without text.
func edgeOf(lines []Line, column int) edge {
	lefts, steps := map[float64]int{}, map[float64]int{}
	var rights []float64
	var last Line
	for _, l := range lines {
		if l.Column != column || l.Role != Body || l.Chars() < 15 {
			continue
		}
		lefts[math.Round(l.Box.X0)] += l.Chars()
		rights = append(rights, l.Box.X1)
		if step := l.Baseline - last.Baseline; len(rights) > 1 && step > 0.8*l.Size && step < 2*l.Size {
			steps[math.Round(2*step)/2]++
		}
		last = l
	}
	if len(rights) == 0 {
		return edge{}
	}
	slices.Sort(rights)
	return edge{left: mode(lefts), right: rights[len(rights)*9/10], leading: mode(steps)}
}

// mode returns the value with the highest count, the smallest in a tie.
func mode[K cmp.Ordered](count map[K]int) K {
	var best K
	most := 0
	for v, n := range count {
		if n > most || n == most && v < best {
			best, most = v, n
		}
	}
	return best
}

// markFootnotes finds the rules between text and footnotes, and marks the lines below them. It moves these lines to the
// end of the page, so that they do not interrupt a sentence that continues in the next column.
func markFootnotes(p *Page, bodySize float64) {
	for _, s := range p.Shapes {
		column, ok := footnoteColumn(p, s, bodySize)
		if !ok {
			continue
		}
		for i := range p.Lines {
			l := &p.Lines[i]
			if l.Column == column && l.Role == Body && l.Baseline > s.Box.Y1 && l.Box.X0 > s.Box.X0-8 && l.Size < 0.96*bodySize {
				l.Role = Footnote
			}
		}
	}
	markUnruledNotes(p, bodySize)
	isNote := func(l Line) bool { return l.Role == Footnote }
	notes := slices.DeleteFunc(slices.Clone(p.Lines), func(l Line) bool { return !isNote(l) })
	p.Lines = append(slices.DeleteFunc(p.Lines, isNote), notes...)
	if p.Number == 1 {
		markAuthorNotes(p)
	}
}

// footnoteColumn reports whether s is a footnote rule, and its column. A footnote rule is short, in the lower part of
// the page, aligned with the text, with small text right below it and no body text after that.
func footnoteColumn(p *Page, s Shape, bodySize float64) (int, bool) {
	if !shortRule(p, s) || !flush(p, s, bodySize) || framed(p, s) {
		return 0, false
	}
	var first *Line
	for i := range p.Lines {
		l := &p.Lines[i]
		if !l.under(s) {
			continue
		}
		if l.Role != Body || l.Size >= 0.96*bodySize {
			return 0, false
		}
		if first == nil || l.Baseline < first.Baseline {
			first = l
		}
	}
	if first == nil || first.Baseline-s.Box.Y1 > 2*bodySize {
		return 0, false
	}
	return first.Column, true
}

func shortRule(p *Page, s Shape) bool {
	return s.IsRule() && s.Box.Y0 > 0.35*p.Height && s.Box.Width() < 0.4*p.Width
}

// framed reports whether another rule with the same ends follows below, as in a table.
func framed(p *Page, s Shape) bool {
	return slices.ContainsFunc(p.Shapes, func(o Shape) bool {
		same := abs(o.Box.X0-s.Box.X0) < 2 && abs(o.Box.X1-s.Box.X1) < 2
		return o.IsRule() && same && o.Box.Y0 > s.Box.Y1+4
	})
}

// under reports whether a line is below a rule and starts near its left end.
func (l *Line) under(s Shape) bool {
	return l.Baseline >= s.Box.Y0 && l.Box.X0 >= s.Box.X0-8 && l.Box.X0 <= s.Box.X0+24
}

// flush reports whether a rule starts at the left edge of text lines, which strokes of a plot seldom do.
func flush(p *Page, s Shape, bodySize float64) bool {
	return slices.ContainsFunc(p.Lines, func(l Line) bool {
		return l.Role == Body && l.Chars() > 20 && abs(l.Size-bodySize) < 0.6 && abs(l.Box.X0-s.Box.X0) < 3
	})
}

// indented reports whether line i is indented relative to both neighbours. The second line of a list item is indented,
// too, but so is the third.
func indented(lines []Line, i int, e edge) bool {
	above, l := lines[i-1], lines[i]
	least := 0.7 * l.Size
	if l.Role != Body || above.Column != l.Column || l.Box.X0-e.left < least || l.Box.X0-above.Box.X0 < least {
		return false
	}
	if l.continuesSentence(above) {
		return false // next to a large first letter, or at the end of a column
	}
	if i+1 == len(lines) || lines[i+1].Column != l.Column || lines[i+1].Role != Body {
		return true
	}
	return l.Box.X0-lines[i+1].Box.X0 > least/2
}

func breaks(above, l Line, e edge) bool {
	step := l.Baseline - above.Baseline
	switch {
	case above.differs(l):
		return true
	case above.Column != l.Column || step < 0:
		return !l.continuesSentence(above)
	case step > 1.3*max(e.leading, l.Size):
		return true
	case l.Role == Caption || !above.Bold && l.Bold:
		return false
	case above.Bold && !l.Bold && above.Chars() < 60:
		return step > 1.05*e.leading
	}
	return e.right-above.Box.X1 > 0.2*(e.right-e.left) && !l.continuesSentence(above)
}

// differs reports whether two lines are of different kinds.
func (l Line) differs(o Line) bool {
	return l.Role != o.Role || l.Caption != o.Caption || abs(l.Size-o.Size) > 1.2
}

// continuesSentence reports whether a sentence continues from above into l.
func (l Line) continuesSentence(above Line) bool {
	if len(above.Words) == 0 || len(l.Words) == 0 || above.Role != l.Role {
		return false
	}
	word := above.Words[len(above.Words)-1]
	if word.Hyphen {
		return true
	}
	end := lastRune(word.Text)
	if end == '.' || end == ':' || end == '?' || end == '!' {
		return false
	}
	return unicode.IsLower(firstRune(l.Words[0].Text)) || end == ',' || end == '-'
}

// lowerInitials gives a drop cap, the large first letter of a paragraph that extends over several lines, the size and
// the baseline of the first of them. It removes the line break after it.
func lowerInitials(glyphs []Glyph) []Glyph {
	for i := 0; i+1 < len(glyphs); i++ {
		next := i + 1
		for next+1 < len(glyphs) && unicode.IsSpace(glyphs[next].Rune) {
			next++
		}
		if !isInitial(glyphs[i], glyphs[next]) || i > 0 && follows(glyphs[i-1], glyphs[i]) {
			continue
		}
		first := glyphs[next]
		g := &glyphs[i]
		g.Baseline, g.Size, g.Box.Y0, g.Box.Y1 = first.Baseline, first.Size, first.Box.Y0, first.Box.Y1
		if glyphs[i+1].Rune == '\n' {
			glyphs = slices.Delete(glyphs, i+1, i+2)
		}
	}
	return glyphs
}

// isInitial reports whether a capital is much larger than the next letter, starts its line and extends below it.
func isInitial(g, next Glyph) bool {
	const larger, widest = 1.7, 0.8 // in multiples of the text size
	drop, gap := g.Baseline-next.Baseline, next.Box.X0-g.Box.X1
	return unicode.IsUpper(g.Rune) && unicode.IsLetter(next.Rune) && finite(g) && finite(next) && g.Size > larger*next.Size &&
		drop > 0.7*next.Size && next.Baseline > g.Box.Y0 && gap > -0.3*next.Size && gap < widest*next.Size
}

// follows reports whether a letter directly follows another in a word.
func follows(before, g Glyph) bool {
	return unicode.IsLetter(before.Rune) && abs(before.Baseline-g.Baseline) < 0.3*g.Size && g.Box.X0-before.Box.X1 < 0.5*g.Size
}
