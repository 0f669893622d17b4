package otlp

import (
	"encoding/json"

	"airqa/qa"
)

// message is a message of a chat as the conventions have it.
type message struct {
	Role   string `json:"role"`
	Parts  []part `json:"parts"`
	Finish string `json:"finish_reason,omitempty"` // of a reply only
}

// part is a part of a message; Type decides which of the other fields it has.
type part struct {
	Type      string          `json:"type"` // text, reasoning, tool_call, tool_call_response or uri
	Content   *string         `json:"content,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Response is the result of a call. The prose of the conventions calls it result, their schema response.
	Response *string `json:"response,omitempty"`
	Modality string  `json:"modality,omitempty"`
	MIME     string  `json:"mime_type,omitempty"`
	URI      string  `json:"uri,omitempty"`
}

// message returns a message of the conversation, each text shortened to a limit.
func (m *maker) message(in qa.Message, limit int) message {
	in = m.edit(in)
	text := short(valid(in.Text), limit)
	out := message{Role: string(in.Role)}
	if in.Role == qa.ToolResult {
		out.Parts = append(out.Parts, part{Type: "tool_call_response", ID: in.ToolCallID, Response: &text})
		for _, other := range in.Others {
			text := short(valid(m.text(other.Text)), limit)
			out.Parts = append(out.Parts, part{Type: "tool_call_response", ID: other.ID, Response: &text})
		}
	} else {
		out.Parts = append(out.Parts, part{Type: "text", Content: &text})
	}
	for i, name := range imageNames(in.Images) {
		out.Parts = append(out.Parts, part{Type: "uri", Modality: "image", MIME: in.Images[i].MIME, URI: name})
	}
	return out
}

func (m *maker) output(s qa.Step) message {
	out := message{Role: string(qa.Assistant), Finish: s.Reply.Finish}
	edited := m.edit(qa.Message{Role: qa.Assistant, Text: s.Reply.Text, ToolCalls: s.Reply.ToolCalls})
	if s.Reply.Reasoning != "" {
		text := short(valid(m.text(s.Reply.Reasoning)), maxText)
		out.Parts = append(out.Parts, part{Type: "reasoning", Content: &text})
	}
	if text := short(valid(edited.Text), maxText); text != "" || len(edited.ToolCalls) == 0 {
		out.Parts = append(out.Parts, part{Type: "text", Content: &text})
	}
	for _, c := range edited.ToolCalls {
		arguments := c.Arguments
		if !json.Valid(arguments) || len(arguments) > maxText {
			arguments = json.RawMessage(encoded(short(string(arguments), maxText)))
		}
		out.Parts = append(out.Parts, part{Type: "tool_call", ID: c.ID, Name: c.Name, Arguments: arguments})
	}
	return out
}
