package protocol

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio serves one client on standard input and output until it leaves or ctx ends, which cancels its calls.
func (c MCP) Stdio(ctx context.Context) error {
	const farewell = time.Second // of calls that run when the input ends
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.stop = ctx.Done()
	in, out := io.Pipe()
	f := &filter{in: out, calls: make(map[jsonrpc.ID]bool), answered: sync.NewCond(&sync.Mutex{})}
	context.AfterFunc(ctx, f.finish)
	go func() { // only the end of the program ends a read of standard input
		f.read(bufio.NewReader(os.Stdin))
		time.AfterFunc(farewell, cancel)
		f.finish()
	}()
	return c.server().Run(context.WithoutCancel(ctx), &sdk.IOTransport{Reader: in, Writer: f, MaxLineLength: -1}) // read has a limit
}

// filter keeps from the library what would end its connection: lines that are no message, and the end of the input before the
// replies are written. It drops the replies to cancelled calls.
type filter struct {
	in       *io.PipeWriter
	calls    map[jsonrpc.ID]bool // those that run, and whether the client has cancelled them; guarded by answered.L
	answered *sync.Cond
}

func (f *filter) read(r *bufio.Reader) {
	const maxLine = 16 << 20 // bytes; what is cut is no JSON
	for err := error(nil); err == nil; {
		var text, part []byte
		for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull); {
			part, err = r.ReadSlice('\n')
			text = append(text, part[:min(len(part), maxLine-len(text))]...)
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			f.take(text)
		}
	}
}

// take passes a message on, or answers what is none. Older clients send several messages in a list.
func (f *filter) take(text []byte) {
	var list []json.RawMessage
	var of struct{ ID, Method, Result, Error any }
	m, err := jsonrpc.DecodeMessage(text)
	switch {
	case !utf8.Valid(text) || !json.Valid(text):
		reject(nil, jsonrpc.CodeParseError, "the line is not JSON, or too long")
	case err == nil:
		f.note(m)
		_, _ = f.in.Write(append(text, '\n')) // fails after the end
	case json.Unmarshal(text, &list) == nil && len(list) > 0:
		for _, one := range list {
			f.take(one)
		}
	case json.Unmarshal(text, &of) != nil || of.Method != nil || of.Result == nil && of.Error == nil: // no reply to a reply
		reject(of.ID, jsonrpc.CodeInvalidRequest, "the message is not a request of JSON-RPC 2.0")
	}
}

func reject(id any, code int, text string) {
	if _, err := jsonrpc.MakeID(id); err != nil {
		id = nil
	}
	raw, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": rpcError{code, text}})
	_, _ = os.Stdout.Write(append(raw, '\n')) // the next reply has the same error
}

// note remembers a call, or that the client has cancelled one.
func (f *filter) note(m jsonrpc.Message) {
	f.answered.L.Lock()
	defer f.answered.L.Unlock()
	var of sdk.CancelledParams
	if r, ok := m.(*jsonrpc.Request); ok && r.ID.IsValid() {
		f.calls[r.ID] = false
	} else if ok && r.Method == "notifications/cancelled" && json.Unmarshal(r.Params, &of) == nil {
		id, _ := jsonrpc.MakeID(of.RequestID) // that of no call if it is invalid
		if _, runs := f.calls[id]; runs {
			f.calls[id] = true
		}
	}
}

// Write writes a message of the library.
func (f *filter) Write(raw []byte) (n int, err error) {
	m, _ := jsonrpc.DecodeMessage(raw) // which the library has encoded
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return os.Stdout.Write(raw)
	}
	f.answered.L.Lock()
	cancelled := f.calls[r.ID]
	f.answered.L.Unlock()
	if n = len(raw); !cancelled {
		n, err = os.Stdout.Write(raw)
	}
	f.answered.L.Lock()
	delete(f.calls, r.ID)
	f.answered.L.Unlock()
	f.answered.Broadcast()
	return n, err
}

// finish ends the input when all calls have been answered.
func (f *filter) finish() {
	f.answered.L.Lock()
	defer f.answered.L.Unlock()
	for len(f.calls) > 0 {
		f.answered.Wait()
	}
	_ = f.Close()
}

// Close ends the input.
func (f *filter) Close() error { return f.in.Close() }
