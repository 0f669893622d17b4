package layout

import (
	"cmp"
	"slices"
	"strings"

	"airqa/env/pdf"
	"airqa/internal/lazyregexp"
)

// edgeZone is the fraction of a page's height at its top and bottom that may have running heads and page numbers.
const edgeZone = 0.18

// apart is the least distance of furniture from text, in line pitches.
const apart = 1.2

var (
	// anyNumber matches the numbers in a running head, of which one may be that of the page.
	anyNumber = lazyregexp.New(`(?i)\d+(?:\.\d+)*|\b[ivxlc]+\b`)
	// pageNumber matches a page number alone: "7", "- 7 -", "xii", "Page 3 of 12".
	pageNumber = lazyregexp.New(`(?i)^(?:` + pageWord + `[\s:]*)?[-–—·•|(\[]*\s*(\d{1,5}|[ivxlc]{1,8})\s*[-–—·•|)\]]*(\s*(?:of|von|de|di|из|/)\s*\d{1,4})?$`)
	pageTerm   = lazyregexp.New(`(?:^|\W)` + pageWord + `$`)
	// countedName matches the words of "Example 3", "5. Practice question" and "Part 2 of the Record".
	countedName = lazyregexp.New(`^\W*\p{L}+(?:[ -]+\p{L}+){0,4}\W*$`)
)

const pageWord = `(?:page|pages|pg\.?|pp?\.|seite|s\.|p[áa]g(?:ina|\.)?|стр\.?|str(?:ana|\.)?|sida|side|sayfa|第)`

// edgeText is a fragment near the top or the bottom of a page with what is known of it as furniture.
type edgeText struct {
	text    string   // in lower case
	frame   string   // the text with '#' for each number
	numbers []string // as printed
	place   [3]float64
	y       float64
	page    string // the number of a text that may be a page number, else ""
	label   bool   // whether it may be the heading of an example, a question or an appendix
	run     int    // on how many pages in a row it is, apart from a number that counts up with the pages
	number  string // that counts up
}

// edgeRow is a line across the page.
type edgeRow struct {
	frags    []int
	baseline float64
	furnish  bool
	number   bool // only a page number, below all text
}

// furniture finds the running heads and page numbers of a paper.
type furniture struct {
	pages  [][]fragment
	inputs []Input
	edges  [][]*edgeText // by page and fragment; nil for those that cannot be furniture
	rows   [][]edgeRow   // by page, from top to bottom
	pitch  []float64     // by page
	enough int           // pages in a row that a text must be on
}

// dropFurniture removes running heads and page numbers. It returns their text and the printed number by page.
//
// A line goes if it repeats over pages, apart from a number that counts up with them, if it is farther from the text
// than the lines of the text from each other, and if other pages have no text there. All of a line goes, or nothing.
func dropFurniture(pages [][]fragment, inputs []Input) (dropped, labels []string) {
	u := &furniture{pages: pages, inputs: inputs, pitch: pitches(pages), enough: 3}
	if len(pages) <= 4 {
		u.enough = 2
	}
	for i := range pages {
		u.rows = append(u.rows, rowsAcross(pages[i]))
		u.edges = append(u.edges, edgeTexts(pages[i], inputs[i]))
	}
	for i := range pages {
		for _, e := range u.edges[i] {
			u.follow(e, i)
		}
		for k := range u.rows[i] {
			r := &u.rows[i][k]
			repeats := u.repeats(r, i)
			r.number = repeats && k == len(u.rows[i])-1 && len(r.frags) == 1 && u.edges[i][r.frags[0]].page != ""
			r.furnish = repeats || len(pages) <= 2 && u.loneNumber(i, k)
		}
		u.keepNearText(i)
	}
	u.keepInTextBlock()
	for i := range pages {
		u.keepNearText(i)
		text, label := u.drop(i)
		dropped, labels = append(dropped, text), append(labels, label)
	}
	return dropped, labels
}

// drop removes the furniture of page i. It returns its text and the page number in it.
func (u *furniture) drop(i int) (dropped, label string) {
	gone := map[int]bool{}
	for _, r := range u.rows[i] {
		for _, k := range r.frags {
			if gone[k] = r.furnish; r.furnish {
				dropped += u.pages[i][k].text() + "\n"
				label = cmp.Or(label, u.edges[i][k].page, u.edges[i][k].number)
			}
		}
	}
	var kept []fragment
	for k, f := range u.pages[i] {
		if !gone[k] {
			kept = append(kept, f)
		}
	}
	u.pages[i] = kept
	return dropped, label
}

// pitches returns the usual distance of lines of each page, and that of the paper for pages with little text.
func pitches(pages [][]fragment) []float64 {
	var all []float64
	out := make([]float64, len(pages))
	for i, frags := range pages {
		from := len(all)
		for k := 1; k < len(frags); k++ {
			step := frags[k].baseline - frags[k-1].baseline
			if frags[k].chars >= 20 && step > 0.8*frags[k].size && step < 3*frags[k].size {
				all = append(all, step)
			}
		}
		if steps := slices.Sorted(slices.Values(all[from:])); len(steps) >= 5 {
			out[i] = steps[len(steps)/2]
		}
	}
	usual := 12.0
	if slices.Sort(all); len(all) > 0 {
		usual = all[len(all)/2]
	}
	for i := range out {
		out[i] = cmp.Or(out[i], usual)
	}
	return out
}

// rowsAcross groups the fragments of a page by baseline, from top to bottom.
func rowsAcross(frags []fragment) []edgeRow {
	order := make([]int, len(frags))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(frags[a].baseline, frags[b].baseline) })
	var out []edgeRow
	for _, k := range order {
		if n := len(out); n == 0 || frags[k].baseline-out[n-1].baseline > 2 {
			out = append(out, edgeRow{baseline: frags[k].baseline})
		}
		r := &out[len(out)-1]
		r.frags = append(r.frags, k)
	}
	return out
}

// edgeTexts returns the fragments of a page near its top or bottom that are no labels of captions, nil for the others.
func edgeTexts(frags []fragment, page Input) []*edgeText {
	const longest, longestNumber = 200, 20 // of a running head in bytes, of a page number in characters
	out := make([]*edgeText, len(frags))
	for k, f := range frags {
		text := f.text()
		inside := f.baseline >= edgeZone*page.Height && f.baseline <= (1-edgeZone)*page.Height
		if inside || isCaptionLabel(text) || isCaptionStart(text) {
			continue
		}
		middle, _ := f.box.Center()
		e := &edgeText{text: strings.ToLower(text), place: [3]float64{f.box.X0, middle, f.box.X1}, y: f.baseline}
		if len(text) <= longest {
			e.numbers = anyNumber.FindAllString(text, -1)
			e.frame = anyNumber.ReplaceAllString(e.text, "#")
		}
		if number := pageNumber.FindStringSubmatch(text); number != nil && f.chars <= longestNumber && Numeral(number[1]) >= 0 {
			e.page = number[1]
		}
		// A heading that counts up has up to five words, at the left or in the middle, that do not mean "page".
		before, after, _ := strings.Cut(e.frame, "#")
		e.label = countedName.MatchString(before+after) && f.box.X0 < 0.5*page.Width && !pageTerm.MatchString(strings.TrimSpace(before))
		out[k] = e
	}
	return out
}

// follow sets on how many pages in a row, or pages of one side, a text of page i is, and its number if that counts up.
func (u *furniture) follow(e *edgeText, i int) {
	const reach = 8 // pages
	for _, counts := range []bool{false, true} {
		run, last := 0, i
		for j := max(0, i-reach); e != nil && j < min(len(u.pages), i+reach+1); j++ {
			number, found := "", false
			for _, o := range u.edges[j] {
				if o == nil {
					continue
				}
				if n, same := e.same(o, i-j); same && (o == e || (n != "") == counts) {
					number, found = n, true
					break
				}
			}
			switch {
			case !found:
				continue
			case j-last > 2:
				run = 0
			}
			run, last = run+1, j
			e.run, e.number = max(e.run, run), cmp.Or(e.number, number)
		}
	}
}

// same reports whether two texts are the same at the same place. One number may be greater by the distance of their pages,
// wherever a page number is: it is returned.
func (e *edgeText) same(o *edgeText, distance int) (number string, same bool) {
	switch {
	case o == e:
		return "", true
	case counts(e.page, o.page, distance):
		return e.page, true
	case !e.isAt(o):
		return "", false
	case e.text == o.text:
		return "", true
	case e.label || e.frame != o.frame || len(e.numbers) != len(o.numbers):
		return "", false
	}
	for k, n := range e.numbers {
		if n == o.numbers[k] {
			continue
		}
		if number != "" || !counts(n, o.numbers[k], distance) {
			return "", false
		}
		number = n
	}
	return number, number != ""
}

// counts reports whether a number is greater than another by the distance of their pages, both arabic or both roman.
func counts(number, other string, distance int) bool {
	return number != "" && other != "" && (number[0] > '9') == (other[0] > '9') &&
		min(Numeral(number), Numeral(other)) >= 0 && Numeral(number)-Numeral(other) == distance
}

// isAt reports whether two texts are at the same place, as one of their ends or their middle shows, since a page number in a
// running head shifts the others.
func (e *edgeText) isAt(o *edgeText) bool {
	for k := range e.place {
		if abs(e.place[k]-o.place[k]) < 8 {
			return abs(e.y-o.y) < 4
		}
	}
	return false
}

// repeats reports whether a row of page i may be furniture by what it says.
func (u *furniture) repeats(r *edgeRow, i int) bool {
	paged := false
	for _, at := range r.frags {
		e := u.edges[i][at]
		if e == nil {
			return false
		}
		paged = paged || e.page != "" && e.run >= u.enough
	}
	for _, at := range r.frags {
		// The title of a section may be on the other side of the page than its number.
		run := u.edges[i][at].run
		beside := paged && (run > 1 || u.isTitle(at, r, i))
		if run < u.enough && !beside {
			return false
		}
	}
	return paged || !u.betweenRules(i, r.baseline)
}

// isTitle reports whether a fragment of a row has no number, and none near it, as a heading has.
func (u *furniture) isTitle(at int, r *edgeRow, i int) bool {
	f := u.pages[i][at]
	numbered := func(at int) bool {
		o := u.pages[i][at]
		return u.edges[i][at].page != "" && max(o.box.X0-f.box.X1, f.box.X0-o.box.X1) < 6*f.size
	}
	return !strings.ContainsAny(f.text(), "0123456789") && !slices.ContainsFunc(r.frags, numbered)
}

// betweenRules reports whether a baseline of page i is between two rules, as the head of a table that fills its pages.
func (u *furniture) betweenRules(i int, baseline float64) bool {
	near := func(from, to float64) bool {
		return slices.ContainsFunc(u.inputs[i].Shapes, func(s Shape) bool {
			return s.Kind == pdf.Path && s.Box.Height() < 3 && s.Box.Y0 > baseline+from*u.pitch[i] && s.Box.Y1 < baseline+to*u.pitch[i]
		})
	}
	return near(-2, -0.5) && near(0, 1.2)
}

// loneNumber reports whether row k of page i of a short paper is its number: far from the text, and in its middle or that of the
// page, at one of its edges or beside it.
func (u *furniture) loneNumber(i, k int) bool {
	const slack, most = 6, 999
	rows := u.rows[i]
	if len(rows) < 2 || len(rows[k].frags) != 1 || k != 0 && k != len(rows)-1 {
		return false
	}
	e, next := u.edges[i][rows[k].frags[0]], rows[max(1, k-1)]
	if e == nil || e.page == "" || Numeral(e.page) > most || abs(next.baseline-rows[k].baseline) < 1.8*u.pitch[i] {
		return false
	}
	text := textBox(u.pages[i])
	centre, _ := text.Center()
	beside := e.place[0] < text.X0+slack || e.place[2] > text.X1-slack
	return beside || min(abs(e.place[1]-centre), abs(e.place[1]-u.inputs[i].Width/2)) < slack
}

// textBox returns the box of the lines of text of a page.
func textBox(frags []fragment) (text Box) {
	for _, f := range frags {
		if f.chars >= 20 {
			text = text.Union(f.box)
		}
	}
	return text
}

// nearText reports whether row k of page i is as near to text that stays as a line of the text.
func (u *furniture) nearText(i, k int) bool {
	rows := u.rows[i]
	near := func(o int) bool {
		return !rows[o].furnish && abs(rows[o].baseline-rows[k].baseline) <= apart*u.pitch[i]
	}
	return k > 0 && near(k-1) || k+1 < len(rows) && near(k+1)
}

// keepNearText keeps the rows of page i near text, and those near to these.
func (u *furniture) keepNearText(i int) {
	for changed := true; changed; {
		changed = false
		for k := range u.rows[i] {
			if r := &u.rows[i][k]; r.furnish && !r.number && u.nearText(i, k) {
				r.furnish, changed = false, true
			}
		}
	}
}

// keepInTextBlock keeps rows where a fifth of the other pages have text, at its pitch.
func (u *furniture) keepInTextBlock() {
	var tops, bottoms []float64
	for i, rows := range u.rows {
		var lines []float64
		for k, r := range rows {
			if !r.furnish && u.nearText(i, k) {
				lines = append(lines, r.baseline)
			}
		}
		if len(lines) > 0 {
			tops, bottoms = append(tops, lines[0]), append(bottoms, lines[len(lines)-1])
		}
	}
	slices.Sort(tops)
	slices.Sort(bottoms)
	enough := max(len(u.pages)/5, min(2, 1+len(u.pages)/5)) // 2 of five pages
	if len(tops) < enough {
		return
	}
	top, bottom := tops[enough-1], bottoms[len(bottoms)-enough]
	for _, rows := range u.rows {
		for k := range rows {
			r := &rows[k]
			r.furnish = r.furnish && (r.number || r.baseline < top-1 || r.baseline > bottom+1)
		}
	}
}
