package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"airqa/env"
	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/tools"
)

type sqlCmd struct {
	dataFlags
	qa.QueryLimit
	listFlags
	Text string `arg:"" name:"text" help:"One SELECT statement (- for standard input)."`
}

func (c sqlCmd) Run(a *app) error {
	if err := checkQuerySeconds(c.QuerySeconds); err != nil {
		return err
	}
	text, err := a.text(c.Text)
	if err != nil {
		return err
	}
	world, err := c.open(a, env.Config{NoSearch: true, QueryDeadline: c.QueryDeadline()})
	if err != nil {
		return err
	}
	defer func() { _ = world.Close() }()
	rows, err := world.Query(a.ctx, text)
	if err != nil {
		return asFault(err)
	}
	if err := c.print(a, rows); err != nil {
		return err
	}
	if rows.More {
		a.say("note: only the first %d rows; use LIMIT and OFFSET for others", len(rows.Values))
	}
	return nil
}

func (c sqlCmd) print(a *app, rows qa.Rows) error {
	switch c.Format {
	case "json":
		for i := range rows.Values {
			if err := a.print(tools.JSONRow(rows, i)); err != nil {
				return err
			}
		}
		return nil
	case "csv":
		values := qa.Map(rows.Values, func(row []any) []string { return qa.Map(row, csvField) })
		records := append([][]string{rows.Columns}, values...)
		return terminal.WriteCSV(a.out, slices.Values(records), a.width > 0)
	}
	t := terminal.Table{Head: rows.Columns, Boxed: true}
	for _, row := range rows.Values {
		line := make([]string, len(row))
		for i, v := range row {
			if line[i] = "NULL"; v != nil {
				line[i] = csvField(v)
			}
		}
		t.Rows = append(t.Rows, line)
	}
	return a.print(fmt.Sprintf("%s\n(%s)", t.Text(a.width), terminal.Plural(len(rows.Values), "row")))
}

// csvField is a text as it is, nothing for NULL, and numbers and bools as JSON.
func csvField(v any) string {
	if text, ok := v.(string); ok || v == nil {
		return text
	}
	return tools.JSONValue(v)
}

// text returns an argument, or standard input if it is "-".
func (a *app) text(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	raw, err := io.ReadAll(a.in)
	return string(files.Text(raw)), err
}

// asFault returns the text that a model would see for a fault of its query.
func asFault(err error) error {
	if f, ok := errors.AsType[*tools.Fault](err); ok {
		return errors.New(f.Text)
	}
	return err
}
