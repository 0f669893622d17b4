package check

import (
	"errors"
	"fmt"
	"slices"

	"airqa/internal/python"
	"airqa/train/preflight"
	"airqa/train/preflight/table"
)

// openAI judges lines of OpenAI's fine-tuning format. A bad line refuses the file.
type openAI struct{ config preflight.Config }

func (openAI) unfit() error { return nil }

// leastLines is the number of lines that OpenAI asks for.
const leastLines = 10

func (openAI) follow(rows int) tracker {
	k := &kept{}
	if rows < leastLines {
		k.err = fmt.Errorf("the file has %d lines; OpenAI asks for at least %d", rows, leastLines)
	}
	return k
}

func (t openAI) judge(cell table.Cell) result {
	column := "messages"
	input, isPair := cell.Get("input")
	if isPair {
		cell = input
	}
	c, ok := cell.Get(column)
	if !ok {
		return failed(errors.New("the line has no messages"))
	}
	list, err := chatTurns(c)
	if err != nil {
		return failed(err)
	}
	if last := list[len(list)-1]; !isPair && last.role != "assistant" {
		return failed(fmt.Errorf("the last message is from %s; it must be from assistant", last.role))
	}
	v := preflight.Verdict{Outcome: preflight.Kept, Reasons: []string{}, HeadWhole: true, TargetWhole: true}
	for _, m := range list {
		size := count(t.config, m.render())
		v.Tokens += size
		if m.role == "assistant" && m.weight != int64(0) {
			v.Trained += size - count(t.config, header)
		}
	}
	return result{Judged: preflight.Judged{Verdict: v}}
}

// chatTurns reads messages whose content is text, or missing beside tool calls.
func chatTurns(c table.Cell) ([]turn, error) {
	var list []turn
	for i, m := range c.Items() {
		t, err := chatTurn(m)
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

func chatTurn(m table.Cell) (turn, error) {
	role, _ := field(m, "role").(string)
	content, calls, weight := field(m, "content"), field(m, "tool_calls"), field(m, "weight")
	switch {
	case !slices.Contains([]string{"system", "developer", "user", "assistant", "tool"}, role):
		return turn{}, fmt.Errorf("has the role %q", role)
	case content == nil && calls == nil:
		return turn{}, errors.New("has no content")
	case weight != nil && !isWeight(role, weight):
		return turn{}, errors.New("has a weight that is not 0 or 1 of an assistant")
	case role == "tool" && field(m, "tool_call_id") == nil:
		return turn{}, errors.New("has no tool_call_id")
	}
	text, ok := content.(string)
	if !ok && content != nil {
		text = python.JSON(content)
	}
	if calls != nil {
		text += python.JSON(calls)
	}
	return turn{role: role, text: text, weight: weight}, nil
}

func isWeight(role string, v python.Value) bool {
	return role == "assistant" && (v == int64(0) || v == int64(1))
}

func (t openAI) spans(cell table.Cell) ([]preflight.Span, error) {
	if r := t.judge(cell); r.Outcome != preflight.Kept {
		return nil, errors.New(r.Reasons[0])
	}
	if input, ok := cell.Get("input"); ok {
		cell = input
	}
	c, _ := cell.Get("messages")
	list, err := chatTurns(c)
	var spans []preflight.Span
	for _, m := range list {
		state := preflight.Context
		if m.role == "assistant" && m.weight != int64(0) {
			state = preflight.Trained
		}
		spans = append(spans, preflight.Span{Text: m.render(), State: state})
	}
	return spans, err
}
