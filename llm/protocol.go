package llm

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/tmc/langchaingo/llms"

	"airqa/qa"
)

// protocol is a way of asking for a reply: langchaingo's client, and what that client does not know or loses.
type protocol struct {
	// path is what langchaingo's client puts behind the base URL.
	path string
	// settings names the sampling as the protocol does; fields is a copy of its own.
	settings func(fields map[string]any, s scope) map[string]any
	// chat writes a conversation in langchaingo's types, one for each message, its texts and pictures masked.
	chat func(messages []qa.Message, m *mask) []llms.MessageContent
	// ask lets langchaingo's client send the conversation through the doer.
	ask func(ctx context.Context, d *doer, chat []llms.MessageContent) error
	// body completes the client's request. The settings are added by the caller.
	body func(fields map[string]json.RawMessage, c conversation) (map[string]any, error)
	// read reads a success.
	read func(body []byte) (qa.Reply, error)
	// stream asks for a stream.
	stream map[string]any
	// readStream reads a success that is a stream; nil where the protocol has none.
	readStream func(body []byte) (qa.Reply, error)
	// authorize writes the key, which is empty when there is none.
	authorize func(h http.Header, key string)
	// empty is an empty reply for langchaingo's client: the true one is read here.
	empty string
	// thinks tells whether models behind the protocol write their reasoning in front of the reply.
	thinks bool
}

// conversation is what a call asks.
type conversation struct {
	messages []qa.Message
	tools    []qa.ToolSpec
}

// scope is what decides about the names of settings.
type scope struct {
	host      string
	model     string
	reasoning bool
	// newLimit is true where the list of models has it that the model takes max_completion_tokens.
	newLimit bool
	window   int
}
