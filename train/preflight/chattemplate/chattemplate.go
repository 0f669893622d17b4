// Package chattemplate renders messages as the chat templates do that TRL uses for Qwen models, and ChatML. Start from
// [Find] and [Template.Render]. A [Segment] is trained if TRL counts it to the assistant's tokens.
package chattemplate

import (
	"errors"
	"fmt"
	"strings"

	"airqa/internal/python"
)

// Message is a message of a chat.
type Message struct {
	Role, Text string
	// NoText means that the message has no content.
	NoText bool
	// Calls are tool calls: objects with name and arguments, or with such an object as function.
	Calls []*python.Dict
}

// Segment is a part of a rendered chat.
type Segment struct {
	Text string
	// Trained means that it is between generation marks.
	Trained bool
}

// Template is a chat template. The zero value is [ChatML].
type Template struct {
	name string
	// unmarked means that TRL cannot tell the assistant's tokens: the template has no generation marks, and TRL has no
	// variant of it with marks.
	unmarked bool
	// opening renders what comes before the messages, message one message.
	opening func(list []Message, tools python.List) string
	message func(c chat, i int) ([]Segment, error)
}

// The names of templates. Those of Qwen are the names of TRL's files.
const (
	ChatML   = "chatml"
	Unmarked = "chatml_unmarked"
	Qwen25   = "qwen2_5"
	Qwen3    = "qwen3"
)

// Names lists the templates.
func Names() []string { return []string{ChatML, Unmarked, Qwen25, Qwen3} }

// Find returns a template; the empty name is [ChatML].
func Find(name string) (Template, error) {
	switch name {
	case "", ChatML:
		return Template{name: ChatML, opening: nothing, message: chatML}, nil
	case Unmarked:
		return Template{name: Unmarked, unmarked: true, opening: nothing, message: chatML}, nil
	case Qwen25:
		return Template{name: Qwen25, opening: opening(qwenSystem, "\n\n"), message: qwen25}, nil
	case Qwen3:
		return Template{name: Qwen3, opening: opening("", ""), message: qwen3}, nil
	}
	return Template{}, fmt.Errorf("unknown chat template %q; known: %s", name, strings.Join(Names(), ", "))
}

// Marked reports whether TRL can train the assistant's tokens alone.
func (t Template) Marked() bool { return !t.unmarked }

// Header opens an answer.
const Header = "<|im_start|>assistant\n"

const end = "<|im_end|>\n"

// chat is what the rendering of a message can depend on.
type chat struct {
	list []Message
	// marked selects TRL's variant with generation marks.
	marked bool
}

// Render renders a chat. With marked, assistant turns are trained segments, and the template is the variant that TRL
// trains with. The error is that of the template.
func (t Template) Render(list []Message, tools python.List, marked bool) ([]Segment, error) {
	segments := []Segment{{Text: t.opening(list, tools)}}
	for i := range list {
		parts, err := t.message(chat{list, marked}, i)
		if err != nil {
			return nil, err
		}
		segments = append(segments, parts...)
	}
	return segments, nil
}

// Text joins segments.
func Text(segments []Segment) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

func nothing([]Message, python.List) string { return "" }

// errNoText is the error of a template that joins a missing content to a text.
var errNoText = errors.New("UndefinedError: 'dict object' has no attribute 'content'")

// chatML trains an answer with its end token, but without the line break after it.
func chatML(c chat, i int) ([]Segment, error) {
	m := c.list[i]
	switch {
	case m.NoText:
		return nil, errNoText
	case m.Role == "assistant":
		return []Segment{{Text: Header}, {m.Text + strings.TrimSpace(end), true}, {Text: "\n"}}, nil
	}
	return []Segment{{Text: plain(m)}}, nil
}

func plain(m Message) string { return "<|im_start|>" + m.Role + "\n" + m.Text + end }
