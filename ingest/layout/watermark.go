package layout

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// glyphRun is a run of glyphs of one style and direction, with coordinates as displayed.
type glyphRun struct {
	mark
	from, to int // of the page's glyphs
	box      Box
	size     float64
}

// mark identifies a run and its place, in cells of two points: programs print a watermark at the same place.
type mark struct {
	text        string
	angle, x, y int
}

// anywhere returns the mark without its place.
func (m mark) anywhere() mark { return mark{text: m.text, angle: m.angle} }

// dropWatermarks removes text that is printed at the same place of most pages, if it is over or under their text, turned
// beside all of it, or a word of state, and words of state across one page. It returns the removed text of each page.
func dropWatermarks(inputs []Input) []string {
	pages, places := make([][]glyphRun, len(inputs)), map[mark]int{}
	var body Box
	for i, in := range inputs {
		pages[i] = glyphRuns(in.Glyphs)
		here := map[mark]int{}
		for _, r := range pages[i] {
			here[r.mark] = 1
			if r.angle == 0 && len(r.text) > 20 {
				body = body.Union(r.box)
			}
		}
		for m := range here {
			places[m]++
		}
	}
	maps.DeleteFunc(places, func(_ mark, n int) bool { return n < 2 || n*2 <= len(inputs) })
	proven := provenMarks(pages, body, places)
	dropped := make([]string, len(inputs))
	for i := range inputs {
		dropped[i] = inputs[i].without(pages[i], func(r glyphRun) bool {
			oblique := r.angle%90 > 8 && r.angle%90 < 82
			return places[r.mark] > 0 && proven[r.anywhere()] || oblique && IsState(r.text)
		})
	}
	return dropped
}

// provenMarks returns the marks that are over or under other text, beside all text, or words of state, on half of the pages
// that have them at a place. Further tiles may be on blank parts of the page.
func provenMarks(pages [][]glyphRun, body Box, repeated map[mark]int) map[mark]bool {
	proofs, proven := map[mark]int{}, map[mark]bool{}
	for _, runs := range pages {
		for _, r := range runs {
			beside := r.angle != 0 && (r.box.X0 >= body.X1 || r.box.X1 <= body.X0)
			covered := func(o glyphRun) bool { return repeated[o.mark] == 0 && r.covers(o) }
			if repeated[r.mark] > 0 && (beside || IsState(r.text) || slices.ContainsFunc(runs, covered)) {
				proofs[r.mark]++
				proven[r.anywhere()] = proven[r.anywhere()] || proofs[r.mark]*2 >= repeated[r.mark]
			}
		}
	}
	return proven
}

// covers reports whether a run of letters is printed over or under another run.
func (r glyphRun) covers(o glyphRun) bool {
	if common := r.box.Clamp(o.box); common.Width() < 1 || common.Height() < 0.3*min(r.size, o.size) {
		return false
	}
	// The dots or underscores of a form are under what was filled in.
	return !strings.Contains(r.text, "..") && !strings.Contains(r.text, "__") && strings.ContainsFunc(r.text, unicode.IsLetter)
}

// without removes runs of glyphs and returns their text.
func (in *Input) without(runs []glyphRun, drop func(glyphRun) bool) (dropped string) {
	var kept []Glyph
	from := 0
	for _, r := range runs {
		if drop(r) {
			dropped += r.text + "\n"
			kept = append(append(kept, in.Glyphs[from:r.from]...), Glyph{Rune: '\n'})
			from = r.to
		}
	}
	if from > 0 {
		in.Glyphs = append(kept, in.Glyphs[from:]...)
	}
	return dropped
}

// glyphRuns splits the glyphs of a page at line breaks, jumps, and changes of size or direction.
func glyphRuns(glyphs []Glyph) []glyphRun {
	var out []glyphRun
	var last Glyph
	open, space := false, ""
	for i, g := range glyphs {
		switch {
		case g.Rune == '\n':
			open = false
			continue
		case unicode.IsSpace(g.Rune) || !finite(g):
			space = " "
			continue
		}
		same := open && g.Angle == last.Angle && abs(g.Size-last.Size) <= 0.3
		if !same || math.Hypot(g.X-last.X, g.Baseline-last.Baseline) > 3*g.Size {
			at := mark{angle: g.Angle, x: int(math.Round(g.X / 2)), y: int(math.Round(g.Baseline / 2))}
			out = append(out, glyphRun{mark: at, from: i, size: g.Size})
			open, space = true, ""
		}
		r := &out[len(out)-1]
		r.text += space + string(g.Rune)
		r.to, r.box, last, space = i+1, r.box.Union(g.Box), g, ""
	}
	return out
}
