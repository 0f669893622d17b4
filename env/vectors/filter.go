package vectors

import "slices"

// AnyPage is the value of [Filter.Page] that matches every page.
const AnyPage = 0

// Filter selects records. All conditions must match; the zero value matches everything. It is a struct rather than an
// expression, because servers parse filter expressions differently and some crash on them.
type Filter struct {
	// Papers lists the papers to search; empty means all.
	Papers []string
	// Table and Column must match; empty means any.
	Table, Column string
	// Page must match; -1 selects records without a page, [AnyPage] any record.
	Page int
}

// IsZero reports whether f matches everything.
func (f Filter) IsZero() bool {
	return len(f.Papers) == 0 && f.Table == "" && f.Column == "" && f.Page == AnyPage
}

// Match reports whether a record of origin o passes. Every store must agree with it.
func (f Filter) Match(o Origin) bool {
	return (len(f.Papers) == 0 || slices.Contains(f.Papers, o.PaperID)) &&
		(f.Table == "" || f.Table == o.Table) &&
		(f.Column == "" || f.Column == o.Column) &&
		(f.Page == AnyPage || f.Page == o.Page)
}
