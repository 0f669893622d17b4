package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// countWords counts the unsplit words. "representa-" and "tion" are joined if "representation" occurs elsewhere.
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

// bare removes case and surrounding punctuation from a word.
func bare(s string) string {
	return strings.ToLower(strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

// Lines returns the text of lines as printed, one per row, except that entries of the bibliography are whole. A word
// that is split at a line end moves to the first line.
func (d *Document) Lines(lines []Line) string {
	return d.text(lines, func(l Line) string {
		if l.Joins {
			return " "
		}
		return "\n"
	})
}

// Flow returns the text of lines with one paragraph per row.
func (d *Document) Flow(lines []Line) string {
	return d.text(lines, func(l Line) string {
		if l.Break {
			return "\n"
		}
		return " "
	})
}

// Joined returns the text of lines in one row.
func (d *Document) Joined(lines []Line) string {
	return d.text(lines, func(Line) string { return " " })
}

func (d *Document) text(lines []Line, separator func(Line) string) string {
	var b strings.Builder
	carry := "" // a word that ends on the next line
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
		head, hyphen := strings.CutSuffix(last.Text, "-")
		if hyphen && unicode.IsLetter(lastRune(head)) {
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

// unspaced reports whether there is no space between two words, as in Chinese and Japanese.
func unspaced(before, after string) bool {
	return isCJK(lastRune(before)) && isCJK(firstRune(after))
}

// IsHan reports whether a word begins in a script without spaces between words.
func IsHan(word string) bool { return isCJK(firstRune(word)) }

// firstRune and lastRune return a character of a text, U+FFFD if it is empty.
func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef
}

// joinHyphen joins the halves of a word with or without the hyphen, according to the rest of the paper.
func (d *Document) joinHyphen(head, tail string) string {
	stem := strings.TrimSuffix(head, "-")
	whole, hyphened := d.words[bare(stem+tail)], d.words[bare(head+tail)]
	switch {
	case whole > hyphened:
		return stem + tail
	case hyphened > 0, !unicode.IsLower(firstRune(tail)), strings.Contains(stem, "-") && d.words[bare(tail)] > 0, prefixes[bare(stem)]:
		return head + tail
	case d.words[bare(stem)] > 1 && d.words[bare(tail)] > 1 && len(stem) > 4 && len(tail) > 4:
		return head + tail // both halves are words of their own elsewhere
	}
	return stem + tail
}

// prefixes usually keep their hyphen.
var prefixes = map[string]bool{"self": true, "non": true, "well": true, "state": true, "high": true, "low": true, "fine": true, "semi": true, "end": true}
