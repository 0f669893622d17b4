// Package template renders conversations as LLaMA-Factory's chat templates do: into pairs of a source, which ends with the
// assistant header, and a target, which ends with the end token. Start from [Find] and [Template.Pairs].
//
// It knows no tokenizer: a pair is a list of pieces that the trainer encodes one by one.
package template

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Roles of a message after the trainer has mapped the tags of a data set.
const (
	User        = "user"
	Assistant   = "assistant"
	Observation = "observation"
	Function    = "function"
)

// Message is one turn.
type Message struct{ Role, Text string }

// Dialog is what a template renders. An empty System means the template's default; Tools is a JSON text or empty.
type Dialog struct {
	System, Tools string
	Messages      []Message
}

// Kind is the kind of a [Piece].
type Kind uint8

// Kinds of pieces.
const (
	Text Kind = iota // ordinary text, in which special tokens are recognized
	BOS              // the tokenizer's first token, if it has one
	EOS              // the tokenizer's end token
)

// Piece is a part of a rendered message that the trainer encodes on its own.
type Piece struct {
	Kind Kind
	Text string
}

// Pair is a rendered pair of turns. The first source also has the system prompt and the tools.
type Pair struct{ Source, Target []Piece }

// Template is one of LLaMA-Factory's chat templates.
type Template struct {
	Name string
	// The pieces of a turn, with {{content}} for its text; calls of functions use those of the assistant if they have none.
	prefix, system, user, assistant, observation, function []Piece
	// merged puts the system prompt into the first user turn.
	merged        bool
	toolStyle     string // "qwen", "llama3" or empty
	defaultSystem string
	// Stop lists the tokens that the trainer adds to the vocabulary if they are absent.
	Stop []string
	// EfficientEOS reports whether the end token is added once per row, not per turn.
	EfficientEOS bool
	// Reasoning reports whether the template adds empty thinking to targets and removes it from earlier turns.
	Reasoning bool
	// Vision is nil for a text template.
	Vision *Vision
}

// Vision lists the tokens of a vision template.
type Vision struct {
	Image, Video, Begin, End string
	// Patch is the edge of the square of pixels that becomes one token.
	Patch int
	// MinPixels is the least area of an image; a smaller one is enlarged.
	MinPixels int
}

// Options are the settings of the trainer that change the rendered text.
type Options struct {
	// Thinking is the trainer's enable_thinking: nil means null.
	Thinking *bool
	// KeepHistory keeps the thinking of earlier turns.
	KeepHistory bool
	// DefaultSystem replaces the template's default if it is not nil.
	DefaultSystem *string
	// Pairwise renders for preference training: the last message alone is the target.
	Pairwise bool
	// Date is today's date, which Llama 3 shows above tools, such as 02 Jan 2026.
	Date string
}

// EndsTurn reports whether a turn of the assistant has an end: a token or text after its own.
func (t *Template) EndsTurn() bool {
	last := t.assistant[len(t.assistant)-1]
	return last.Kind == EOS || strings.TrimSpace(strings.TrimPrefix(last.Text, content)) != "" || len(t.assistant) > 1
}

// WithTools returns a copy that writes tools and calls in another format: default, qwen or llama3.
func (t *Template) WithTools(format string) (*Template, error) {
	switch format {
	case "":
		return t, nil
	case "default", "qwen", "llama3":
	default:
		return nil, fmt.Errorf("unknown tool format %q; known: default, llama3, qwen", format)
	}
	c := *t
	c.toolStyle = format
	if c.function = slots(content, "eos"); t.EfficientEOS {
		c.function = slots(content)
	}
	return &c, nil
}

// ErrUnknown is returned by [Find] for a template it does not know.
var ErrUnknown = errors.New("unknown template")

// Find returns a template by name. The error lists the known names.
func Find(name string) (*Template, error) {
	if t, ok := known[name]; ok {
		return t, nil
	}
	return nil, fmt.Errorf("%w %q; known: %s", ErrUnknown, name, strings.Join(Names(), ", "))
}

// names lists the templates of LLaMA-Factory 0.9.5.
//
//go:embed names.txt
var names string

// Exists reports whether LLaMA-Factory has a template, which may be unknown here.
func Exists(name string) bool { return slices.Contains(strings.Fields(names), name) }

// Names returns the names of all templates, sorted.
func Names() []string {
	return slices.Sorted(maps.Keys(known))
}

const (
	thinkOpen  = "<think>\n"
	thinkClose = "\n</think>\n\n"
)

// Pairs renders a dialog with an even number of messages. The error is one that stops the trainer.
func (t *Template) Pairs(d Dialog, o Options) ([]Pair, error) {
	messages := d.Messages
	if t.Reasoning {
		messages = t.forget(messages, o)
	}
	pairs := make([]Pair, 0, len(messages)/2)
	for i := 0; i+1 < len(messages); i += 2 {
		source, err := t.message(d, messages[i], i, o)
		if err != nil {
			return nil, err
		}
		target, err := t.message(d, messages[i+1], i+1, o)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, Pair{source, target})
	}
	if t.Reasoning {
		t.addThoughts(pairs, messages, o)
	}
	return pairs, nil
}

// forget removes thinking from the earlier turns, and from all if thinking is off.
func (t *Template) forget(messages []Message, o Options) []Message {
	messages = slices.Clone(messages)
	off := o.Thinking != nil && !*o.Thinking
	for i := 1; i < len(messages); i += 2 {
		earlier := i < len(messages)-2
		remove := off && (!o.Pairwise || i == len(messages)-1)
		if remove || earlier && !o.KeepHistory {
			messages[i].Text = removeThought(messages[i].Text)
		}
	}
	return messages
}

func removeThought(text string) string {
	var b strings.Builder
	for {
		whole, _, ok := between(text, thinkOpen, thinkClose)
		if !ok {
			b.WriteString(text)
			return strings.TrimLeft(b.String(), "\n")
		}
		before, after, _ := strings.Cut(text, whole)
		b.WriteString(before)
		text = after
	}
}

// addThoughts adds an empty thought to targets without one; it is trained unless thinking is off or null.
func (t *Template) addThoughts(pairs []Pair, messages []Message, o Options) {
	first := 0
	if o.Pairwise || !o.KeepHistory {
		first = len(pairs) - 1
	}
	for i := max(first, 0); i < len(pairs); i++ {
		text := messages[2*i+1].Text
		if strings.Contains(text, "<think>") || strings.Contains(text, "</think>") {
			continue
		}
		thought := Piece{Text: thinkOpen + thinkClose}
		if o.Thinking != nil && *o.Thinking {
			pairs[i].Target = append([]Piece{thought}, pairs[i].Target...)
		} else {
			pairs[i].Source = append(pairs[i].Source, thought)
		}
	}
}

// message renders message i of a dialog.
func (t *Template) message(d Dialog, m Message, i int, o Options) (pieces []Piece, err error) {
	text := m.Text
	switch m.Role {
	case User, Assistant, Observation:
	case Function:
		if text, err = encodable(callText(t.toolStyle, text)); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("NotImplementedError: Unexpected role: %s", m.Role)
	}
	if i == 0 {
		system, err := t.head(d, o)
		if err != nil {
			return nil, err
		}
		pieces = slices.Clone(t.prefix)
		if t.merged && system != "" {
			text = strings.Replace(t.system[0].Text, content, system, 1) + text
		} else if system != "" {
			pieces = fill(pieces, t.system, system, "")
		}
	}
	slots, index := t.turn(m.Role, i)
	return fill(pieces, slots, text, index), nil
}

// turn returns the pieces of a role, and what replaces {{idx}}.
func (t *Template) turn(role string, i int) (slots []Piece, index string) {
	switch {
	case role == User && t.merged:
		return t.user, ""
	case role == User:
		return t.user, strconv.Itoa(i / 2)
	case role == Observation:
		return t.observation, ""
	case role == Function && t.function != nil:
		return t.function, ""
	}
	return t.assistant, ""
}

// content is the place of a turn's text.
const content = "{{content}}"

// head returns the system prompt with the tools.
func (t *Template) head(d Dialog, o Options) (string, error) {
	system := d.System
	if system == "" {
		system = t.defaultSystem
		if o.DefaultSystem != nil {
			system = *o.DefaultSystem
		}
	}
	if d.Tools == "" {
		return system, nil
	}
	tools, err := encodable(toolText(t.toolStyle, o.Date, d.Tools))
	return system + tools, err
}

var errSurrogate = errors.New("TypeError: TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, InputSequence]]: a lone surrogate")

// encodable refuses text with a lone surrogate, which an escape in JSON may hide.
func encodable(text string, err error) (string, error) {
	if err == nil && !utf8.ValidString(text) {
		err = errSurrogate
	}
	return text, err
}

// fill appends slots with text in the place of {{content}}. A nonempty index replaces the first {{idx}}, also in text.
func fill(pieces, slots []Piece, text, index string) []Piece {
	for _, s := range slots {
		if s.Kind == Text {
			s.Text = strings.Replace(s.Text, content, text, 1)
			if index != "" {
				s.Text = strings.Replace(s.Text, "{{idx}}", index, 1)
			}
			if s.Text == "" {
				continue
			}
		}
		pieces = append(pieces, s)
	}
	return pieces
}
