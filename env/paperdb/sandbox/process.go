package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"airqa/internal/lazyregexp"
)

const (
	// startTimeout is the timeout for a worker to become ready; it takes 0.1 seconds on an idle machine.
	startTimeout = 30 * time.Second
	// exitTimeout is the timeout between the end of a worker's output and its exit.
	exitTimeout = 2 * time.Second
)

// process is the parent's view of a worker.
type process struct {
	cmd     *exec.Cmd
	in, out *os.File      // the parent's ends of the pipes
	said    *head         // standard error; read it after gone
	gone    chan struct{} // closed when the process is reaped
}

// start starts a worker and waits until it is ready. On error, the worker is nil if there is no process to clean up.
func (p *Pool) start(ctx context.Context) (*process, error) {
	w, err := p.spawn(ctx)
	if err != nil {
		return nil, err
	}
	ready, err := w.exchange(ctx, startTimeout, p.cfg.Setup)
	switch {
	case err != nil:
		return w, err
	case ready[0] == statusFailed:
		return w, errors.New(string(ready[1:]))
	case ready[0] != statusReady:
		return w, fmt.Errorf("it said %q; the program must call sandbox.Main first", ready[:min(len(ready), 40)])
	}
	return w, nil
}

func (p *Pool) spawn(ctx context.Context) (*process, error) {
	path, err := executable()
	if err != nil {
		return nil, err
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), in.Close())
	}
	w := &process{in: in, out: out, said: new(head), gone: make(chan struct{})}
	// A worker outlives the call that started it.
	w.cmd = exec.CommandContext(context.WithoutCancel(ctx), path)
	w.cmd.Args, w.cmd.Env, w.cmd.Dir = []string{p.cfg.Name}, []string{}, string(filepath.Separator)
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = theirIn, theirOut, w.said
	w.cmd.SysProcAttr = attributes()
	started := make(chan error)
	p.owners.Go(func() {
		// Linux kills the child when the thread that started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := w.cmd.Start()
		started <- err
		if err == nil {
			_ = w.cmd.Wait() // ProcessState has the exit status
		}
		close(w.gone)
	})
	err = errors.Join(<-started, theirIn.Close(), theirOut.Close())
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return w, nil
}

// kill kills the process and unblocks readers and writers of its pipes. It is idempotent and safe for concurrent use.
func (w *process) kill() {
	_ = w.cmd.Process.Kill() // it may already be gone
	_ = w.in.Close()
	_ = w.out.Close()
}

// call sends a request. It returns the reply and whether the worker can be reused.
func (w *process) call(ctx context.Context, deadline time.Duration, request []byte) (reply []byte, reuse bool, err error) {
	message := binary.BigEndian.AppendUint64(nil, uint64(deadline))
	reply, err = w.exchange(ctx, deadline, append(message, request...))
	if err != nil {
		return nil, false, err
	}
	switch reply[0] {
	case statusReuse, statusReplace:
		return reply[1:], reply[0] == statusReuse, nil
	}
	return nil, false, &Died{Text: string(reply)}
}

// exchange writes a message and reads the answer. It kills the process at the deadline or when ctx ends.
func (w *process) exchange(ctx context.Context, deadline time.Duration, message []byte) ([]byte, error) {
	limited, cancel := context.WithTimeoutCause(ctx, deadline, ErrDeadline)
	defer cancel()
	stop := context.AfterFunc(limited, w.kill)
	err := writeFrame(w.in, message)
	var answer []byte
	if err == nil {
		answer, err = readFrame(w.out)
	}
	stopped := !stop()
	switch {
	case stopped && ctx.Err() != nil:
		return nil, ctx.Err()
	case stopped:
		return nil, ErrDeadline
	case err != nil:
		return nil, w.died(err)
	case len(answer) == 0:
		return nil, &Died{Text: "it sent an empty message"}
	}
	return answer, nil
}

// outOfMemory matches the output of processes that ran out of memory: the Go runtime, the C++ library, thread creation
// and the race detector.
var outOfMemory = lazyregexp.New(`(?i)out of memory|cannot allocate|bad_alloc|errno[=:] ?(11|12)\b|Resource temporarily unavailable|address space`)

// died derives the cause of a pipe error from the process's state and output.
func (w *process) died(err error) *Died {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.EPIPE) {
		return &Died{Text: err.Error()}
	}
	select {
	case <-w.gone:
	case <-time.After(exitTimeout):
		return &Died{Text: "it closed its output"}
	}
	text := strings.TrimSpace(w.cmd.ProcessState.String() + "\n" + string(*w.said))
	memory := outOfMemory.MatchString(text)
	return &Died{Memory: memory, Killed: !memory && strings.Contains(text, "signal: killed"), Text: text}
}

// head keeps the beginning of what is written to it.
type head []byte

// Write never fails.
func (h *head) Write(p []byte) (int, error) {
	const headSize = 4 << 10 // enough for the first lines of a crash, which name the cause
	*h = append(*h, p[:min(len(p), headSize-len(*h))]...)
	return len(p), nil
}
