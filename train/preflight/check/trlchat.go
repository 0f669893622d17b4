package check

import (
	"errors"
	"slices"
	"strings"

	"airqa/internal/python"
	"airqa/train/preflight"
	"airqa/train/preflight/chattemplate"
	"airqa/train/preflight/table"
)

// Errors of TRL about chats.
var (
	errNoMessages = errors.New("IndexError: list index out of range")
	errNotChat    = errors.New("ValueError: assistant_only_loss is for rows with messages, or with a prompt and a completion of messages")
	errUnmarked   = errors.New("ValueError: the chat template has no {% generation %} marks, and TRL knows no variant of it with marks")
	errNoAnswer   = errors.New("RuntimeError: assistant_only_loss, but the row has no assistant tokens")
)

// judgeMessages judges a conversation, of which everything is trained, or the assistant turns.
func (t trl) judgeMessages(cell table.Cell) (preflight.Verdict, error) {
	if text, ok := textOf(cell); ok && !t.config.AssistantOnlyLoss {
		return t.cut(0, count(t.config, t.ended(text))), nil
	}
	list, err := t.conversation(cell)
	if err != nil {
		return preflight.Verdict{}, err
	}
	if t.config.AssistantOnlyLoss {
		return t.assistant(list, toolsOf(cell), 0)
	}
	text, err := t.render(list, toolsOf(cell))
	return t.cut(0, count(t.config, text)), err
}

// conversation reads the column messages, or conversations in the form of ShareGPT.
func (t trl) conversation(cell table.Cell) ([]turn, error) {
	c, ok := cell.Get("messages")
	if ok && c.Value == nil && t.config.AssistantOnlyLoss {
		return nil, errNotChat
	}
	if ok {
		list, err := turns(c, "messages")
		if err == nil && len(list) == 0 {
			err = errNoMessages
		}
		return list, err
	}
	c, ok = cell.Get("conversations")
	switch {
	case t.config.AssistantOnlyLoss:
		return nil, errNotChat
	case !ok || !shareGPT(c):
		return nil, errors.New("KeyError: 'text': no column prompt, messages or text, and no conversations with from and value")
	}
	return turns(c, "conversations")
}

// shareGPT reports whether the first message has from and value, which TRL renames.
func shareGPT(c table.Cell) bool {
	items := c.Items()
	return len(items) > 0 && field(items[0], "from") != nil && field(items[0], "value") != nil
}

// textOf returns the text of a row that is no chat.
func textOf(cell table.Cell) (string, bool) {
	for _, name := range []string{"messages", "conversations"} {
		if _, ok := cell.Get(name); ok {
			return "", false
		}
	}
	c, ok := cell.Get("text")
	if !ok {
		return "", false
	}
	text, ok := c.Python().(string)
	return text, ok
}

// ended ends a text with the end token.
func (t trl) ended(text string) string {
	if strings.HasSuffix(text, t.config.EOS) {
		return text
	}
	return text + t.config.EOS
}

// judgeAnswers judges a prompt and an answer of which the assistant turns of the answer are trained.
func (t trl) judgeAnswers(cell table.Cell, parts [2]table.Cell) (preflight.Verdict, error) {
	lists, err := promptAndAnswer(parts, "completion")
	if err != nil {
		return preflight.Verdict{}, err
	}
	tools := toolsOf(cell)
	segments, err := t.template.Render(messagesOf(lists[0]), tools, true)
	if err != nil {
		return preflight.Verdict{}, err
	}
	whole, err := t.template.Render(messagesOf(slices.Concat(lists[0], lists[1])), tools, true)
	if err != nil {
		return preflight.Verdict{}, err
	}
	head, _ := common(t.config, chattemplate.Text(segments)+header, chattemplate.Text(whole))
	return t.assistant(slices.Concat(lists[0], lists[1]), tools, head)
}

// assistant judges a chat of which the assistant's tokens from head on are trained.
func (t trl) assistant(list []turn, tools python.List, head int) (preflight.Verdict, error) {
	if !t.template.Marked() {
		return preflight.Verdict{}, errUnmarked
	}
	segments, err := t.template.Render(messagesOf(list), tools, true)
	if err != nil {
		return preflight.Verdict{}, err
	}
	text := chattemplate.Text(segments)
	v := t.cut(0, count(t.config, text))
	at, answers := 0, 0
	v.Trained = 0
	for _, s := range segments {
		if s.Trained {
			answers++
			from, _ := common(t.config, text[:at], text)
			to, _ := common(t.config, text[:at+len(s.Text)], text)
			v.Trained += max(min(to, v.Tokens)-max(from, head), 0)
		}
		at += len(s.Text)
	}
	switch {
	case answers == 0:
		return v, errNoAnswer
	case v.Trained == 0:
		return preflight.Verdict{Outcome: preflight.Dropped, Reasons: []string{noTokens}}, nil
	}
	return v, nil
}

// render renders messages as the chat template does if not only the assistant's tokens are trained.
func (t trl) render(list []turn, tools python.List) (string, error) {
	segments, err := t.template.Render(messagesOf(list), tools, t.config.AssistantOnlyLoss)
	return chattemplate.Text(segments), err
}

func messagesOf(list []turn) []chattemplate.Message {
	messages := make([]chattemplate.Message, len(list))
	for i, m := range list {
		messages[i] = chattemplate.Message{Role: m.role, Text: m.text, NoText: m.noText, Calls: m.calls()}
	}
	return messages
}

// toolsOf returns the tools of a row: a list, or a text with one in JSON.
func toolsOf(cell table.Cell) python.List {
	c, _ := cell.Get("tools")
	if c.Type == nil {
		return nil
	}
	v := c.Python()
	if text, ok := v.(string); ok {
		v, _ = python.FromJSON([]byte(text))
	}
	list, _ := v.(python.List)
	return list
}
