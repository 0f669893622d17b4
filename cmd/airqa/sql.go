package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"airqa/env"
	"airqa/internal/terminal"
	"airqa/run/session"
	"airqa/tools"
)

type sqlCmd struct {
	dataFlags
	QuerySeconds float64 `name:"query-seconds" default:"30" placeholder:"S" help:"Maximum seconds of the statement."`
	JSON         bool    `name:"json" help:"Print a JSON object a row."`
	Text         string  `arg:"" name:"text" help:"One SELECT statement; - reads standard input."`
}

// Help implements kong.HelpProvider.
func (sqlCmd) Help() string {
	return `Examples:
  airqa sql --data papers "SELECT title, num_pages FROM metadata"
  echo "SELECT count(*) AS n FROM chunks" | airqa sql --data papers --json -`
}

// Run implements the sub-command.
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
	if c.JSON {
		for i := range rows.Values {
			if err := a.print(rows.JSONRow(i)); err != nil {
				return err
			}
		}
	} else if err := a.print(rowTable(rows, a.width)); err != nil {
		return err
	}
	if rows.More {
		a.say("note: only the first %d rows; use LIMIT and OFFSET for others", len(rows.Values))
	}
	return nil
}

// widest is how many characters of a cell a person is shown.
const widest = 60

// rowTable is a table; cells are cut on a terminal only.
func rowTable(rows tools.Rows, width int) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = 0
	head := table.Row{}
	for _, name := range rows.Columns {
		head = append(head, terminal.Line(name))
	}
	t.AppendHeader(head)
	for _, row := range rows.Values {
		line := table.Row{}
		for _, v := range row {
			text := terminal.Line(cell(v))
			if width > 0 {
				text = terminal.Clip(text, widest)
			}
			line = append(line, text)
		}
		t.AppendRow(line)
	}
	if len(rows.Values) == 1 {
		return t.Render() + "\n(1 row)"
	}
	return t.Render() + fmt.Sprintf("\n(%d rows)", len(rows.Values))
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
