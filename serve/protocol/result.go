package protocol

import (
	"encoding/json"

	"airqa/qa"
	"airqa/serve"
)

type imageBlock struct {
	Type string `json:"type"`
	Data []byte `json:"data"`
	MIME string `json:"mimeType"`
}

func images(r serve.Result) []imageBlock {
	list := make([]imageBlock, 0, len(r.Images))
	for _, im := range r.Images {
		list = append(list, imageBlock{"image", im.Data, im.MIME})
	}
	return list
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// blocks are the text and the images of a result.
func blocks(r serve.Result) []any {
	list := []any{textBlock{"text", r.Text}}
	for _, im := range images(r) {
		list = append(list, im)
	}
	return list
}

// toolList describes the tools; schema is the protocol's name for the schema of the arguments.
func toolList(h *serve.Host, schema string) []map[string]any {
	var list []map[string]any
	for _, t := range h.Tools() {
		list = append(list, map[string]any{"name": t.Name, "description": t.Description, schema: t.Parameters})
	}
	return list
}

func taskList(questions []qa.Example) map[string]any {
	list := make([]serve.Task, len(questions))
	for i, ex := range questions {
		list[i] = serve.TaskOf(ex)
	}
	return map[string]any{"tasks": list, "env_name": environment}
}

// reward is the reward of a result; nil before the end, and for an answer that could not be scored.
func reward(r serve.Result) *float64 {
	if r.End == nil {
		return nil
	}
	return r.End.Reward
}

// problem is why an episode that has ended has no reward; "" for others.
func problem(r serve.Result) string {
	if r.End == nil || r.End.Reward != nil {
		return ""
	}
	return "the answer has no reward: " + r.End.Problem
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type rpcRequest struct {
	ID     json.RawMessage            `json:"id"`
	Method string                     `json:"method"`
	Params map[string]json.RawMessage `json:"params"`
}

type rpcReply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}
