package structure

import (
	"cmp"
	"slices"
	"strings"

	"airqa/env/pdf"
	"airqa/ingest/layout"
	"airqa/internal/lazyregexp"
)

// equationNumber matches "(3)", "(A.1)", "(2.4b)" as the last word of a line.
var equationNumber = lazyregexp.New(`^\(([A-Z]?\.?\d{1,3}(?:\.\d{1,3})?[a-z]?)\)$`)

// equations finds numbered formulas: a number in parentheses at the right edge of its column, apart from the preceding
// text.
func (r *paperReader) equations() []Equation {
	var out []Equation
	for i, l := range r.flow {
		number, ok := r.numberAtEdge(i, l)
		if !ok {
			continue
		}
		e := Equation{Number: number, Page: l.Page}
		var words []string // from top to bottom, without the number
		for _, f := range r.formula(i) {
			e.Box = e.Box.Union(f.Box)
			for k, w := range f.Words {
				if k < len(f.Words)-1 || !equationNumber.MatchString(w.Text) {
					words = append(words, w.Text)
				}
			}
		}
		if e.Text = strings.Join(words, " "); e.Text != "" {
			out = append(out, e)
		}
	}
	return out
}

func (r *paperReader) numberAtEdge(i int, l layout.Line) (string, bool) {
	if len(l.Words) == 0 {
		return "", false
	}
	last := l.Words[len(l.Words)-1]
	m := equationNumber.FindStringSubmatch(last.Text)
	if m == nil || last.Box.X1 < r.rightEdge(l)-4 {
		return "", false
	}
	if len(l.Words) == 1 {
		return m[1], len(r.formula(i)) > 1
	}
	gap := last.Box.X0 - l.Words[len(l.Words)-2].Box.X1
	const reach = 45
	anchored := func(a pdf.Anchor) bool { // by LaTeX, right above the line
		return strings.HasPrefix(a.Name, "equation.") && a.Page == l.Page && a.Y < l.Baseline+2 && a.Y > l.Baseline-reach && r.sameColumn(l, a)
	}
	formula := l.MathShare() > 0.3 || slices.ContainsFunc(r.Anchors, anchored)
	return m[1], gap > 1.2*l.Size || gap > 0.5*l.Size && formula
}

func (r *paperReader) rightEdge(l layout.Line) float64 {
	var ends []float64
	for _, o := range r.Doc.Pages[l.Page-1].Lines {
		if o.Column == l.Column && o.Role == layout.Body && o.Chars() > 20 {
			ends = append(ends, o.Box.X1)
		}
	}
	if len(ends) == 0 {
		return l.Box.X1
	}
	slices.Sort(ends)
	return ends[len(ends)/2]
}

// formula collects the lines of the formula whose number ends line i: adjacent non-prose lines above and below, up to
// the next number.
func (r *paperReader) formula(i int) []layout.Line {
	lines := []layout.Line{r.flow[i]}
	for _, step := range []int{-1, 1} {
		edge, last := r.flow[i].Box, r.flow[i].Baseline
		for k := i + step; k >= 0 && k < len(r.flow); k += step {
			l := r.flow[k]
			nested := abs(l.Baseline-last) < 0.95*r.Doc.BodySize && !isProse(l) // a fraction: lines of text are further apart
			if !sameColumn(l, r.flow[i]) || !nested && !r.isPiece(l) || -l.Box.OverlapY(edge) > 0.6*r.Doc.BodySize {
				break
			}
			lines, edge, last = append(lines, l), edge.Union(l.Box), l.Baseline
		}
	}
	slices.SortStableFunc(lines, func(a, b layout.Line) int { return cmp.Compare(a.Baseline, b.Baseline) })
	return lines
}

// sameColumn reports whether l may belong to the formula of a numbered line. It must not have its own number.
func sameColumn(l, numbered layout.Line) bool {
	if l.Page != numbered.Page || l.Column != numbered.Column || len(l.Words) == 0 {
		return false
	}
	return !equationNumber.MatchString(l.Words[len(l.Words)-1].Text)
}

// isProse reports whether a line has three or more words.
func isProse(l layout.Line) bool {
	n := 0
	for _, w := range l.Words {
		if !w.Math && letters(w.Text) > 2 && !strings.ContainsAny(w.Text, "(){}[]=") {
			n++
		}
	}
	return n > 2
}

// isPiece distinguishes limits of sums, numerators and further rows from running text.
func (r *paperReader) isPiece(l layout.Line) bool {
	longest := 0
	for _, w := range l.Words {
		if !w.Math {
			longest = max(longest, letters(w.Text))
		}
	}
	return l.MathShare() > 0.3 && longest < 8 || longest < 4 && l.Chars() < 20 || l.Size < 0.85*r.Doc.BodySize && l.Chars() < 30
}
