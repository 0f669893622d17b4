package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// Pager is the program in which long output is read.
type Pager struct {
	// Command is a command line, such as $PAGER; empty means less with colours, which leaves short output on the screen.
	Command   string
	Out, Errs io.Writer
}

// Page passes what write prints through the pager until it is left. Without such a program it prints to Out.
func (p Pager) Page(ctx context.Context, write func(io.Writer) error) error {
	words := strings.Fields(p.Command)
	if len(words) == 0 {
		words = []string{"less", "-R"}
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return write(p.Out)
	}
	program := exec.CommandContext(ctx, path, words[1:]...) //nolint:gosec // the user's own pager
	program.Stdout, program.Stderr = p.Out, p.Errs
	if program.Env = os.Environ(); os.Getenv("LESS") == "" {
		program.Env = append(program.Env, "LESS=FRX")
	}
	in, err := program.StdinPipe()
	if err != nil {
		return err
	}
	if err := program.Start(); err != nil {
		return fmt.Errorf("pager %s: %w", words[0], err)
	}
	err = write(in)
	_ = in.Close()
	if errors.Is(err, syscall.EPIPE) {
		err = nil // the reader has seen enough
	}
	if waited := program.Wait(); err == nil && waited != nil {
		return fmt.Errorf("pager %s: %w", words[0], waited)
	}
	return err
}
