package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/term"

	"airqa/internal/files"
)

// ErrNoEditor is returned by [Edit] when no editor is set and there is no terminal for vi.
var ErrNoEditor = errors.New("no editor and no terminal")

// Edit opens a text in an editor and returns it as saved. editor is a command line; empty means vi.
func Edit(ctx context.Context, text, editor string, in io.Reader, out io.Writer) (string, error) {
	file, err := os.CreateTemp("", "airqa-*.txt")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	words := strings.Fields(editor)
	if len(words) == 0 {
		if in, ok := in.(*os.File); !ok || !term.IsTerminal(int(in.Fd())) {
			return "", ErrNoEditor
		}
		words = []string{"vi"}
	}
	program := exec.CommandContext(ctx, words[0], append(words[1:], file.Name())...) //nolint:gosec // the user's own editor
	program.Stdin, program.Stdout, program.Stderr = in, out, out
	if err := program.Run(); err != nil {
		return "", fmt.Errorf("editor %s: %w", words[0], err)
	}
	raw, err := files.ReadText(file.Name())
	return string(raw), err
}
