package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"strings"

	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/run/session"
)

// change reads what is put in the place of the recorded message.
func (c forkCmd) change(a *app, b *session.Branch) error {
	before := b.Recorded()
	var text string
	var err error
	switch {
	case c.Edit:
		text, err = terminal.Edit(a.ctx, before, cmp.Or(a.getenv("VISUAL"), a.getenv("EDITOR")), a.in, a.errs)
		if errors.Is(err, terminal.ErrNoEditor) {
			err = exit.Misuse("--edit needs a terminal, or an editor in EDITOR; --reply and --observation take a file")
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
		return exit.Misuse("nothing was changed, so there is nothing to branch off for")
	}
	return b.Put(text)
}

// readText reads a file, or standard input for "-".
func (a *app) readText(path string) (string, error) {
	if path == "-" {
		raw, err := io.ReadAll(a.in)
		return string(raw), err
	}
	raw, err := os.ReadFile(path)
	return string(raw), err
}
