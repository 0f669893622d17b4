package structure

import (
	"math"
	"slices"
	"strings"

	"airqa/ingest/layout"
)

// sequence tracks heading numbers. A number out of sequence is a list item or a table cell.
type sequence struct {
	style  string // "roman", "decimal", or empty before the first heading
	top    int    // the last number of level 1
	letter byte   // the last letter of level 2 in IEEE style, or of an appendix
	parts  []int  // the last decimal number
	back   bool   // in the appendix
}

// numbered finds headings by font style and number alone. It starts after the abstract, since affiliations may have
// numbers, too.
func (r *paperReader) numbered() []heading {
	front, _ := r.abstractStart()
	var at []int
	for i, l := range r.flow {
		if i > front && r.numberedTitle(i, l) {
			at = append(at, i)
		}
	}
	top, known := r.chapterLook(at)
	var heads []heading
	var s sequence
	for _, i := range at {
		text := r.flow[i].Text()
		number, _ := splitNumber(text)
		if _, whole := numberValue(number); whole && known && !top.like(printOf(r.flow[i])) {
			continue // an item of a list
		}
		if level := s.next(number, text); level > 0 {
			heads = append(heads, r.headingAt(i, level))
		}
	}
	return heads
}

// spacedNumbers finds numbered headings that do not stand out, such as in recognised text without fonts: short lines with
// space above whose whole numbers count from 1 to at least 3, apart from each other.
func (r *paperReader) spacedNumbers() []heading {
	const fewest, apart = 3, 5 // headings, and lines between them on average
	front, _ := r.abstractStart()
	var heads []heading
	var s sequence
	top := 0
	for i, l := range r.flow {
		text := l.Text()
		number, title := splitNumber(text)
		if i <= front || number == "" || !startsTitle(title) || !isTitleText(title) || len(text) > maxTitle || !r.spaced(i) {
			continue
		}
		if level := s.next(number, text); level > 0 {
			h := r.headingAt(i, level)
			heads = append(heads, h)
			if level == 1 {
				top++
			}
		}
	}
	if top < fewest || heads[len(heads)-1].at-heads[0].at < apart*(len(heads)-1) {
		return nil
	}
	return heads
}

// spaced reports whether a line is short and farther from the line above than lines of text are.
func (r *paperReader) spaced(i int) bool {
	l := r.flow[i]
	if l.Box.Width() > 0.8*r.Doc.Pages[l.Page-1].Text.Width() || i+1 >= len(r.flow) {
		return false
	}
	if r.leading == 0 {
		r.leading = r.usualLeading()
	}
	next := r.flow[i+1]
	if next.Page == l.Page && next.Column == l.Column && next.Baseline-l.Baseline < 0.95*r.leading {
		return false
	}
	if i == 0 || r.flow[i-1].Page != l.Page || r.flow[i-1].Column != l.Column {
		return next.Baseline-l.Baseline > 1.2*r.leading
	}
	return l.Baseline-r.flow[i-1].Baseline > 1.4*r.leading
}

// usualLeading returns the most common distance between two lines of text.
func (r *paperReader) usualLeading() float64 {
	steps, best := map[float64]int{}, 0.0
	for i := 1; i < len(r.flow); i++ {
		above, l := r.flow[i-1], r.flow[i]
		if step := l.Baseline - above.Baseline; l.Page == above.Page && l.Column == above.Column && step > 0.8*l.Size && step < 3*l.Size {
			at := math.Round(2*step) / 2
			steps[at]++
			if steps[at] > steps[best] {
				best = at
			}
		}
	}
	return max(best, r.Doc.BodySize)
}

func (r *paperReader) numberedTitle(i int, l layout.Line) bool {
	text := l.Text()
	number, title := splitNumber(text)
	if number == "" || !startsTitle(title) || len(folded(title)) < 2 || len(text) > 120 || !r.standsOut(l) || startsItem(l) {
		return false
	}
	if i == 0 || l.Break {
		return true
	}
	above := r.flow[i-1] // a line in the same font style: the number is in a paragraph
	return above.Page != l.Page || above.Column != l.Column || !printOf(above).like(printOf(l))
}

// startsItem reports whether a line is a list item that begins with bold words: its number, or the words after a colon
// or a full stop, are not bold.
func startsItem(l layout.Line) bool {
	w := l.Words
	if len(w) < 2 || w[1].Math {
		return false
	}
	if !w[0].Bold && w[1].Bold {
		return true
	}
	last := w[len(w)-1]
	end := slices.IndexFunc(w[1:], func(o layout.Word) bool { return strings.HasSuffix(o.Text, ":") || strings.HasSuffix(o.Text, ".") })
	return w[1].Bold && end >= 0 && end+2 < len(w) && !w[end+2].Bold && !last.Bold && !last.Math
}

// chapterLook returns the font style in which whole numbers count up furthest, at least to 3: that of sections rather
// than lists.
func (r *paperReader) chapterLook(at []int) (fontStyle, bool) {
	type count struct {
		look fontStyle
		last int
	}
	var counts []count
	for _, i := range at {
		number, _ := splitNumber(r.flow[i].Text())
		n, whole := numberValue(number)
		if !whole {
			continue
		}
		look := printOf(r.flow[i])
		k := slices.IndexFunc(counts, func(c count) bool { return c.look.like(look) })
		if k < 0 {
			k, counts = len(counts), append(counts, count{look: look})
		}
		if n == counts[k].last+1 || n == 2 && counts[k].last == 0 {
			counts[k].last = n
		}
	}
	best := count{last: 2}
	for _, c := range counts {
		if c.last > best.last {
			best = c
		}
	}
	return best.look, best.last > 2
}

// next returns the level of a number if it is next in sequence, else 0.
func (s *sequence) next(number, text string) int {
	if s.style != "decimal" && s.opensRoman(number, text) {
		s.style, s.top, s.letter = "roman", roman(number), 0
		return 1
	}
	if s.style == "roman" && s.top == 1 && s.letter == 0 && number == "2" {
		s.style = "decimal" // "I." was "1." before a text recognition
	}
	if s.style == "roman" {
		if !s.letterFits(number) {
			return 0
		}
		s.letter = number[0]
		return 2
	}
	if s.opensAppendix(number) {
		s.back, s.letter, s.parts = true, number[0], nil
		return 1
	}
	return s.decimal(number)
}

// opensRoman reports whether a number is the next Roman one at level 1, with a dot or a space after it. A letter that is
// next at level 2 is none: "C" after "B".
func (s *sequence) opensRoman(number, text string) bool {
	dotted := strings.HasPrefix(text, number+".") || strings.HasPrefix(text, number+" ")
	return dotted && s.isTop(roman(number)) && !s.letterFits(number)
}

// opensAppendix reports whether a letter is the next appendix.
func (s *sequence) opensAppendix(number string) bool {
	if len(number) != 1 || number[0] < 'A' || s.top < 2 {
		return false
	}
	return !s.back && number == "A" || s.back && number[0] == s.letter+1
}

// isTop reports whether n is next at level 1; one heading may have been missed.
func (s *sequence) isTop(n int) bool { return n > 0 && (n == s.top+1 || s.top > 0 && n == s.top+2) }

// letterFits reports whether a letter is next; "C" and "I" are letters after "B" and "H".
func (s *sequence) letterFits(number string) bool {
	if len(number) != 1 || s.style != "roman" {
		return false
	}
	if s.letter == 0 {
		return number == "A"
	}
	return number[0] == s.letter+1
}

func (s *sequence) decimal(number string) int {
	fields := strings.Split(number, ".")
	var parts []int
	for i, f := range fields {
		n, ok := numberValue(f)
		if i == 0 && s.back && f == string(s.letter) {
			n, ok = int(s.letter), true
		}
		if !ok {
			return 0
		}
		parts = append(parts, n)
	}
	if !s.follows(parts) {
		return 0
	}
	s.style, s.parts = "decimal", parts
	if len(parts) == 1 {
		s.top, s.back = parts[0], false
	}
	return len(parts)
}

// follows reports whether parts is the next number at its level; one heading may have been missed.
func (s *sequence) follows(parts []int) bool {
	n := len(parts)
	last := parts[n-1]
	switch {
	case n == 1 && s.back:
		return last == s.top+1 // the appendix was a label in a drawing
	case n == 1:
		return s.isTop(last) || s.top+last == 0
	case s.back && len(s.parts) == 0:
		return parts[0] == int(s.letter) && last == 1
	case len(s.parts) < n-1 || !slices.Equal(parts[:n-1], s.parts[:n-1]):
		return false
	case len(s.parts) < n:
		return last == 1
	}
	skipped := last - s.parts[n-1]
	return skipped == 1 || skipped == 2
}
