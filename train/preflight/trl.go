package preflight

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/internal/python"
	"airqa/train/preflight/rows"
	"airqa/train/preflight/template"
)

// trl judges rows as TRL's trainers prepare them, with a chat template of the form of ChatML, and tools as Qwen's templates
// write them. How a template writes calls, and marks the assistant's tokens, is not checked.
type trl struct {
	config Config
	format string
}

// Formats of TRL's rows.
const (
	promptCompletion = "prompt-completion"
	messagesFormat   = "messages"
	preference       = "preference"
)

// chatML is the one chat template that is known for TRL.
const chatML = "chatml"

func (trl) refusal() error { return nil }

func (trl) doubt(f *rows.File) error { return f.Doubt }

func (trl) follow(int) tracker { return &keptRows{} }

// noTokens is the reason for a row without a trained token.
const noTokens = "dropped in silence: the prompt fills max_length, or the answer is empty"

// rendered is a row with one answer: all but the prompt is trained.
type rendered struct{ prompt, whole string }

// judge judges a conversation, a prompt with its answer, or a prompt with two.
func (t trl) judge(cell rows.Cell) result {
	list, err := t.render(cell)
	if err != nil {
		return failed(err)
	}
	verdicts := make([]Verdict, len(list))
	for i, text := range list {
		if verdicts[i] = t.verdict(text); i > 0 && verdicts[i].Outcome == Dropped {
			return result{Judged: Judged{Verdict: verdicts[i]}}
		}
	}
	r := result{Judged: Judged{Verdict: verdicts[0]}, spans: func() []Span { return t.spans(list[0], verdicts[0]) }}
	if len(list) > 1 {
		r.Chosen, r.Rejected = &verdicts[0], &verdicts[1]
	}
	return r
}

// verdict keeps the first tokens of a row.
func (t trl) verdict(text rendered) Verdict {
	prompt, all := t.tokens(text)
	limit := t.config.CutoffLen
	kept := min(all, limit)
	if prompt >= kept {
		return Verdict{Outcome: Dropped, Reasons: []string{noTokens}}
	}
	return Verdict{
		Outcome: Kept, Reasons: []string{}, Tokens: kept, Trained: kept - prompt, Cut: all - kept,
		HeadWhole: true, TargetWhole: all <= limit,
	}
}

// tokens returns the number of tokens that the prompt and the whole row begin with, and the number of the whole row.
func (t trl) tokens(text rendered) (same, all int) {
	if t.config.Tokenizer == nil {
		answer, ok := strings.CutPrefix(text.whole, text.prompt)
		if !ok {
			answer = ""
		}
		same = countTokens(t.config, text.prompt)
		return same, same + countTokens(t.config, answer)
	}
	a, b := t.config.Tokenizer.Encode(nil, text.prompt), t.config.Tokenizer.Encode(nil, text.whole)
	return commonLength(a, b), len(b)
}

// commonLength returns how many items two lists begin with in common.
func commonLength[T comparable](a, b []T) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// spans returns a row as the trainer renders it.
func (t trl) spans(text rendered, v Verdict) []Span {
	head, keep := commonLength([]byte(text.prompt), []byte(text.whole)), len(text.whole)
	if t.config.Tokenizer != nil && v.Cut > 0 {
		ids := t.config.Tokenizer.Encode(nil, text.whole)
		keep = len(t.config.Tokenizer.Decode(ids[:v.Tokens]))
	}
	spans := addSpan(nil, text.whole[:min(head, keep)], Context)
	spans = addSpan(spans, text.whole[min(head, keep):keep], Trained)
	return addSpan(spans, text.whole[keep:], Cut)
}

// render renders a row, of a pair both answers.
func (t trl) render(cell rows.Cell) ([]rendered, error) {
	format := t.format
	if format == "" {
		format = guessFormat(cell)
	}
	if err := t.unknown(cell); err != nil {
		return nil, err
	}
	tools, err := toolText(cell)
	if err != nil {
		return nil, err
	}
	columns := []string{"completion"}
	switch format {
	case messagesFormat:
		whole, err := t.conversation(cell, tools)
		return []rendered{{whole: whole}}, err
	case preference:
		columns = []string{"chosen", "rejected"}
	}
	list := make([]rendered, len(columns))
	for i, column := range columns {
		prompt, answer, err := promptAndAnswer(cell, column)
		if err != nil {
			return nil, err
		}
		if list[i], err = t.joined(prompt, answer, column, tools); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// unknown returns why a row is not checked.
func (t trl) unknown(cell rows.Cell) error {
	switch {
	case t.config.AssistantOnlyLoss:
		return rows.NotChecked("assistant_only_loss trains the tokens that the tokenizer's chat template marks")
	case python.Truth(field(cell, "images")):
		return rows.NotChecked("images are measured by the model's processor")
	}
	return nil
}

// guessFormat guesses the format from the columns.
func guessFormat(cell rows.Cell) string {
	if _, ok := cell.Type.Field("chosen"); ok {
		return preference
	}
	if _, ok := cell.Type.Field("prompt"); ok {
		return promptCompletion
	}
	return messagesFormat
}

// conversation renders the columns messages, conversations in the form of ShareGPT, or text.
func (t trl) conversation(cell rows.Cell, tools string) (string, error) {
	column := "messages"
	c, ok := cell.Get(column)
	if !ok {
		column = "conversations"
		if c, ok = cell.Get(column); !ok {
			if text, ok := field(cell, "text").(string); ok {
				return t.ended(text), nil
			}
		}
		if items := c.Items(); len(items) == 0 || field(items[0], "from") == nil || field(items[0], "value") == nil {
			return "", errors.New("KeyError: 'text': no column prompt, messages or text, and no conversations with from and value")
		}
	}
	list, err := chatTurns(c, column)
	if err == nil && len(list) == 0 {
		err = errNoMessages
	}
	if err != nil {
		return "", err
	}
	return renderTurns(list, tools)
}

var errNoMessages = errors.New("IndexError: list index out of range")

// ended ends a text with the end token.
func (t trl) ended(text string) string {
	if strings.HasSuffix(text, t.config.EOS) {
		return text
	}
	return text + t.config.EOS
}

// joined renders the prompt, with the header of the answer, and the whole row.
func (t trl) joined(prompt, answer rows.Cell, column, tools string) (rendered, error) {
	if text, ok := prompt.Python().(string); ok {
		end, ok := answer.Python().(string)
		if !ok {
			return rendered{}, fmt.Errorf("TypeError: %s must be text like the prompt, not %s", column, python.Type(answer.Value))
		}
		return rendered{text, text + t.ended(end)}, nil
	}
	var lists [2][]turn
	for i, c := range []struct {
		cell   rows.Cell
		column string
	}{{prompt, "prompt"}, {answer, column}} {
		var err error
		if lists[i], err = chatTurns(c.cell, c.column); err != nil {
			return rendered{}, err
		}
		if len(lists[i]) == 0 && c.column != "completion" {
			return rendered{}, fmt.Errorf("%w: %s is empty", errNoMessages, c.column)
		}
	}
	head, err := renderTurns(lists[0], tools)
	if err != nil {
		return rendered{}, err
	}
	whole, err := renderTurns(slices.Concat(lists[0], lists[1]), tools)
	return rendered{head + answerHeader, whole}, err
}

// errNoText is the error of a chat template that joins a missing content to a text.
var errNoText = errors.New("UndefinedError: 'dict object' has no attribute 'content'")

// toolText renders the tools of a row: a list, or a text with one in JSON.
func toolText(cell rows.Cell) (string, error) {
	c, ok := cell.Get("tools")
	if !ok || !python.Truth(c.Value) {
		return "", nil
	}
	text, ok := c.Value.(string)
	if !ok {
		text = python.JSON(c.Value)
	}
	return template.ToolText(text)
}

// renderTurns renders messages in ChatML, with tools in the system prompt.
func renderTurns(list []turn, tools string) (string, error) {
	if tools != "" && len(list) > 0 && list[0].role == "system" {
		list = slices.Clone(list)
		list[0].text += tools
	} else if tools != "" {
		list = slices.Concat([]turn{{role: "system", text: strings.TrimLeft(tools, "\n")}}, list)
	}
	var b strings.Builder
	for _, m := range list {
		if m.toolCalls != "" {
			return "", rows.NotChecked("tool calls are rendered by the tokenizer's chat template")
		}
		if m.noText {
			return "", errNoText
		}
		b.WriteString(m.render())
	}
	return b.String(), nil
}

// chatTurns reads a list of messages with role and content, or from and value.
func chatTurns(cell rows.Cell, column string) ([]turn, error) {
	if !cell.IsList() {
		return nil, fmt.Errorf("TypeError: %s must be a list of messages, not %s", column, python.Type(cell.Value))
	}
	var list []turn
	for i, m := range cell.Items() {
		role, ok := field(m, "role", "from").(string)
		if !ok {
			return nil, fmt.Errorf("TypeError: message %d of %s has no role", i, column)
		}
		content := field(m, "content", "value")
		text, ok := content.(string)
		if _, date := content.(rows.Date); date {
			return nil, rows.ErrDates
		} else if !ok && content != nil {
			return nil, fmt.Errorf("TypeError: message %d of %s has no text: its content is %s", i, column, python.Type(content))
		}
		t := turn{role: role, text: text, noText: content == nil}
		if calls := field(m, "tool_calls"); calls != nil {
			t.toolCalls = python.JSON(calls)
		}
		list = append(list, t)
	}
	return list, nil
}

// promptAndAnswer returns the prompt and one answer of a row. A pair without a prompt has the common beginning of its
// answers as one.
func promptAndAnswer(cell rows.Cell, column string) (prompt, answer rows.Cell, err error) {
	prompt, ok := cell.Get("prompt")
	if !ok && column != "completion" {
		return commonPrompt(cell, column)
	}
	answer, known := cell.Get(column)
	switch {
	case !ok:
		err = errors.New("KeyError: 'prompt'")
	case !known:
		err = fmt.Errorf("KeyError: '%s'", column)
	}
	return prompt, answer, err
}

// commonPrompt cuts the answers of a pair where they first differ: between messages, or between characters and then
// before a space.
func commonPrompt(cell rows.Cell, column string) (prompt, rest rows.Cell, err error) {
	answer, _ := cell.Get(column)
	chosen, _ := cell.Get("chosen")
	rejected, ok := cell.Get("rejected")
	if !ok {
		return prompt, rest, errors.New("KeyError: 'rejected'")
	}
	if a, isText := chosen.Python().(string); isText {
		b, _ := rejected.Python().(string)
		text, _ := answer.Python().(string)
		x, y, all := []rune(a), []rune(b), []rune(text)
		at := min(firstDifference(x, y), len(all))
		if at > 0 && at < min(len(x), len(y)) && x[at] != y[at] && x[at-1] == ' ' {
			at--
		}
		return rows.Cell{Value: string(all[:at]), Type: answer.Type}, rows.Cell{Value: string(all[at:]), Type: answer.Type}, nil
	}
	x, err := chatTurns(chosen, "chosen")
	if err != nil {
		return prompt, rest, err
	}
	y, err := chatTurns(rejected, "rejected")
	if err != nil {
		return prompt, rest, err
	}
	list, _ := answer.Value.(python.List)
	at := min(firstDifference(x, y), len(list))
	return rows.Cell{Value: list[:at], Type: answer.Type}, rows.Cell{Value: list[at:], Type: answer.Type}, nil
}

// firstDifference returns the first index at which two lists differ, or else the last index of the shorter one.
func firstDifference[T comparable](a, b []T) int {
	return max(min(commonLength(a, b), min(len(a), len(b))-1), 0)
}
