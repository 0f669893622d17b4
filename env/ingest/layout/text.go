package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// countWords notes the words that no line's end has cut: what "representa-" and "tion" make together is decided by
// whether "representation" occurs elsewhere.
func (d *Document) countWords() {
	d.words = map[string]int{}
	for _, p := range d.Pages {
		for _, l := range p.Lines {
			for i, w := range l.Words {
				if cut := w.Hyphen || i == len(l.Words)-1 && strings.HasSuffix(w.Text, "-"); !cut {
					d.words[bare(w.Text)]++
				}
			}
		}
	}
}

// bare is a word without case and the punctuation around it.
func bare(s string) string {
	return strings.ToLower(strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

// Lines is the text of lines as printed, one a row, but entries of the bibliography whole; a word that was cut at a
// line's end moves up whole.
func (d *Document) Lines(lines []Line) string {
	return d.text(lines, func(l Line) string {
		if l.Joins {
			return " "
		}
		return "\n"
	})
}

// Flow is the text of lines with each paragraph on a row of its own.
func (d *Document) Flow(lines []Line) string {
	return d.text(lines, func(l Line) string {
		if l.Break {
			return "\n"
		}
		return " "
	})
}

// Joined is the text of lines in one row.
func (d *Document) Joined(lines []Line) string {
	return d.text(lines, func(Line) string { return " " })
}

func (d *Document) text(lines []Line, separator func(Line) string) string {
	var b strings.Builder
	carry := "" // a word whose second half is on the next line
	var last Word
	for _, l := range lines {
		words := l.Words
		if len(words) == 0 {
			continue
		}
		between := separator(l)
		if between == " " && unspaced(last.Text, words[0].Text) {
			between = ""
		}
		if carry != "" {
			b.WriteString(d.joinHyphen(carry, words[0].Text))
			words, carry = words[1:], ""
			if len(words) == 0 {
				continue
			}
			b.WriteString(between)
		} else if b.Len() > 0 {
			b.WriteString(between)
		}
		last = words[len(words)-1]
		if cutAtEnd(last) {
			carry, words = last.Text, words[:len(words)-1]
		}
		b.WriteString(joinWords(words))
		if carry != "" && len(words) > 0 {
			b.WriteByte(' ')
		}
	}
	b.WriteString(carry)
	return strings.TrimSpace(b.String())
}

// closeUp reports whether no space belongs between two words of a line: the gap is that of a punctuation mark's cell.
func closeUp(a, b Word) bool {
	return unspaced(a.Text, b.Text) && b.Box.X0-a.Box.X1 < 0.8*max(a.Size, b.Size)
}

// unspaced reports whether a text goes on without a space between two words: Chinese and Japanese have none.
func unspaced(before, after string) bool {
	a, _ := utf8.DecodeLastRuneInString(before)
	b, _ := utf8.DecodeRuneInString(after)
	return isCJK(a) && isCJK(b)
}

func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef
}

// cutAtEnd tells whether a word ends in a hyphen after a letter, so that the rest of it may follow.
func cutAtEnd(w Word) bool {
	head, found := strings.CutSuffix(w.Text, "-")
	r, _ := utf8.DecodeLastRuneInString(head)
	return found && unicode.IsLetter(r)
}

// joinHyphen puts the halves of a word together, with or without the hyphen, as the rest of the paper writes it.
func (d *Document) joinHyphen(head, tail string) string {
	stem := strings.TrimSuffix(head, "-")
	whole, hyphened := d.words[bare(stem+tail)], d.words[bare(head+tail)]
	first, _ := utf8.DecodeRuneInString(tail)
	switch {
	case whole > hyphened:
		return stem + tail
	case hyphened > 0 || !unicode.IsLower(first) || strings.Contains(stem, "-") && d.words[bare(tail)] > 0:
		return head + tail
	case prefixes[bare(stem)]:
		return head + tail
	case d.words[bare(stem)] > 1 && d.words[bare(tail)] > 1 && len(stem) > 4 && len(tail) > 4:
		return head + tail // two words that both stand alone elsewhere
	}
	return stem + tail
}

// prefixes keep their hyphen more often than not.
var prefixes = map[string]bool{"self": true, "non": true, "well": true, "state": true, "high": true, "low": true, "fine": true, "semi": true, "end": true}
