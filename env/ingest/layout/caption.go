package layout

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// TableWords and FigureWords are the words for table and figure that captions begin with, as alternatives of a
// case-insensitive pattern.
const (
	TableWords  = `table|tab\.|tabelle|tabla|cuadro|quadro|tabela|tableau|таблица|табл\.|表|표`
	FigureWords = `figure|fig\.?|figura|abbildung|abb\.|рисунок|рис\.|图|圖|図|그림`

	captionWords  = FigureWords + `|` + TableWords
	captionNumber = `([A-Z]?\.?\d+([.-]\d+)*|[IVXLC]+)`
)

var (
	// captionStart matches "Figure 3:", "Fig. 2.", "Table IV |".
	captionStart = regexp.MustCompile(`^(?i:` + captionWords + `)\s*` + captionNumber + `\s*[.:|：．]`)
	// captionLabel matches a whole fragment: IEEE prints "TABLE I" above the caption.
	captionLabel = regexp.MustCompile(`^(?i:` + TableWords + `)\s*` + captionNumber + `$`)
	// captionApart matches a label whose caption follows after a wide gap.
	captionApart = regexp.MustCompile(`^(Figure|Fig\.|Table|FIGURE|TABLE)\s+([A-Z]?\.?\d+(\.\d+)*|[IVXLC]+)$`)
	// captionPlain matches "Figure 3 Some text", which differs from a sentence only in its font style.
	captionPlain = regexp.MustCompile(`^(?:(Figure|Fig\.|Table)\s+[A-Z]?\.?\d+([.-]\d+)*\s+["“(]?[\p{Lu}\d]|[图圖図表]\s*\d+([.-]\d+)*\s+\p{Han})`)
)

// captionList matches a line of a list of tables or figures: another label follows, or dot leaders.
var captionList = regexp.MustCompile(`^\S+\s+\S+\s+(Figure|Fig\.|Table)\s+[A-Z]?\.?\d|(\.\s*){4,}\d+$`)

// markCaptions numbers the captions of a page from 1, in the order of the stream.
func markCaptions(frags []fragment, shapes []Shape, bodySize float64) {
	next := 1
	for i := range frags {
		if frags[i].caption != 0 || frags[i].drawn || !startsCaption(frags, i, bodySize) {
			continue
		}
		frags[i].caption = next
		extended := extendCaption(frags, i, shapes)
		if !extended && captionLabel.MatchString(frags[i].text()) {
			frags[i].caption = 0 // a label without a caption: a cell, a box in a drawing
			continue
		}
		next++
	}
}

func startsCaption(frags []fragment, i int, bodySize float64) bool {
	f := &frags[i]
	text := f.text()
	switch {
	case captionList.MatchString(text):
		return false
	case captionApart.MatchString(text) && apartFromText(frags, i):
		return true
	case captionLabel.MatchString(text):
		return !beside(frags, i) && !midParagraph(frags, i)
	case captionStart.MatchString(text):
		return !midParagraph(frags, i)
	case captionPlain.MatchString(text) && len(f.words) > 2:
		return (labelInOtherFont(f) || abs(f.size-bodySize) > 0.6) && !midParagraph(frags, i)
	}
	return false
}

// labelInOtherFont reports whether the two words of a label, in Latin script, have a different font than the following
// text.
func labelInOtherFont(f *fragment) bool {
	label, number, next := f.words[0], f.words[1], f.words[2]
	return label.Font != next.Font && label.Font == number.Font && label.Text[0] < utf8.RuneSelf
}

// apartFromText reports whether a label is followed, after a wide gap, by the text of its caption in a different font
// style or size, and by nothing else.
func apartFromText(frags []fragment, i int) bool {
	f := &frags[i]
	var right []int
	for k := range frags {
		if o := &frags[k]; k != i && abs(o.baseline-f.baseline) < 1 && o.box.X0 > f.box.X1 && o.box.X0-f.box.X1 < 60 {
			right = append(right, k)
		}
	}
	if len(right) != 1 || frags[right[0]].box.X0-f.box.X1 > 2.5*f.size {
		return false
	}
	o := &frags[right[0]]
	return o.words[0].Font != lastFont(f) && len(o.words) > 1 && abs(o.size-f.size) < 0.6
}

// beside reports whether another fragment is on the same baseline, which makes "Table 2" a cell.
func beside(frags []fragment, i int) bool {
	f := &frags[i]
	return slices.ContainsFunc(frags[max(0, i-8):min(len(frags), i+9)], func(o fragment) bool {
		return abs(o.baseline-f.baseline) < 2 && o.box.X0 != f.box.X0 && -o.box.OverlapX(f.box) < 40
	})
}

// midParagraph reports whether there is a full line of the same font style right above, so the text only mentions a
// figure.
func midParagraph(frags []fragment, i int) bool {
	f := &frags[i]
	return slices.ContainsFunc(frags, func(o fragment) bool {
		step := f.baseline - o.baseline
		right := o.box.X1 > f.box.X1-0.3*f.box.Width()
		above := step > 0.5*f.size && step < 1.6*f.size && abs(o.size-f.size) < 0.5 && o.caption == 0 && right && len(o.words) > 4
		return above && o.words[0].Font == lastFont(f) && (abs(o.box.X0-f.box.X0) < 2 || o.leadsTo(f))
	})
}

// leadsTo reports whether an indented line that ends in the middle of a sentence continues in f.
func (f *fragment) leadsTo(next *fragment) bool {
	indent := f.box.X0 - next.box.X0
	last := f.words[len(f.words)-1].Text
	return indent > 0 && indent < 2.5*f.size && !strings.HasSuffix(last, ".") && !strings.HasSuffix(last, ":")
}

func lastFont(f *fragment) string { return f.words[len(f.words)-1].Font }

// extendCaption follows a caption down the page, line by line, and reports whether it has more than the first fragment.
func extendCaption(frags []fragment, first int, shapes []Shape) bool {
	number, last := frags[first].caption, first
	box, leading := frags[first].box, 0.0
	more := false
	for {
		more = joinRight(frags, last, number) || more
		box = box.Union(frags[last].box)
		next := below(frags, last, box)
		if next < 0 || ruleBetween(shapes, frags[last], frags[next]) {
			return more
		}
		step := frags[next].baseline - frags[last].baseline
		if leading > 0 && step > 1.2*leading || couldHaveFitted(frags[last], frags[next], box) {
			return more
		}
		leading = max(leading, step)
		frags[next].caption = number
		last, more = next, true
	}
}

// joinRight adds fragments on the same baseline after a wide gap, as after a separate label.
func joinRight(frags []fragment, i, number int) bool {
	f, joined := frags[i], false
	for k := i + 1; k < min(len(frags), i+3); k++ {
		o := &frags[k]
		gap := o.box.X0 - f.box.X1
		if abs(o.baseline-f.baseline) < 1 && gap >= 0 && gap < 2.5*f.size && !captionStart.MatchString(o.text()) && o.caption == 0 {
			o.caption, joined = number, true
			f.box = f.box.Union(o.box)
		}
	}
	return joined
}

// below returns the fragment that may be the next line of a caption, or -1.
func below(frags []fragment, last int, box Box) int {
	f, best := &frags[last], -1
	maxStep := 1.36 * f.size
	if captionLabel.MatchString(f.text()) { // on its own line
		maxStep = 1.9 * f.size
	}
	for k := range frags {
		o := &frags[k]
		step := o.baseline - f.baseline
		if o.caption != 0 || o.drawn || step < 0.6*f.size || step > maxStep || abs(o.size-f.size) > 1.6 {
			continue
		}
		if o.box.OverlapX(box) < 0.5*min(o.box.Width(), box.Width()) || captionStart.MatchString(o.text()) {
			continue
		}
		if best < 0 || step < frags[best].baseline-f.baseline {
			best = k
		}
	}
	return best
}

func ruleBetween(shapes []Shape, upper, lower fragment) bool {
	return slices.ContainsFunc(shapes, func(s Shape) bool {
		_, y := s.Box.Center()
		return s.IsRule() && y > upper.baseline-1 && y < lower.baseline-0.3*lower.size && s.Box.OverlapX(lower.box) > 0
	})
}

// couldHaveFitted reports whether the next line's first word would have fitted on the previous line, which means that
// the caption ended there. A label alone on its line does not end a caption.
func couldHaveFitted(last, next fragment, box Box) bool {
	if captionLabel.MatchString(last.text()) {
		return false
	}
	room := box.X1 - last.box.X1
	if centred := last.box.X0 - box.X0; centred > 3 {
		room += centred
	}
	return room > next.words[0].Box.Width()+0.8*next.size
}

func joinWords(words []Word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 && !unspacedGap(words[i-1], w) {
			b.WriteByte(' ')
		}
		b.WriteString(w.Text)
	}
	return b.String()
}
