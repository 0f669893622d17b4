package sources

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/internal/words"
)

// Lengths of quotes in characters. A shorter one gets the parts beside it.
const (
	mostQuote = 320
	tooShort  = 60
)

// part is a sentence or a line of a text.
type part struct {
	first, end int // bytes
	folded     string
	words      map[string]bool
}

// label matches numbers that name a part of the paper or an entry of its bibliography.
var label = regexp.MustCompile(`(?i)\b(?:fig(?:ure)?|table|section|eq(?:uation)?|appendix|page)s?\.?\s*\d[\d.]*|\[\d+(?:[,–-] ?\d+)*\]`)

// valid replaces bytes that are no UTF-8.
func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// partsOf splits a valid text at line breaks and between sentences.
func partsOf(text string) []part {
	var parts []part
	at := 0
	for line := range strings.Lines(text) {
		for _, s := range words.Sentences(strings.TrimSuffix(line, "\n")) {
			first := at + strings.Index(text[at:], s)
			at = first + len(s)
			if strings.TrimSpace(s) != "" {
				folded := fold(s)
				parts = append(parts, part{first, at, folded, stems(fold(label.ReplaceAllString(s, " ")))})
			}
		}
	}
	return parts
}

// quote cuts a part out of its text, with a value in the middle of a long one.
func quote(text string, parts []part, i int, v value) (cut string, before, after bool) {
	first, end := parts[i].first, parts[i].end
	for lo, hi := i, i; utf8.RuneCountInString(text[first:end]) < tooShort && (lo > 0 || hi+1 < len(parts)); {
		if lo > 0 {
			lo--
			first = parts[lo].first
		}
		if hi+1 < len(parts) {
			hi++
			end = parts[hi].end
		}
	}
	whole := strings.Join(strings.Fields(text[first:end]), " ")
	return around(whole, v.position(whole), mostQuote)
}

// position is the byte where the first word of a value is in a text, 0 if it is not found.
func (v value) position(text string) int {
	at := -1
	for w := range strings.FieldsSeq(v.folded) {
		if !v.short() && !v.numbers[w] && !v.fresh[w] {
			continue
		}
		if i := wordIn(text, w); i >= 0 {
			at = earlier(at, i)
			if v.numbers[w] {
				return i
			}
		}
	}
	return max(at, 0)
}

// wordIn is the position of a folded word in a text, or -1.
func wordIn(text, folded string) int {
	at := 0
	for word := range strings.FieldsSeq(text) {
		i := at + strings.Index(text[at:], word)
		if strings.Contains(fold(word), " "+folded+" ") {
			return i
		}
		at = i + len(word)
	}
	return -1
}

// longWord is the length from which a word may be cut, since scripts without spaces have no borders of words.
const longWord = 40

// around cuts a text of single spaces to at most n characters around a byte, at the borders of words.
func around(text string, at, n int) (cut string, before, after bool) {
	runes := []rune(text)
	if len(runes) <= n {
		return text, false, false
	}
	middle := utf8.RuneCountInString(text[:min(at, len(text))])
	first := max(0, min(middle-n/2, len(runes)-n))
	end := first + n
	for k := first; k > 0 && k < min(middle, first+longWord); k++ {
		if unicode.IsSpace(runes[k-1]) {
			first = k
			break
		}
	}
	for k := end; k < len(runes) && k > max(middle, end-longWord); k-- {
		if unicode.IsSpace(runes[k]) {
			end = k
			break
		}
	}
	return strings.TrimSpace(string(runes[first:end])), first > 0, end < len(runes)
}

// clip cuts the end of a text at the border of a word.
func clip(text string, n int) (cut string, after bool) {
	cut, _, after = around(strings.Join(strings.Fields(text), " "), 0, n)
	return cut, after
}
