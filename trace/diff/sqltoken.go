package diff

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

type sqlKind int

const (
	// sqlSpace is a run of spaces, tabs and line breaks.
	sqlSpace sqlKind = iota
	// sqlComment is a comment of one line with its line break, or one in /* and */.
	sqlComment
	// sqlWord is a keyword or a name without quotes.
	sqlWord
	// sqlNumber begins with a digit.
	sqlNumber
	// sqlString is a text in single quotes or between $$.
	sqlString
	// sqlName is a name in double quotes.
	sqlName
	// sqlSymbol is an operator or one other character.
	sqlSymbol
)

// sqlToken is a part of a statement, as it is written.
type sqlToken struct {
	kind sqlKind
	text string
}

// upper is the token in upper case, to compare it with a keyword.
func (t sqlToken) upper() string { return strings.ToUpper(t.text) }

// sqlTokens splits a statement. The tokens joined are the statement again, whatever it is: a comment, text or name that is
// not closed goes to its end.
func sqlTokens(sql string) iter.Seq[sqlToken] {
	return func(yield func(sqlToken) bool) {
		for sql != "" {
			kind, n := firstToken(sql)
			if !yield(sqlToken{kind, sql[:n]}) {
				return
			}
			sql = sql[n:]
		}
	}
}

func firstToken(sql string) (sqlKind, int) {
	const spaces = " \t\r\n"
	switch c := sql[0]; {
	case strings.IndexByte(spaces, c) >= 0:
		return sqlSpace, len(sql) - len(strings.TrimLeft(sql, spaces))
	case strings.HasPrefix(sql, "--"):
		return sqlComment, through(sql, 0, "\n")
	case strings.HasPrefix(sql, "/*"):
		return sqlComment, through(sql, 2, "*/")
	case strings.HasPrefix(sql, "$$"):
		return sqlString, through(sql, 2, "$$")
	case c == '\'':
		return sqlString, quoted(sql)
	case c == '"':
		return sqlName, quoted(sql)
	case isDigit(c):
		return sqlNumber, wordEnd(sql, ".")
	case isWord(c):
		return sqlWord, wordEnd(sql, "")
	}
	return sqlSymbol, symbol(sql)
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

// wordEnd returns the length of a word, which may contain the characters of also.
func wordEnd(sql, also string) int {
	n := 0
	for n < len(sql) && (isWord(sql[n]) || strings.IndexByte(also, sql[n]) >= 0) {
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
