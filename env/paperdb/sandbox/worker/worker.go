// Package worker runs calls in child processes of the same program, so that a call which exhausts the memory,
// crashes, or cannot be interrupted costs a process and nothing else. [Main] is the child's side, which a
// program calls first in its main; [Pool] is the parent's: [Pool.Call] sends a request to a child and kills it
// at the deadline.
//
// Children talk over standard input and output, have an empty environment, no other files, limits of memory,
// processor time and files where the system knows such limits, and die with their parent. On Linux a child that has opened
// what its handler needs sets no_new_privs, and where the kernel has Landlock it can open no further file and no connection.
// The package knows neither what a request means nor any database.
package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Handler answers one request. reuse is false when the process had better not answer another one.
type Handler func(request []byte) (reply []byte, reuse bool)

// Opener makes the handler of a worker from the [Config.Setup] of its pool, under the limits already.
type Opener func(setup []byte) (Handler, error)

// Main turns the process into a worker when a [Pool] with this name started it, and does not return then. In any
// other process it does nothing. It belongs before everything else in main.
func Main(name string, open Opener) {
	if len(os.Args) == 0 || os.Args[0] != name {
		return
	}
	os.Exit(serve(open))
}

// The first byte of a message to the parent.
const (
	statusReady   = 'r' // to the setup: the text is empty
	statusFailed  = 'f' // to the setup: an error's text follows
	statusReuse   = 'k' // a reply
	statusReplace = 'x' // a reply, the last one
)

// serve answers until the parent closes standard input.
func serve(open Opener) int {
	confined, err := confine()
	if err != nil {
		return fail(fmt.Errorf("limit the process: %w", err))
	}
	requests := make(chan []byte)
	go listen(os.Stdin, requests)
	handle, err := open(<-requests)
	if err != nil {
		return fail(err)
	}
	if err := seal(); err != nil {
		return fail(fmt.Errorf("confine the process: %w", err))
	}
	if writeFrame(os.Stdout, []byte{statusReady}) != nil {
		return 1
	}
	for request := range requests {
		if err := answer(handle, confined, request); err != nil {
			return fail(err)
		}
	}
	return 0
}

// fail tells the parent why there will be no worker.
func fail(err error) int {
	_ = writeFrame(os.Stdout, append([]byte{statusFailed}, err.Error()...)) // nobody is left to be told
	return 1
}

// answer handles one request: 8 bytes of deadline in nanoseconds, and its body.
func answer(handle Handler, confined confinement, request []byte) error {
	if len(request) < 8 {
		return errors.New("a request without a deadline")
	}
	if err := confined.spend(time.Duration(binary.BigEndian.Uint64(request))); err != nil {
		return fmt.Errorf("limit the processor time: %w", err)
	}
	reply, reuse := handle(request[8:])
	status := byte(statusReuse)
	if !reuse || confined.worn() {
		status = statusReplace
	}
	return writeFrame(os.Stdout, append([]byte{status}, reply...))
}

// listen hands on what the parent writes. A parent that is gone, or done with this worker, closes the pipe; the
// process ends then, whatever it is at.
func listen(in io.Reader, requests chan<- []byte) {
	for {
		request, err := readFrame(in)
		if err != nil {
			os.Exit(0)
		}
		requests <- request
	}
}
