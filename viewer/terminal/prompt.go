package terminal

import (
	"fmt"
	"io"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/alecthomas/kong"

	"airqa/trace"
)

// asked is what a prompt asks for.
type asked string

const (
	askFilter  asked = "filter: "
	askSearch  asked = "/"
	askComment asked = "comment: "
)

// prompt is a line that is being typed.
type prompt struct {
	asked asked
	input textinput.Model
}

// ask begins a prompt with a text to change.
func (b *browser) ask(a asked, text string) {
	in := textinput.New()
	in.Prompt = string(a)
	in.SetValue(text)
	in.CursorEnd()
	in.SetVirtualCursor(false)
	in.SetWidth(max(b.width-len(a)-1, 1))
	in.SetStyles(textinput.Styles{})
	in.Focus()
	b.prompt = &prompt{asked: a, input: in}
}

// type_ passes a message to the prompt.
func (b *browser) type_(msg tea.Msg) tea.Cmd {
	if b.prompt == nil {
		return nil
	}
	var cmd tea.Cmd
	b.prompt.input, cmd = b.prompt.input.Update(msg)
	return cmd
}

// typed handles a key while a prompt is open.
func (b *browser) typed(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "enter":
		p := b.prompt
		b.prompt = nil
		return b.answered(p.asked, strings.TrimSpace(p.input.Value()))
	case "esc", "ctrl+c":
		b.prompt = nil
		return nil
	}
	return b.type_(key)
}

// answered acts on the text of a prompt.
func (b *browser) answered(a asked, text string) tea.Cmd {
	switch a {
	case askFilter:
		f, err := parseFilter(text)
		if err != nil {
			b.message = err.Error()
			b.ask(askFilter, text)
			return nil
		}
		b.list.filter, b.list.cursor = f, 0
		return b.load()
	case askComment:
		if text == "" {
			return nil
		}
		if err := b.notes.comment(b.view.id, b.view.step(), text); err != nil {
			b.message = err.Error()
			return nil
		}
		b.layout()
		b.message = "comment saved to notes.jsonl of the run"
		return nil
	}
	return b.search(text)
}

// parseFilter reads the flags of airqa trace: `--status wrong --grep "learning rate"`. A text without a flag is searched,
// as with --grep.
func parseFilter(text string) (trace.Filter, error) {
	var f struct{ trace.Filter }
	args, err := split(text)
	if err != nil {
		return f.Filter, err
	}
	if len(args) > 0 && !strings.HasPrefix(text, "-") {
		f.Grep = text
		return f.Filter, nil
	}
	parser, err := kong.New(&f, kong.NoDefaultHelp(), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		return f.Filter, err
	}
	if _, err := parser.Parse(args); err != nil {
		return f.Filter, err
	}
	return f.Filter, f.Check()
}

// split splits a line into words, as a shell does with quotes.
func split(text string) ([]string, error) {
	var words []string
	for {
		text = strings.TrimLeft(text, " \t")
		if text == "" {
			return words, nil
		}
		word, rest, err := first(text)
		if err != nil {
			return nil, err
		}
		words, text = append(words, word), rest
	}
}

// first returns the first word of a line: everything up to whitespace that is not in quotes.
func first(text string) (word, rest string, err error) {
	for text != "" {
		i := strings.IndexAny(text, "\"' \t")
		if i < 0 {
			return word + text, "", nil
		}
		word += text[:i]
		if text[i] == ' ' || text[i] == '\t' {
			return word, text[i:], nil
		}
		part, after, closed := strings.Cut(text[i+1:], text[i:i+1])
		if !closed {
			return "", "", fmt.Errorf("unclosed quote %s", text[i:i+1])
		}
		word, text = word+part, after
	}
	return word, "", nil
}

// quoted quotes words for a shell where they need it.
func quoted(words []string) []string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:@%+,"
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.Trim(w, plain) != "" {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
	}
	return out
}

// command is the call of airqa that shows what is on the screen.
func (b *browser) command() string {
	words := append([]string{"airqa", "trace"}, b.Paths...)
	switch {
	case b.comparing():
		words = b.comparisonCommand()
	case b.screen != listScreen && b.view.id != trace.Key{}:
		words = []string{"airqa", "trace", b.view.id.Run, b.view.id.Episode}
	default:
		words = append(words, b.list.filter.Flags()...)
	}
	return strings.Join(quoted(words), " ")
}
