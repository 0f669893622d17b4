package milvus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"airqa/env/vectors"
)

// Servers parse the same filter differently, and some crash on one. Callers therefore cannot pass filters: these
// functions build the few forms that all servers parse alike.

// everything matches all rows; ids are never negative.
const everything = fieldID + " >= 0"

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// literal quotes s, which must not contain control characters (see [vectors.Filter.Check]).
func literal(s string) string { return `"` + escaper.Replace(s) + `"` }

func equal(field, value string) string { return field + " == " + literal(value) }

func oneOf(field string, values []string) string {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	if len(values) == 1 {
		return equal(field, values[0])
	}
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = literal(v)
	}
	return field + " in [" + strings.Join(quoted, ", ") + "]"
}

func all(parts ...string) string { return strings.Join(parts, " and ") }

func expression(f vectors.Filter) string {
	var parts []string
	if len(f.Papers) > 0 {
		parts = append(parts, oneOf(fieldPaper, f.Papers))
	}
	if f.Table != "" {
		parts = append(parts, equal(fieldTable, f.Table))
	}
	if f.Column != "" {
		parts = append(parts, equal(fieldColumn, f.Column))
	}
	if f.Page != vectors.AnyPage {
		parts = append(parts, fieldPage+" == "+strconv.Itoa(f.Page))
	}
	if len(parts) == 0 {
		return everything
	}
	return all(parts...)
}

// span is a range of count ids starting at first.
type span struct {
	first, count int64
}

func (s span) inside() string {
	return fmt.Sprintf("%s >= %d and %s < %d", fieldID, s.first, fieldID, s.first+s.count)
}

func (s span) outside() string {
	return fmt.Sprintf("(%s < %d or %s >= %d)", fieldID, s.first, fieldID, s.first+s.count)
}
