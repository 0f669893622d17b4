package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"airqa/env"
	"airqa/internal/terminal"
	"airqa/run/session"
	"airqa/tools"
)

type sqlCmd struct {
	dataFlags
	QuerySeconds float64 `name:"query-seconds" default:"30" placeholder:"S" help:"Maximum seconds of the statement."`
	listFlags
	Text string `arg:"" name:"text" help:"One SELECT statement; - reads standard input."`
}

func (sqlCmd) Help() string {
	return `Examples:
  airqa sql --data papers "SELECT title, num_pages FROM metadata"
  echo "SELECT count(*) AS n FROM chunks" | airqa sql --data papers --json -
  airqa sql --data papers --format csv "SELECT paper_id, title FROM metadata" > papers.csv

In CSV, NULL is an empty field and a list is JSON. A text that begins like a formula of a spreadsheet gets an apostrophe in front.
On a terminal, cells of the table are cut so that a row fits; in a file or a pipe they are whole.`
}

func (c sqlCmd) Run(a *app) error {
	if err := session.CheckQuerySeconds(c.QuerySeconds); err != nil {
		return err
	}
	text, err := a.text(c.Text)
	if err != nil {
		return err
	}
	world, err := c.open(a, env.Config{NoSearch: true, QueryDeadline: time.Duration(c.QuerySeconds * float64(time.Second))})
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

func (c sqlCmd) print(a *app, rows tools.Rows) error {
	return printList(a, c.listFlags, listing[int]{
		rows: func(yield func(int) bool) {
			for i := 0; i < len(rows.Values) && yield(i); i++ {
			}
		},
		table:   func() error { return a.print(rowTable(rows, a.width)) },
		object:  func(i int) error { return a.print(rows.JSONRow(i)) },
		columns: rows.Columns,
		values:  func(i int) []any { return rows.Values[i] },
	})
}

// rowTable is a table with the number of its rows.
func rowTable(rows tools.Rows, width int) string {
	t := terminal.Table{Head: rows.Columns, Boxed: true}
	for _, row := range rows.Values {
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = cell(v)
		}
		t.Rows = append(t.Rows, line)
	}
	return fmt.Sprintf("%s\n(%s)", t.Text(width), terminal.Plural(len(rows.Values), "row"))
}

func cell(v any) string {
	if v == nil {
		return "NULL"
	}
	return fmt.Sprint(v)
}

// text returns an argument, or standard input when the argument is "-".
func (a *app) text(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	raw, err := io.ReadAll(a.in)
	return string(raw), err
}

// asFault turns a mistake of the caller's into an error of the program: a person gets the same words as a model.
func asFault(err error) error {
	var f *tools.Fault
	if errors.As(err, &f) {
		return errors.New(f.Text)
	}
	return err
}
