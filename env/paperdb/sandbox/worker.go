package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Handler answers one request. reuse reports whether the process can answer another one.
type Handler func(request []byte) (reply []byte, reuse bool)

// Opener makes the handler of a worker from [Config.Setup]. The limits already apply.
type Opener func(setup []byte) (Handler, error)

// Main runs the worker and never returns if a [Pool] with this name started the process. Otherwise it does nothing.
// Call it before anything else in main.
func Main(name string, open Opener) {
	if len(os.Args) == 0 || os.Args[0] != name {
		return
	}
	os.Exit(serve(open))
}

// The first byte of a message to the parent.
const (
	statusReady   = 'r' // response to the setup, without text
	statusFailed  = 'f' // response to the setup, followed by an error text
	statusReuse   = 'k' // a reply
	statusReplace = 'x' // the last reply
)

// serve answers requests until the parent closes standard input.
func serve(open Opener) int {
	confined, err := confine()
	if err != nil {
		return fail(fmt.Errorf("limit the process: %w", err))
	}
	requests := make(chan []byte)
	go func() {
		for {
			request, err := readFrame(os.Stdin)
			if err != nil { // the parent is gone or done with this worker
				os.Exit(0)
			}
			requests <- request
		}
	}()
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

// fail reports to the parent why the worker cannot start.
func fail(err error) int {
	_ = writeFrame(os.Stdout, append([]byte{statusFailed}, err.Error()...)) // nobody is left to notify
	return 1
}

// answer handles one request: 8 bytes of deadline in nanoseconds, then the body.
func answer(handle Handler, confined confinement, request []byte) error {
	if len(request) < 8 {
		return errors.New("a request without a deadline")
	}
	if err := confined.spend(time.Duration(binary.BigEndian.Uint64(request))); err != nil {
		return fmt.Errorf("limit the processor time: %w", err)
	}
	reply, reuse := handle(request[8:])
	status := byte(statusReuse)
	if !reuse || confined.exhausted() {
		status = statusReplace
	}
	return writeFrame(os.Stdout, append([]byte{status}, reply...))
}

// maxFrame is the maximum length of a message in bytes, in either direction.
const maxFrame = 64 << 20

// writeFrame writes a message: its length in 4 bytes, big-endian, and its body.
func writeFrame(w io.Writer, body []byte) error {
	if len(body) > maxFrame {
		return fmt.Errorf("write a message of %d bytes: the limit is %d", len(body), maxFrame)
	}
	message := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body)))
	_, err := w.Write(append(message, body...))
	return err
}

// readFrame reads a message; io.EOF means that the other side is done.
func readFrame(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	length := binary.BigEndian.Uint32(head[:])
	if length > maxFrame {
		return nil, fmt.Errorf("read a message of %d bytes: the limit is %d", length, maxFrame)
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	return body, err
}
