package sandbox

import (
	"strings"
	"unicode/utf8"
)

// scanner copies a statement without strings, quoted names and comments, following the lexical rules of DuckDB's
// parser.
type scanner struct {
	text string
	at   int
	out  strings.Builder
}

// WithoutSemicolons returns a text that passed [CheckText] with spaces in place of the semicolons between statements.
func WithoutSemicolons(text string) string {
	bare, _ := bare(text) // the text passed
	out := []byte(text)
	for i := range len(bare) {
		if bare[i] == ';' {
			out[i] = ' '
		}
	}
	return string(out)
}

// bare replaces the bytes of each string, quoted name and comment of a statement with spaces. It refuses ambiguous
// text: a number or a non-ASCII name directly followed by a string or containing a '$'.
func bare(text string) (string, error) {
	s := &scanner{text: text}
	for s.at < len(text) {
		rest := text[s.at:]
		switch c := rest[0]; {
		case c == '\'':
			s.skip(s.quoted(1, '\'', false))
		case c == '"':
			s.skip(s.quoted(1, '"', false))
		case strings.HasPrefix(rest, "--"):
			if end := strings.IndexAny(rest, "\n\r"); end >= 0 {
				rest = rest[:end]
			}
			s.skip(len(rest))
		case strings.HasPrefix(rest, "/*"):
			s.skip(comment(rest))
		case c == '$':
			s.dollar()
		case isWord(c):
			if err := s.word(); err != nil {
				return "", err
			}
		default:
			s.out.WriteByte(c)
			s.at++
		}
	}
	return s.out.String(), nil
}

func (s *scanner) skip(n int) {
	s.out.WriteString(strings.Repeat(" ", n))
	s.at += n
}

// quoted returns the length of a string that begins with prefix bytes and ends with a single quote character; a doubled
// one is part of it.
func (s *scanner) quoted(prefix int, quote byte, escapes bool) int {
	rest := s.text[s.at:]
	for i := prefix; i < len(rest); i++ {
		switch {
		case escapes && rest[i] == '\\':
			i++
		case rest[i] == quote && i+1 < len(rest) && rest[i+1] == quote:
			i++
		case rest[i] == quote:
			return i + 1
		}
	}
	return len(rest)
}

// word copies a name, a keyword or a number; E before a quote starts a string with backslash escapes.
func (s *scanner) word() error {
	rest := s.text[s.at:]
	n, odd := 0, rest[0] >= '0' && rest[0] <= '9'
	for n < len(rest) && (isWord(rest[n]) || rest[n] == '$') {
		odd = odd || rest[n] >= utf8.RuneSelf
		n++
	}
	text, quote := rest[:n], n < len(rest) && rest[n] == '\''
	switch {
	case odd && (quote || strings.Contains(text, "$")):
		return &Refusal{Kind: Syntax, Text: "Put a space between " + strings.ToValidUTF8(text, "") + " and what follows."}
	case quote && strings.EqualFold(text, "e"):
		s.skip(s.quoted(2, '\'', true))
		return nil
	}
	s.out.WriteString(text)
	s.at += n
	return nil
}

// dollar skips a string between $tag$ and $tag$; a single '$' is copied.
func (s *scanner) dollar() {
	rest := s.text[s.at:]
	end := strings.IndexByte(rest[1:], '$')
	if end < 0 || !isTag(rest[1:1+end]) {
		s.out.WriteByte('$')
		s.at++
		return
	}
	tag := rest[:end+2]
	if n := strings.Index(rest[len(tag):], tag); n >= 0 {
		s.skip(n + 2*len(tag))
		return
	}
	s.skip(len(rest))
}

func isTag(text string) bool {
	for i := range len(text) {
		if !isWord(text[i]) || i == 0 && text[i] >= '0' && text[i] <= '9' {
			return false
		}
	}
	return true
}

// isWord reports whether a byte is part of a name or a number. Non-ASCII bytes are.
func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

// comment returns the length of a comment, which may contain nested ones.
func comment(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(text[i:], "*/"):
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}
