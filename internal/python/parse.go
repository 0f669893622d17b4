// Package python parses and prints Python literals: the answers and tool calls that language models write, and the
// results of Python's str() and repr(). Start from [Parse] (a whole text that is one literal), [ParseCall] (a call such
// as Query(sql="SELECT 1") inside a reply) and [Repr].
//
// Nothing is evaluated: a name, an operator or a call is an error with its position and a hint. Every literal form of
// Python 3.11 is supported, including adjacent strings, bytes, sets, complex numbers and line continuation, but for
// names of characters (\N{BULLET}). The limits of CPython's eval apply (200 nested brackets, integers of 4,300 digits,
// no indentation before the first token of a later line).
package python

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The maximum numbers of open brackets in a literal and in JSON, as in CPython.
const (
	maxDepth     = 200
	maxJSONDepth = 990
)

// parser reads one text from left to right; pos is the next byte.
type parser struct {
	src   string
	pos   int
	depth int // open brackets; inside any, a line end is whitespace
	o     Options
	quiet bool // the caller does not need the reason of an error
	json  bool // JSON: other whitespace, no comments, deeper brackets
}

// Parse parses a text that is one literal; "1, 2" is a tuple. Whitespace and comments around it are allowed where
// Python's eval allows them: spaces and tabs at the very start and empty lines, but no indented line. The error is an
// *[Error].
func Parse(text string, o Options) (Value, error) {
	p := parser{src: text, o: o}
	return p.whole()
}

// Read is [Parse] in plain Python without a reason for errors.
func Read(text string) (Value, bool) {
	p := parser{src: text, quiet: true}
	v, err := p.whole()
	return v, err == nil
}

func (p *parser) whole() (Value, error) {
	if err := p.checkBytes(0, len(p.src)); err != nil {
		return nil, err
	}
	p.pos = len(p.src) - len(strings.TrimLeft(p.src, " \t"))
	if err := p.blankLines(); err != nil {
		return nil, err
	}
	v, err := p.bare()
	if err != nil {
		return nil, err
	}
	p.skip()
	if !p.lineEnd() {
		return nil, p.unexpected("after the value")
	}
	if err := p.blankLines(); err != nil {
		return nil, err
	}
	if p.pos < len(p.src) {
		return nil, p.unexpected("after the value")
	}
	return v, nil
}

// checkBytes rejects bytes that source text cannot contain, between two positions.
func (p *parser) checkBytes(from, to int) error {
	s := p.src[from:to]
	if i := strings.IndexByte(s, 0); i >= 0 {
		return p.fail(from+i, "a NUL byte cannot stand in a literal")
	}
	if utf8.ValidString(s) {
		return nil
	}
	for i, r := range s {
		if _, n := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && n == 1 {
			return p.fail(from+i, "the text is not UTF-8 here")
		}
	}
	return nil
}

// bare reads a value, or a tuple without parentheses, at the top level.
func (p *parser) bare() (Value, error) {
	first, err := p.value()
	if err != nil {
		return nil, err
	}
	p.skip()
	if p.peek() != ',' {
		return first, nil
	}
	items := Tuple{first}
	for p.take(',') {
		p.skip()
		if p.lineEnd() {
			break
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		items = append(items, v)
		p.skip()
	}
	return items, nil
}

// value reads one value with its signs, including the imaginary part of a complex number.
func (p *parser) value() (Value, error) {
	p.skip()
	start := p.pos
	v, err := p.signed()
	if err != nil {
		return nil, err
	}
	mark := p.pos
	p.skip()
	if c := p.peek(); (c == '+' || c == '-') && isNumber(v) {
		return p.complexSum(v, start)
	}
	p.pos = mark
	return v, nil
}

// operand reads one value without signs.
func (p *parser) operand() (Value, error) {
	c := p.peek()
	switch {
	case c == '[':
		return p.list()
	case c == '(':
		return p.tuple()
	case c == '{':
		return p.braces()
	case c == '\'' || c == '"':
		return p.strings()
	case isDigit(c), c == '.':
		return p.number()
	case isNameByte(c):
		if _, ok := p.piece(); ok {
			return p.strings()
		}
		return p.name()
	}
	return nil, p.unexpected("where a value should stand")
}

// peek returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// take skips the next byte if it is c.
func (p *parser) take(c byte) bool {
	if p.peek() == c && p.pos < len(p.src) {
		p.pos++
		return true
	}
	return false
}

// Error is the position and reason at which a text stops being a Python literal.
type Error struct {
	// Offset is the byte position in the text; Line and Column count from 1, columns in characters.
	Offset, Line, Column int
	// Reason is a short sentence without the position, with a hint if possible.
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// errQuiet replaces every error if the caller does not need the reason.
var errQuiet = errors.New("not a literal")

// fail makes the error at byte at. It formats the arguments only if the error is not quiet.
func (p *parser) fail(at int, format string, args ...any) error {
	if p.quiet {
		return errQuiet
	}
	line, column := position(p.src, at)
	return &Error{Offset: at, Line: line, Column: column, Reason: fmt.Sprintf(format, args...)}
}

// position turns a byte offset into a line and a column in characters, both from 1. CR, LF and CR LF end a line.
func position(text string, at int) (line, column int) {
	before := unifyLineEnds(text[:min(at, len(text))])
	start := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])
}
