// Package words compares texts by their words.
//
// For texts of papers (the text of a PDF, a table in HTML, an answer of a model), start from [Fold]; [Content], [Share],
// [Shared], [Short] and [Formula] take folded texts. [Finder] finds one text in another, [Split] separates its words.
// [MarkScripts] keeps raised and lowered digits apart from the numbers beside them.
//
// Four packages decide with different rules whether a passage supports a text, since an error costs something else in each.
// trace/cause looks for a known gold text in whole rows and must be able to prove it. run/ask looks for the sentence to quote
// for any answer: it ranks, and matches plurals and scripts without spaces. extractor/gate rejects a question if in doubt, and
// accepts other forms of a word. llm/offline makes an answer of the best sentence; its weights decide the results of the demo.
//
// The lexical baselines of the companion benchmarks are [FitTFIDF], which is scikit-learn's TfidfVectorizer with cosine, and
// [NewBM25], the BM25Okapi of rank_bm25, with the tokenizers [Tokens] and [Treebank]. Both models fit a handful of
// documents in memory; the index of a data directory is env/vectors/bm25.
//
// QASPER and ArgSciChat score answers as the SQuAD evaluation scripts do: [SQuADF1] is the token F1 of version 1.1,
// [SQuADF1v2] that of version 2.0; both compare [SQuADTokens].
package words

import (
	"iter"
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// cut is a byte range of a text that [Fold] leaves out before it separates words. A tag leaves a space.
type cut struct {
	first, end int
	tag        bool
}

// cuts yields the ranges of a text of form NFKC that are cut out, in order: tags of HTML, the hyphen and line break
// inside a word over two lines, and separators of thousands. The character after a hyphen or separator belongs to that
// one alone: of "1,024,768", only the first comma is cut out.
func cuts(text string) iter.Seq[cut] {
	return func(yield func(cut) bool) {
		joined, grouped := 0, 0 // the ends of the last word over two lines, and of the last group of digits
		for i := 0; i < len(text); i++ {
			c := cut{first: i}
			switch text[i] {
			case '<':
				c.end, c.tag = tagEnd(text, i), true
			case '-':
				if end := wordEnd(text, joined, i); end > 0 {
					c.end, joined = i+2, end
				}
			case ',':
				if i > grouped && isDigit(text[i-1]) && isGroup(text[i+1:]) {
					c.end, grouped = i+1, i+4
				}
			}
			if c.end == 0 {
				continue
			}
			if !yield(c) {
				return
			}
			i = c.end - 1
		}
	}
}

// tagEnd returns the end of the tag of HTML at a byte; 0 if there is none.
func tagEnd(text string, at int) int {
	name := strings.TrimPrefix(text[at+1:], "/")
	if name == "" || !isLetter(name[0]) {
		return 0
	}
	end := strings.IndexAny(name, "<>")
	if end < 0 || name[end] == '<' {
		return 0
	}
	return len(text) - len(name) + end + 1
}

// wordEnd returns the end of the letter after the hyphen and line break at a byte, if they are between small letters of
// which the first is not before from; otherwise 0.
func wordEnd(text string, from, at int) int {
	rest, ok := strings.CutPrefix(text[at:], "-\n")
	before, _ := utf8.DecodeLastRuneInString(text[from:at])
	after, n := utf8.DecodeRuneInString(rest)
	if !ok || !unicode.Is(unicode.Ll, before) || !unicode.Is(unicode.Ll, after) {
		return 0
	}
	return at + 2 + n
}

// isGroup reports whether a text begins with three digits and no more of a word.
func isGroup(text string) bool {
	return len(text) >= 3 && isDigit(text[0]) && isDigit(text[1]) && isDigit(text[2]) &&
		(len(text) == 3 || !isDigit(text[3]) && !isLetter(text[3]) && text[3] != '_')
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// Fold reduces a text to its words in lower case, with a space around each, so that strings.Contains compares whole
// words. Numbers keep their decimal point and lose separators of thousands; number words from two to twelve become
// digits. An exponent is a word of its own: 10² is like 10^2 and not like 102. A Greek letter on its own becomes its name. Tags
// of HTML are left out. [Finder] returns where the words were.
func Fold(text string) string {
	text = norm.NFKC.String(MarkScripts(text))
	folded := make([]byte, 0, len(text)+2)
	at := 0
	for c := range cuts(text) {
		folded = append(folded, text[at:c.first]...)
		if c.tag {
			folded = append(folded, ' ')
		}
		at = c.end
	}
	if at > 0 {
		text = string(append(folded, text[at:]...))
	}
	folded = append(folded[:0], ' ')
	each(text, func(word []byte, _, _ int) {
		folded = append(append(folded, word...), ' ')
	})
	return string(folded)
}

// each calls yield with each folded word of a text, which is valid during the call, and its byte range.
func each(text string, yield func(word []byte, first, end int)) {
	var word []byte
	first, last := 0, 0
	flush := func() {
		if len(word) > 0 {
			if other := synonyms[string(word)]; other != "" {
				word = append(word[:0], other...)
			}
			yield(word, first, last)
			word = word[:0]
		}
	}
	for i, n := 0, 0; i < len(text); i += n {
		r := rune(text[i])
		n = 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		switch name := letterName(text, i, r, n); {
		case name != "":
			flush()
			yield([]byte(name), i, i+n)
		case isWordRune(text, i, r):
			if len(word) == 0 {
				first = i
			}
			word, last = utf8.AppendRune(word, unicode.ToLower(r)), i+n
		case r == '\u00ad' || unicode.IsMark(r): // a soft hyphen or an accent is inside a word
		default:
			flush()
		}
	}
	flush()
}

// isWordRune reports whether the character r at byte i is part of a word or number.
func isWordRune(text string, i int, r rune) bool {
	switch {
	case r == '.': // which may begin the decimals of a number
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		begins := i == 0 || unicode.IsDigit(before) || unicode.IsSpace(before)
		after, _ := utf8.DecodeRuneInString(text[i+1:])
		return begins && unicode.IsDigit(after)
	case r < utf8.RuneSelf:
		return isLetter(byte(r)) || isDigit(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// stop are words that do not describe a subject.
var stop = Set(`the and for with that this from are was were has have had not but which what who whom whose when where why how
does did its their than then into over under each both all any such can may will would should paper papers according`)

// Set returns the words of a text that are separated by white space.
func Set(text string) map[string]bool {
	words := make(map[string]bool)
	for w := range strings.FieldsSeq(text) {
		words[w] = true
	}
	return words
}

// Content returns the distinct words of a folded text that describe its subject: numbers, names of Greek letters, and
// words of three letters or more.
func Content(folded string) map[string]bool {
	words := Set(folded)
	maps.DeleteFunc(words, func(w string, _ bool) bool {
		return stop[w] || len(w) < 3 && !unicode.IsDigit(rune(w[0])) && !letterNames[w]
	})
	return words
}

// Shared counts the words of a that b has.
func Shared(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// Share returns the share, in 0..1, of the content words of one folded text that another has, not counting the words
// except. It is 0 if there are none.
func Share(of, in string, except map[string]bool) float64 {
	return ShareOf(Content(of), Content(in), except)
}

// ShareOf is [Share] for content words.
func ShareOf(of, in, except map[string]bool) float64 {
	want, shared := 0, 0
	for w := range of {
		if except[w] {
			continue
		}
		want++
		if in[w] {
			shared++
		}
	}
	return float64(shared) / float64(max(1, want))
}

// Short reports whether a folded text is so short that it occurs in many passages: a number, or a word of few letters.
// The name of a Greek letter counts as one letter.
func Short(folded string) bool {
	letters := 0
	for w := range strings.FieldsSeq(folded) {
		if letterNames[w] {
			letters++
			continue
		}
		for _, r := range w {
			if unicode.IsLetter(r) {
				letters++
			}
		}
	}
	return letters < 6
}
