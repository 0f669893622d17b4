// Package tools holds the four actions of an AirQA agent: [Retrieve], [Query], [View] and [Answer] (paper,
// Listings 4 and 5), one file each beside the text that the model is shown. Start from [Tool] and [Set].
//
// A tool turns arguments into a [qa.Observation]. What a model can mend (bad SQL, a page out of range) is an
// observation with an error status; what it cannot (a lost database, a cancelled context) is a Go error. The
// tools know no database and no PDF library: they ask a [Retriever], a [Querier] and a [Viewer].
package tools

import (
	"context"

	"airqa/qa"
)

// Hit is one result of a retrieval.
type Hit struct {
	PDFID string
	// Title is the paper's, where the caller adds it; it is shown beside the id.
	Title string
	// PageNumber counts from 1; -1 when unknown.
	PageNumber            int
	TableName, ColumnName string
	Text                  string
	Score                 float64 // higher is nearer
}

// Scope limits a retrieval. The zero value searches everything.
type Scope struct {
	// Papers are the uuids to search in; empty means all, unless Bounded.
	Papers []string
	// Bounded makes an empty list of papers mean none.
	Bounded bool
}

// Retriever finds the passages nearest to a text, best first, at most limit of them.
type Retriever interface {
	Retrieve(ctx context.Context, query string, limit int, scope Scope) ([]Hit, error)
}

// Rows is the result of a query.
type Rows struct {
	Columns []string
	// Values holds one slice a row, in the order of Columns: nil, bool, integers, float64, string, time.Time,
	// []any and map[string]any.
	Values [][]any
	// More is true when the row cap stopped the query: there are more rows than Values.
	More bool
}

// Querier runs one SELECT of a model in a sandbox. A statement that is refused, wrong or too slow is a
// [*Fault].
type Querier interface {
	Query(ctx context.Context, sql string) (Rows, error)
}

// Viewer draws a page of a paper (from 1) or the box of it, [x0, y0, width, height] in points from the top left of
// the page as shown; an empty box is the whole page. An unknown paper, a page out of range and a bad box
// are a [*Fault].
type Viewer interface {
	View(ctx context.Context, paperID string, page int, box []float64) (qa.Image, error)
}

// Fault is a mistake of the caller that a model can mend: its text becomes the observation. It carries no host
// path and no address.
type Fault struct {
	// Kind is a short machine name: "syntax", "timeout", "refused", "unknown_paper", …
	Kind string
	// Text says what was wrong and what to do.
	Text string
}

// Error implements error.
func (f *Fault) Error() string { return f.Text }
