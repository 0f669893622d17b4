package layout

import (
	"cmp"
	"math"
	"slices"
)

// Analyze lays out the pages of one paper.
func Analyze(inputs []Input) *Document {
	pages := make([][]fragment, len(inputs))
	sideways := make([][]Glyph, len(inputs))
	text := make([][]Word, len(inputs))
	inputs = slices.Clone(inputs)
	watermarks := dropWatermarks(inputs)
	for i, in := range inputs {
		if in.Turned = mainAngle(in.Glyphs); in.Turned != 0 { // such as a landscape page in a portrait paper
			in = in.turned(in.Turned)
		}
		straight, rotated := byAngle(in.Glyphs)
		inputs[i], sideways[i], text[i] = in, rotated, splitWords(straight)
	}
	numbers := dropLineNumbers(text, inputs)
	for i := range inputs {
		pages[i] = fragments(text[i])
	}
	dropped, labels := dropFurniture(pages, inputs)
	d := &Document{}
	d.BodySize, d.BodyFont = bodyStyle(pages)
	repeated := repeatedShapes(inputs)
	for i := range inputs {
		in := &inputs[i]
		p := backdrops{frags: pages[i], area: in.Width * in.Height, bodySize: d.BodySize, bodyFont: d.BodyFont, repeated: repeated}
		in.Shapes = p.foreground(in.Shapes)
		markDrawn(pages[i], in.Shapes, p.area)
	}
	gutters := gutters(pages, inputs)
	for i, in := range inputs {
		page := Page{Number: i + 1, Sheet: in.Sheet, Gutter: gutters[i]}
		page.Label = cmp.Or(in.Label, labels[i])
		page.Dropped = watermarks[i] + numbers[i] + dropped[i]
		page.fill(pages[i], d.BodySize)
		if page.Turned == 0 {
			page.Aside = in.aside(page.Number, sideways[i], d.BodySize)
		}
		page.addSideways(sideways[i])
		d.Pages = append(d.Pages, page)
	}
	d.widenText()
	d.countWords()
	return d
}

// widenText gives pages with little text, such as those of large figures, the margins of the others.
func (d *Document) widenText() {
	var lefts, rights []float64
	for _, p := range d.Pages {
		if len(p.Lines) > 20 {
			lefts, rights = append(lefts, p.Text.X0), append(rights, p.Text.X1)
		}
	}
	if len(lefts) == 0 {
		return
	}
	slices.Sort(lefts)
	slices.Sort(rights)
	left, right := lefts[len(lefts)/2], rights[len(rights)/2]
	for i := range d.Pages {
		if p := &d.Pages[i]; !p.Text.Empty() {
			p.Text.X0, p.Text.X1 = min(p.Text.X0, max(0, left)), max(p.Text.X1, min(p.Width, right))
		}
	}
}

func (p *Page) fill(frags []fragment, bodySize float64) {
	markCaptions(frags, p.Shapes, bodySize)
	assignColumns(frags, p.Shapes, p.Gutter)
	for _, r := range rows(frags) {
		p.Lines = append(p.Lines, r.toLine(p.Number))
	}
	for _, l := range p.Lines {
		p.Text = p.Text.Union(l.Box)
	}
	// In reading order, lines that span the page separate bands; within a band, the left column comes first.
	var spans []float64
	for _, l := range p.Lines {
		if l.Column == Span {
			spans = append(spans, l.Baseline)
		}
	}
	slices.Sort(spans)
	band := func(l Line) int {
		at, _ := slices.BinarySearch(spans, l.Baseline)
		if l.Column == Span {
			return 2*at + 1
		}
		return 2 * at
	}
	slices.SortStableFunc(p.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(band(a), band(b)), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Baseline, b.Baseline),
			cmp.Compare(a.Box.X0, b.Box.X0))
	})
	markFootnotes(p, bodySize)
	columns := map[int]edge{}
	for _, column := range []int{Span, 0, 1} {
		columns[column] = edgeOf(p.Lines, column)
	}
	for i, l := range p.Lines {
		e := columns[l.Column]
		p.Lines[i].Break = i == 0 || breaks(p.Lines[i-1], l, e) || indented(p.Lines, i, e)
	}
}

func (p *Page) addSideways(glyphs []Glyph) {
	var lines []Line
	if p.Aside != nil {
		for _, l := range p.Aside.Lines {
			l.Box, l.Column, l.Caption = p.Aside.AsShown(l.Box), Span, 0
			lines = append(lines, l)
		}
	} else {
		for _, f := range sidewaysFragments(glyphs) {
			lines = append(lines, row{frags: []fragment{f}, baseline: f.baseline, size: f.size, kind: kind{column: Span}}.toLine(p.Number))
		}
	}
	for _, l := range lines {
		l.Role, l.Break = Sideways, true
		p.Lines = append(p.Lines, l)
	}
}

// byAngle separates upright from rotated glyphs; breaks go with the glyph after them.
func byAngle(glyphs []Glyph) (upright, sideways []Glyph) {
	const lean = 8 // degrees, for scans and slanted text
	upright = make([]Glyph, 0, len(glyphs))
	turned := false
	for _, g := range glyphs {
		if g.Rune != '\n' && g.Size > 0 {
			turned = g.Angle > lean && g.Angle < 360-lean
		}
		if turned {
			sideways = append(sideways, g)
		} else {
			upright = append(upright, g)
		}
	}
	return upright, sideways
}

// sidewaysFragments keeps the order of the stream, because the words of a rotated line have no common baseline.
func sidewaysFragments(glyphs []Glyph) []fragment {
	var out []fragment
	var current []Glyph
	f := fragment{kind: kind{column: Span}}
	for _, g := range append(slices.Clone(glyphs), Glyph{Rune: '\n'}) {
		if g.Rune != ' ' && g.Rune != '\n' {
			if finite(g) {
				current = append(current, g)
			}
			continue
		}
		if len(current) > 0 {
			first := current[0]
			w := Word{Baseline: first.Baseline, Size: first.Size, Font: first.Font}
			for _, g := range current {
				w.Text += string(g.Rune)
				w.Box = w.Box.Union(g.Box)
			}
			if upright := splitWords((Input{Glyphs: current}).turned(first.Angle).Glyphs); len(upright) == 1 {
				w.Text = upright[0].Text // with marks at exponents
			}
			f.add(w)
			current = nil
		}
		if g.Rune == '\n' && len(f.words) > 0 {
			out = append(out, f)
			f = fragment{kind: kind{column: Span}}
		}
	}
	return out
}

// bodyStyle returns the size (in steps of a tenth) and the font of most characters.
func bodyStyle(pages [][]fragment) (float64, string) {
	sizes, fonts := map[float64]int{}, map[string]int{}
	for _, frags := range pages {
		for _, f := range frags {
			for _, w := range f.words {
				sizes[math.Round(10*w.Size)/10] += w.Len()
				fonts[w.Font] += w.Len()
			}
		}
	}
	return mode(sizes), mode(fonts)
}
