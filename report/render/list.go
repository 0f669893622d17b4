package render

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"strings"

	"airqa/internal/terminal"
	"airqa/tools"
)

// List is a list of rows in each format: "json" (one object per line), "csv", or a table for people.
type List[T any] struct {
	Rows iter.Seq[T]
	// Table prints all rows as a table, Object one row as JSON.
	Table  func() error
	Object func(T) error
	// Columns are the header of CSV, Values the fields of a row.
	Columns []string
	Values  func(T) []any
}

// Write prints a list in a format. JSON and CSV rows are printed as they arrive. With safe, CSV is fit for a terminal.
func (l List[T]) Write(w io.Writer, format string, safe bool) error {
	switch format {
	case "json":
		for row := range l.Rows {
			if err := l.Object(row); err != nil {
				return err
			}
		}
		return nil
	case "csv":
		return terminal.WriteCSV(w, l.records, safe)
	}
	return l.Table()
}

// records are the lines of CSV. A string is a field as it is, nil is empty, and other values are JSON.
func (l List[T]) records(yield func([]string) bool) {
	if !yield(l.Columns) {
		return
	}
	for row := range l.Rows {
		fields := make([]string, len(l.Columns))
		for i, v := range l.Values(row) {
			if text, ok := v.(string); ok || v == nil {
				fields[i] = text
			} else {
				fields[i] = tools.JSONValue(v)
			}
		}
		if !yield(fields) {
			return
		}
	}
}

// Paths returns a [List.Values] that reads values at paths, such as "price.input", from the JSON of a row.
func Paths[T any](paths []string) func(T) []any {
	return func(object T) []any {
		raw, _ := json.Marshal(object) // as for its line of JSON
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var root any
		_ = d.Decode(&root)
		values := make([]any, len(paths))
		for i, path := range paths {
			values[i] = root
			for key := range strings.SplitSeq(path, ".") {
				in, _ := values[i].(map[string]any)
				values[i] = in[key]
			}
		}
		return values
	}
}
