package runlog

import (
	"bytes"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"airqa/internal/terminal"
	"airqa/internal/words"
)

// Pattern is a text to find. It is safe for concurrent use.
//
// Texts are compared in Unicode's form NFKC after [words.MarkScripts], and by its simple folding of case, which maps single
// characters: ß matches ẞ but not ss. Control characters are compared as [terminal.Safe] prints them. Whitespace of any kind
// and length is one space between two words and nothing elsewhere, so that a text that was laid out over lines is still found.
// Invisible characters, such as soft hyphens, do not count.
type Pattern struct{ folded []byte }

// CompilePattern returns the pattern of a text. One without visible characters matches nothing.
func CompilePattern(text string) *Pattern { return &Pattern{fold(text, nil)} }

// Empty reports whether the pattern has no visible characters.
func (p *Pattern) Empty() bool { return len(p.folded) == 0 }

// All yields the byte ranges of the occurrences in s, in order and without overlaps.
func (p *Pattern) All(s string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		if p.Empty() || !bytes.Contains(fold(s, nil), p.folded) {
			return
		}
		places := make([]place, 0, len(s))
		folded := fold(s, &places)
		for from := 0; ; {
			i := bytes.Index(folded[from:], p.folded)
			if i < 0 {
				return
			}
			first, last := places[from+i], places[from+i+len(p.folded)-1]
			if from += i + len(p.folded); !yield(first.first, last.end) {
				return
			}
		}
	}
}

// MayContain reports whether a text may contain the pattern after the escapes of JSON in it are read. It is false only if it
// cannot: no escape that is not of a single character makes a letter or a digit.
func (p *Pattern) MayContain(s string) bool {
	var longest []byte // run of ASCII letters and digits
	for word := range bytes.FieldsFuncSeq(p.folded, func(r rune) bool { return r >= utf8.RuneSelf || !wordBytes[r] }) {
		if len(word) > len(longest) {
			longest = word
		}
	}
	folded := fold(s, nil)
	return bytes.Contains(folded, longest) || bytes.Contains(folded, []byte(`\u`))
}

// place is a byte range of the original text.
type place struct{ first, end int }

// folder reduces a text to what is compared.
type folder struct {
	text []byte
	// places has the range of the original for each byte of text; nil to leave them out.
	places *[]place
	// spaced means that whitespace comes before the next character; word that the last one is part of a word.
	spaced, word bool
}

// plain has the folded form of each printable ASCII character and a space for whitespace; 0 for other bytes. wordBytes
// has the bytes of it that are part of words.
var plain, wordBytes = func() (folded [256]byte, inWords [256]bool) {
	for c := range byte(utf8.RuneSelf) {
		if r := rune(c); unicode.IsSpace(r) {
			folded[c] = ' '
		} else if unicode.IsPrint(r) {
			folded[c] = byte(unicode.ToLower(r))
		}
		inWords[c] = inWord(rune(c))
	}
	return folded, inWords
}()

func fold(s string, places *[]place) []byte {
	f := folder{text: make([]byte, 0, len(s)), places: places}
	for i := 0; i < len(s); {
		first := i
		for i < len(s) && s[i] < utf8.RuneSelf {
			i++
		}
		if i < len(s) && i > first { // the last one may combine with the next
			i--
		}
		f.ascii(s[first:i], first)
		for first = i; i < len(s) && (i == first || s[i] >= utf8.RuneSelf); {
			i++
		}
		f.other(s[first:i], first)
	}
	return f.text
}

// ascii adds a run of ASCII at byte at.
func (f *folder) ascii(run string, at int) {
	text, spaced, word := f.text, f.spaced, f.word
	for i := 0; i < len(run); i++ {
		c := plain[run[i]]
		next := wordBytes[c]
		switch {
		case c == ' ':
			spaced = true
			continue
		case c == '\\' && escapedSpace(run[i:]) > 0:
			spaced = true
			i += escapedSpace(run[i:]) - 1
			continue
		case c == 0:
			f.text, f.spaced, f.word = text, spaced, word
			f.add(rune(run[i]), place{at + i, at + i + 1})
			text, spaced, word = f.text, false, f.word
			continue
		case spaced && word && next:
			text = append(text, ' ')
		}
		text, spaced, word = append(text, c), false, next
		if f.places != nil {
			f.text = text
			f.mark(place{at + i, at + i + 1})
		}
	}
	f.text, f.spaced, f.word = text, spaced, word
}

// escapedSpaces are the whitespace characters that [terminal.Safe] escapes, in that form.
var escapedSpaces = strings.Fields(terminal.Safe("\r \v \f \u0085 \u2028 \u2029"))

// escapedSpace returns the length of the escaped whitespace character at the beginning of a text, or 0.
func escapedSpace(text string) int {
	for _, shown := range escapedSpaces {
		if len(text) >= len(shown) && strings.EqualFold(text[:len(shown)], shown) {
			return len(shown)
		}
	}
	return 0
}

// other adds a run of characters at byte at. The first may be ASCII, the others are not.
func (f *folder) other(run string, at int) {
	normal, start, whole := norm.NFKC.IsNormalString(run), at, run
	for len(run) > 0 {
		_, n := utf8.DecodeRuneInString(run)
		text := run[:n]
		if !normal {
			n = norm.NFKC.NextBoundaryInString(run, true)
			text = norm.NFKC.String(run[:n])
			for _, r := range words.ScriptMark(whole, at-start) {
				f.add(r, place{at, at})
			}
		}
		for _, r := range text {
			f.add(r, place{at, at + n})
		}
		run, at = run[n:], at+n
	}
}

// add adds a character.
func (f *folder) add(r rune, from place) {
	word := inWord(r)
	switch {
	case word:
		if f.spaced && f.word {
			f.text = append(f.text, ' ')
		}
		f.text = utf8.AppendRune(f.text, foldKey(r))
	case unicode.IsSpace(r):
		f.spaced = true
		return
	default:
		shown := terminal.Safe(string(r))
		word = shown != string(r) // as \x1b, whose end may be part of a word
		if !word && unicode.Is(unicode.Cf, r) || r == utf8.RuneError && bytes.HasSuffix(f.text, []byte(shown)) {
			return // several invalid bytes are shown as one
		}
		f.text = append(f.text, shown...)
	}
	f.spaced, f.word = false, word
	f.mark(from)
}

// mark notes where the bytes come from that were added last.
func (f *folder) mark(from place) {
	for f.places != nil && len(*f.places) < len(f.text) {
		*f.places = append(*f.places, from)
	}
}

// inWord reports whether whitespace beside a character counts.
func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// foldKey is the least of the characters that equal r under simple folding, and a small letter of ASCII.
func foldKey(r rune) rune {
	if r < utf8.RuneSelf {
		return unicode.ToLower(r)
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}
