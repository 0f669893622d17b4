package main

import (
	"bytes"
	"cmp"
	"io"
	"iter"
	"strings"

	"airqa/internal/files"
	"airqa/qa"
	"airqa/report/render"
)

type jsonFlag struct {
	JSON bool `name:"json" help:"Print JSON: one object, or one on each line."`
}

type formatFlags struct {
	Format string `default:"" placeholder:"FORMAT" enum:",${formats}" help:"${format_names}. Default: from the suffix of --out, or text."`
	jsonFlag
}

// render returns the options for a report to the file out, or to standard output if out is empty.
func (f formatFlags) render(a *app, out string) (render.Options, error) {
	var o render.Options
	var err error
	if out == "" {
		o.Width = a.width
	}
	if o.Format, err = formatOf(f.Format, f.JSON); err != nil || o.Format != "" {
		return o, err
	}
	if out == "" {
		o.Format = "text"
	} else if o.Format = render.FormatOf(out); o.Format == "" {
		return o, qa.Usagef("%s: unknown suffix; choose a format with --format (%s)", out, strings.Join(render.Formats(), ", "))
	}
	return o, nil
}

// writeOut prints to standard output, or atomically to a file.
func (a *app) writeOut(file string, print func(io.Writer) error) error {
	if file == "" {
		return print(a.out)
	}
	var b bytes.Buffer
	if err := print(&b); err != nil {
		return err
	}
	return files.WriteFile(file, b.Bytes())
}

type listFlags struct {
	Format string `default:"" placeholder:"FORMAT" enum:",table,json,csv" help:"table, json (one object per line) or csv. Default: table."`
	jsonFlag
}

// isTable reports whether the list is a table for people.
func (f listFlags) isTable() bool { return f.Format == "" || f.Format == "table" }

// writeRows prints the rows of a list as JSON, or as CSV with the values at the paths in columns.
func writeRows[T any](a *app, format string, rows []T, columns []string) error {
	d := render.Document{Columns: columns}
	for _, row := range rows {
		d.Data = append(d.Data, row)
	}
	return d.Write(a.out, render.Options{Format: format, Width: a.width})
}

// streamRows prints a list like writeRows while it is read, each element as the row that rowOf makes of it.
func streamRows[T, R any](a *app, format string, list iter.Seq2[T, error], rowOf func(T) R, columns []string) error {
	var failed error
	d := render.Document{Columns: columns, Stream: func(yield func(any) bool) {
		for v, err := range list {
			if failed = err; err != nil || !yield(rowOf(v)) {
				return
			}
		}
	}}
	err := d.Write(a.out, render.Options{Format: format, Width: a.width})
	return cmp.Or(failed, err)
}

// rowsOf returns the rows of a list that is read.
func rowsOf[T, R any](list iter.Seq2[T, error], rowOf func(T) R) (rows []R, err error) {
	for v, err := range list {
		if err != nil {
			return nil, err
		}
		rows = append(rows, rowOf(v))
	}
	return rows, nil
}

// AfterApply is a hook of kong. It combines the two flags.
func (f *listFlags) AfterApply() (err error) {
	f.Format, err = formatOf(f.Format, f.JSON)
	return err
}

// formatOf returns the format that --format and --json select together.
func formatOf(format string, asJSON bool) (string, error) {
	switch {
	case !asJSON:
		return format, nil
	case format != "" && format != "json":
		return format, qa.Usagef("--json and --format %s are mutually exclusive", format)
	}
	return "json", nil
}
