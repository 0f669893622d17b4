package layout

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"airqa/internal/lazyregexp"
)

const (
	captionNumber = `(?:(?:ES|EV|S)\d+|[A-Z]?\.?\d+)(?:[.-]\d+)*[a-z]?|[IVXLC]+|[A-Z]\.?[IVX]+|[一二三四五六七八九十]{1,3}`
	captionPrefix = `(?:extended\s+data|supplementary|supplemental|suppl\.|appendix|online|web)\s+`
)

var (
	// captionHead matches a label: "Figure 3", "TABLE IV", "Рис. 1", "図1", "[그림 1", "1. ábra". Its groups are the word
	// for table and the number, in either order.
	captionHead = `[\[<〈《【(]?\s*(?i:(?:` + captionPrefix + `)?(?:(` + Pattern(TableTerm) + `)|` +
		Pattern(FigureTerm) + `)\s*[-№#]?\s*)(` + captionNumber + `)` +
		`|(\d{1,3}(?:\.\d{1,3})*)\.?\s*(?i:(` + Pattern(NumberedTable) + `)|` + Pattern(NumberedFigure) + `)`
	captionName = lazyregexp.New(`^(?:` + captionHead + `)\s*[\]>〉》】)]?\s*(?:[.:|：．。]|[–—―-]\s)?\s*`)

	// captionStart matches "Figure 3:", "Fig. 2.", "Table IV |", "Рисунок 1 –".
	captionStart = lazyregexp.New(`^(?:` + captionHead + `)(?:\s*[.:|：．。\]>〉》】)]|\s+[–—―-]\s|[–—―]\s)`)
	// captionLabel matches a whole fragment: IEEE prints "TABLE I" above the caption.
	captionLabel = lazyregexp.New(`^(?:` + captionHead + `)$`)
	// captionPlain matches "Figure 3 Some text", which differs from a sentence only in its font style.
	captionPlain = lazyregexp.New(`^(?:` + captionHead + `)\s+["“(«„]?[\p{Lu}\d\p{Han}\p{Katakana}\p{Hangul}]`)
	// captionList matches a line of a list of tables or figures: another label follows, or dot leaders.
	captionList = lazyregexp.New(`^\S+\s+\S*\d\S*\s+(Figure|Fig\.|Table)\s+[A-Z]?\.?\d|` + leaders)
)

// captionFirst has the first words of labels, folded.
var captionFirst = func() map[string]bool {
	set := map[string]bool{
		"extended": true, "supplementary": true, "supplemental": true, "suppl": true, "appendix": true, "online": true, "web": true,
	}
	for _, word := range slices.Concat(Words(FigureTerm), Words(TableTerm), Words(NumberedFigure), Words(NumberedTable)) {
		set[firstWord(word)] = true
	}
	return set
}()

// firstWord returns the first run of letters of a text, folded.
func firstWord(text string) string {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) }); end >= 0 {
		text = text[:end]
	}
	return WithoutAccents(strings.ToLower(text))
}

// mayLabel rules out most lines before the patterns, which have a hundred words.
func mayLabel(text string) bool {
	const longest = 12 // before the first word: "(12.1. "
	at := strings.IndexFunc(text, unicode.IsLetter)
	return at >= 0 && at < longest && captionFirst[firstWord(text)]
}

func isCaptionStart(text string) bool { return mayLabel(text) && captionStart.MatchString(text) }

// isCaptionLabel reports whether a line has nothing but a label.
func isCaptionLabel(text string) bool {
	return mayLabel(text) && captionLabel.MatchString(strings.TrimRight(text, ".: "))
}

// leaders matches the end of an entry of a list: dots and a page number.
const leaders = `(\.\s*){4,}\d+$`

var listEnd = lazyregexp.New(`(\.\s*){4,}\d*$`)

// CaptionLabel returns the number in the label of a caption, and whether it is that of a table.
func CaptionLabel(caption string) (number string, table, ok bool) {
	m := captionName.FindStringSubmatch(caption)
	if m == nil {
		return "", false, false
	}
	return m[2] + m[3], m[1]+m[4] != "", true
}

// markCaptions numbers the captions of a page from 1, in the order of the stream.
func markCaptions(frags []fragment, shapes []Shape, bodySize float64) {
	next := 1
	for i := range frags {
		if frags[i].caption != 0 || frags[i].drawn || !startsCaption(frags, i, bodySize) {
			continue
		}
		frags[i].caption = next
		extended := extendCaption(frags, i, shapes)
		switch {
		case !extended && captionLabel.MatchString(frags[i].text()):
			frags[i].caption = 0 // a label without a caption: a cell, a box in a drawing
		case isListed(frags, next):
			for k := range frags {
				if frags[k].caption == next {
					frags[k].caption = 0
				}
			}
		default:
			next++
		}
	}
}

// isListed reports whether a caption is an entry of a list of figures: it ends with dots and a page number.
func isListed(frags []fragment, number int) bool {
	return slices.ContainsFunc(frags, func(f fragment) bool {
		return f.caption == number && slices.ContainsFunc(frags, func(o fragment) bool {
			return abs(o.baseline-f.baseline) < 1 && o.box.X0 >= f.box.X0 && (o.caption == number || o.caption == 0) && listEnd.MatchString(o.text())
		})
	})
}

func startsCaption(frags []fragment, i int, bodySize float64) bool {
	f := &frags[i]
	text := f.text()
	if !mayLabel(text) || captionList.MatchString(text) {
		return false
	}
	switch {
	case captionLabel.MatchString(text):
		return apartFromText(frags, i) || !beside(frags, i) && !midParagraph(frags, i)
	case captionStart.MatchString(text):
		return !midParagraph(frags, i)
	case captionPlain.MatchString(text) && len(f.words) > 1:
		return (labelInOtherFont(f) || abs(f.size-bodySize) > 0.6 || centred(frags, i)) && !midParagraph(frags, i)
	}
	return false
}

// labelInOtherFont reports whether the words of a label have a different font than the following text. Chinese and
// Japanese set digits in another font anyway.
func labelInOtherFont(f *fragment) bool {
	n := 1
	for n < len(f.words) && n < 5 && !captionLabel.MatchString(joinWords(f.words[:n])) {
		n++
	}
	first := firstRune(f.words[0].Text)
	if n >= len(f.words) || isCJK(first) || unicode.Is(unicode.Hangul, first) {
		return false
	}
	label := f.words[0].Font
	return label != f.words[n].Font && !slices.ContainsFunc(f.words[1:n], func(w Word) bool { return w.Font != label })
}

// centred reports whether a line is centred below or above longer ones, with space above it.
func centred(frags []fragment, i int) bool {
	f := &frags[i]
	middle, _ := f.box.Center()
	long := false
	for k := range frags {
		o := &frags[k]
		if step := f.baseline - o.baseline; k != i && step > 0 && step < 1.6*f.size && o.box.OverlapX(f.box) > 0 && o.chars > 20 {
			return false
		}
		at, _ := o.box.Center()
		long = long || o.chars > 30 && abs(at-middle) < 6 && f.box.X0-o.box.X0 > 1.5*f.size
	}
	return long
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
		if !above || o.words[0].Font != lastFont(f) {
			return false
		}
		end := o.words[len(o.words)-1].Text
		unfinished := !strings.HasSuffix(end, ".") && !strings.HasSuffix(end, ":")
		indent := o.box.X0 - f.box.X0
		return abs(indent) < 2 || indent > 0 && indent < 2.5*o.size && unfinished
	})
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
		if next < 0 {
			return more
		}
		upper, lower := frags[last], frags[next]
		rule := slices.ContainsFunc(shapes, func(s Shape) bool {
			_, y := s.Box.Center()
			return s.IsRule() && y > upper.baseline-1 && y < lower.baseline-0.3*lower.size && s.Box.OverlapX(lower.box) > 0
		})
		step := lower.baseline - upper.baseline
		if rule || leading > 0 && step > 1.2*leading || couldHaveFitted(upper, lower, box) {
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
		if abs(o.baseline-f.baseline) < 1 && gap >= 0 && gap < 2.5*f.size && !isCaptionStart(o.text()) && o.caption == 0 {
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
	if isCaptionLabel(f.text()) { // on its own line
		maxStep = 1.9 * f.size
	}
	for k := range frags {
		o := &frags[k]
		step := o.baseline - f.baseline
		if o.caption != 0 || o.drawn || step < 0.6*f.size || step > maxStep || abs(o.size-f.size) > 1.6 {
			continue
		}
		if o.box.OverlapX(box) < 0.5*min(o.box.Width(), box.Width()) || isCaptionStart(o.text()) {
			continue
		}
		if best < 0 || step < frags[best].baseline-f.baseline {
			best = k
		}
	}
	return best
}

// couldHaveFitted reports whether the next line's first word would have fitted on the previous line, which means that
// the caption ended there. A label alone on its line does not end a caption.
func couldHaveFitted(last, next fragment, box Box) bool {
	if isCaptionLabel(last.text()) {
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
		// A gap between Chinese words belongs to a full-width punctuation mark.
		if i > 0 && !(unspaced(words[i-1].Text, w.Text) && w.Box.X0-words[i-1].Box.X1 < 0.8*max(words[i-1].Size, w.Size)) {
			b.WriteByte(' ')
		}
		b.WriteString(w.Text)
	}
	return b.String()
}

// Numeral returns the value of an arabic or roman number of up to five digits, -1 for other texts.
func Numeral(s string) int {
	if n, err := strconv.Atoi(s); err == nil && len(s) < 6 {
		return n
	}
	values := map[rune]int{'i': 1, 'v': 5, 'x': 10, 'l': 50, 'c': 100}
	sum, last := 0, 0
	for _, r := range strings.ToLower(s) {
		v := values[r]
		if v == 0 {
			return -1
		}
		if sum += v; last < v {
			sum -= 2 * last
		}
		last = v
	}
	return cmp.Or(sum, -1)
}
