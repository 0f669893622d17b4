package paperdb

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"airqa/env/paperdb/sandbox/gate"

	"github.com/marcboeker/go-duckdb/v2"
)

// Kinds of [QueryError].
const (
	KindSyntax  = gate.Syntax
	KindCatalog = gate.Catalog // no such table or function
	KindBinder  = "binder"     // no such column, wrong types
	KindRefused = gate.Refused // not allowed in the sandbox
	KindTimeout = "timeout"
	KindMemory  = "memory"
	KindRuntime = gate.Runtime // failed while running: a bad cast, a division, …
)

// maxText is the longest text of a QueryError, in bytes.
const maxText = 500

// QueryError is a statement that is wrong, refused, or too slow: whoever wrote it can write a better one. The
// same statement gives the same text, which holds no host path and no memory address.
type QueryError struct {
	// Kind is one of the Kind constants.
	Kind string
	Text string
}

// Error implements error.
func (e *QueryError) Error() string { return e.Text }

func tooSlow(deadline time.Duration) *QueryError {
	text := fmt.Sprintf("The query took longer than %v and was stopped. Narrow it down, or ask for less.", deadline)
	return &QueryError{Kind: KindTimeout, Text: text}
}

// tooMuchMemory says less than the engine, which tells how much was used, and that differs from run to run.
func tooMuchMemory() *QueryError {
	return &QueryError{Kind: KindMemory, Text: "The query needs more memory than it may have. Narrow it down: fewer rows, columns or joins."}
}

func tooLarge() *QueryError {
	text := fmt.Sprintf("The result is larger than %d MiB. Ask for fewer rows or columns, or cut long texts with left().", maxResult>>20)
	return &QueryError{Kind: KindMemory, Text: text}
}

func wasKilled() *QueryError {
	return &QueryError{Kind: KindRuntime, Text: "The process that ran the query was killed from outside, perhaps for want of memory. Try again, or ask for less."}
}

func brokeDown() *QueryError {
	return &QueryError{Kind: KindRuntime, Text: "The engine broke down on this query. Write it in another way."}
}

// errTimeout is the cause of a query's context that ran out.
var errTimeout = errors.New("deadline of the query")

// explain turns an error of the engine into a QueryError. What is not the statement's fault (a lost file, a
// cancelled caller) stays a plain error.
func (e *engine) explain(err error) error {
	var known *QueryError
	if err == nil || errors.As(err, &known) {
		return err
	}
	var fault *duckdb.Error
	if !errors.As(err, &fault) {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("query: %w", err)
		}
		// The driver's own complaints: a type that it cannot hand over, a parameter without a value.
		return &QueryError{Kind: KindRuntime, Text: e.clean(err.Error())}
	}
	kind, ok := kindOf(fault.Type)
	if !ok {
		return fmt.Errorf("query: %w", err)
	}
	if kind == KindMemory {
		return tooMuchMemory()
	}
	return &QueryError{Kind: kind, Text: e.clean(fault.Msg)}
}

// kindOf is false for errors that are the database's and not the statement's.
func kindOf(t duckdb.ErrorType) (string, bool) {
	switch t {
	case duckdb.ErrorTypeParser, duckdb.ErrorTypeSyntax:
		return KindSyntax, true
	case duckdb.ErrorTypeCatalog:
		return KindCatalog, true
	case duckdb.ErrorTypeBinder, duckdb.ErrorTypeParameterNotResolved:
		return KindBinder, true
	case duckdb.ErrorTypeOutOfMemory:
		return KindMemory, true
	case duckdb.ErrorTypeInterrupt:
		return KindTimeout, true
	case duckdb.ErrorTypePermission, duckdb.ErrorTypeInvalidConfiguration, duckdb.ErrorTypeMissingExtension, duckdb.ErrorTypeAutoLoad:
		return KindRefused, true
	case duckdb.ErrorTypeFatal, duckdb.ErrorTypeIO, duckdb.ErrorTypeConnection:
		return "", false
	}
	return KindRuntime, true
}

var (
	hostPath = regexp.MustCompile(`(^|[\s"'(=])(?:/[\w.+@-]+){2,}`)
	address  = regexp.MustCompile(`0x[0-9a-fA-F]{6,}`)
	// advice are lines that tell to change a setting, which nobody can.
	advice = regexp.MustCompile(`\n+[^\n]*\bSET \w+ ?=[^\n]*`)
	// wrapped is the excerpt of the statement in an error; at run time it would show the wrapper, not what the
	// caller wrote.
	wrapped = regexp.MustCompile(`(?s)\n+LINE \d+: .*`)
)

// clean takes host paths and addresses out of an engine's text and cuts it.
func (e *engine) clean(text string) string {
	for _, path := range e.hide {
		text = strings.ReplaceAll(text, path, "…")
	}
	text = hostPath.ReplaceAllString(text, "${1}…")
	text = gate.WithoutAdvice(advice.ReplaceAllString(text, ""))
	text = notAnID(text)
	text = address.ReplaceAllString(text, "0x…")
	return cut(strings.TrimSpace(text))
}

// badID is the engine's error for a text that is compared with an id, cut short or without hyphens.
var badID = regexp.MustCompile(`^(?:Conversion Error: )?Could not convert string ('[0-9a-fA-F-]{1,40}') to INT128`)

// notAnID rewords the engine's errors about ids, which it calls 128-bit numbers.
func notAnID(text string) string {
	text = badID.ReplaceAllString(text, "$1 is not an id: ids are uuids of 36 characters, such as 3f2a9c64-5d1e-4b7a-8c20-91d4e6f0a2b3. Write the whole id.")
	return strings.ReplaceAll(text, "to INT128", "to UUID/INT128")
}

// cut shortens a text to maxText bytes at a character's start.
func cut(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxText {
		return text
	}
	end := maxText - len("…")
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
