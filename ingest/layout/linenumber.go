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
	for i, words := range pages {
		found = append(found, numberRuns(words, i, inputs[i].Shapes)...)
	}
	all := slices.DeleteFunc(slices.Clone(found), func(r numberRun) bool { // the head of a table may be on its first page only
		return slices.ContainsFunc(found, func(o numberRun) bool { return o.inTable && o.isAt(r.first) })
	})
	if !areLineNumbers(all, pages) {
		return dropped
	}
	for i := range pages {
		pages[i] = slices.DeleteFunc(pages[i], func(w Word) bool {
			drop := slices.ContainsFunc(all, func(r numberRun) bool { return r.page == i && r.isAt(w) })
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

// numberRun is a column of numbers that count up, with a common right edge and size, on one page.
type numberRun struct {
	page         int
	first, last  Word
	step, length int
	inTable      bool // under the head of a column, or between rules
}

// isAt reports whether a word may be a number of the column.
func (r numberRun) isAt(w Word) bool {
	return isNumber(w) && abs(r.first.Box.X1-w.Box.X1) <= edgeSlack && abs(r.first.Size-w.Size) < 0.5
}

// areLineNumbers reports whether two pages and half of the full ones have numbers, half of these running text beside them,
// and whether the numbers of most pages continue those of the page before, or begin as those do, and begin as line numbers do.
func areLineNumbers(runs []numberRun, pages [][]Word) bool {
	full, on, prose, follow, longest := 0, 0, 0, 0, 0
	begin, first, last := 0, 0, 0 // numbers: of the paper, and of the last page that has any
	for i, words := range pages {
		if len(words) > 20 {
			full++
		}
		var here []numberRun
		for _, r := range runs {
			if r.page == i {
				here = append(here, r)
				longest = max(longest, r.length*r.step)
			}
		}
		if len(here) == 0 {
			continue
		}
		from, to := value(here[0].first), value(here[0].last)
		for _, r := range here {
			from, to = min(from, value(r.first)), max(to, value(r.last))
		}
		if on == 0 {
			begin = from
		} else if gap := from - last; gap > 0 && gap <= 3*runs[0].step || from == first {
			follow++
		}
		if besideText(words, here) {
			prose++
		}
		first, last = from, to
		on++
	}
	onMost := on > 1 && on*2 >= full && prose*2 >= on
	return onMost && follow*2 >= on-1 && longest >= 8 && (begin <= 5*runs[0].step || on > 3 && on*3 > full*2)
}

// besideText reports whether the lines beside the line numbers of a page are running text: long, not all with a capital,
// at the pitch of the numbers, and not much is above or below them.
func besideText(words []Word, runs []numberRun) bool {
	text := slices.DeleteFunc(slices.Clone(words), func(w Word) bool {
		return slices.ContainsFunc(runs, func(r numberRun) bool { return r.isAt(w) })
	})
	const long = 25 // characters of a line of a narrow column
	r := runs[0]
	top, bottom := r.first.Baseline, r.last.Baseline
	pitch := (bottom - top) / float64((r.length-1)*r.step)
	for _, r := range runs {
		top, bottom = min(top, r.first.Baseline), max(bottom, r.last.Baseline)
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
	return running*5 >= all && inside*3 >= all*2 && pitch < 1.6*pitches([][]fragment{lines})[0]
}

// numberRuns finds the columns of numbers on a page that have almost no other text above, below, in between or right beside
// them. A page number may be there.
func numberRuns(words []Word, page int, shapes []Shape) []numberRun {
	var out []numberRun
	for _, column := range numberColumns(words) {
		slices.SortFunc(column, func(a, b Word) int { return cmp.Compare(a.Baseline, b.Baseline) })
		if len(column) < 3 || !countsUp(column) {
			continue
		}
		r := numberRun{page: page, first: column[0], last: column[len(column)-1], length: len(column), step: value(column[1]) - value(column[0])}
		pitch := (r.last.Baseline - r.first.Baseline) / float64(r.length-1)
		above := Box{X0: r.last.Box.X0, X1: r.last.Box.X1, Y0: r.first.Baseline - 2.5*pitch, Y1: r.last.Baseline + pitch}
		beside := above
		for _, w := range column {
			beside = beside.Union(w.Box)
		}
		beside = beside.Grow(0.8 * r.first.Size)
		others := 0
		for _, w := range words {
			if w.Box.OverlapX(beside) > 0 && !slices.ContainsFunc(column, func(o Word) bool { return o.Box == w.Box }) {
				others++
			}
			r.inTable = r.inTable || !isNumber(w) && w.Box.OverlapX(above) > 0 && w.Baseline > above.Y0 && w.Baseline < r.first.Baseline
		}
		r.inTable = r.inTable || slices.ContainsFunc(shapes, func(s Shape) bool {
			return s.Kind == pdf.Path && s.Box.Height() < 3 && s.Box.OverlapX(above) > 1 && s.Box.Y0 > above.Y0 && s.Box.Y1 < above.Y1
		})
		if others*50 <= len(words) {
			out = append(out, r)
		}
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

// countsUp reports whether words count up by a constant step.
func countsUp(column []Word) bool {
	for i := 1; i < len(column); i++ {
		step := value(column[i]) - value(column[i-1])
		if step <= 0 || step != value(column[1])-value(column[0]) {
			return false
		}
	}
	return true
}

func isNumber(w Word) bool {
	return w.Text != "" && len(w.Text) < 6 && strings.Trim(w.Text, "0123456789") == ""
}

func value(w Word) int {
	n, _ := strconv.Atoi(w.Text)
	return n
}
