package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// glyphRun is a run of glyphs of one style and direction, with coordinates as displayed.
type glyphRun struct {
	from, to int // of the page's glyphs
	text     string
	box      Box
	size     float64
	angle    int
	x, y     float64 // its origin
}

// markKey identifies a run and its place, in cells of two points: programs print a watermark at the same place.
type markKey struct {
	text        string
	angle, x, y int
}

func (r *glyphRun) key() markKey {
	return markKey{r.text, r.angle, int(math.Round(r.x / 2)), int(math.Round(r.y / 2))}
}

// dropWatermarks removes text that is printed at the same place of most pages, if it is over or under their text, turned
// beside all of it, or a word of state, and words of state across one page. It returns the removed text of each page.
func dropWatermarks(inputs []Input) []string {
	pages, places := make([][]glyphRun, len(inputs)), map[markKey]int{}
	var body Box
	for i, in := range inputs {
		pages[i] = glyphRuns(in.Glyphs)
		body = body.Union(countPlaces(pages[i], places))
	}
	repeated := func(r *glyphRun) bool { n := places[r.key()]; return n > 1 && n*2 > len(inputs) }
	proofs, proven := markProofs(pages, body, repeated), map[markKey]bool{}
	for key, n := range proofs { // further tiles may be on blank parts of the page
		proven[markKey{text: key.text, angle: key.angle}] = proven[markKey{text: key.text, angle: key.angle}] || n*2 >= places[key]
	}
	dropped := make([]string, len(inputs))
	for i := range inputs {
		dropped[i] = inputs[i].without(pages[i], func(r *glyphRun) bool {
			oblique := r.angle%90 > 8 && r.angle%90 < 82
			return repeated(r) && proven[markKey{text: r.text, angle: r.angle}] || oblique && IsState(r.text)
		})
	}
	return dropped
}

// countPlaces counts a page for each place of its runs, and returns the box of its lines of text.
func countPlaces(runs []glyphRun, places map[markKey]int) (body Box) {
	seen := map[markKey]bool{}
	for k := range runs {
		r := &runs[k]
		if key := r.key(); !seen[key] {
			seen[key] = true
			places[key]++
		}
		if r.angle == 0 && len(r.text) > 20 {
			body = body.Union(r.box)
		}
	}
	return body
}

// markProofs counts the pages on which repeated runs are over or under other text, beside all text, or words of state.
func markProofs(pages [][]glyphRun, body Box, repeated func(*glyphRun) bool) map[markKey]int {
	proofs := map[markKey]int{}
	for _, runs := range pages {
		for k := range runs {
			r := &runs[k]
			if !repeated(r) {
				continue
			}
			beside := r.angle != 0 && (r.box.X0 >= body.X1 || r.box.X1 <= body.X0)
			if beside || IsState(r.text) || slices.ContainsFunc(runs, func(o glyphRun) bool { return !repeated(&o) && r.covers(&o) }) {
				proofs[r.key()]++
			}
		}
	}
	return proofs
}

// covers reports whether a run of letters is printed over or under another run.
func (r *glyphRun) covers(o *glyphRun) bool {
	if common := r.box.Clamp(o.box); common.Width() < 1 || common.Height() < 0.3*min(r.size, o.size) {
		return false
	}
	// The dots or underscores of a form are under what was filled in.
	return !strings.Contains(r.text, "..") && !strings.Contains(r.text, "__") && strings.ContainsFunc(r.text, unicode.IsLetter)
}

// without removes runs of glyphs and returns their text.
func (in *Input) without(runs []glyphRun, drop func(*glyphRun) bool) (dropped string) {
	var kept []Glyph
	from := 0
	for k := range runs {
		if r := &runs[k]; drop(r) {
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
	var text strings.Builder
	open := false
	end := func() {
		if open {
			out[len(out)-1].text = strings.TrimSpace(text.String())
		}
		text.Reset()
		open = false
	}
	var last Glyph
	for i, g := range glyphs {
		switch {
		case g.Rune == '\n':
			end()
			continue
		case unicode.IsSpace(g.Rune) || !finite(g):
			if open {
				text.WriteByte(' ')
			}
			continue
		case open && (g.Angle != last.Angle || abs(g.Size-last.Size) > 0.3 || math.Hypot(g.X-last.X, g.Baseline-last.Baseline) > 3*g.Size):
			end()
		}
		if !open {
			out = append(out, glyphRun{from: i, size: g.Size, angle: g.Angle, x: g.X, y: g.Baseline})
			open = true
		}
		r := &out[len(out)-1]
		r.to, r.box, last = i+1, r.box.Union(g.Box), g
		text.WriteRune(g.Rune)
	}
	end()
	return out
}
