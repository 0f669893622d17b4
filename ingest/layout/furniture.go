package layout

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"airqa/env/pdf"
	"airqa/internal/lazyregexp"
)

// edgeZone is the fraction of a page's height at its top and bottom that may have running heads and page numbers.
const edgeZone = 0.18

// apart is the least distance of furniture from text, in line pitches.
const apart = 1.2

var (
	// anyNumber matches the numbers in a running head in lower case, of which one may be that of the page.
	anyNumber = lazyregexp.New(`\d+(?:\.\d+)*|\b[ivxlc]+\b`)
	// pageNumber matches a page number alone: "7", "- 7 -", "xii", "Page 3 of 12".
	pageNumber = lazyregexp.New(`(?i)^(?:` + pageWord + `[\s:]*)?[-–—·•|(\[]*\s*(\d{1,5}|[ivxlc]{1,8})\s*[-–—·•|)\]]*(\s*(?:of|von|de|di|из|/)\s*\d{1,4})?$`)
	pageTerm   = lazyregexp.New(`(?:^|\W)` + pageWord + `$`)
	// countedName matches the words of "Example 3", "5. Practice question" and "Part 2 of the Record".
	countedName = lazyregexp.New(`^\W*\p{L}+(?:[ -]+\p{L}+){0,4}\W*$`)
)

const pageWord = `(?:page|pages|pg\.?|pp?\.|seite|s\.|p[áa]g(?:ina|\.)?|стр\.?|str(?:ana|\.)?|sida|side|sayfa|第)`

// furnitureKey identifies a text and its approximate position: the position of one of its ends or its middle, since a
// page number in a running head shifts the others. Positions are cells of 8 by 4 points. A number that may be that of the
// page is replaced by '#', and offset is its difference to the page's position in the file, so that it must count up.
type furnitureKey struct {
	text   string
	offset int
	x, y   int
	edge   byte // 'l', 'm' or 'r'; 0 for a page number anywhere on the page
}

// edgeRow is a line across the page with what is known of it as furniture.
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
	seen   map[furnitureKey][]int // the pages with a key
	rows   [][]edgeRow            // by page, from top to bottom
	pitch  []float64              // by page
}

// dropFurniture removes running heads and page numbers. It returns their text and the printed number by page.
//
// A line goes if it repeats over pages, apart from a number that counts up with them, if it is farther from the text
// than the lines of the text from each other, and if other pages have no text there. All of a line goes, or nothing.
func dropFurniture(pages [][]fragment, inputs []Input) (dropped, labels []string) {
	u := &furniture{pages: pages, inputs: inputs, seen: map[furnitureKey][]int{}, pitch: pitches(pages)}
	for i := range pages {
		u.rows = append(u.rows, rowsAcross(pages[i]))
		for _, f := range pages[i] {
			for _, key := range u.keys(f, i) {
				if on := u.seen[key]; len(on) == 0 || on[len(on)-1] != i {
					u.seen[key] = append(on, i)
				}
			}
		}
	}
	for i := range pages {
		for k := range u.rows[i] {
			u.judge(i, k)
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
				label = cmp.Or(label, u.number(u.pages[i][k], i))
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
	median := func(steps []float64) float64 {
		slices.Sort(steps)
		return steps[len(steps)/2]
	}
	for i, frags := range pages {
		var steps []float64
		for k := 1; k < len(frags); k++ {
			step := frags[k].baseline - frags[k-1].baseline
			if frags[k].chars >= 20 && step > 0.8*frags[k].size && step < 3*frags[k].size {
				steps = append(steps, step)
			}
		}
		if all = append(all, steps...); len(steps) >= 5 {
			out[i] = median(steps)
		}
	}
	for i := range out {
		if out[i] == 0 && len(all) > 0 {
			out[i] = median(all)
		}
		out[i] = cmp.Or(out[i], 12)
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

// keys returns the keys of a fragment of page i near its top or bottom. Each position is in two overlapping cells per
// direction, so that nearby positions always share one.
func (u *furniture) keys(f fragment, i int) []furnitureKey {
	if !u.nearEdge(f, i) {
		return nil
	}
	y := int(math.Floor(f.baseline / 4))
	middle, _ := f.box.Center()
	var keys []furnitureKey
	for _, base := range variants(f, i) {
		for e, x := range [3]float64{f.box.X0, middle, f.box.X1} {
			base.edge = "lmr"[e]
			for k := range 4 {
				base.x, base.y = int(math.Floor(x/8))+k/2, y+k%2
				keys = append(keys, base)
			}
		}
	}
	if key, ok := pageKey(f, i); ok {
		keys = append(keys, key)
	}
	return keys
}

func (u *furniture) nearEdge(f fragment, i int) bool {
	height := u.inputs[i].Height
	return f.baseline < edgeZone*height || f.baseline > (1-edgeZone)*height
}

// variants returns the text of a fragment of page i, and its text with each of its numbers as that of the page.
func variants(f fragment, i int) []furnitureKey {
	const longest = 200 // bytes of a running head
	text := strings.ToLower(f.text())
	out := []furnitureKey{{text: text}}
	if len(text) > longest {
		return out
	}
	for _, at := range anyNumber.FindAllStringIndex(text, 4) {
		if n, ok := numeral(text[at[0]:at[1]]); ok {
			out = append(out, furnitureKey{text: text[:at[0]] + "#" + text[at[1]:], offset: n - i})
		}
	}
	return out
}

// pageKey returns a key without position for a fragment of page i that may be a page number.
func pageKey(f fragment, i int) (key furnitureKey, ok bool) {
	const longest = 20
	number := pageNumber.FindStringSubmatch(f.text())
	if f.chars > longest || number == nil {
		return key, false
	}
	n, ok := numeral(number[1])
	key = furnitureKey{text: "#", offset: n - i}
	if number[1][0] > '9' {
		key.text = "roman"
	}
	return key, ok
}

// number returns the page number in a fragment of page i that is furniture, as printed; "" if there is none.
func (u *furniture) number(f fragment, i int) string {
	text := f.text()
	if number := pageNumber.FindStringSubmatch(text); number != nil {
		return number[1]
	}
	for _, key := range u.keys(f, i) {
		at := strings.IndexByte(key.text, '#')
		if end := at + 1 + len(text) - len(key.text); at >= 0 && end <= len(text) && text[at] != '#' && u.inARow(key, 2) {
			return text[at:end]
		}
	}
	return ""
}

// numeral returns the value of an arabic or roman number.
func numeral(s string) (int, bool) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, len(s) < 6
	}
	values := map[rune]int{'i': 1, 'v': 5, 'x': 10, 'l': 50, 'c': 100}
	sum, last := 0, 0
	for _, r := range strings.ToLower(s) {
		v := values[r]
		if sum += v; last < v {
			sum -= 2 * last
		}
		last = v
	}
	return sum, sum > 0
}

// inARow reports whether a key is on at least so many successive pages, or pages of one side.
func (u *furniture) inARow(key furnitureKey, needed int) bool {
	run, last := 0, -9
	for _, i := range u.seen[key] {
		if i-last > 2 {
			run = 0
		}
		last = i
		if run++; run >= needed {
			return true
		}
	}
	return false
}

// unproven returns the fragments of row r of page i that do not repeat, and whether one is a page number.
func (u *furniture) unproven(r *edgeRow, i int) (out []fragment, paged bool) {
	enough := 3
	if len(u.pages) <= 4 {
		enough = 2
	}
	for _, at := range r.frags {
		f := u.pages[i][at]
		if _, isNumber := pageKey(f, i); !u.repeats(f, i, enough) {
			out = append(out, f)
		} else if isNumber {
			paged = true
		}
	}
	if paged {
		out = slices.DeleteFunc(out, func(f fragment) bool { return u.repeats(f, i, 2) })
	}
	return out, paged
}

// mayGo reports whether a fragment of page i is near its top or bottom and no label of a caption.
func (u *furniture) mayGo(f fragment, i int) bool {
	return u.nearEdge(f, i) && !isCaptionLabel(f.text()) && !isCaptionStart(f.text())
}

// judge decides whether row k of page i may be furniture by what it says.
func (u *furniture) judge(i, k int) {
	r := &u.rows[i][k]
	if slices.ContainsFunc(r.frags, func(at int) bool { return !u.mayGo(u.pages[i][at], i) }) {
		return
	}
	unproven, paged := u.unproven(r, i)
	// The title of a section may be on the other side of the page than its number. Near a number it may be a heading.
	r.furnish = paged || len(unproven) == 0 && !u.betweenRules(i, r.baseline)
	for _, f := range unproven {
		r.furnish = r.furnish && !strings.ContainsAny(f.text(), "0123456789") && !u.besideNumber(f, r, i)
	}
	if r.furnish && len(r.frags) == 1 && k == len(u.rows[i])-1 {
		_, r.number = pageKey(u.pages[i][r.frags[0]], i)
	}
	r.furnish = r.furnish || u.loneNumber(i, k)
}

// besideNumber reports whether a number of a row is near one of its fragments.
func (u *furniture) besideNumber(f fragment, r *edgeRow, i int) bool {
	return slices.ContainsFunc(r.frags, func(at int) bool {
		o := u.pages[i][at]
		_, isNumber := pageKey(o, i)
		return isNumber && max(o.box.X0-f.box.X1, f.box.X0-o.box.X1) < 6*f.size
	})
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

// repeats reports whether a fragment of page i is on enough pages in a row, apart from a number that counts up.
func (u *furniture) repeats(f fragment, i, needed int) bool {
	return slices.ContainsFunc(u.keys(f, i), func(key furnitureKey) bool {
		before, after, counts := strings.Cut(key.text, "#")
		label := key.edge != 0 && counts && u.isLabel(f, before, after, i)
		return !label && u.inARow(key, needed)
	})
}

// isLabel reports whether a fragment that counts up from page to page may be the heading of an example, a question or an
// appendix: up to five words at the left or in the middle that do not mean "page".
func (u *furniture) isLabel(f fragment, before, after string, i int) bool {
	return countedName.MatchString(before+after) && f.box.X0 < 0.5*u.inputs[i].Width && !pageTerm.MatchString(strings.TrimSpace(before))
}

// loneNumber reports whether row k of page i of a short paper is its number: far from the text, and in its middle or that of the
// page, at one of its edges or beside it.
func (u *furniture) loneNumber(i, k int) bool {
	rows := u.rows[i]
	if len(u.pages) > 2 || len(rows) < 2 || len(rows[k].frags) != 1 || k != 0 && k != len(rows)-1 {
		return false
	}
	f, next := u.pages[i][rows[k].frags[0]], rows[max(1, k-1)]
	if key, ok := pageKey(f, i); !ok || key.offset+i > 999 || !u.nearEdge(f, i) || abs(next.baseline-rows[k].baseline) < 1.8*u.pitch[i] {
		return false
	}
	return u.besideOrCentred(f, i)
}

// besideOrCentred reports whether a fragment of page i is beside its text, at its edge or in its middle.
func (u *furniture) besideOrCentred(f fragment, i int) bool {
	const slack = 6
	var text Box
	for _, o := range u.pages[i] {
		if o.chars >= 20 {
			text = text.Union(o.box)
		}
	}
	middle, _ := f.box.Center()
	centre, _ := text.Center()
	beside := f.box.X0 < text.X0+slack || f.box.X1 > text.X1-slack
	return beside || abs(middle-centre) < slack || abs(middle-u.inputs[i].Width/2) < slack
}

// nearText reports whether row k of page i is as near to text that stays as a line of the text.
func (u *furniture) nearText(i, k int) bool {
	rows := u.rows[i]
	for _, o := range []int{k - 1, k + 1} {
		if o >= 0 && o < len(rows) && !rows[o].furnish && abs(rows[o].baseline-rows[k].baseline) <= apart*u.pitch[i] {
			return true
		}
	}
	return false
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

// keepInTextBlock keeps rows where a fifth of the other pages have text.
func (u *furniture) keepInTextBlock() {
	tops, bottoms := u.textEdges()
	enough := max(1, len(u.pages)/5)
	if len(u.pages) > 4 {
		enough = max(2, enough)
	}
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

// textEdges returns the first and the last baselines of the text of the pages that have any, each sorted.
func (u *furniture) textEdges() (tops, bottoms []float64) {
	for i, rows := range u.rows {
		var lines []float64 // at the pitch of the text
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
	return tops, bottoms
}
