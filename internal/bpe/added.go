package bpe

import (
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

// tokenFinder finds added tokens in a text: of those that begin at the same place, the longest. It is a trie.
type tokenFinder struct {
	next  map[edge]int32 // node by edge; 0 is the root
	ends  []*addedToken  // by node
	first [256]bool      // bytes that begin a token
	only  string         // the first byte, when all tokens share it
}

type edge struct {
	node int32
	char byte
}

// add adds a token with the given spelling. The first of several equal spellings counts.
func (f *tokenFinder) add(spelling string, token *addedToken) {
	if f.next == nil {
		f.next, f.ends, f.only = map[edge]int32{}, []*addedToken{nil}, spelling[:1]
	}
	if spelling[:1] != f.only {
		f.only = ""
	}
	f.first[spelling[0]] = true
	node := int32(0)
	for i := range len(spelling) {
		e := edge{node, spelling[i]}
		if f.next[e] == 0 {
			f.next[e] = int32(len(f.ends))
			f.ends = append(f.ends, nil)
		}
		node = f.next[e]
	}
	if f.ends[node] == nil {
		f.ends[node] = token
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
	if f.next == nil {
		return 0, 0, nil
	}
	for ; i < len(s); i++ {
		if f.only != "" {
			step := strings.IndexByte(s[i:], f.only[0])
			if step < 0 {
				break
			}
			i += step
		}
		if !f.first[s[i]] {
			continue
		}
		if end, found = f.longest(s, i); found != nil {
			return i, end, found
		}
	}
	return 0, 0, nil
}

// longest returns the longest token that begins at position i, and its end.
func (f *tokenFinder) longest(s string, i int) (end int, found *addedToken) {
	node := int32(0)
	for ; i < len(s); i++ {
		if node = f.next[edge{node, s[i]}]; node == 0 {
			break
		}
		if f.ends[node] != nil {
			end, found = i+1, f.ends[node]
		}
	}
	return end, found
}

// isWord reports whether r matches \w of the library's regular expressions.
func isWord(r rune) bool {
	c := classes().of(r)
	return c&(letter|mark) != 0 || c == number && !unicode.Is(unicode.No, r) ||
		unicode.In(r, unicode.Other_Alphabetic, unicode.Pc, unicode.Join_Control)
}
