package check

import (
	"fmt"
	"slices"

	"airqa/train/preflight"
	"airqa/train/preflight/chattemplate"
	"airqa/train/preflight/table"
)

// spans returns a row as the trainer renders it.
func (t trl) spans(cell table.Cell) ([]preflight.Span, error) {
	r := t.judge(cell)
	if r.Outcome != preflight.Kept {
		return nil, fmt.Errorf("the trainer does not keep this row: %s", r.Reasons)
	}
	segments, head, err := t.segments(cell, r.Chosen != nil)
	if err != nil {
		return nil, err
	}
	keep := len(chattemplate.Text(segments))
	if t.config.Tokenizer != nil && r.Cut > 0 {
		ids := t.config.Tokenizer.Encode(nil, chattemplate.Text(segments))
		keep = len(t.config.Tokenizer.Decode(ids[:r.Tokens]))
	}
	var spans []preflight.Span
	at := 0
	for _, s := range segments {
		for _, part := range pieces(s.Text, head-at, keep-at) {
			state := preflight.Context
			switch {
			case at >= keep:
				state = preflight.Cut
			case s.Trained && at >= head:
				state = preflight.Trained
			}
			spans = joined(spans, preflight.Span{Text: part, State: state})
			at += len(part)
		}
	}
	return spans, nil
}

// pieces divides a text at positions, of which some may be outside.
func pieces(text string, positions ...int) (parts []string) {
	slices.Sort(positions)
	from := 0
	for _, at := range append(positions, len(text)) {
		if at > from && at <= len(text) {
			parts = append(parts, text[from:at])
			from = at
		}
	}
	return parts
}

// joined appends a span, or adds its text to the last one of the same state.
func joined(spans []preflight.Span, s preflight.Span) []preflight.Span {
	if n := len(spans); n > 0 && spans[n-1].State == s.State {
		spans[n-1].Text += s.Text
		return spans
	}
	return append(spans, s)
}

// segments renders a row and returns the length of its prompt. Segments are trained if the settings train them.
func (t trl) segments(cell table.Cell, pair bool) (segments []chattemplate.Segment, head int, err error) {
	if text, ok := textOf(cell); ok {
		return []chattemplate.Segment{{Text: t.ended(text), Trained: true}}, 0, nil
	}
	if _, ok := cell.Get("prompt"); !ok && !pair {
		segments, err := t.conversed(cell)
		return segments, 0, err
	}
	column := "completion"
	if pair {
		column = "chosen"
	}
	prompt, whole, err := t.texts(cell, column)
	if err != nil {
		return nil, 0, err
	}
	segments = []chattemplate.Segment{{Text: whole, Trained: true}}
	if !pair && t.config.AssistantOnlyLoss {
		segments, err = t.answered(cell)
	}
	return segments, shared(prompt, whole), err
}

// conversed renders a conversation.
func (t trl) conversed(cell table.Cell) ([]chattemplate.Segment, error) {
	list, err := t.conversation(cell)
	if err != nil {
		return nil, err
	}
	segments, err := t.template.Render(messagesOf(list), toolsOf(cell), t.config.AssistantOnlyLoss)
	for i := range segments {
		segments[i].Trained = segments[i].Trained || !t.config.AssistantOnlyLoss
	}
	return segments, err
}

// answered renders a prompt and an answer of which the assistant turns are trained.
func (t trl) answered(cell table.Cell) ([]chattemplate.Segment, error) {
	parts, err := t.parts(cell, "completion")
	if err != nil {
		return nil, err
	}
	lists, err := promptAndAnswer(parts, "completion")
	if err != nil {
		return nil, err
	}
	return t.template.Render(messagesOf(slices.Concat(lists[0], lists[1])), toolsOf(cell), true)
}

// shared returns the length of the common beginning.
func shared(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
