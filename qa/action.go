package qa

import "strings"

// Action is one tool call, parsed from a reply or made by a baseline.
type Action struct {
	Name string `json:"name"`
	// Args maps parameter names to plain values: nil, bool, int64, float64, string, []any, map[string]any.
	Args map[string]any `json:"args"`
	// Text is the call as Python would print it, with keyword arguments in the tool's own order. In the log, it also
	// preserves typed values that JSON lacks (tuples, sets, non-string keys, long integers).
	Text string `json:"text"`
	// LaTeX is Text with LaTeX commands as the model wrote them ("\frac"), which Python would read as escapes. It is
	// empty if that makes no difference, and for calls without a parameter of any type.
	LaTeX string `json:"latex,omitempty"`
	// Start and End are the byte range of the call in the reply; both 0 for a call made by the program.
	Start int `json:"start"`
	End   int `json:"end"`
}

// ParseError explains why and where a reply has no runnable action.
type ParseError struct {
	// Kind is one of the Err constants below.
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
	// Offset is the byte position in the reply; Line and Column count from 1, columns in characters.
	Offset int `json:"offset"`
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Kinds of [ParseError].
const (
	ErrNoAction      = "no_action"
	ErrUnknownAction = "unknown_action"
	ErrSyntax        = "syntax"
	ErrParameter     = "parameter"
)

// Error returns the reason with line and column.
func (e *ParseError) Error() string { return e.Reason }

// Status is the result of an action from the tool's perspective.
type Status string

// The statuses of an [Observation].
const (
	// StatusOK is a result.
	StatusOK Status = "ok"
	// StatusEmpty is a successful call without results.
	StatusEmpty Status = "empty"
	// StatusError is a failed call that the model can correct.
	StatusError Status = "error"
	// StatusParse is a reply without a runnable action.
	StatusParse Status = "parse_error"
	// StatusFinal is the answer; nothing is shown after it.
	StatusFinal Status = "final"
)

// Failed reports whether a call failed, or was none.
func (s Status) Failed() bool { return s == StatusError || s == StatusParse }

// Observation is the result of a tool as shown to the model.
type Observation struct {
	Status Status `json:"status"`
	// Text is shown to the model, after truncation.
	Text   string  `json:"text"`
	Images []Image `json:"images,omitempty"`
	// Cut is set if something was left out.
	Cut *Cut `json:"cut,omitempty"`
	// Full is the text before truncation; empty if nothing was left out. The log stores it by hash.
	Full string `json:"-"`
	// Hits are the passages that a retrieval found, best first, including some beyond its limit.
	Hits []Hit `json:"hits,omitempty"`
	// Touched lists what a query or a view read; nil for other actions.
	Touched *Touched `json:"touched,omitempty"`
	// Answer is set with [StatusFinal].
	Answer *Answer `json:"answer,omitempty"`
}

// ObservationMessage returns the user message that shows o to the model: its text after the label "[Observation]:", on
// the same line if it has only one.
func ObservationMessage(o Observation) Message {
	sep := " "
	if strings.Contains(o.Text, "\n") {
		sep = "\n"
	}
	return Message{Role: User, Text: "[Observation]:" + sep + o.Text, Images: o.Images}
}

// Rows is the result of a query.
type Rows struct {
	Columns []string
	// Values has one slice per row, in the order of Columns: nil, bool, int64, finite float64 and string.
	Values [][]any
	// More means that the row limit stopped the query: there are more rows than Values.
	More bool
	// Tables are the names of the database tables that the statement reads, sorted; nil if unknown.
	Tables []string
}

// Cut describes how much of a tool's result was left out, and why.
type Cut struct {
	// Reason is "tokens", "rows" or "cell".
	Reason     string `json:"reason"`
	RowsShown  int    `json:"rows_shown"`
	RowsTotal  int    `json:"rows_total"` // -1 if the tool stopped counting
	Tokens     int    `json:"tokens"`     // cl100k tokens shown
	TokenLimit int    `json:"token_limit"`
}

// Hit is a passage that a retrieval found.
type Hit struct {
	// Rank counts from 1, best first.
	Rank int `json:"rank"`
	// ID is the passage's id in the database.
	ID      string `json:"id"`
	PaperID string `json:"paper_id"`
	// Page counts from 1; -1 if unknown.
	Page int `json:"page"`
	// Score is rounded as shown to the model; higher is nearer.
	Score float64 `json:"score"`
	// Beyond marks a hit after the limit of the call, which the model did not get.
	Beyond bool `json:"beyond,omitempty"`
}

// Touched lists what an action read: a query by its statement and its result, a view by its image.
type Touched struct {
	// Papers are the ids of papers, in the order of their first appearance.
	Papers []string `json:"papers,omitempty"`
	// Tables are the names of the database tables that the statement reads, sorted.
	Tables []string    `json:"tables,omitempty"`
	Pages  []PaperPage `json:"pages,omitempty"`
	// Rows are the ids of rows of tables other than metadata: pages, passages, figures, tables of papers.
	Rows []string `json:"rows,omitempty"`
	// More means that a list was truncated.
	More bool `json:"more,omitempty"`
}

// PaperPage is a page of a paper or an area of it.
type PaperPage struct {
	PaperID string `json:"paper_id"`
	// Page counts from 1.
	Page int `json:"page"`
	// Box is [x0, y0, width, height] in points from the top left; empty for a whole page.
	Box []float64 `json:"box,omitempty"`
}
