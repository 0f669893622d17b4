// Package template renders conversations as LLaMA-Factory's chat templates do: into pairs of a source, which ends with the
// assistant header, and a target, which ends with the end token. Start from [Find] and [Template.Pairs].
//
// The templates are data, templates.yaml. The package knows no tokenizer: a pair is a list of pieces that the trainer
// encodes one by one.
package template

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
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

// Template is one of LLaMA-Factory's chat templates. templates.yaml explains its parts.
type Template struct {
	Name          string `yaml:"-"`
	Prefix        slots  `yaml:"prefix"`
	System        slots  `yaml:"system"`
	User          slots  `yaml:"user"`
	Assistant     slots  `yaml:"assistant"`
	Observation   slots  `yaml:"observation"`
	Function      slots  `yaml:"function"`
	Merged        bool   `yaml:"merged"`
	DefaultSystem string `yaml:"default_system"`
	ToolFormat    string `yaml:"tools"`
	// Stop lists the tokens that the trainer adds to the vocabulary if they are absent.
	Stop []string `yaml:"stop"`
	// EfficientEOS reports whether the end token is added once per row, not per turn.
	EfficientEOS bool `yaml:"efficient_eos"`
	// Thought is the text before and after thinking, empty for a template without it.
	Thought      []string `yaml:"thought"`
	EmptyThought string   `yaml:"empty_thought"`
	// Vision is nil for a text template.
	Vision *Vision `yaml:"vision"`

	tools toolFormat
}

// Vision lists the tokens of a vision template.
type Vision struct {
	Image string `yaml:"image"`
	Video string `yaml:"video"`
	Begin string `yaml:"begin"`
	End   string `yaml:"end"`
	// Patch is the edge of the square of pixels that becomes one token; 0 if the number of tokens of an image is not known.
	Patch int `yaml:"patch"`
	// MinPixels is the least area of an image; a smaller one is enlarged.
	MinPixels int `yaml:"min_pixels"`
}

// Options are the settings of the trainer that change the rendered text.
type Options struct {
	// Thinking is the trainer's enable_thinking.
	Thinking bool
	// KeepHistory keeps the thinking of earlier turns.
	KeepHistory bool
	// DefaultSystem replaces the template's default if it is not nil.
	DefaultSystem *string
	// Pairwise renders for preference training: the last message alone is the target.
	Pairwise bool
	// Date is today's date, which Llama 3 shows above tools, such as 02 Jan 2026.
	Date string
}

// slots are the pieces of a turn.
type slots []Piece

const (
	content = "{{content}}" // the place of a turn's text
	bos     = "{{bos}}"
	eos     = "{{eos}}"
)

// parseSlots cuts the text of a turn at the tokenizer's own tokens.
func parseSlots(text string) (s slots) {
	for text != "" {
		at := len(text)
		for _, token := range []string{bos, eos} {
			if i := strings.Index(text, token); i >= 0 {
				at = min(at, i)
			}
		}
		switch {
		case at > 0:
			s, text = append(s, Piece{Text: text[:at]}), text[at:]
		case strings.HasPrefix(text, bos):
			s, text = append(s, Piece{Kind: BOS}), text[len(bos):]
		default:
			s, text = append(s, Piece{Kind: EOS}), text[len(eos):]
		}
	}
	return s
}

// UnmarshalYAML reads the text of a turn.
func (s *slots) UnmarshalYAML(node *yaml.Node) error {
	var text string
	err := node.Decode(&text)
	*s = parseSlots(text)
	return err
}

//go:embed templates.yaml
var templatesYAML []byte

// catalogue is the content of templates.yaml.
type catalogue struct {
	Tools     map[string]toolFormat `yaml:"tools"`
	Templates map[string]*Template  `yaml:"templates"`
}

// known returns the templates and the formats of tools. A mistake in the embedded file is a broken promise of this package.
var known = sync.OnceValue(func() catalogue {
	var c catalogue
	if err := yaml.Unmarshal(templatesYAML, &c); err != nil {
		panic(fmt.Sprintf("templates.yaml: %v", err))
	}
	for name, t := range c.Templates {
		t.complete(name, c.Tools)
	}
	return c
})

// complete fills in the parts that a template does not name.
func (t *Template) complete(name string, formats map[string]toolFormat) {
	t.Name = name
	for _, part := range []struct {
		slots    *slots
		fallback slots
	}{
		{&t.System, parseSlots(content)},
		{&t.User, parseSlots(content)},
		{&t.Assistant, t.plainAnswer()},
	} {
		if *part.slots == nil {
			*part.slots = part.fallback
		}
	}
	if t.Observation == nil {
		t.Observation = t.User
	}
	if t.Function == nil {
		t.Function = t.Assistant
	}
	if t.ToolFormat == "" {
		t.ToolFormat = "default"
	}
	t.tools = formats[t.ToolFormat]
}

// plainAnswer is an answer in a template without own words for it.
func (t *Template) plainAnswer() slots {
	if t.EfficientEOS {
		return parseSlots(content)
	}
	return parseSlots(content + eos)
}

// EndsTurn reports whether a turn of the assistant has an end: a token or text after its own.
func (t *Template) EndsTurn() bool {
	last := t.Assistant[len(t.Assistant)-1]
	_, after, _ := strings.Cut(last.Text, content)
	return last.Kind == EOS || strings.TrimSpace(after) != "" || len(t.Assistant) > 1
}

// WithTools returns a copy that writes tools and calls in another format; empty for the template's own.
func (t *Template) WithTools(format string) (*Template, error) {
	if format == "" {
		return t, nil
	}
	tools, ok := known().Tools[format]
	if !ok {
		return nil, fmt.Errorf("unknown tool format %q; known: %s", format, strings.Join(slices.Sorted(maps.Keys(known().Tools)), ", "))
	}
	c := *t
	c.tools, c.Function = tools, t.plainAnswer()
	return &c, nil
}

// ErrUnknown is returned by [Find] for a template it does not know.
var ErrUnknown = errors.New("unknown template")

// Find returns a template by name. The error lists the known names.
func Find(name string) (*Template, error) {
	if t, ok := known().Templates[name]; ok {
		return t, nil
	}
	return nil, fmt.Errorf("%w %q; known: %s", ErrUnknown, name, strings.Join(Names(), ", "))
}

// allNames lists the templates of LLaMA-Factory 0.9.5.
//
//go:embed names.txt
var allNames string

// Exists reports whether LLaMA-Factory has a template, which may be unknown here.
func Exists(name string) bool { return slices.Contains(strings.Fields(allNames), name) }

// Names returns the names of all templates that are known here, sorted.
func Names() []string { return slices.Sorted(maps.Keys(known().Templates)) }

// Pairs renders a dialog with an even number of messages. The error is one that stops the trainer.
func (t *Template) Pairs(d Dialog, o Options) ([]Pair, error) {
	messages := d.Messages
	if t.Thought != nil {
		messages = t.withoutOldThoughts(messages, o)
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
	if t.Thought != nil {
		t.addThoughts(pairs, messages, o)
	}
	return pairs, nil
}

// withoutOldThoughts removes thinking from the earlier turns, and from all if thinking is off.
func (t *Template) withoutOldThoughts(messages []Message, o Options) []Message {
	messages = slices.Clone(messages)
	for i := 1; i < len(messages); i += 2 {
		earlier := i < len(messages)-2
		remove := !o.Thinking && (!o.Pairwise || i == len(messages)-1)
		if remove || earlier && !o.KeepHistory {
			messages[i].Text = t.withoutThoughts(messages[i].Text)
		}
	}
	return messages
}

func (t *Template) withoutThoughts(text string) string {
	var b strings.Builder
	for {
		whole, _, ok := between(text, t.Thought[0], t.Thought[1])
		if !ok {
			b.WriteString(text)
			return strings.TrimLeft(b.String(), "\n")
		}
		before, after, _ := strings.Cut(text, whole)
		b.WriteString(before)
		text = after
	}
}

// addThoughts adds an empty thought to targets without one; it is trained unless thinking is off.
func (t *Template) addThoughts(pairs []Pair, messages []Message, o Options) {
	first := 0
	if o.Pairwise || !o.KeepHistory {
		first = len(pairs) - 1
	}
	empty := t.EmptyThought
	if empty == "" {
		empty = t.Thought[0] + t.Thought[1]
	}
	for i := max(first, 0); i < len(pairs); i++ {
		text := messages[2*i+1].Text
		if strings.Contains(text, strings.TrimSpace(t.Thought[0])) || strings.Contains(text, strings.TrimSpace(t.Thought[1])) {
			continue
		}
		if o.Thinking {
			pairs[i].Target = append([]Piece{{Text: empty}}, pairs[i].Target...)
		} else {
			pairs[i].Source = append(pairs[i].Source, Piece{Text: empty})
		}
	}
}

// message renders message i of a dialog.
func (t *Template) message(d Dialog, m Message, i int, o Options) (pieces []Piece, err error) {
	text := m.Text
	slots, index := t.Assistant, ""
	switch m.Role {
	case Assistant:
	case User:
		if slots = t.User; !t.Merged {
			index = strconv.Itoa(i / 2)
		}
	case Observation:
		slots = t.Observation
	case Function:
		slots = t.Function
		if text, err = encodable(t.calls(text)); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("NotImplementedError: Unexpected role: %s", m.Role)
	}
	if i == 0 {
		var before string
		if pieces, before, err = t.start(d, m.Role, o); err != nil {
			return nil, err
		}
		text = before + text
	}
	return fill(pieces, slots, text, index), nil
}

// start renders what precedes the first message, which is from role. Before is the system prompt that a template merges
// into the text of that message.
func (t *Template) start(d Dialog, role string, o Options) (pieces []Piece, before string, err error) {
	system, err := t.systemAndTools(d, o)
	if err != nil {
		return nil, "", err
	}
	pieces = slices.Clone([]Piece(t.Prefix))
	switch {
	case system == "":
	case !t.Merged:
		pieces = fill(pieces, t.System, system, "")
	case role == User:
		before = strings.Replace(t.System[0].Text, content, system, 1)
	}
	return pieces, before, nil
}

// systemAndTools returns the system prompt with the tools.
func (t *Template) systemAndTools(d Dialog, o Options) (string, error) {
	system := d.System
	if system == "" {
		system = t.DefaultSystem
		if o.DefaultSystem != nil {
			system = *o.DefaultSystem
		}
	}
	if d.Tools == "" {
		return system, nil
	}
	tools, err := encodable(t.tools.list(d.Tools, o.Date))
	return system + tools, err
}

var errSurrogate = errors.New(
	"TypeError: TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, InputSequence]]: a lone surrogate")

// encodable refuses text with a lone surrogate, which an escape in JSON may hide.
func encodable(text string, err error) (string, error) {
	if err == nil && !utf8.ValidString(text) {
		err = errSurrogate
	}
	return text, err
}

// fill appends slots with text in the place of {{content}}. A nonempty index replaces the first {{idx}}, also in text.
func fill(pieces []Piece, slots slots, text, index string) []Piece {
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
