package protocol

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"airqa/internal/concurrent"
	"airqa/qa"
	"airqa/serve"
	"airqa/tools"
)

// Actor executes calls: a session, or the tools without a question.
type Actor interface {
	Act(ctx context.Context, c serve.Call) (serve.Result, error)
}

// Paper is a paper as a resource.
type Paper struct{ ID, Title string }

// MCP configures a server of the Model Context Protocol, for the tools of an episode or of a data directory without a question.
// Actor and Tools are required.
type MCP struct {
	Actor   Actor
	Tools   []qa.ToolSpec
	Version string
	// Prompt is the system prompt of the baseline; empty for none.
	Prompt string
	// Question is the task of the episode; empty without one.
	Question string
	// Papers are the first papers, as resources, and Read returns the text of one or of any other paper, or [fs.ErrNotExist].
	// Read may be nil.
	Papers []Paper
	Read   func(ctx context.Context, id string) (string, error)
	Log    *slog.Logger

	stop <-chan struct{} // closed to end the calls; nil if Actor ends them
}

// MaxPapers is the number of papers that are listed as resources. Clients find others with the tools.
const MaxPapers = 1000

func (c MCP) server() *sdk.Server {
	const ttl = time.Hour // lists do not change while a server runs
	instructions := "Tools for questions about a collection of scientific papers: Retrieve finds passages by meaning, Query reads the database " +
		"with SQL, View shows a page of a PDF, Answer gives the answer."
	if c.Question != "" {
		instructions += "\n\n" + c.Question
	}
	can := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}} // nothing changes while a server runs
	s := sdk.NewServer(&sdk.Implementation{Name: "airqa", Title: "airqa: scientific papers", Version: c.Version}, &sdk.ServerOptions{
		Instructions: instructions, PageSize: max(MaxPapers, len(c.Papers)+1),
		Capabilities: can,
		SetCacheable: func(_ context.Context, _ sdk.Request, r *sdk.Cacheable) {
			r.TTLMs, r.CacheScope = int(ttl.Milliseconds()), "private"
		},
	})
	closed := false
	for _, t := range c.Tools {
		s.AddTool(&sdk.Tool{
			Name: t.Name, Title: t.Name, Description: t.Description, InputSchema: t.Parameters, OutputSchema: output, Annotations: &sdk.ToolAnnotations{
				Title: t.Name, ReadOnlyHint: t.Name != tools.AnswerName, IdempotentHint: true, OpenWorldHint: &closed, DestructiveHint: &closed,
			},
		}, c.call)
	}
	if c.Prompt != "" {
		can.Prompts = &sdk.PromptCapabilities{}
		s.AddPrompt(&sdk.Prompt{Name: "airqa", Title: "System prompt of airqa", Description: "How to answer questions about the papers with the tools."},
			func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				text := c.Prompt
				if c.Question != "" {
					text += "\n\n" + c.Question
				}
				return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
			})
	}
	if c.Read != nil {
		can.Resources = &sdk.ResourceCapabilities{}
		for _, p := range c.Papers {
			s.AddResource(&sdk.Resource{URI: scheme + p.ID, Name: p.ID, Title: p.Title, MIMEType: "text/plain"}, c.read)
		}
		s.AddResourceTemplate(&sdk.ResourceTemplate{
			URITemplate: scheme + "{id}", Name: "paper", Title: "Text of a paper", Description: "Any paper of the database, by its paper_id.", MIMEType: "text/plain",
		}, c.read)
	}
	return s
}

// scheme begins the address of a paper.
const scheme = "airqa://paper/"

// output is the schema of structured results.
var output = json.RawMessage(`{"type":"object","properties":{` +
	`"status":{"type":"string","description":"ok, empty, error, parse_error (wrong arguments) or final"},` +
	`"result":{"type":"string","description":"The text of the result"},` +
	`"hits":{"type":"array","description":"The passages found, best first","items":{"type":"object"}}},` +
	`"required":["status","result"]}`)

// structured is a result for programs.
type structured struct {
	Status string   `json:"status"`
	Result string   `json:"result"`
	Hits   []qa.Hit `json:"hits,omitempty"`
}

// call calls a tool. A panic ends the call, not the server.
func (c MCP) call(ctx context.Context, r *sdk.CallToolRequest) (result *sdk.CallToolResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.Log.Error("a call panicked", "tool", r.Params.Name, "panic", p, "stack", string(debug.Stack()))
			err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the call failed"}
		}
	}()
	ctx, release := concurrent.Until(ctx, c.stop, serve.ErrClosing)
	defer release()
	got, err := c.Actor.Act(ctx, serve.Call{Tool: r.Params.Name, Arguments: r.Params.Arguments})
	switch {
	case errors.Is(err, serve.ErrClosing):
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	case errors.Is(err, serve.ErrNoTool), errors.Is(err, serve.ErrNoSession):
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	case err != nil:
		text := "[Error]: " + err.Error()
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: structured{"error", text, nil}}, nil
	}
	result = &sdk.CallToolResult{IsError: got.Failed(), Content: []sdk.Content{&sdk.TextContent{Text: got.Text}}}
	for _, im := range got.Images {
		result.Content = append(result.Content, &sdk.ImageContent{Data: im.Data, MIMEType: im.MIME})
	}
	hits := slices.DeleteFunc(slices.Clone(got.Hits), func(h qa.Hit) bool { return h.Beyond })
	result.StructuredContent = structured{string(got.Status), got.Text, hits}
	return result, nil
}

func (c MCP) read(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	id := r.Params.URI[min(len(scheme), len(r.Params.URI)):]
	text, err := c.Read(ctx, id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	case err != nil:
		return nil, fmt.Errorf("paper %.80q cannot be read", id)
	}
	text = cmp.Or(strings.TrimSpace(text), "[This paper has no text.]") // clients refuse a resource without one
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: "text/plain", Text: text}}}, nil
}

// maxClients is the maximum number of older clients with a session at one server.
const maxClients = 64

// mcpHandler serves clients over HTTP. find returns the server of a request; nil is a 404. Requests of the era without sessions
// and those of older clients go to different handlers of the library, since neither serves both fully.
func mcpHandler(find func(*http.Request) *sdk.Server, idle time.Duration, log *slog.Logger) http.Handler {
	const modern = "2026-07-28" // the first version of the protocol without sessions
	options := func(stateless bool) *sdk.StreamableHTTPOptions {
		return &sdk.StreamableHTTPOptions{
			Stateless: stateless, SessionTimeout: idle, Logger: log, PropagateRequestCancellation: true,
			DisableLocalhostProtection: true, // the caller has checked the host and the origin
		}
	}
	stateless, stateful := sdk.NewStreamableHTTPHandler(find, options(true)), sdk.NewStreamableHTTPHandler(find, options(false))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Session-Id") != "" {
			stateful.ServeHTTP(w, r)
			return
		}
		refuse := func(code int, text string) {
			send(w, code, rpcReply{Version: "2.0", ID: json.RawMessage("null"), Error: &rpcError{jsonrpc.CodeInvalidParams, text}})
		}
		switch one := find(r); {
		case one == nil:
			refuse(http.StatusNotFound, serve.ErrNoSession.Error())
		case r.Header.Get("MCP-Protocol-Version") >= modern:
			w.Header().Set("X-Accel-Buffering", "no")
			stateless.ServeHTTP(w, r)
		case len(slices.Collect(one.Sessions())) >= maxClients:
			refuse(http.StatusServiceUnavailable, fmt.Sprintf("%d clients are connected already; close some", maxClients))
		default:
			stateful.ServeHTTP(w, r)
		}
	})
}

// Serve answers the clients of a loopback address, until ctx ends.
func (c MCP) Serve(ctx context.Context, on net.Listener) error {
	c.stop = ctx.Done()
	one := c.server()
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcpHandler(func(*http.Request) *sdk.Server { return one }, idle, c.Log))
	server := &http.Server{ReadHeaderTimeout: ReadHeaderTimeout, Handler: guard(mux, true, bodyTimeout, c.Log)}
	return Serve(ctx, server, on, func() {})
}

// Serve answers requests until ctx ends. Then end ends the running calls, whose results are sent before connections are closed.
func Serve(ctx context.Context, s *http.Server, on net.Listener, end func()) error {
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(on) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	end()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = s.Shutdown(bounded) // Close follows
	return s.Close()
}

// idle is the time after which the session of an older client is forgotten.
const idle = time.Hour
