package protocol

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.stop = ctx.Done()
	in, out := io.Pipe()
	context.AfterFunc(ctx, func() { _ = out.Close() })
	go func() { // only the end of the program ends a read of standard input
		const maxLine = 16 << 20 // bytes; what is cut is no JSON
		r := bufio.NewReader(os.Stdin)
		for err := error(nil); err == nil; {
			var text, part []byte
			for more := true; more && err == nil; {
				part, more, err = r.ReadLine()
				text = append(text, part[:min(len(part), maxLine-len(text))]...)
			}
			if text = bytes.TrimSpace(text); len(text) > 0 {
				pass(text, out)
			}
		}
		_ = out.Close()
		time.AfterFunc(time.Second, cancel) // of calls that still run
	}()
	return c.server().Run(context.WithoutCancel(ctx), &stdio{input: in})
}

// pass copies a message, or the messages of a list, which older clients send. It answers what would end the library's connection.
func pass(text []byte, to io.Writer) {
	fault := rpcError{jsonrpc.CodeInvalidRequest, "the message is not a request of JSON-RPC 2.0"}
	var list []json.RawMessage
	var of struct{ ID, Method, Result, Error any }
	_, err := jsonrpc.DecodeMessage(text)
	switch {
	case !utf8.Valid(text) || !json.Valid(text):
		fault = rpcError{jsonrpc.CodeParseError, "the line is not JSON, or too long"}
	case err == nil:
		_, _ = to.Write(append(text, '\n')) // fails after the end
		return
	case json.Unmarshal(text, &list) == nil && len(list) > 0:
		for _, one := range list {
			pass(one, to)
		}
		return
	case json.Unmarshal(text, &of) == nil && of.Method == nil && (of.Result != nil || of.Error != nil):
		return // no reply to a reply
	}
	if _, err := jsonrpc.MakeID(of.ID); err != nil {
		of.ID = nil
	}
	reply, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": of.ID, "error": fault})
	_, _ = os.Stdout.Write(append(reply, '\n')) // the next reply has the same error
}

// stdio is the library's connection, but calls are answered before it ends, and cancelled calls are not.
type stdio struct {
	sdk.Connection
	input io.ReadCloser
	calls sync.Map // running calls by id: whether the client has cancelled them
	open  sync.WaitGroup
}

func (s *stdio) Connect(ctx context.Context) (_ sdk.Connection, err error) {
	s.Connection, err = (&sdk.IOTransport{Reader: s.input, Writer: os.Stdout, MaxLineLength: -1}).Connect(ctx) // lines have a limit
	return s, err
}

func (s *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := s.Connection.Read(ctx)
	if err != nil {
		s.open.Wait()
		return nil, err
	}
	var of sdk.CancelledParams
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		if _, again := s.calls.Swap(r.ID, false); !again {
			s.open.Add(1)
		}
	} else if ok && r.Method == "notifications/cancelled" && json.Unmarshal(r.Params, &of) == nil {
		id, _ := jsonrpc.MakeID(of.RequestID) // an invalid id is the id of no call
		if !s.calls.CompareAndSwap(id, false, true) {
			return s.Read(ctx) // the library would cancel a later call with this id
		}
	}
	return m, nil
}

func (s *stdio) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Response); ok {
		cancelled, open := s.calls.LoadAndDelete(r.ID)
		if open {
			defer s.open.Done()
		}
		if cancelled == true {
			return nil
		}
	}
	return s.Connection.Write(ctx, m)
}
