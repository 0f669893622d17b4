package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/train/preflight"
)

type exportCheckCmd struct {
	preflight.Options
	Python string `placeholder:"FILE" help:"Python with the trainer's libraries (VENV/bin/python), to read the file with the trainer's own loader too."`
	Row    *int   `placeholder:"N" help:"Show row N, counted from 0, instead: the text that the trainer reads, by role."`
	HTML   string `name:"html" placeholder:"FILE" help:"With --row: write a page instead."`
	jsonFlag
}

func (c exportCheckCmd) Run(a *app) error {
	switch {
	case c.Row == nil && c.HTML != "":
		return qa.Usagef("--html needs --row N: a page shows one row")
	case c.Row != nil && (c.JSON || c.Python != ""):
		return qa.Usagef("--row shows a row; --json and --python check all rows")
	}
	data, err := preflight.Open(c.Options)
	if err != nil {
		return withCode(exitUsage, err) // what is wrong with the command
	}
	if c.Row != nil {
		return c.show(a, data)
	}
	if c.Python != "" {
		if err := data.RunTrainer(a.ctx, preflight.Interpreter{Path: c.Python, Getenv: a.getenv}); err != nil {
			return err
		}
	}
	total, err := c.check(a, data)
	if unclean := total.Unclean(); err == nil && unclean != "" {
		err = fmt.Errorf("%s: %s", c.Path, unclean)
	}
	return err
}

// check prints what is wrong with the rows, or each row as JSON.
func (c exportCheckCmd) check(a *app, data *preflight.Dataset) (preflight.Total, error) {
	var summary preflight.Summary
	out := bufio.NewWriter(a.out)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	total, err := data.Rows(func(r preflight.Row) error {
		if c.JSON {
			return lines.Encode(r)
		}
		summary.Add(r)
		return a.ctx.Err()
	})
	if err != nil {
		return total, err
	}
	if c.JSON {
		err = lines.Encode(map[string]preflight.Total{"total": total})
	} else {
		err = summary.Write(out, total)
	}
	if err == nil {
		err = out.Flush()
	}
	return total, err
}

func (c exportCheckCmd) show(a *app, data *preflight.Dataset) error {
	turns, err := data.Turns(*c.Row)
	if err != nil {
		return err
	}
	if c.HTML == "" {
		return a.print(preflight.Text(turns, terminal.StyleOf(os.Stdout, a.getenv)))
	}
	title := fmt.Sprintf("%s, row %d", filepath.Base(c.Path), *c.Row)
	if err := files.WriteFile(c.HTML, []byte(preflight.HTML(title, turns))); err != nil {
		return err
	}
	a.say("wrote %s", c.HTML)
	return nil
}
