package bpe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedToken is a token that is found in the text before the text is split into words.
type addedToken struct {
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
	id         int32
}

// tokenFinder finds added tokens in a text: of those that begin at the same place, the longest.
type tokenFinder struct {
	tokens  map[string]*addedToken // by spelling
	lengths []int                  // of the spellings, the longest first
	begins  string                 // the characters that begin a spelling
}

// add adds a token with the given spelling. The first of several equal spellings counts.
func (f *tokenFinder) add(spelling string, token *addedToken) {
	if f.tokens == nil {
		f.tokens = map[string]*addedToken{}
	}
	if f.tokens[spelling] != nil {
		return
	}
	f.tokens[spelling] = token
	if !slices.Contains(f.lengths, len(spelling)) {
		f.lengths = append(f.lengths, len(spelling))
		slices.SortFunc(f.lengths, func(a, b int) int { return b - a })
	}
	if first, size := utf8.DecodeRuneInString(spelling); !strings.ContainsRune(f.begins, first) {
		f.begins += spelling[:size]
	}
}

// find passes the texts between added tokens to text and the tokens to token, in order.
func (f *tokenFinder) find(s string, text func(string), token func(int32)) {
	done := 0
	for i := 0; ; {
		start, end, found := f.match(s, i)
		if found == nil {
			break
		}
		i = end
		previous, _ := utf8.DecodeLastRuneInString(s[:start]) // at an end of the text U+FFFD, which no word contains
		next, _ := utf8.DecodeRuneInString(s[end:])
		if found.SingleWord && (isWord(previous) || isWord(next)) {
			continue
		}
		if found.LStrip {
			start = max(done, len(strings.TrimRightFunc(s[:start], unicode.IsSpace)))
		}
		if found.RStrip {
			end = len(s) - len(strings.TrimLeftFunc(s[end:], unicode.IsSpace))
		}
		if done < start {
			text(s[done:start])
		}
		token(found.id)
		done = end
	}
	if done < len(s) {
		text(s[done:])
	}
}

// match returns the first and longest match at or after position i.
func (f *tokenFinder) match(s string, i int) (start, end int, found *addedToken) {
	for start = i; start < len(s); start++ {
		step := strings.IndexAny(s[start:], f.begins)
		if step < 0 {
			break
		}
		start += step
		for _, n := range f.lengths {
			if end = start + n; end <= len(s) && f.tokens[s[start:end]] != nil {
				return start, end, f.tokens[s[start:end]]
			}
		}
	}
	return 0, 0, nil
}

// isWord reports whether r matches \w of the library's regular expressions.
func isWord(r rune) bool {
	c := classes().of(r)
	return c&(letter|mark) != 0 || c == number && !unicode.Is(unicode.No, r) ||
		unicode.In(r, unicode.Other_Alphabetic, unicode.Pc, unicode.Join_Control)
}
