package ask

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/internal/lazyregexp"
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
var label = lazyregexp.New(`(?i)\b(?:fig(?:ure)?|table|section|eq(?:uation)?|appendix|page)s?\.?\s*\d[\d.]*|\[\d+(?:[,–-] ?\d+)*\]`)

// partsOf splits a valid text at line breaks and between sentences.
func partsOf(text string) []part {
	var parts []part
	at := 0
	for line := range strings.Lines(text) {
		for _, s := range words.Sentences(strings.TrimSuffix(line, "\n")) {
			first := at + strings.Index(text[at:], s)
			at = first + len(s)
			if strings.TrimSpace(s) != "" {
				folded := words.Fold(s)
				parts = append(parts, part{first, at, folded, stems(words.Fold(label.ReplaceAllString(s, " ")))})
			}
		}
	}
	return parts
}

// quote cuts the parts of a range out of their text, with the range in the middle of a long one.
func quote(text string, parts []part, from, to int) (cut string, before, after bool) {
	lo := max(0, slices.IndexFunc(parts, func(p part) bool { return p.end > from }))
	hi := lo
	for hi+1 < len(parts) && parts[hi+1].first < to {
		hi++
	}
	first, end := parts[lo].first, parts[hi].end
	for utf8.RuneCountInString(text[first:end]) < tooShort && (lo > 0 || hi+1 < len(parts)) {
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
	return around(whole, len(strings.Join(strings.Fields(text[first:max(from, first)]), " ")), mostQuote)
}

// position is the range of a value in a text: of all its words, or else of the first number or word of its own.
func (v value) position(text string) (first, end int, ok bool) {
	finder := words.NewFinder(text)
	if first, end, ok = finder.Find(v.folded); ok {
		return first, end, ok
	}
	for _, own := range []map[string]bool{v.numbers, v.words} {
		for w := range strings.FieldsSeq(v.folded) {
			from, to, found := finder.Find(w)
			if own[w] && found && (!ok || from < first) {
				first, end, ok = from, to, true
			}
		}
		if ok {
			return first, end, ok
		}
	}
	return 0, 0, false
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
