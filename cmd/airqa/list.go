package main

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"

	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/tools"
)

// listFlags choose the format of a list.
type listFlags struct {
	Format string `default:"" placeholder:"FORMAT" enum:",table,json,csv" help:"table, json (an object a line) or csv (a header, then a line a row). Default: table."`
	JSON   bool   `name:"json" help:"The same as --format json."`
}

// AfterApply settles the format before the command starts. It is a hook of kong.
func (f *listFlags) AfterApply() (err error) {
	f.Format, err = formatOf(f.Format, f.JSON)
	return err
}

// formatOf returns the format that --format and --json choose together.
func formatOf(format string, asJSON bool) (string, error) {
	switch {
	case !asJSON:
		return format, nil
	case format != "" && format != "json":
		return format, exit.Misuse("--json and --format %s contradict each other", format)
	}
	return "json", nil
}

// listing is what a command lists, in each format.
type listing[T any] struct {
	rows iter.Seq[T]
	// table prints the rows for a person, object one row as JSON.
	table  func() error
	object func(T) error
	// columns are the header of CSV, values those of a row.
	columns []string
	values  func(T) []any
}

// printList prints a list, each row of JSON and CSV as soon as it comes.
func printList[T any](a *app, f listFlags, l listing[T]) error {
	switch f.Format {
	case "json":
		for row := range l.rows {
			if err := l.object(row); err != nil {
				return err
			}
		}
		return nil
	case "csv":
		return terminal.WriteCSV(a.out, l.records, a.width > 0)
	}
	return l.table()
}

// records are the lines of CSV.
func (l listing[T]) records(yield func([]string) bool) {
	if !yield(l.columns) {
		return
	}
	for row := range l.rows {
		fields := make([]string, len(l.columns))
		for i, v := range l.values(row) {
			fields[i] = field(v)
		}
		if !yield(fields) {
			return
		}
	}
}

// field is a value in CSV: a text as it is, nothing for none, and JSON for the rest.
func field(v any) string {
	if text, ok := v.(string); ok || v == nil {
		return text
	}
	return tools.JSONValue(v)
}

// at returns what reads the values at some paths, such as "price.input", from the JSON of an object.
func at[T any](paths []string) func(T) []any {
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
