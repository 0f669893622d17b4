package check

import (
	"errors"
	"fmt"
	"slices"

	"airqa/internal/python"
	"airqa/train/preflight"
	"airqa/train/preflight/chattemplate"
	"airqa/train/preflight/table"
)

// trl judges rows as TRL's trainers prepare them.
type trl struct {
	config   preflight.Config
	format   string
	template chattemplate.Template
}

// Formats of TRL's rows.
const (
	promptCompletion = "prompt-completion"
	messagesFormat   = "messages"
	preference       = "preference"
)

func (trl) unfit() error { return nil }

func (trl) follow(int) tracker { return &kept{} }

// kept counts rows.
type kept struct {
	n   int
	err error
}

func (k *kept) add(r result) {
	k.n += one(r.Outcome == preflight.Kept)
	if r.Outcome == preflight.Crash {
		k.err = firstError(k.err, errors.New(r.Reasons[0]))
	}
}

func (k *kept) end() (int, error) {
	if k.n == 0 {
		k.err = firstError(k.err, errors.New("no row is left: every row is dropped"))
	}
	return k.n, k.err
}

// noTokens is the reason for a row without a trained token.
const noTokens = "dropped in silence: the prompt fills max_length, or the answer is empty"

func (t trl) judge(cell table.Cell) (r result) {
	format := t.format
	if format == "" {
		format = formatOf(cell)
	}
	var err error
	switch format {
	case preference:
		r.Judged, err = t.judgePair(cell)
	case promptCompletion:
		r.Verdict, err = t.judgeCompletion(cell, "completion")
	default:
		r.Verdict, err = t.judgeMessages(cell)
	}
	if err != nil {
		return failed(err)
	}
	return r
}

// formatOf guesses the format from the columns.
func formatOf(cell table.Cell) string {
	for _, f := range []struct{ column, format string }{{"chosen", preference}, {"prompt", promptCompletion}} {
		if _, ok := cell.Type.Field(f.column); ok {
			return f.format
		}
	}
	return messagesFormat
}

// judgeCompletion judges a prompt and an answer, of which all but the prompt is trained.
func (t trl) judgeCompletion(cell table.Cell, column string) (preflight.Verdict, error) {
	parts, err := t.parts(cell, column)
	if err != nil {
		return preflight.Verdict{}, err
	}
	if parts[0].Type.Kind == table.List && column == "completion" && t.config.AssistantOnlyLoss {
		return t.judgeAnswers(cell, parts)
	}
	prompt, whole, err := t.texts(cell, column)
	if err != nil {
		return preflight.Verdict{}, err
	}
	head, all := common(t.config, prompt, whole)
	return t.cut(head, all), nil
}

// cut keeps the first tokens of a row.
func (t trl) cut(head, all int) preflight.Verdict {
	limit := t.config.CutoffLen
	tokens := min(all, limit)
	if head >= tokens {
		return preflight.Verdict{Outcome: preflight.Dropped, Reasons: []string{noTokens}}
	}
	return preflight.Verdict{
		Outcome: preflight.Kept, Reasons: []string{}, Tokens: tokens, Trained: tokens - head, Cut: all - tokens,
		HeadWhole: true, TargetWhole: all <= limit,
	}
}

// texts renders the prompt, with the header of the answer, and the whole row.
func (t trl) texts(cell table.Cell, column string) (prompt, whole string, err error) {
	parts, err := t.parts(cell, column)
	if err != nil {
		return "", "", err
	}
	if text, ok := parts[0].Python().(string); ok {
		if t.config.AssistantOnlyLoss && column == "completion" {
			return "", "", errNotChat
		}
		answer, ok := parts[1].Python().(string)
		if !ok {
			return "", "", fmt.Errorf("TypeError: %s must be text like the prompt, not %s", column, python.Type(parts[1].Value))
		}
		return text, text + t.ended(answer), nil
	}
	lists, err := promptAndAnswer(parts, column)
	if err != nil {
		return "", "", err
	}
	tools := toolsOf(cell)
	prompt, err = t.render(lists[0], tools)
	if err != nil {
		return "", "", err
	}
	whole, err = t.render(slices.Concat(lists[0], lists[1]), tools)
	return prompt + header, whole, err
}

// promptAndAnswer reads the messages of a row.
func promptAndAnswer(parts [2]table.Cell, column string) (lists [2][]turn, err error) {
	for i, name := range []string{"prompt", column} {
		if lists[i], err = turns(parts[i], name); err != nil {
			return lists, err
		}
		if len(lists[i]) == 0 && name != "completion" {
			return lists, fmt.Errorf("%w: %s is empty", errNoMessages, name)
		}
	}
	return lists, nil
}

// parts returns the prompt and the answer of a row. A pair without a prompt has the common beginning of its answers as one.
func (t trl) parts(cell table.Cell, column string) (parts [2]table.Cell, err error) {
	prompt, ok := cell.Get("prompt")
	if !ok && column != "completion" {
		return t.implicit(cell, column)
	}
	answer, known := cell.Get(column)
	switch {
	case !ok:
		return parts, errors.New("KeyError: 'prompt'")
	case !known:
		return parts, fmt.Errorf("KeyError: '%s'", column)
	}
	return [2]table.Cell{prompt, answer}, nil
}

// implicit cuts the answers of a pair where they first differ: between messages, or between characters and then before a
// space.
func (t trl) implicit(cell table.Cell, column string) (parts [2]table.Cell, err error) {
	answer, _ := cell.Get(column)
	chosen, _ := cell.Get("chosen")
	rejected, ok := cell.Get("rejected")
	if !ok {
		return parts, errors.New("KeyError: 'rejected'")
	}
	if a, isText := chosen.Python().(string); isText {
		b, _ := rejected.Python().(string)
		text, _ := answer.Python().(string)
		x, y, all := []rune(a), []rune(b), []rune(text)
		at := min(differ(x, y), len(all))
		if at > 0 && at < min(len(x), len(y)) && x[at] != y[at] && x[at-1] == ' ' {
			at--
		}
		return [2]table.Cell{{Value: string(all[:at]), Type: answer.Type}, {Value: string(all[at:]), Type: answer.Type}}, nil
	}
	x, err := turns(chosen, "chosen")
	if err != nil {
		return parts, err
	}
	y, err := turns(rejected, "rejected")
	if err != nil {
		return parts, err
	}
	list, _ := answer.Value.(python.List)
	at := min(differ(x, y), len(list))
	return [2]table.Cell{{Value: list[:at], Type: answer.Type}, {Value: list[at:], Type: answer.Type}}, nil
}

// differ returns the first index at which two lists differ, or else the last index of the shorter one.
func differ[T comparable](a, b []T) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return max(n-1, 0)
}

func (t trl) judgePair(cell table.Cell) (preflight.Judged, error) {
	chosen, err := t.judgeCompletion(cell, "chosen")
	if err != nil {
		return preflight.Judged{}, err
	}
	rejected, err := t.judgeCompletion(cell, "rejected")
	if err != nil {
		return preflight.Judged{}, err
	}
	if rejected.Outcome == preflight.Dropped {
		return preflight.Judged{Verdict: rejected}, nil
	}
	return preflight.Judged{Verdict: chosen, Chosen: &chosen, Rejected: &rejected}, nil
}
