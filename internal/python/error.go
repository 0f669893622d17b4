package python

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

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
	before := text[:min(at, len(text))]
	before = strings.ReplaceAll(strings.ReplaceAll(before, "\r\n", "\n"), "\r", "\n")
	start := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])
}
