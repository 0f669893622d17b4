package sqltext

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind classifies a [Token].
type Kind int

// The kinds.
const (
	// Space is a run of spaces, tabs and line breaks.
	Space Kind = iota
	// Comment is a comment of one line with its line break, or one in /* and */.
	Comment
	// Word is a keyword or a name without quotes.
	Word
	// Number begins with a digit.
	Number
	// String is a text in single quotes or between $$.
	String
	// Name is a name in double quotes.
	Name
	// Symbol is an operator or one other character.
	Symbol
)

// Token is a part of a statement, as it is written.
type Token struct {
	Kind Kind
	Text string
}

// Upper is the token in upper case, to compare it with a keyword.
func (t Token) Upper() string { return strings.ToUpper(t.Text) }

// Tokens splits a statement. The tokens joined are the statement again, whatever it is: a comment, text or name that is
// not closed goes to its end.
func Tokens(sql string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for sql != "" {
			kind, n := first(sql)
			if !yield(Token{kind, sql[:n]}) {
				return
			}
			sql = sql[n:]
		}
	}
}

// first returns the kind and the length of the first token.
func first(sql string) (Kind, int) {
	const spaces = " \t\r\n"
	switch c := sql[0]; {
	case strings.IndexByte(spaces, c) >= 0:
		return Space, len(sql) - len(strings.TrimLeft(sql, spaces))
	case strings.HasPrefix(sql, "--"):
		return Comment, through(sql, 0, "\n")
	case strings.HasPrefix(sql, "/*"):
		return Comment, through(sql, 2, "*/")
	case strings.HasPrefix(sql, "$$"):
		return String, through(sql, 2, "$$")
	case c == '\'':
		return String, quoted(sql)
	case c == '"':
		return Name, quoted(sql)
	case isDigit(c):
		return Number, number(sql)
	case isWord(c):
		return Word, word(sql)
	}
	return Symbol, symbol(sql)
}

// through returns the position after the next end; the length of the text if there is none.
func through(sql string, from int, end string) int {
	if i := strings.Index(sql[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(sql)
}

// quoted returns the length of a text or name in quotes, in which a doubled quote is part of it.
func quoted(sql string) int {
	for i := 1; i < len(sql); i++ {
		if sql[i] != sql[0] {
			continue
		}
		if i+1 == len(sql) || sql[i+1] != sql[0] {
			return i + 1
		}
		i++
	}
	return len(sql)
}

func word(sql string) int {
	n := 0
	for n < len(sql) && isWord(sql[n]) {
		n++
	}
	return n
}

// number returns the length of a number with its points and exponent.
func number(sql string) int {
	n := 0
	for n < len(sql) && (isWord(sql[n]) || sql[n] == '.') {
		n++
	}
	return n
}

// operators have two characters.
var operators = []string{"<=", ">=", "<>", "!=", "==", "||", "::", "->", "//", "**", "=>", ":="}

func symbol(sql string) int {
	comment := strings.HasPrefix(sql[1:], "/*")
	if len(sql) > 1 && !comment && slices.Contains(operators, sql[:2]) {
		return 2
	}
	return 1
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c == '_' || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}
