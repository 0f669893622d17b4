package structure

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"airqa/ingest/layout"
	"airqa/internal/lazyregexp"
)

// labelled matches the number of an entry: "[12] ", "12. ", "(12) ".
var labelled = lazyregexp.New(`^(?:\[(\d{1,4})\]|(\d{1,4})\.|\((\d{1,4})\))(?:\s|$)`)

func isBibliography(h heading) bool { return bibliographyTitles[folded(h.title)] }

// findBibliography finds a bibliography whose heading does not stand out, or that has none.
func (r *paperReader) findBibliography() {
	for i := len(r.flow) - 2; i > len(r.flow)/4; i-- {
		l := r.flow[i]
		_, title := splitNumber(l.Text())
		if bibliographyTitles[folded(title)] && !r.isHeading(i) && len(r.starts(r.flow[i+1:])) > 1 {
			r.heads = append(r.heads, r.headingAt(i, 1))
			slices.SortStableFunc(r.heads, func(a, b heading) int { return cmp.Compare(a.at, b.at) })
			return
		}
	}
	r.findList()
}

// findList finds a numbered bibliography without a heading, in the last two thirds of a paper and in smaller type than the
// text, and moves it to the end: in two columns, it interrupts the text.
func (r *paperReader) findList() {
	const fewest = 8
	for i := len(r.flow) / 3; i < len(r.flow); i++ {
		if m := labelled.FindStringSubmatch(r.flow[i].Text()); m == nil || m[1]+m[2]+m[3] != "1" || r.flow[i].Size > r.Doc.BodySize-0.6 {
			continue
		}
		size := r.flow[i].Size
		small := func(l layout.Line) bool { return abs(l.Size-size) < 0.6 }
		list := slices.DeleteFunc(slices.Clone(r.flow[i:]), func(l layout.Line) bool { return !small(l) })
		if starts := labelStarts(list); len(starts) >= fewest && mostHaveYears(list, starts) {
			r.moveToEnd(i, small)
			return
		}
	}
}

// entryEnds returns the end of each entry: the start of the next one, or the end of the list.
func entryEnds(starts []int, end int) []int {
	return append(slices.Clone(starts[min(1, len(starts)):]), end)
}

var year = lazyregexp.New(`\b(1[6-9]|20)\d\d`)

// mostHaveYears reports whether the entries of a list have years, like publications.
func mostHaveYears(lines []layout.Line, starts []int) bool {
	n := 0
	ends := entryEnds(starts, len(lines))
	for k, at := range starts {
		if slices.ContainsFunc(lines[at:ends[k]], func(l layout.Line) bool { return year.MatchString(l.Text()) }) {
			n++
		}
	}
	return n*10 >= len(starts)*6
}

// moveToEnd moves the lines from i on for which list is true behind the others.
func (r *paperReader) moveToEnd(i int, list func(layout.Line) bool) {
	var flow, tail []layout.Line
	var ours, theirs []*layout.Line
	at := make([]int, len(r.flow)) // the new places
	for k, l := range r.flow {
		if k >= i && list(l) {
			tail, theirs = append(tail, l), append(theirs, r.ours[k])
			continue
		}
		at[k] = len(flow)
		flow, ours = append(flow, l), append(ours, r.ours[k])
	}
	r.heads = slices.DeleteFunc(r.heads, func(h heading) bool { return h.at >= i && list(r.flow[h.at]) })
	for k := range r.heads {
		r.heads[k].at = at[r.heads[k].at]
	}
	r.listAt = len(flow)
	r.flow, r.ours = slices.Concat(flow, tail), slices.Concat(ours, theirs)
}

// references splits the bibliographies into their entries. Deeper headings without a number divide a bibliography.
func (r *paperReader) references() []Reference {
	var out []Reference
	inside := 0 // the level of the bibliography's heading
	for i, h := range r.heads {
		switch {
		case isBibliography(h) && (inside == 0 || h.level <= inside):
			inside = h.level
		case h.level <= inside || h.number != "":
			inside = 0
		}
		if inside == 0 && !isBibliography(h) {
			continue
		}
		to := r.sectionEnd(i)
		if lines := r.flow[h.at+h.lines : to]; !isBibliography(h) && !mostHaveYears(lines, r.starts(lines)) {
			inside = 0 // an index
			continue
		}
		out = append(out, r.entries(h.at+h.lines, to)...)
	}
	if r.listAt > 0 {
		out = append(out, r.entries(r.listAt, len(r.flow))...)
	}
	return out
}

// sectionEnd returns the end of the text below a heading: the next heading, or the end of the sections.
func (r *paperReader) sectionEnd(i int) int {
	if i+1 < len(r.heads) {
		return r.heads[i+1].at
	}
	return r.textEnd()
}

// textEnd returns the end of the sections.
func (r *paperReader) textEnd() int {
	if r.listAt > 0 {
		return r.listAt
	}
	return len(r.flow)
}

func (r *paperReader) entries(from, to int) []Reference {
	to = from + listEnd(r.flow[from:to])
	starts := r.starts(r.flow[from:to])
	lines := r.flow[from : from+lastEntryEnd(r.flow[from:to], starts)]
	ends := entryEnds(starts, len(lines))
	var lengths []int
	for k, at := range starts {
		lengths = append(lengths, ends[k]-at)
	}
	slices.Sort(lengths)
	var out []Reference
	for k, at := range starts {
		end := entryEnd(lines, at, ends[k], lengths[len(lengths)/2])
		for n := at; n < end; n++ { // each entry begins a row
			lines[n].Break = n == at
			r.ours[from+n].Break, r.ours[from+n].Joins = n == at, n > at
		}
		if text := r.Doc.Joined(lines[at:end]); text != "" {
			out = append(out, Reference{Text: text, Page: lines[at].Page})
		}
	}
	return out
}

// listEnd returns the end of a bibliography: before five lines in another size than its first ones, such as a
// discussion of the paper, that no numbered entry follows.
func listEnd(lines []layout.Line) int {
	const run, sample = 5, 12
	sizes := map[float64]int{}
	size, most := 0.0, 0
	for _, l := range lines[:min(sample, len(lines))] {
		at := math.Round(5*l.Size) / 5
		if sizes[at] += l.Chars(); sizes[at] > most {
			size, most = at, sizes[at]
		}
	}
	other := 0
	for i, l := range lines {
		if abs(l.Size-size) < 0.6 {
			other = 0
		} else if other++; other == run {
			resumes := slices.ContainsFunc(lines[i:], func(l layout.Line) bool { return abs(l.Size-size) < 0.6 && labelled.MatchString(l.Text()) })
			if i >= run && !resumes {
				return i - run + 1
			}
		}
	}
	return len(lines)
}

// entryEnd cuts an entry that is much longer than the usual one where its size changes, a gap follows or the page ends: it
// includes a figure or text without a heading.
func entryEnd(lines []layout.Line, at, end, usual int) int {
	longest := max(10, 4*usual)
	if end-at <= longest {
		return end
	}
	for i := at + 1; i < end; i++ {
		above, l := lines[i-1], lines[i]
		step := l.Baseline - above.Baseline
		if l.Page != above.Page || abs(l.Size-lines[at].Size) > 0.6 && l.Break || step > 2*l.Size || i-at >= longest {
			return i
		}
	}
	return end
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

// citeStarts finds the lines that "cite.Key" anchors point to: the line in the anchor's column whose top is nearest. It
// returns nil unless they match the lines almost one to one.
func (r *paperReader) citeStarts(lines []layout.Line) []int {
	count := 0
	found := map[int]bool{}
	for _, a := range r.Anchors {
		if !strings.HasPrefix(a.Name, "cite.") {
			continue
		}
		count++
		best, least := -1, 14.0
		for i, l := range lines {
			if l.Page != a.Page || !r.sameColumn(l, a) {
				continue
			}
			if d := abs(l.Baseline - l.Size - a.Y); d < least {
				best, least = i, d
			}
		}
		if best >= 0 {
			found[best] = true
		}
	}
	if count < 2 || len(found)*10 < count*9 {
		return nil
	}
	return slices.Sorted(maps.Keys(found))
}

// hangingStarts finds the lines at the left edge of columns whose other lines are indented. The edge of a scan drifts.
func hangingStarts(lines []layout.Line) []int {
	const around = 12 // lines
	var starts []int
	for i, l := range lines {
		edge := l.Box.X0
		for _, other := range lines[max(0, i-around):min(len(lines), i+around+1)] {
			if other.Page == l.Page && other.Column == l.Column {
				edge = min(edge, other.Box.X0)
			}
		}
		if l.Box.X0 < edge+3 {
			starts = append(starts, i)
		}
	}
	if share := float64(len(starts)) / math.Max(1, float64(len(lines))); share > 0.75 && len(lines) > 6 || len(starts) == 0 {
		return nil
	}
	return starts
}
