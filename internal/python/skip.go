package python

// skip passes over blanks, comments and line continuations, and over line ends while a bracket is open.
func (p *parser) skip() {
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == ' ' || c == '\t' || c == '\f':
			p.pos++
		case c == '\n' || c == '\r':
			if p.depth == 0 {
				return
			}
			p.pos++
		case c == '#':
			p.comment()
		case c == '\\' && p.continued():
			p.pos += 1 + p.newline(p.pos+1)
		default:
			return
		}
	}
}

// comment passes over a comment up to its line end.
func (p *parser) comment() {
	for p.pos < len(p.src) && p.src[p.pos] != '\n' && p.src[p.pos] != '\r' {
		p.pos++
	}
}

// continued tells whether the backslash at pos joins this line with a next one, which must exist.
func (p *parser) continued() bool {
	n := p.newline(p.pos + 1)
	return n > 0 && p.pos+1+n < len(p.src)
}

// newline returns how many bytes the line end at position i takes: 0 when there is none, 2 for CR LF.
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

// lineEnd tells whether the line is over: at the end of the text or before a line end.
func (p *parser) lineEnd() bool { return p.pos >= len(p.src) || p.newline(p.pos) > 0 }

// blankLines passes over lines of blanks and comments, up to the first token or the end of the text. Python
// refuses a token, and even the end of the text, when blanks of the same line stand before it.
func (p *parser) blankLines() error {
	for {
		indent := p.indentation()
		if p.peek() == '#' {
			p.comment()
			indent = 0
		}
		n := p.newline(p.pos)
		if n == 0 && indent > 0 {
			return p.fail(p.pos, "this line is indented: remove the blanks before it")
		}
		if n == 0 {
			return nil
		}
		p.pos += n
	}
}

// indentation passes over the blanks that begin a line and returns how many count: a form feed starts again,
// a line continuation keeps what came before it, if anything.
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
