// Package format has the formats of training data: ShareGPT, OpenAI's chats, TRL's prompt and completion, and the Agent
// Trajectory Interchange Format (ATIF) of the Harbor project. Each is read and written here alone: [Read] reads a row of any
// of them, [Rows] writes rows, and a [Trajectory] is an episode in ATIF.
package format

import (
	"encoding/json"
	"strings"

	"airqa/qa"
)

// Format is a file format of conversations.
type Format string

// The formats. DPO are preference pairs and KTO labelled turns, each in the forms of ShareGPT, TRL and, of pairs, OpenAI.
const (
	ShareGPT Format = "sharegpt"
	OpenAI   Format = "openai"
	TRL      Format = "trl"
	DPO      Format = "dpo"
	KTO      Format = "kto"
	ATIF     Format = "atif"
)

// Conversation is a conversation of any format.
type Conversation struct {
	// ID is empty if the format has none.
	ID       string
	Messages []Message
	// Tools is a JSON list of functions in OpenAI's form; nil for none.
	Tools json.RawMessage
	// Rejected is the worse of two last messages, in a preference pair; otherwise nil.
	Rejected *Message
	// Columns are further columns of the row, which OpenAI's formats have no place for.
	Columns []Column
}

// Column is a further column of a row. Value is JSON of the same type in all rows of a file.
type Column struct{ Name, Value string }

// Message is one turn.
type Message struct {
	Role  qa.Role
	Parts []Part
	// Reasoning is the thinking of an assistant, apart from the text.
	Reasoning string
	Calls     []qa.ToolCall
	unquoted  string // see [Conversation.CheckArguments]
	// CallID is the call that a result is of; empty if unknown.
	CallID string
	// Trained reports whether an assistant's turn is to be trained; nil if the format leaves it to the trainer.
	Trained *bool
}

// Audio begins the name of a file of a [Part] that is audio, which no template of a trainer renders.
const Audio = "audio:"

// Part is a text or an image.
type Part struct {
	Text string
	// Image is a path or URL, of audio after [Audio]; empty for a text.
	Image string
	// Width and Height are the size of the image in pixels, 0 if unknown.
	Width  int `json:"-"`
	Height int `json:"-"`
}

type turn struct{ Role, Text string }

// Roles of a turn, as ShareGPT names them.
const (
	roleSystem       = "system"
	roleHuman        = "human"
	roleGPT          = "gpt"
	roleObservation  = "observation"
	roleFunctionCall = "function_call"
)

func text(s string) []Part { return []Part{{Text: s}} }

// Text joins the texts of a message.
func (m Message) Text() string {
	if len(m.Parts) == 1 {
		return m.Parts[0].Text
	}
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Images lists the images of a message.
func (m Message) Images() (list []Part) {
	for _, p := range m.Parts {
		if p.Image != "" {
			list = append(list, p)
		}
	}
	return list
}
