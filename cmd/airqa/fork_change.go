package main

import (
	"cmp"
	"errors"
	"os"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/session"
)

// change reads the new message.
func (c forkCmd) change(a *app, b *session.Branch) error {
	before := b.Message()
	var text string
	var err error
	switch {
	case c.Edit:
		text, err = terminal.Edit(a.ctx, before, cmp.Or(a.getenv("VISUAL"), a.getenv("EDITOR")), a.in, a.errs)
		if errors.Is(err, terminal.ErrNoEditor) {
			err = qa.Usagef("--edit needs a terminal, or an editor in EDITOR; --reply and --observation take a file")
		}
	case c.Reply != "":
		text, err = a.readText(c.Reply)
	default:
		text, err = a.readText(c.Observation)
	}
	if err != nil {
		return err
	}
	if !strings.HasSuffix(before, "\n") {
		text = strings.TrimSuffix(text, "\n") // which editors add
	}
	if text == before {
		return qa.Usagef("nothing was changed; no fork was made")
	}
	return b.SetMessage(text)
}

// readText reads a file, or standard input for "-".
func (a *app) readText(path string) (string, error) {
	if path == "-" {
		return a.text(path)
	}
	raw, err := os.ReadFile(path)
	return string(raw), err
}
