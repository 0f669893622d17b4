package python

import (
	"strings"
	"unicode/utf8"
)

// curly are the quotes that word processors and models use instead of straight ones.
const curly = "“”„‟‘’‚‛«»`´"

// unexpected describes what is at pos, with a hint; where completes the sentence.
func (p *parser) unexpected(where string) error {
	if p.quiet {
		return errQuiet
	}
	if p.pos >= len(p.src) {
		return p.fail(p.pos, "the text ends %s", where)
	}
	if p.newline(p.pos) > 0 {
		return p.fail(p.pos, "the line ends %s", where)
	}
	r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	if hint := hintFor(r); hint != "" {
		return p.fail(p.pos, "unexpected %q %s: %s", r, where, hint)
	}
	if w := word(p.src, p.pos); r >= utf8.RuneSelf && w != "" {
		return p.fail(p.pos, "names are not values: did you mean %s?", Repr(w))
	}
	return p.fail(p.pos, "unexpected %q %s", r, where)
}

func hintFor(r rune) string {
	switch {
	case strings.ContainsRune(curly, r):
		return `use a straight quote, ' or "`
	case strings.ContainsRune("+-*/%@&|^~<>=!", r):
		return "operators are not evaluated, write the result"
	case r == '\\':
		return "a backslash outside a string must end its line"
	case r == '$' || r == '?' || r == ';':
		return "it is not part of any literal"
	case r == '，' || r == '、':
		return "use the plain comma"
	}
	return ""
}

// notClosed explains why neither a comma nor the closing bracket is at pos; start is the opening one.
func (p *parser) notClosed(closing byte, start int) error {
	if p.quiet {
		return errQuiet
	}
	if p.pos >= len(p.src) {
		return p.fail(start, "%q is never closed: %q is missing", p.src[start], closing)
	}
	c := p.src[p.pos]
	switch {
	case strings.IndexByte("])}", c) >= 0:
		line, column := position(p.src, start)
		return p.fail(p.pos, "%q does not close %q of line %d, column %d", c, p.src[start], line, column)
	case c == '\'' || c == '"' || isDigit(c) || strings.IndexByte("([{", c) >= 0:
		return p.fail(p.pos, "a comma is missing before %s", p.glimpse())
	case word(p.src, p.pos) != "":
		return p.fail(p.pos, "a comma is missing before %s, or a quote is missing or not escaped", p.glimpse())
	}
	return p.unexpected("where a comma or the closing bracket should stand")
}

// glimpse quotes the text at pos.
func (p *parser) glimpse() string {
	s := p.src[p.pos:]
	if w := word(p.src, p.pos); w != "" {
		return w
	}
	for i := range s {
		if i >= 12 || i > 0 && strings.IndexByte(" ,:)]}\n", s[i]) >= 0 {
			return s[:i]
		}
	}
	return s
}
