package vectors

import "slices"

// AnyPage is the value of [Filter.Page] that lets every page pass.
const AnyPage = 0

// Filter says which records take part. Its parts must all pass; the zero value lets everything pass. It is a
// type and no text, because each server reads filter texts its own way, and some break on them.
type Filter struct {
	// Papers are the papers to look in; empty means all.
	Papers []string
	// Table and Column are names to match; empty means any.
	Table, Column string
	// Page is the page to match, -1 for records without one; [AnyPage] means any.
	Page int
}

// IsZero tells whether f lets everything pass.
func (f Filter) IsZero() bool {
	return len(f.Papers) == 0 && f.Table == "" && f.Column == "" && f.Page == AnyPage
}

// Match tells whether a record of origin o passes. It is the definition that every store follows.
func (f Filter) Match(o Origin) bool {
	return (len(f.Papers) == 0 || slices.Contains(f.Papers, o.PaperID)) &&
		(f.Table == "" || f.Table == o.Table) &&
		(f.Column == "" || f.Column == o.Column) &&
		(f.Page == AnyPage || f.Page == o.Page)
}
