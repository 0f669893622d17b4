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

// maxText is the maximum length of a QueryError's text, in bytes.
const maxText = 500

// QueryError is an error that the author of a statement can fix: the statement is wrong, refused, or too slow. The same
// statement yields the same text, without host paths and memory addresses.
type QueryError struct {
	// Kind is one of the Kind constants.
	Kind string
	Text string
}

func (e *QueryError) Error() string { return e.Text }

func tooSlow(deadline time.Duration) *QueryError {
	text := fmt.Sprintf("The query took longer than %v and was stopped. Narrow it down, or ask for less.", deadline)
	return &QueryError{Kind: KindTimeout, Text: text}
}

// tooMuchMemory omits the engine's memory figures, which differ from run to run.
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

// errTimeout is the cancellation cause of a query's context at the deadline.
var errTimeout = errors.New("deadline of the query")

// explain converts an engine error to a QueryError. Errors that are not the statement's fault (a lost file, a cancelled
// caller) remain unchanged.
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
		// The driver's own errors: an unsupported type, a parameter without a value.
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

// kindOf returns false for errors of the database rather than the statement.
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
	// advice matches lines that suggest changing a setting, which nobody can.
	advice = regexp.MustCompile(`\n+[^\n]*\bSET \w+ ?=[^\n]*`)
	// wrapped matches the excerpt of the statement in a runtime error, which would show the wrapper instead of the
	// original text.
	wrapped = regexp.MustCompile(`(?s)\n+LINE \d+: .*`)
)

// clean removes host paths and addresses from an engine's text and truncates it.
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

// badID matches the engine's error for comparing an id with text that is truncated or has no hyphens.
var badID = regexp.MustCompile(`^(?:Conversion Error: )?Could not convert string ('[0-9a-fA-F-]{1,40}') to INT128`)

// notAnID rewords the engine's errors about ids, which call them 128-bit numbers.
func notAnID(text string) string {
	text = badID.ReplaceAllString(text, "$1 is not an id: ids are uuids of 36 characters, such as 3f2a9c64-5d1e-4b7a-8c20-91d4e6f0a2b3. Write the whole id.")
	return strings.ReplaceAll(text, "to INT128", "to UUID/INT128")
}

// cut truncates a text to maxText bytes at a character boundary.
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
