package qa

import "strings"

// Action is one call of a tool, as parsed from a reply or made by a baseline itself.
type Action struct {
	Name string `json:"name"`
	// Args maps parameter names to plain values: nil, bool, int64, float64, string, []any, map[string]any.
	Args map[string]any `json:"args"`
	// Text is the call as Python would print it, with keyword arguments in the tool's own order. It is also
	// how typed values that JSON cannot hold (tuples, sets, non-string keys, long integers) survive in the log.
	Text string `json:"text"`
	// LaTeX is Text with LaTeX commands kept as the model wrote them ("\frac"), where Python reads escapes out of them.
	// Empty where that makes no difference, and for calls without a parameter of any type.
	LaTeX string `json:"latex,omitempty"`
	// Start and End are the byte range of the call in the reply; both 0 for a call the program made itself.
	Start int `json:"start"`
	End   int `json:"end"`
}

// ParseError says why a reply holds no action that can be run, and where.
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

// Error implements error: reason with line and column.
func (e *ParseError) Error() string { return e.Reason }

// Status tells how an action ended, seen from the tool.
type Status string

// The statuses of an [Observation].
const (
	// StatusOK is a result.
	StatusOK Status = "ok"
	// StatusEmpty is a call that worked and found nothing.
	StatusEmpty Status = "empty"
	// StatusError is a call that could not be done as asked; the model can mend it.
	StatusError Status = "error"
	// StatusParse is a reply without a runnable action.
	StatusParse Status = "parse_error"
	// StatusFinal is the answer; nothing is shown after it.
	StatusFinal Status = "final"
)

// Observation is what a tool returned, as the model sees it.
type Observation struct {
	Status Status `json:"status"`
	// Text is what the model sees, after cutting.
	Text   string  `json:"text"`
	Images []Image `json:"images,omitempty"`
	// Cut is set when something was left out.
	Cut *Cut `json:"cut,omitempty"`
	// Full is the text before cutting; empty when nothing was cut. The log keeps it by hash.
	Full string `json:"-"`
	// Answer is set with [StatusFinal].
	Answer *Answer `json:"answer,omitempty"`
}

// ObservationMessage returns the user message that shows o to the model: its text after the label
// "[Observation]:", on the same line when it has only one.
func ObservationMessage(o Observation) Message {
	sep := " "
	if strings.Contains(o.Text, "\n") {
		sep = "\n"
	}
	return Message{Role: User, Text: "[Observation]:" + sep + o.Text, Images: o.Images}
}

// Cut says how much of a tool's result was left out, and why.
type Cut struct {
	// Reason is "tokens", "rows" or "cell".
	Reason     string `json:"reason"`
	RowsShown  int    `json:"rows_shown"`
	RowsTotal  int    `json:"rows_total"` // -1 when the tool stopped counting
	Tokens     int    `json:"tokens"`     // cl100k tokens shown
	TokenLimit int    `json:"token_limit"`
}
