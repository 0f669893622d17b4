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

// maxLine is the maximum size of a message on standard input in bytes, and farewell the time that calls have when it ends.
const (
	maxLine  = 16 << 20
	farewell = time.Second
)

// Stdio serves one client on standard input and output until it leaves or ctx ends, which cancels its calls.
func (c MCP) Stdio(ctx context.Context) error {
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	c.stop = stop
	l := &lines{
		in: os.Stdin, out: os.Stdout, stop: stop.Done(), cancel: cancel, texts: make(chan []byte), answered: make(chan struct{}, 1),
		closed: make(chan struct{}), calls: make(map[jsonrpc.ID]bool),
	}
	return c.server().Run(context.WithoutCancel(ctx), l)
}

// lines is a connection with a message per line. Unlike that of the library, it survives a line that is none, drops the reply
// to a call that the client has cancelled, and writes the replies to the calls before the end of the input.
type lines struct {
	in     io.Reader
	out    io.Writer
	stop   <-chan struct{} // closed when no more is to be read
	cancel func()          // ends the calls
	texts  chan []byte
	queue  []jsonrpc.Message // read and not yet passed on
	ended  bool              // the input

	answered, closed chan struct{}
	once             sync.Once
	writing, mu      sync.Mutex
	calls            map[jsonrpc.ID]bool // those that run, and whether the client has cancelled them; guarded by mu
}

// Connect starts to read. Nothing can end a read of standard input but the end of the program.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	go func() {
		defer close(l.texts)
		r := bufio.NewReaderSize(l.in, 64<<10)
		for err := error(nil); err == nil; {
			var text, part []byte
			for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull); {
				part, err = r.ReadSlice('\n')
				text = append(text, part[:min(len(part), maxLine-len(text))]...) // what is cut is no JSON
			}
			l.texts <- bytes.TrimSpace(text)
		}
	}()
	return l, nil
}

// Read returns the next message; the end comes when all calls have been answered.
func (l *lines) Read(context.Context) (jsonrpc.Message, error) {
	for {
		if len(l.queue) > 0 {
			m := l.queue[0]
			l.queue = l.queue[1:]
			return m, nil
		}
		l.mu.Lock()
		idle := len(l.calls) == 0
		l.mu.Unlock()
		if l.ended && idle {
			return nil, io.EOF
		}
		select {
		case text, open := <-l.texts:
			if !open {
				l.texts, l.ended = nil, true
				time.AfterFunc(farewell, l.cancel)
			}
			l.take(text)
		case <-l.stop:
			l.stop, l.texts, l.ended = nil, nil, true
		case <-l.answered:
		case <-l.closed:
			return nil, io.EOF
		}
	}
}

// take puts the messages of a text into the queue and answers what is none. Older clients send several in a list.
func (l *lines) take(text []byte) {
	var list []json.RawMessage
	m, err := jsonrpc.DecodeMessage(text)
	switch {
	case len(text) == 0:
	case !utf8.Valid(text) || !json.Valid(text):
		l.refuse(nil, jsonrpc.CodeParseError, "the line is not JSON, or too long")
	case err == nil:
		l.note(m)
		l.queue = append(l.queue, m)
	case json.Unmarshal(text, &list) == nil && len(list) > 0:
		for _, one := range list {
			l.take(one)
		}
	default:
		var of struct {
			ID            any
			Method        any
			Result, Error json.RawMessage
		}
		_ = json.Unmarshal(text, &of)                                // of another type
		if of.Method != nil || of.Result == nil && of.Error == nil { // two programs must not refuse each other's errors
			l.refuse(of.ID, jsonrpc.CodeInvalidRequest, "the message is not a request of JSON-RPC 2.0")
		}
	}
}

// note remembers a call, or that the client has cancelled one.
func (l *lines) note(m jsonrpc.Message) {
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.ID.IsValid() {
		l.calls[r.ID] = false
		return
	}
	var of sdk.CancelledParams
	if r.Method != "notifications/cancelled" || json.Unmarshal(r.Params, &of) != nil {
		return
	}
	if id, err := jsonrpc.MakeID(of.RequestID); err == nil {
		if _, runs := l.calls[id]; runs {
			l.calls[id] = true
		}
	}
}

// refuse answers a text that is no message.
func (l *lines) refuse(id any, code int, text string) {
	if made, err := jsonrpc.MakeID(id); err != nil || !made.IsValid() {
		id = nil
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": rpcError{code, text}})
	if err == nil {
		_ = l.print(raw) // the next reply has the same error
	}
}

func (l *lines) print(raw []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.out.Write(append(raw, '\n'))
	return err
}

// Write sends a message, unless it is the reply to a cancelled call.
func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	raw, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	r, isReply := m.(*jsonrpc.Response)
	if !isReply {
		return l.print(raw)
	}
	l.mu.Lock()
	cancelled := l.calls[r.ID]
	l.mu.Unlock()
	if !cancelled {
		err = l.print(raw)
	}
	l.mu.Lock()
	delete(l.calls, r.ID)
	l.mu.Unlock()
	select {
	case l.answered <- struct{}{}:
	default:
	}
	return err
}

// Close ends Read.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// SessionID is empty: there is one session.
func (l *lines) SessionID() string { return "" }
