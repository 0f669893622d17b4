package offline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"airqa/internal/pyliteral"
	"airqa/qa"
)

// callTools answers a prompt that offers tools natively with one call of a tool: the same policy in the other protocol.
func (m *Model) callTools(messages []qa.Message, tools []qa.ToolSpec) qa.Reply {
	reply := m.write(inWords(messages, tools))
	thought, call, ok := strings.Cut(reply.Text, "\n[Action]: ")
	if !ok {
		return reply
	}
	name, arguments, err := callJSON(call)
	if err != nil {
		return reply // what is no call stays text
	}
	reply.Text = strings.TrimPrefix(thought, "[Thought]: ")
	reply.ToolCalls = []qa.ToolCall{{ID: fmt.Sprintf("call_%d", len(messages)), Name: name, Arguments: arguments}}
	reply.Finish = "tool_calls"
	return reply
}

// callJSON turns a call in Python into the name of a tool and a JSON object.
func callJSON(text string) (string, json.RawMessage, error) {
	call, err := pyliteral.ParseCall(text, 0, pyliteral.Options{})
	if err != nil {
		return "", nil, err
	}
	var parts []string
	for _, k := range call.Keywords { // in their order: the policy knows its own calls again by their text
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(pyliteral.ToGo(k.Value)); err != nil {
			return "", nil, err
		}
		parts = append(parts, strconv.Quote(k.Name)+":"+strings.TrimSpace(b.String()))
	}
	return call.Name, json.RawMessage("{" + strings.Join(parts, ",") + "}"), nil
}

// inWords writes a conversation with native calls as the policy reads it.
func inWords(messages []qa.Message, tools []qa.ToolSpec) []qa.Message {
	out := make([]qa.Message, len(messages))
	for i, m := range messages {
		switch {
		case m.Role == qa.System:
			for _, t := range tools {
				m.Text += "\n### " + t.Name + "("
			}
		case m.Role == qa.ToolResult:
			m = qa.ObservationMessage(qa.Observation{Text: m.Text, Images: m.Images})
		case len(m.ToolCalls) > 0:
			m.Text = "[Thought]: " + m.Text + "\n[Action]: " + pythonCall(m.ToolCalls[0])
		}
		out[i] = m
	}
	return out
}

func pythonCall(c qa.ToolCall) string {
	v, err := pyliteral.FromJSON(c.Arguments)
	d, ok := v.(*pyliteral.Dict)
	if err != nil || !ok {
		return c.Name + "()"
	}
	var parts []string
	for k, v := range d.All() {
		parts = append(parts, pyliteral.Str(k)+"="+pyliteral.Repr(v))
	}
	return c.Name + "(" + strings.Join(parts, ", ") + ")"
}
