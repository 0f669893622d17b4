package preflight

import (
	"errors"
	"fmt"
	"slices"

	"airqa/internal/python"
	"airqa/internal/tokens"
	"airqa/train/preflight/rows"
)

// turn is a message of a chat. Turns are comparable.
type turn struct {
	role, text string
	// toolCalls is a list of tool calls in JSON, empty if there are none.
	noText    bool
	toolCalls string
	weight    python.Value
}

// endOfTurn ends a turn in ChatML.
const endOfTurn = "<|im_end|>"

// answerHeader opens an answer in ChatML.
const answerHeader = "<|im_start|>assistant\n"

// render renders a message in ChatML.
func (t turn) render() string { return "<|im_start|>" + t.role + "\n" + t.text + endOfTurn + "\n" }

// field returns the first of two keys that has a value.
func field(m rows.Cell, names ...string) python.Value {
	for _, name := range names {
		if cell, ok := m.Get(name); ok && cell.Value != nil {
			return cell.Python()
		}
	}
	return nil
}

// countTokens counts tokens, exactly with a tokenizer.
func countTokens(c Config, text string) int {
	if c.Tokenizer != nil {
		return c.Tokenizer.Count(text)
	}
	return tokens.Count(text)
}

// keptRows counts rows for trainers that take each row on its own.
type keptRows struct {
	n       int
	crash   error
	unknown error
}

func (k *keptRows) add(r result) {
	switch r.Outcome {
	case Kept:
		k.n++
	case Crash:
		if k.crash == nil {
			k.crash = errors.New(r.Reasons[0])
		}
	case NotChecked:
		if k.unknown == nil {
			k.unknown = r.notChecked()
		}
	}
}

func (k *keptRows) end() (int, error) {
	switch {
	case k.crash != nil:
		return k.n, k.crash
	case k.unknown != nil:
		return k.n, k.unknown
	case k.n == 0:
		return k.n, errors.New("no row is left: every row is dropped")
	}
	return k.n, nil
}

// notChecked is why a file with this row is not checked.
func (r result) notChecked() error {
	return rows.NotChecked(fmt.Sprintf("row %d is not checked: %s", r.index, r.Reasons[0]))
}

// openAI judges lines of OpenAI's fine-tuning format. A bad line refuses the file.
type openAI struct{ config Config }

func (openAI) refusal() error { return nil }

func (openAI) doubt(*rows.File) error { return nil }

// leastLines is the number of lines that OpenAI asks for.
const leastLines = 10

func (openAI) follow(rows int) tracker {
	k := &keptRows{}
	if rows < leastLines {
		k.crash = fmt.Errorf("the file has %d lines; OpenAI requires at least %d", rows, leastLines)
	}
	return k
}

func (t openAI) judge(cell rows.Cell) result {
	input, isPair := cell.Get("input")
	if isPair {
		cell = input
	}
	c, ok := cell.Get("messages")
	if !ok {
		return failed(errors.New("the line has no messages"))
	}
	list, err := openAITurns(c)
	if err != nil {
		return failed(err)
	}
	if last := list[len(list)-1]; !isPair && last.role != "assistant" {
		return failed(fmt.Errorf("the last message is from %s; it must be from assistant", last.role))
	}
	v := Verdict{Outcome: Kept, Reasons: []string{}, HeadWhole: true, TargetWhole: true}
	spans := make([]Span, len(list))
	for i, m := range list {
		spans[i] = Span{Text: m.render(), State: Context}
		size := countTokens(t.config, spans[i].Text)
		v.Tokens += size
		if m.role == "assistant" && m.weight != int64(0) {
			spans[i].State = Trained
			v.Trained += size - countTokens(t.config, answerHeader)
		}
	}
	return result{Judged: Judged{Verdict: v}, spans: func() []Span { return spans }}
}

// openAITurns reads messages whose content is text, or missing beside tool calls.
func openAITurns(c rows.Cell) ([]turn, error) {
	var list []turn
	for i, m := range c.Items() {
		t, err := openAITurn(m)
		if err != nil {
			return nil, fmt.Errorf("message %d %w", i, err)
		}
		list = append(list, t)
	}
	if len(list) == 0 {
		return nil, errors.New("messages is empty")
	}
	return list, nil
}

func openAITurn(m rows.Cell) (turn, error) {
	role, _ := field(m, "role").(string)
	content, calls, weight := field(m, "content"), field(m, "tool_calls"), field(m, "weight")
	switch {
	case !slices.Contains([]string{"system", "developer", "user", "assistant", "tool"}, role):
		return turn{}, fmt.Errorf("has the role %q", role)
	case content == nil && calls == nil:
		return turn{}, errors.New("has no content")
	case weight != nil && (role != "assistant" || weight != int64(0) && weight != int64(1)):
		return turn{}, errors.New("has a weight, which must be 0 or 1 and on an assistant message")
	case role == "tool" && field(m, "tool_call_id") == nil:
		return turn{}, errors.New("has no tool_call_id")
	}
	return turn{role: role, text: openAIText(content, calls), weight: weight}, nil
}

// openAIText is the content of a message as text, followed by its tool calls. Either may be nil.
func openAIText(content, calls python.Value) string {
	text, ok := content.(string)
	if date, isDate := content.(rows.Date); isDate {
		text = string(date)
	} else if !ok && content != nil {
		text = python.JSON(content)
	}
	if calls != nil {
		text += python.JSON(calls)
	}
	return text
}
