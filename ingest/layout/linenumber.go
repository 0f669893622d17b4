package layout

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// dropLineNumbers removes line numbers of manuscripts and review copies. They count up by a constant step along the
// margin of at least half of the pages, with no text above or below them. It returns the removed text of each page.
func dropLineNumbers(pages [][]Word) []string {
	dropped := make([]string, len(pages))
	runs := make([][]numberRun, len(pages))
	long, full := 0, 0
	for i, words := range pages {
		runs[i] = numberRuns(words)
		if slices.ContainsFunc(runs[i], func(r numberRun) bool { return r.length >= 8 }) {
			long++
		}
		if len(words) > 20 {
			full++
		}
	}
	if long == 0 || long*2 < full {
		return dropped
	}
	all := slices.Concat(runs...)
	// A short run, as on a last page, counts if its font style matches a long one.
	all = slices.DeleteFunc(all, func(r numberRun) bool {
		return r.length < 8 && (r.length < 3 || !slices.ContainsFunc(all, func(o numberRun) bool { return o.length >= 8 && math.Abs(o.size-r.size) < 0.5 }))
	})
	for i := range pages {
		pages[i] = slices.DeleteFunc(pages[i], func(w Word) bool {
			drop := isNumber(w) && slices.ContainsFunc(all, func(r numberRun) bool { return r.holds(w) })
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

// numberRun is a column of ascending numbers with a common right edge and size.
type numberRun struct {
	right, size float64
	length      int
}

func (r numberRun) holds(w Word) bool {
	return math.Abs(w.Box.X1-r.right) <= edgeSlack && math.Abs(w.Size-r.size) < 0.5
}

// numberRuns finds the columns of numbers on a page that have no other text above, below, in between or nearby.
func numberRuns(words []Word) []numberRun {
	var out []numberRun
	for _, column := range numberColumns(words) {
		slices.SortFunc(column, func(a, b Word) int { return cmp.Compare(a.Baseline, b.Baseline) })
		if length := countingUp(column); length > 1 && inMarginOf(words, column) {
			out = append(out, numberRun{right: column[0].Box.X1, size: column[0].Size, length: length})
		}
	}
	return out
}

// numberColumns groups the numbers of one size whose right edges are close: the ink of a 1 ends early.
func numberColumns(words []Word) [][]Word {
	var numbers []Word
	for _, w := range words {
		if isNumber(w) {
			numbers = append(numbers, w)
		}
	}
	slices.SortStableFunc(numbers, func(a, b Word) int {
		return cmp.Or(cmp.Compare(math.Round(2*a.Size), math.Round(2*b.Size)), cmp.Compare(a.Box.X1, b.Box.X1))
	})
	var out [][]Word
	for _, w := range numbers {
		if n := len(out); n == 0 || math.Abs(w.Size-out[n-1][0].Size) > 0.5 || w.Box.X1-out[n-1][0].Box.X1 > edgeSlack {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], w)
	}
	return out
}

// countingUp returns the number of words if they count up by a constant step, else 0.
func countingUp(column []Word) int {
	for i := 2; i < len(column); i++ {
		a, b, c := value(column[i-2]), value(column[i-1]), value(column[i])
		if b <= a || c-b != b-a {
			return 0
		}
	}
	return len(column)
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
