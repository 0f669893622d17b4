package preflight

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/internal/bpe"
	"airqa/internal/tokens"
	"airqa/qa"
	"airqa/train/format"
)

// Length is a limit of rows, and how their tokens are counted.
type Length struct {
	// CutoffLen is the maximum number of tokens of a row; 0 is none.
	CutoffLen int `placeholder:"N" help:"Maximum number of tokens in a row. Default: for an export 4096 (paper; 65536 for OpenAI, none for whole trajectories), for a check as in llamafactory.yaml or trl.yaml of the folder."`
	// Template names a chat template of the table; empty for qwen, and qwen2_vl for conversations with images.
	Template string `placeholder:"NAME" help:"Chat template of LLaMA-Factory, for its markup and special tokens. Default: as in llamafactory.yaml of the folder, or qwen (qwen2_vl for rows with images)."`
	// Tokenizer is the tokenizer.json of the model, or its folder. Without one, tokens are estimated: see [tokens.Bound].
	Tokenizer string `placeholder:"FILE" help:"tokenizer.json of the model. Default: an estimate for the least favorable of the usual vocabularies."`
}

// Size is the number of tokens of a conversation, and of its trained turns: the texts are counted, the markup is an upper
// bound.
type Size struct {
	Tokens  int `json:"tokens"`
	Trained int `json:"trained"`
}

// Counter measures conversations. It is safe for concurrent use.
type Counter struct {
	text, vision template
	exact        bool
	count        func(string) int
	words        []string
}

// New opens the tokenizer and finds the template.
func New(c Length) (k *Counter, err error) {
	k = &Counter{exact: c.Tokenizer != ""}
	if k.text, err = findTemplate(cmp.Or(c.Template, "qwen")); err != nil {
		return nil, err
	}
	if k.vision, err = findTemplate(cmp.Or(c.Template, "qwen2_vl")); err != nil {
		return nil, err
	}
	k.words = k.text.words
	count := tokens.Bound
	if k.exact {
		t, err := bpe.Open(c.Tokenizer)
		if err != nil {
			return nil, fmt.Errorf("tokenizer: %w", err)
		}
		count, k.words = t.Count, slices.Concat(k.words, t.Special)
	}
	k.count = tokens.NewMemo(1<<11, count).Count // rows repeat the messages of others
	return k, nil
}

// Vocabulary is the size of the vocabulary for which tokens are estimated; 0 if they are counted.
func (k *Counter) Vocabulary() int {
	if k.exact {
		return 0
	}
	return tokens.LeastWords
}

// Template returns the name of the template for conversations without images.
func (k *Counter) Template() string { return k.text.name }

// Measure measures a conversation, of a pair the longer side. The error says why the template cannot render it.
func (k *Counter) Measure(c format.Conversation) (s Size, err error) {
	t := k.templateOf(c)
	s.Tokens = t.start + k.tools(t, c.Tools)
	last := len(c.Messages) - 1
	for i, m := range c.Messages {
		n, err := k.message(t, m)
		if err != nil {
			return s, err
		}
		if i == last && c.Rejected != nil {
			other, err := k.message(t, *c.Rejected)
			if err != nil {
				return s, err
			}
			n = max(n, other)
		}
		s.Tokens += n
		if trains(m, i == last) {
			s.Trained += n
		}
	}
	return s, nil
}

// trains reports whether a message is trained: without a weight, the last one is.
func trains(m format.Message, last bool) bool {
	if m.Trained == nil {
		return last
	}
	return *m.Trained
}

func (k *Counter) templateOf(c format.Conversation) template {
	for _, m := range c.Messages {
		if len(m.Images()) > 0 {
			return k.vision
		}
	}
	return k.text
}

// message is the size of a message with its markup.
func (k *Counter) message(t template, m format.Message) (n int, err error) {
	switch m.Role {
	case qa.System: // in t.start
	case qa.User:
		n = t.user
	case qa.ToolResult:
		n = t.result
	case qa.Assistant:
		n = t.answer
	}
	for _, im := range m.Images() {
		if strings.HasPrefix(im.Image, format.Audio) {
			return 0, errors.New("audio is not counted")
		}
		size, err := t.imageTokens(im.Width, im.Height)
		if err != nil {
			return 0, err
		}
		n += size
	}
	if m.Reasoning != "" {
		const marks = 16 // <think> tags with line breaks
		n += marks + k.count(m.Reasoning)
	}
	for _, call := range m.Calls {
		var arguments map[string]json.RawMessage
		_ = json.Unmarshal(call.Arguments, &arguments) // other arguments have no names
		n += t.call + t.argument*len(arguments)
	}
	return n + k.count(m.CallsInText().Text()), nil
}

// tools is the size of the prompt about tools.
func (k *Counter) tools(t template, raw json.RawMessage) int {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return 0
	}
	n := t.tools
	for _, tool := range list {
		text := format.Spaced(tool)
		if t.indented {
			var b bytes.Buffer
			if json.Indent(&b, tool, "", "    ") == nil {
				text = b.String()
			}
		}
		n += t.tool + k.count(text)
	}
	return n
}
