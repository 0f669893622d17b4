package paperdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"airqa/env/paperdb/sandbox"
	"airqa/internal/lazyregexp"

	"github.com/marcboeker/go-duckdb/v2"
)

// Kinds of [QueryError].
const (
	KindSyntax  = sandbox.Syntax
	KindCatalog = sandbox.Catalog // no such table or function
	KindBinder  = "binder"        // no such column, wrong types
	KindRefused = sandbox.Refused // not allowed in the sandbox
	KindTimeout = "timeout"
	KindMemory  = "memory"
	KindRuntime = sandbox.Runtime // failed while running: a bad cast, a division, …
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
	text := fmt.Sprintf("The query took longer than %v and was stopped. Comparing the texts of all papers is slow. "+
		"Narrow it down: to some papers by ref_paper_id, or by a join with a condition on metadata.", deadline)
	return &QueryError{Kind: KindTimeout, Text: text}
}

// tooMuchMemory omits the engine's memory figures, which differ from run to run.
func tooMuchMemory() *QueryError {
	return &QueryError{Kind: KindMemory, Text: "The query needs more memory than it may have. Narrow it down: fewer rows, columns or joins."}
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
		return brokeDown() // the driver's own words are about the program
	}
	kind, ok := kinds[fault.Type]
	switch {
	case !ok:
		kind = KindRuntime
	case kind == "":
		return fmt.Errorf("query: %w", err)
	case kind == KindMemory:
		return tooMuchMemory()
	}
	return &QueryError{Kind: kind, Text: e.clean(fault.Msg)}
}

// kinds maps the engine's errors that are not [KindRuntime]; "" is an error of the database rather than the statement.
var kinds = map[duckdb.ErrorType]string{
	duckdb.ErrorTypeParser: KindSyntax, duckdb.ErrorTypeSyntax: KindSyntax,
	duckdb.ErrorTypeCatalog: KindCatalog,
	duckdb.ErrorTypeBinder:  KindBinder, duckdb.ErrorTypeParameterNotResolved: KindBinder,
	duckdb.ErrorTypeOutOfMemory: KindMemory,
	duckdb.ErrorTypeInterrupt:   KindTimeout,
	duckdb.ErrorTypePermission:  KindRefused, duckdb.ErrorTypeInvalidConfiguration: KindRefused,
	duckdb.ErrorTypeMissingExtension: KindRefused, duckdb.ErrorTypeAutoLoad: KindRefused,
	duckdb.ErrorTypeFatal: "", duckdb.ErrorTypeIO: "", duckdb.ErrorTypeConnection: "",
}

var (
	hostPath = lazyregexp.New(`(^|[\s"'(=])(?:/[\w.+@-]+){2,}`)
	address  = lazyregexp.New(`0x[0-9a-fA-F]{6,}`)
	// advice matches lines that suggest changing a setting, which nobody can.
	advice = lazyregexp.New(`\n+[^\n]*\bSET \w+ ?=[^\n]*`)
	// badID matches the error for comparing an id, to the engine a 128-bit number, with text that is truncated or has no
	// hyphens.
	badID = lazyregexp.New(`^(?:Conversion Error: )?Could not convert string ('[0-9a-fA-F-]{1,40}') to INT128`)
)

// clean removes host paths and addresses from an engine's text and truncates it.
func (e *engine) clean(text string) string {
	for _, path := range e.hide {
		text = strings.ReplaceAll(text, path, "…")
	}
	text = hostPath.ReplaceAllString(text, "${1}…")
	text = sandbox.WithoutAdvice(advice.ReplaceAllString(text, ""))
	text = badID.ReplaceAllString(text, "$1 is not an id: ids are uuids of 36 characters, such as 3f2a9c64-5d1e-4b7a-8c20-91d4e6f0a2b3. Write the whole id.")
	text = strings.ReplaceAll(text, "to INT128", "to UUID/INT128")
	text = address.ReplaceAllString(text, "0x…")
	return cut(strings.TrimSpace(text))
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
