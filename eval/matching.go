package eval

import "airqa/internal/python"

// matching holds the options of a comparison, those of all functions. Options that may have a wrong type keep their
// original value and fail only when used.
type matching struct {
	mode                                  Mode
	lowercase, ignoreBlank, ignoreOrder   bool
	ndigits, tolerance, threshold, method python.Value
	elementType, count                    python.Value
}

// comparison compares an answer with the gold. A non-nil t records it.
type comparison func(m matching, t *Comparison, prediction, gold python.Value) (outcome, error)

// defaultMethod is the measure of similarity of functions that have no other.
const defaultMethod = "ratio"
