package structure

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"airqa/env/ingest/layout"
)

// labelled matches the number of an entry: "[12] ", "12. ", "(12) ".
var labelled = regexp.MustCompile(`^(?:\[(\d{1,4})\]|(\d{1,4})\.|\((\d{1,4})\))(?:\s|$)`)

// references splits the bibliography into its entries.
func (r *paperReader) references() []Reference {
	var out []Reference
	for i, h := range r.heads {
		if !bibliographyTitles[folded(h.title)] {
			continue
		}
		from, to := h.at+h.lines, len(r.flow)
		if i+1 < len(r.heads) {
			to = r.heads[i+1].at
		}
		starts := r.starts(r.flow[from:to])
		lines := r.flow[from : from+lastEntryEnd(r.flow[from:to], starts)]
		for k, at := range starts {
			end := len(lines)
			if k+1 < len(starts) {
				end = starts[k+1]
			}
			for n := at; n < end; n++ { // each entry begins a row
				lines[n].Break = n == at
				r.ours[from+n].Break, r.ours[from+n].Joins = n == at, n > at
			}
			if text := r.Doc.Joined(lines[at:end]); text != "" {
				out = append(out, Reference{Text: text, Page: lines[at].Page})
			}
		}
	}
	return out
}

// lastEntryEnd returns the end of the last entry: before text of another size, or after twice the lines of the longest
// entry. It excludes text without a heading after the bibliography.
func lastEntryEnd(lines []layout.Line, starts []int) int {
	if len(starts) < 3 {
		return len(lines)
	}
	longest := 0
	for k := 1; k < len(starts); k++ {
		longest = max(longest, starts[k]-starts[k-1])
	}
	first := starts[len(starts)-1]
	for i := first + 1; i < len(lines); i++ {
		above, l := lines[i-1], lines[i]
		apart := l.Page != above.Page || l.Baseline-above.Baseline > 2.5*l.Size
		if i-first >= 2*longest || abs(l.Size-lines[first].Size) > 0.6 && l.Chars() > 3 && l.Break || apart && i-first >= longest {
			return i
		}
	}
	return len(lines)
}

// starts finds the first lines of entries by consecutive numbers, citation anchors, hanging indents or spacing, in this
// order.
func (r *paperReader) starts(lines []layout.Line) []int {
	for _, find := range []func([]layout.Line) []int{labelStarts, r.citeStarts, hangingStarts} {
		if starts := find(lines); starts != nil {
			return starts
		}
	}
	var starts []int
	for i, l := range lines {
		if i == 0 || l.Break {
			starts = append(starts, i)
		}
	}
	return starts
}

// labelStarts finds lines that begin with consecutive numbers. It returns nil unless they start near 1 and there are at
// least three.
func labelStarts(lines []layout.Line) []int {
	var starts []int
	next := 1
	for i, l := range lines {
		m := labelled.FindStringSubmatch(l.Text())
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1] + m[2] + m[3])
		if err != nil || n < next || n > next+2 {
			continue
		}
		starts, next = append(starts, i), n+1
	}
	if len(starts) < 3 || starts[0] > 4 {
		return nil
	}
	return starts
}

// citeStarts finds the lines that "cite.Key" anchors point to. It returns nil unless they match the lines almost one to
// one.
func (r *paperReader) citeStarts(lines []layout.Line) []int {
	count := 0
	found := map[int]bool{}
	for _, a := range r.Anchors {
		if !strings.HasPrefix(a.Name, "cite.") {
			continue
		}
		count++
		if at := r.entryAt(lines, a); at >= 0 {
			found[at] = true
		}
	}
	if count < 2 || len(found)*10 < count*9 {
		return nil
	}
	return slices.Sorted(maps.Keys(found))
}

// entryAt returns the line in the anchor's column whose top is nearest to it.
func (r *paperReader) entryAt(lines []layout.Line, a Anchor) int {
	best, least := -1, 14.0
	for i, l := range lines {
		if l.Page != a.Page || !r.sameColumn(l, a) {
			continue
		}
		if d := abs(l.Baseline - l.Size - a.Y); d < least {
			best, least = i, d
		}
	}
	return best
}

// hangingStarts finds the lines at the left edge of columns whose other lines are indented.
func hangingStarts(lines []layout.Line) []int {
	type place struct{ page, column int }
	left := map[place]float64{}
	for _, l := range lines {
		at := place{l.Page, l.Column}
		if edge, ok := left[at]; !ok || l.Box.X0 < edge {
			left[at] = l.Box.X0
		}
	}
	var starts []int
	for i, l := range lines {
		if l.Box.X0 < left[place{l.Page, l.Column}]+3 {
			starts = append(starts, i)
		}
	}
	if share := float64(len(starts)) / math.Max(1, float64(len(lines))); share > 0.75 && len(lines) > 6 || len(starts) == 0 {
		return nil
	}
	return starts
}
