package report

import (
	"slices"

	"airqa/qa"
)

// Column is a group of questions.
type Column struct {
	// Name is the head of the column as in the paper; Group is the head that spans several.
	Name, Group string
	Holds       func(qa.Example) bool
}

// Average is the name of the column with all questions.
const Average = "AVG"

// Columns are the columns of the paper's Tables 4 and 5. A question counts as text only if it has no other element tag
// (Section 2.4), and may count in several of the other columns.
func Columns() []Column {
	tag := func(tags ...string) func(qa.Example) bool {
		return func(ex qa.Example) bool { return slices.ContainsFunc(tags, ex.HasTag) }
	}
	other := tag("table", "image", "figure", "formula", "metadata")
	return []Column{
		{"sgl.", "Question Type", tag("single")},
		{"multi.", "Question Type", tag("multiple")},
		{"retr.", "Question Type", tag("retrieval")},
		{"comp.", "Question Type", tag("comprehensive")},
		{"text", "Element Category", func(ex qa.Example) bool { return !other(ex) }},
		{"table", "Element Category", tag("table")},
		// Two released records carry the stray tag "figure".
		{"image", "Element Category", tag("image", "figure")},
		{"form.", "Element Category", tag("formula")},
		{"meta.", "Element Category", tag("metadata")},
		{"obj.", "Evaluation", tag("objective")},
		{"subj.", "Evaluation", tag("subjective")},
		{Average, "", func(qa.Example) bool { return true }},
	}
}
