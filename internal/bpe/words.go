package bpe

import (
	"math"
	"strings"
	"sync"
	"unicode/utf8"
)

// words splits text as one of the patterns of well-known tokenizers does, without a regular expression engine. Start
// from [wordsOf].
type words struct {
	gpt2         bool  // GPT-2's pattern; the other fields do not count
	letters      class // what a word consists of
	symbols      class // what a piece of punctuation consists of
	digits       int   // longest piece of digits
	cased        bool  // a word ends where lower case changes to upper case
	contractions bool  // 's, 'll and so on: before a word, or after a cased word
	slash        bool  // slashes may follow punctuation, as newlines do
	classes      classTable
}

// gpt2Pattern is the pattern of ByteLevel with use_regex.
const gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

const (
	foldedContractions = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
	spaceEnd           = `|\s*[\r\n]+|\s+(?!\S)|\s+`
	symbolEnd          = `| ?[^\s\p{L}\p{N}]+[\r\n]*` + spaceEnd
	upperRun           = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
	lowerRun           = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
	casedLower         = `[^\r\n\p{L}\p{N}]?` + upperRun + `*` + lowerRun + `+`
	casedUpper         = `[^\r\n\p{L}\p{N}]?` + upperRun + `+` + lowerRun + `*`
)

// cl100kPattern is that of the cl100k vocabulary and of Llama 3.
const cl100kPattern = foldedContractions + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}` + symbolEnd

// knownPatterns are the patterns that words can stand for.
var knownPatterns = map[string]words{
	gpt2Pattern: {gpt2: true},
	// Qwen 2, 2.5 and 3.
	foldedContractions + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}` + symbolEnd: {
		letters: letter, symbols: symbol | mark, digits: 1, contractions: true,
	},
	// Llama 3 and the cl100k vocabulary.
	cl100kPattern: {letters: letter, symbols: symbol | mark, digits: 3, contractions: true},
	// Qwen 3.5.
	foldedContractions + `|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*` + spaceEnd: {
		letters: letter | mark, symbols: symbol, digits: 1, contractions: true,
	},
	// The o200k vocabulary.
	casedLower + foldedContractions + `?|` + casedUpper + foldedContractions + `?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*` + spaceEnd: {
		symbols: symbol | mark, digits: 3, cased: true, contractions: true, slash: true,
	},
	// Mistral's Tekken.
	casedLower + `|` + casedUpper + `|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*` + spaceEnd: {
		symbols: symbol | mark, digits: 1, cased: true, slash: true,
	},
}

// wordsOf returns the words of a pattern, or ok=false for other patterns.
func wordsOf(pattern string) (w *words, ok bool) {
	known, ok := knownPatterns[pattern]
	known.classes = classes()
	return &known, ok
}

// digits splits runs of digits into pieces of at most longest.
type digits struct {
	longest int
	classes classTable
}

// digitPatterns are the patterns that digits can stand for.
var digitPatterns = map[string]int{`\p{N}`: 1, `\p{N}{1,3}`: 3, `\p{N}+`: math.MaxInt}

func (d digits) split(text string, emit func(string)) {
	for text != "" {
		n := d.classes.run(text, number, d.longest)
		if n == 0 {
			n = d.classes.run(text, ^number, len(text))
		}
		emit(text[:n])
		text = text[n:]
	}
}

// addSpace is a [splitter]: a text begins with a space.
func addSpace(text string, emit func(string)) {
	if text[0] != ' ' {
		text = " " + text
	}
	emit(text)
}

func (w *words) split(text string, emit func(string)) {
	for text != "" {
		n := w.next(text)
		emit(text[:n])
		text = text[n:]
	}
}

// next returns the length of the first piece of s.
func (w *words) next(s string) int {
	if w.gpt2 {
		return w.nextGPT2(s)
	}
	if n := w.word(s); n > 0 {
		return n
	}
	if n := w.classes.run(s, number, w.digits); n > 0 {
		return n
	}
	lead := 0
	if s[0] == ' ' {
		lead = 1
	}
	n := w.classes.run(s[lead:], w.symbols, len(s))
	if n == 0 {
		return w.whitespace(s, true)
	}
	n += lead
	for n < len(s) && (s[n] == '\r' || s[n] == '\n' || w.slash && s[n] == '/') {
		n++
	}
	return n
}

func (w *words) nextGPT2(s string) int {
	if n := contraction(s, false); n > 0 {
		return n
	}
	lead := 0
	if s[0] == ' ' {
		lead = 1
	}
	for _, c := range []class{letter, number, symbol | mark} {
		if n := w.classes.run(s[lead:], c, len(s)); n > 0 {
			return lead + n
		}
	}
	return w.whitespace(s, false)
}

// word returns the length of the word that s begins with, or 0. A character that is no letter, digit or newline may
// precede it.
func (w *words) word(s string) int {
	if w.cased {
		return w.casedWord(s)
	}
	if n := plainWord(s); n > 0 {
		return n
	}
	if w.contractions {
		if n := contraction(s, true); n > 0 {
			return n
		}
	}
	if n := w.classes.run(s, w.letters, len(s)); n > 0 {
		return n
	}
	if lead := w.leadOf(s); lead > 0 {
		if n := w.classes.run(s[lead:], w.letters, len(s)); n > 0 {
			return lead + n
		}
	}
	return 0
}

// plainWord is word for ASCII letters, maybe with a space before them; 0 if another character may belong to the word.
func plainWord(s string) int {
	first := 0
	if s[0] == ' ' {
		first = 1
	}
	n := first
	for n < len(s) && s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' {
		n++
	}
	if n == first || n < len(s) && s[n] >= utf8.RuneSelf {
		return 0
	}
	return n
}

// casedWord is word for patterns with two alternatives: a word that ends in lower case, then one that begins in upper
// case. Each tries first to take a character before the word.
func (w *words) casedWord(s string) int {
	lead := w.leadOf(s)
	for _, ofCase := range []func(string) int{w.lowerWord, w.upperWord} {
		n := 0
		if lead > 0 {
			if n = ofCase(s[lead:]); n > 0 {
				n += lead
			}
		}
		if n == 0 {
			n = ofCase(s)
		}
		if n > 0 && w.contractions {
			n += contraction(s[n:], true)
		}
		if n > 0 {
			return n
		}
	}
	return 0
}

// lowerWord matches any number of upper-case characters and at least one lower-case one. A character may be both.
func (w *words) lowerWord(s string) int {
	n := w.classes.run(s, upperCase, len(s))
	if lower := w.classes.run(s[n:], lowerCase, len(s)); lower > 0 {
		return n + lower
	}
	for n > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:n])
		if w.classes.of(r)&lowerCase != 0 {
			break
		}
		n -= size
	}
	return n
}

// upperWord matches at least one upper-case character and any number of lower-case ones.
func (w *words) upperWord(s string) int {
	n := w.classes.run(s, upperCase, len(s))
	if n == 0 {
		return 0
	}
	return n + w.classes.run(s[n:], lowerCase, len(s))
}

// leadOf returns the length of the character of s that may precede a word, or 0.
func (w *words) leadOf(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	if r == '\r' || r == '\n' || w.classes.of(r)&(letter|number) != 0 {
		return 0
	}
	return size
}

// contraction returns the length of the English contraction that s begins with, or 0.
func contraction(s string, fold bool) int {
	if len(s) < 2 || s[0] != '\'' {
		return 0
	}
	head := s[:min(len(s), 3)]
	if fold {
		if head == "'ſ" {
			return len(head)
		}
		head = strings.ToLower(head)
	}
	switch head[1] {
	case 's', 't', 'm', 'd':
		return 2
	}
	if head == "'re" || head == "'ve" || head == "'ll" {
		return 3
	}
	return 0
}

// whitespace returns the length of the first piece of a run of whitespace: through its last newline if newlines end pieces,
// otherwise all but the last character, which belongs to the next piece.
func (w *words) whitespace(s string, newlines bool) int {
	n := w.classes.run(s, space, len(s))
	for i := n; newlines && i > 0; i-- {
		if s[i-1] == '\n' || s[i-1] == '\r' {
			return i
		}
	}
	if n == len(s) {
		return n
	}
	if _, size := utf8.DecodeLastRuneInString(s[:n]); size < n {
		return n - size
	}
	return n
}

// cl100k splits text as the cl100k vocabulary does.
var cl100k = sync.OnceValue(func() *words {
	w, _ := wordsOf(cl100kPattern)
	return w
})

// Words passes the pieces of a text that no token of the cl100k vocabulary crosses to emit, in order. The text must be
// valid UTF-8. Each piece is one piece by itself, too.
func Words(text string, emit func(piece string)) { cl100k().split(text, emit) }
