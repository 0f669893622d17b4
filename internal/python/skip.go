package python

import "strings"

// skip skips whitespace, comments and line continuations, and line ends while a bracket is open. In JSON it skips
// JSON's whitespace.
func (p *parser) skip() {
	if p.json {
		p.pos = len(p.src) - len(strings.TrimLeft(p.src[p.pos:], " \t\r\n"))
		return
	}
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\f':
			p.pos++
		case '\n', '\r':
			if p.depth == 0 {
				return
			}
			p.pos++
		case '#':
			p.comment()
		case '\\':
			if !p.continued() {
				return
			}
			p.pos += 1 + p.newline(p.pos+1)
		default:
			return
		}
	}
}

// comment skips a comment up to its line end.
func (p *parser) comment() {
	for p.pos < len(p.src) && p.src[p.pos] != '\n' && p.src[p.pos] != '\r' {
		p.pos++
	}
}

// continued reports whether the backslash at pos joins this line with a next one, which must exist.
func (p *parser) continued() bool {
	n := p.newline(p.pos + 1)
	return n > 0 && p.pos+1+n < len(p.src)
}

// newline returns the length of the line end at position i: 0 if there is none, 2 for CR LF.
func (p *parser) newline(i int) int {
	if i >= len(p.src) {
		return 0
	}
	if p.src[i] == '\r' && i+1 < len(p.src) && p.src[i+1] == '\n' {
		return 2
	}
	if p.src[i] == '\n' || p.src[i] == '\r' {
		return 1
	}
	return 0
}

// lineEnd reports whether pos is at the end of the text or of a line.
func (p *parser) lineEnd() bool { return p.pos >= len(p.src) || p.newline(p.pos) > 0 }

// blankLines skips lines of whitespace and comments, up to the first token or the end of the text. Python rejects a
// token, and even the end of the text, if whitespace precedes it on the same line.
func (p *parser) blankLines() error {
	for {
		indent := p.indentation()
		if p.peek() == '#' {
			p.comment()
			indent = 0
		}
		n := p.newline(p.pos)
		if n == 0 && indent > 0 {
			return p.fail(p.pos, "this line is indented: remove the spaces before it")
		}
		if n == 0 {
			return nil
		}
		p.pos += n
	}
}

// indentation skips the whitespace at the start of a line and returns its width: a form feed resets it, a line
// continuation keeps any before it.
func (p *parser) indentation() int {
	column, kept := 0, 0
	for {
		switch c := p.peek(); {
		case c == ' ' || c == '\t':
			column++
		case c == '\f':
			column = 0
		case c == '\\' && p.continued():
			if kept == 0 {
				kept = column
			}
			p.pos += p.newline(p.pos + 1)
		case kept > 0:
			return kept
		default:
			return column
		}
		p.pos++
	}
}
