package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/term"

	"airqa/internal/exit"
	"airqa/run/session"
)

// change reads what is put in the place of the recorded message.
func (c forkCmd) change(a *app, b *session.Branch) error {
	before := b.Recorded()
	var text string
	var err error
	switch {
	case c.Edit:
		text, err = a.edit(before)
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

// edit shows a text in the user's editor and returns what came of it.
func (a *app) edit(text string) (string, error) {
	file, err := os.CreateTemp("", "airqa-*.txt")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.WriteString(text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return "", err
	}
	words := strings.Fields(a.getenv("VISUAL"))
	if len(words) == 0 {
		words = strings.Fields(a.getenv("EDITOR"))
	}
	if len(words) == 0 {
		if in, ok := a.in.(*os.File); !ok || !term.IsTerminal(int(in.Fd())) {
			return "", exit.Misuse("--edit needs a terminal, or an editor in EDITOR; --reply and --observation take a file")
		}
		words = []string{"vi"}
	}
	editor := exec.CommandContext(a.ctx, words[0], append(words[1:], file.Name())...) //nolint:gosec // the user's own editor
	editor.Stdin, editor.Stdout, editor.Stderr = a.in, a.errs, a.errs
	if err := editor.Run(); err != nil {
		return "", fmt.Errorf("editor %s: %w", words[0], err)
	}
	raw, err := os.ReadFile(file.Name())
	return string(raw), err
}
