// Package tools implements the four actions of an AirQA agent: [Retrieve], [Query], [View] and [Answer] (paper,
// Listings 4 and 5), each in one file next to its text for the model. Start from [Tool] and [Set].
//
// A tool turns arguments into a [qa.Observation]. A mistake that the model can correct (bad SQL, a page out of range)
// is an observation with an error status; anything else (a lost database, a cancelled context) is a Go error. The tools
// use no database and no PDF library directly: they call a [Retriever], a [Querier] and a [Viewer].
package tools

import (
	"context"

	"airqa/qa"
)

// Hit is one result of a retrieval.
type Hit struct {
	// ID is the passage's id in the database.
	ID    string `json:"id"`
	PDFID string `json:"pdf_id"`
	// Title is the paper's title, if the caller adds it; it is shown next to the id.
	Title string `json:"title,omitempty"`
	// PageNumber counts from 1; -1 if unknown.
	PageNumber int     `json:"page_number"`
	TableName  string  `json:"table_name"`
	ColumnName string  `json:"column_name"`
	Text       string  `json:"text"`
	Score      float64 `json:"score"` // higher is nearer
}

// Scope limits a retrieval. The zero value searches everything.
type Scope struct {
	// Papers are the UUIDs to search in; empty means all, unless Bounded.
	Papers []string
	// Bounded makes an empty list of papers mean none.
	Bounded bool
	// Beyond asks for up to this many hits after the limit.
	Beyond int
}

// Retriever finds at most limit passages nearest to a text, best first. Up to scope.Beyond further hits may follow,
// which need no text.
type Retriever interface {
	Retrieve(ctx context.Context, query string, limit int, scope Scope) ([]Hit, error)
}

// Querier runs one SELECT of a model in a sandbox. A statement that is refused, wrong or too slow is a [*Fault].
type Querier interface {
	Query(ctx context.Context, sql string) (qa.Rows, error)
}

// Viewer renders a page of a paper (from 1) or an area of it, [x0, y0, width, height] in points from the top left of
// the page as displayed; an empty box means the whole page. An unknown paper, a page out of range and a bad box are a
// [*Fault].
type Viewer interface {
	View(ctx context.Context, paperID string, page int, box []float64) (qa.Image, error)
}

// Fault is a mistake that the model can correct: its text becomes the observation. It contains no host path and no
// address.
type Fault struct {
	// Kind is a short machine-readable name: "syntax", "timeout", "refused", "unknown_paper", …
	Kind string
	// Text explains the mistake and how to correct it.
	Text string
}

func (f *Fault) Error() string { return f.Text }
