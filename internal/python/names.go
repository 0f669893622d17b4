package python

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isNameByte reports whether c may begin a name; non-ASCII characters are checked later.
func isNameByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// word returns the Unicode name that begins at byte i, or "".
func word(s string, i int) string {
	end := i
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		letter := r == '_' || unicode.IsLetter(r)
		if !letter && (end == i || !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)) {
			break
		}
		end += n
	}
	return s[i:end]
}

func (p *parser) name() (Value, error) {
	start := p.pos
	w := word(p.src, start)
	p.pos += len(w)
	switch w {
	case "None":
		return nil, nil
	case "True":
		return true, nil
	case "False":
		return false, nil
	case "set":
		if p.emptySet() {
			return Set{}, nil
		}
	}
	if v, ok := jsonConstants[w]; ok && p.o.JSONConstants {
		return v, nil
	}
	return nil, p.notValue(w, start)
}

var jsonConstants = map[string]Value{"null": nil, "true": true, "false": false}

// emptySet skips the parentheses of "set()", the only spelling of an empty set.
func (p *parser) emptySet() bool {
	mark := p.pos
	p.skip()
	if p.take('(') {
		p.depth++
		if p.closed(')') {
			return true
		}
		p.depth--
	}
	p.pos = mark
	return false
}

// notValue explains why the name w is not a value.
func (p *parser) notValue(w string, at int) error {
	if p.quiet {
		return errQuiet
	}
	if fix, ok := constantFixes[strings.ToLower(w)]; ok {
		return p.fail(at, "names are not values: did you mean %s?", fix)
	}
	mark := p.pos
	p.skip()
	called := p.peek() == '('
	p.pos = mark
	if called {
		return p.fail(at, "calls are not values: nothing is evaluated here, write the result of %s(…) itself", w)
	}
	return p.fail(at, "names are not values: did you mean %s?", Repr(p.phrase(w, at)))
}

// constantFixes are the constants that misspelled ones, here in lower case, stand for.
var constantFixes = map[string]string{"true": "True", "false": "False", "none": "None", "null": "None", "nil": "None"}

// phrase extends an unquoted word up to a comma, a bracket or a line end.
func (p *parser) phrase(w string, at int) string {
	end := at + len(w)
	for end < len(p.src) && !strings.ContainsRune(",:()[]{}\"'#\r\n=", rune(p.src[end])) {
		end++
	}
	if end-at > 40 {
		return w
	}
	return strings.TrimSpace(strings.ToValidUTF8(p.src[at:end], "\uFFFD"))
}
