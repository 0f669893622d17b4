package layout

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"airqa/env/pdf"
)

// dropLineNumbers removes line numbers of manuscripts and review copies. They count up by a constant step beside most
// lines of running text, at its pitch, with no text, head or rule of a table above or below them, and begin again or go on
// from page to page. It returns the removed text of each page.
func dropLineNumbers(pages [][]Word, inputs []Input) []string {
	dropped := make([]string, len(pages))
	var found []numberRun
	full := 0
	for i, words := range pages {
		found = append(found, numberRuns(words, i, inputs[i].Shapes)...)
		if len(words) > 20 {
			full++
		}
	}
	all := slices.DeleteFunc(slices.Clone(found), func(r numberRun) bool { // the head of a table may be on its first page only
		return slices.ContainsFunc(found, func(o numberRun) bool { return o.inTable && o.isAt(r.right, r.size) })
	})
	if !onMostPages(all, pages, full) || !goesOn(all, full) {
		return dropped
	}
	for i := range pages {
		pages[i] = slices.DeleteFunc(pages[i], func(w Word) bool {
			drop := slices.ContainsFunc(all, func(r numberRun) bool { return r.page == i && isNumber(w) && r.isAt(w.Box.X1, w.Size) })
			if drop {
				dropped[i] += w.Text + "\n"
			}
			return drop
		})
	}
	return dropped
}

// edgeSlack is the tolerance for the right edges of line numbers.
const edgeSlack = 4

// numberRun is a column of ascending numbers with a common right edge and size on one page.
type numberRun struct {
	page              int
	right, size       float64
	top, bottom       float64 // baselines
	first, last, step int
	length            int
	inTable           bool // under the head of a column, or between rules
}

func (r numberRun) isAt(right, size float64) bool {
	return abs(r.right-right) <= edgeSlack && abs(r.size-size) < 0.5
}

// onMostPages reports whether two pages and half of the full ones have numbers, and half of these running text beside them.
func onMostPages(runs []numberRun, pages [][]Word, full int) bool {
	on, prose := map[int]bool{}, 0
	for _, r := range runs {
		if !on[r.page] && besideText(pages[r.page], runs, r.page) {
			prose++
		}
		on[r.page] = true
	}
	return len(on) > 1 && len(on)*2 >= full && prose*2 >= len(on)
}

// goesOn reports whether the numbers of most pages continue those of the page before, or begin as those do, and begin as
// line numbers do.
func goesOn(runs []numberRun, pages int) bool {
	var firsts, lasts []int // by page
	longest := 0
	for k, r := range runs {
		if k == 0 || r.page != runs[k-1].page {
			firsts, lasts = append(firsts, r.first), append(lasts, r.last)
		}
		n := len(firsts) - 1
		firsts[n], lasts[n] = min(firsts[n], r.first), max(lasts[n], r.last)
		longest = max(longest, r.length*r.step)
	}
	step, follow := runs[0].step, 0
	for i := 1; i < len(firsts); i++ {
		if gap := firsts[i] - lasts[i-1]; gap > 0 && gap <= 3*step || firsts[i] == firsts[i-1] {
			follow++
		}
	}
	return follow*2 >= len(firsts)-1 && longest >= 8 && (firsts[0] <= 5*step || len(firsts) > 3 && len(firsts)*3 > pages*2)
}

// besideText reports whether the lines beside the line numbers of a page are running text: long, not all with a capital,
// at the pitch of the numbers, and not much is above or below them.
func besideText(words []Word, runs []numberRun, page int) bool {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r numberRun) bool { return r.page != page })
	text := slices.DeleteFunc(slices.Clone(words), func(w Word) bool {
		return isNumber(w) && slices.ContainsFunc(runs, func(r numberRun) bool { return r.isAt(w.Box.X1, w.Size) })
	})
	const long = 25 // characters of a line of a narrow column
	top, bottom := runs[0].top, runs[0].bottom
	for _, r := range runs {
		top, bottom = min(top, r.top), max(bottom, r.bottom)
	}
	running, inside, all := 0, 0, 0
	lines := fragments(text)
	for _, f := range lines {
		first := firstRune(f.words[0].Text)
		if all += f.chars; f.baseline > top-f.size && f.baseline < bottom+f.size {
			inside += f.chars
		}
		if f.chars >= long && !unicode.IsUpper(first) && !unicode.IsDigit(first) {
			running += f.chars
		}
	}
	r := runs[0]
	pitch := (r.bottom - r.top) / float64((r.length-1)*r.step)
	return running*5 >= all && inside*3 >= all*2 && pitch < 1.6*pitches([][]fragment{lines})[0]
}

// numberRuns finds the columns of numbers on a page that have no other text above, below, in between or nearby.
func numberRuns(words []Word, page int, shapes []Shape) []numberRun {
	var out []numberRun
	for _, column := range numberColumns(words) {
		slices.SortFunc(column, func(a, b Word) int { return cmp.Compare(a.Baseline, b.Baseline) })
		length := len(column)
		if !countsUp(column) || !inMarginOf(words, column) {
			continue
		}
		first, last := column[0], column[length-1]
		r := numberRun{page: page, right: first.Box.X1, size: first.Size, top: first.Baseline, bottom: last.Baseline, length: length}
		r.first, r.last, r.step = value(first), value(last), value(column[1])-value(first)
		pitch := (r.bottom - r.top) / float64(length-1)
		area := Box{X0: last.Box.X0, X1: last.Box.X1, Y0: r.top - 2.5*pitch, Y1: r.bottom + pitch}
		headed := func(w Word) bool {
			return !isNumber(w) && w.Box.OverlapX(area) > 0 && w.Baseline > area.Y0 && w.Baseline < r.top
		}
		ruled := func(s Shape) bool {
			return s.Kind == pdf.Path && s.Box.Height() < 3 && s.Box.OverlapX(area) > 1 && s.Box.Y0 > area.Y0 && s.Box.Y1 < area.Y1
		}
		r.inTable = slices.ContainsFunc(words, headed) || slices.ContainsFunc(shapes, ruled)
		out = append(out, r)
	}
	return out
}

// numberColumns groups the numbers of one size whose right edges are close: the ink of a 1 ends early.
func numberColumns(words []Word) (columns [][]Word) {
	for _, w := range words {
		if !isNumber(w) {
			continue
		}
		at := slices.IndexFunc(columns, func(c []Word) bool {
			return abs(w.Size-c[0].Size) <= 0.5 && abs(w.Box.X1-c[0].Box.X1) <= edgeSlack
		})
		if at < 0 {
			at, columns = len(columns), append(columns, nil)
		}
		columns[at] = append(columns[at], w)
	}
	return columns
}

// countsUp reports whether at least three words count up by a constant step.
func countsUp(column []Word) bool {
	for i := 1; i < len(column); i++ {
		step := value(column[i]) - value(column[i-1])
		if step <= 0 || step != value(column[1])-value(column[0]) {
			return false
		}
	}
	return len(column) > 2
}

// inMarginOf reports whether almost no other text overlaps a column of numbers horizontally or is right next to it. A
// page number may.
func inMarginOf(words, column []Word) bool {
	var area Box
	for _, w := range column {
		area = area.Union(w.Box)
	}
	beside := 0.8 * column[0].Size
	area.X0, area.X1 = area.X0-beside, area.X1+beside
	others := 0
	for _, w := range words {
		if w.Box.OverlapX(area) > 0 && !slices.ContainsFunc(column, func(o Word) bool { return o.Box == w.Box }) {
			others++
		}
	}
	return others*50 <= len(words)
}

func isNumber(w Word) bool {
	return w.Text != "" && len(w.Text) < 6 && strings.Trim(w.Text, "0123456789") == ""
}

func value(w Word) int {
	n, _ := strconv.Atoi(w.Text)
	return n
}
