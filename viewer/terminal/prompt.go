package terminal

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
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
		b.message = "the comment is in notes.jsonl of the run"
		return nil
	}
	return b.search(text)
}
