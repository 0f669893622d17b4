package preflight

import (
	"errors"
	"fmt"

	"airqa/internal/python"
	"airqa/train/format"
	"airqa/train/preflight/rows"
	"airqa/train/preflight/template"
)

// Measure predicts what the trainer does with one conversation. Its last message is the target.
func (k *Checker) Measure(c format.Dialogue) Verdict {
	judged, _ := k.judge(converted(c))
	return judged.Verdict
}

// Spans returns a conversation as the trainer renders it, in order, with what is trained, context and cut; none if the
// row is not kept.
func (k *Checker) Spans(c format.Dialogue) []Span {
	judged, sides := k.judge(converted(c))
	if judged.Outcome != Kept {
		return nil
	}
	return k.spans(sides[0])
}

// errNotKept is the error of a row that cannot be shown.
var errNotKept = errors.New("the trainer does not keep this row")

// droppedRow is the last reason for every dropped row, in the trainer's words.
const droppedRow = "Dropped invalid"

// converted is what the trainer's converter makes of a conversation.
func converted(c format.Dialogue) rows.Row {
	row := rows.Row{System: c.System, Tools: c.Tools}
	for _, i := range c.Images {
		row.Images = append(row.Images, i)
	}
	messages := c.Turns
	if len(messages) > 0 && messages[0].Role == format.RoleSystem {
		row.System, messages = messages[0].Text, messages[1:]
	}
	turns := make([]rows.Message, 0, len(messages))
	for i, m := range messages {
		role, answer := trainerRole(m.Role)
		if role == "" || answer != (i%2 == 1) {
			row.Warnings = append(row.Warnings, rows.InvalidRole)
			break
		}
		turns = append(turns, rows.Message{Role: role, Content: m.Text})
	}
	if len(turns)%2 != 0 {
		row.Warnings = append(row.Warnings, rows.InvalidCount)
	}
	if n := len(turns); len(row.Warnings) > 0 {
		row.Warnings = append(row.Warnings, rows.Skipping)
	} else if n > 0 {
		row.Prompt, row.Response = turns[:n-1], turns[n-1:]
	}
	return row
}

// trainerRole returns the trainer's role of a message, and whether it is the model's.
func trainerRole(role string) (mapped string, answer bool) {
	switch role {
	case format.RoleHuman:
		return template.User, false
	case format.RoleObservation:
		return template.Observation, false
	case format.RoleGPT:
		return template.Assistant, true
	case format.RoleFunctionCall:
		return template.Function, true
	}
	return "", false
}

// Judged is the verdict on a row, with those on both answers of a pair. The pair's own is that on the chosen answer.
type Judged struct {
	Verdict
	Chosen, Rejected *Verdict
}

// stopped is the verdict on a row that stops the trainer, or that is not checked.
func stopped(err error) Verdict {
	outcome := Crash
	if unknown := rows.NotChecked(""); errors.As(err, &unknown) {
		outcome = NotChecked
	}
	return Verdict{Outcome: outcome, Reasons: []string{err.Error()}}
}

// side is a row with one answer, rendered and cut.
type side []cutPair

// judge predicts what becomes of a row that the trainer has converted, and returns the sides of one that it keeps: one,
// or those of the chosen and the rejected answer of a pair.
func (k *Checker) judge(row rows.Row) (Judged, []side) {
	want := len(row.Response) == 1
	if k.c.Stage != SFT {
		want = len(row.Response) >= 2
	}
	if len(row.Prompt)%2 != 1 || !want {
		return Judged{Verdict: Verdict{Outcome: Dropped, Reasons: append(row.Warnings, droppedRow)}}, nil
	}
	sides, err := k.sides(row)
	if err != nil {
		return Judged{Verdict: stopped(err)}, nil
	}
	j := Judged{Verdict: k.verdict(sides[0])}
	if k.c.Stage == RM {
		chosen, rejected := j.Verdict, k.verdict(sides[1])
		j.Chosen, j.Rejected = &chosen, &rejected
	}
	j.Reasons = append([]string{}, row.Warnings...)
	return j, sides
}

// sides renders a row and applies the limit.
func (k *Checker) sides(row rows.Row) ([]side, error) {
	answers := row.Response
	if k.c.Stage == KTO {
		answers = []rows.Message{row.Response[answerOf(row.Response)]}
	}
	rendered := make([][]template.Pair, len(answers))
	for i, answer := range answers {
		var err error
		if rendered[i], err = k.render(row, answer); err != nil {
			return nil, err
		}
	}
	if k.c.Stage == SFT {
		return []side{k.cutTurns(rendered[0])}, nil
	}
	turns, longest := make([]template.Pair, len(rendered)), 0
	for i, pairs := range rendered {
		turns[i] = oneTurn(pairs)
		turns[i].Source = turns[0].Source
		if k.c.Stage == RM {
			longest = max(longest, k.size(turns[i].Target)) // the answers of a pair share the limit of the longer one
		}
	}
	sides := make([]side, len(turns))
	for i, turn := range turns {
		sides[i] = k.cutAnswer(turn, longest)
	}
	return sides, nil
}

// answerOf returns the index of the answer of a feedback row: the first that is not empty.
func answerOf(response []rows.Message) int {
	if response[0].Content == "" || response[0].Content == nil {
		return 1
	}
	return 0
}

// render turns a row with one answer into pairs.
func (k *Checker) render(row rows.Row, answer rows.Message) ([]template.Pair, error) {
	d := template.Dialog{}
	for _, m := range append(row.Prompt[:len(row.Prompt):len(row.Prompt)], answer) {
		text, ok := m.Content.(string)
		if _, date := m.Content.(rows.Date); date {
			return nil, rows.ErrDates
		} else if !ok {
			return nil, fmt.Errorf("RuntimeError: Expected a string, got %s", python.Str(m.Content))
		}
		d.Messages = append(d.Messages, template.Message{Role: m.Role, Text: text})
	}
	if err := k.expandMedia(d, row); err != nil {
		return nil, err
	}
	var err error
	if d.Tools, err = asText(row.Tools, "TypeError: the JSON object must be str, bytes or bytearray, not %s"); err != nil {
		return nil, err
	}
	if d.System, err = asText(row.System, "TypeError: the system prompt must be a string, not %s"); err != nil {
		return nil, err
	}
	return k.template.Pairs(d, k.options())
}

// asText returns a text; null and other empty values count as none.
func asText(v python.Value, format string) (string, error) {
	switch x := v.(type) {
	case nil:
		return "", nil
	case string:
		return x, nil
	case rows.Date:
		return "", rows.ErrDates
	}
	if !python.Truth(v) {
		return "", nil
	}
	return "", fmt.Errorf(format, python.Type(v))
}

func (k *Checker) options() template.Options {
	return template.Options{
		Thinking: k.c.Thinking == nil || *k.c.Thinking, KeepHistory: k.c.PreserveThinking || !k.c.MaskHistory && k.c.Stage == SFT,
		DefaultSystem: k.c.DefaultSystem, Date: k.c.Date, Pairwise: k.c.Stage != SFT,
	}
}

// oneTurn joins all but the last target into the source.
func oneTurn(pairs []template.Pair) (joined template.Pair) {
	for i, p := range pairs {
		joined.Source = append(joined.Source, p.Source...)
		if i < len(pairs)-1 {
			joined.Source = append(joined.Source, p.Target...)
		}
		joined.Target = p.Target
	}
	return joined
}

// cutPair is a rendered pair with the number of its tokens and of those that the trainer keeps.
type cutPair struct {
	template.Pair
	size, kept part
	trained    bool // the target has a loss
}

// cutTurns applies the limit to a row of supervised training.
func (k *Checker) cutTurns(pairs []template.Pair) side {
	sizes := make([]part, len(pairs))
	for i, p := range pairs {
		sizes[i] = part{k.size(p.Source), k.size(p.Target)}
	}
	limit := k.c.Limit()
	if k.template.EfficientEOS {
		limit--
	}
	kept := fit(sizes, limit, k.c.MaskHistory)
	out := make(side, len(pairs))
	for i, p := range pairs {
		out[i] = cutPair{Pair: p, size: sizes[i], kept: kept[i], trained: !k.c.MaskHistory || i == len(pairs)-1}
	}
	return out
}

// cutAnswer applies the limit to a pair whose target counts as at least as long as longest.
func (k *Checker) cutAnswer(p template.Pair, longest int) side {
	if k.template.EfficientEOS {
		p.Target = append(p.Target[:len(p.Target):len(p.Target)], template.Piece{Kind: template.EOS})
		longest++
	}
	size := part{k.size(p.Source), k.size(p.Target)}
	kept := share(part{size.source, max(size.target, longest)}, k.c.Limit())
	kept.target = min(kept.target, size.target)
	return side{{Pair: p, size: size, kept: kept, trained: true}}
}

func (k *Checker) size(pieces []template.Piece) (n int) {
	for _, p := range pieces {
		n += k.counter.count(p)
	}
	return n
}

// verdict sums up a kept row.
func (k *Checker) verdict(pairs side) Verdict {
	v := Verdict{Outcome: Kept, Reasons: []string{}}
	for _, p := range pairs {
		v.Tokens += p.kept.sum()
		v.Cut += p.size.sum() - p.kept.sum()
		if p.trained {
			v.Trained += p.kept.target
		}
		if k.c.TrainOnPrompt {
			v.Trained += p.kept.source
		}
	}
	if k.template.EfficientEOS && k.c.Stage == SFT {
		v.Tokens, v.Trained = v.Tokens+1, v.Trained+1
		if !k.c.TrainOnPrompt {
			v.Trained += k.oldEnds(pairs)
		}
	}
	first, last := pairs[0], pairs[len(pairs)-1]
	v.HeadWhole = first.kept.source == first.size.source
	v.TargetWhole = last.kept.target == last.size.target
	return v
}

// oldEnds counts the first tokens of sources that templates with one end token per row train as the end of the turn
// before: of every pair but the one that is encoded first.
func (k *Checker) oldEnds(pairs side) (n int) {
	first := 0
	if k.c.MaskHistory {
		first = len(pairs) - 1
	}
	for i, p := range pairs {
		if i != first && p.kept.source > 0 {
			n++
		}
	}
	return n
}

// spans returns a kept row as the trainer renders it.
func (k *Checker) spans(pairs side) (spans []Span) {
	for _, p := range pairs {
		source, target := Context, Context
		if k.c.TrainOnPrompt {
			source = Trained
		}
		if p.trained {
			target = Trained
		}
		spans = k.addSpans(spans, p.Source, p.kept.source, source)
		spans = k.addSpans(spans, p.Target, p.kept.target, target)
	}
	return spans
}

// addSpans appends pieces of which n tokens are in a state and the others cut.
func (k *Checker) addSpans(spans []Span, pieces []template.Piece, n int, state State) []Span {
	for _, p := range pieces {
		size := k.counter.count(p)
		text := pieceText(p)
		switch {
		case size <= n:
			spans = addSpan(spans, text, state)
		case n <= 0:
			spans = addSpan(spans, text, Cut)
		default:
			head, tail := k.counter.split(p, n)
			spans = addSpan(addSpan(spans, head, state), tail, Cut)
		}
		n -= size
	}
	return spans
}

func pieceText(p template.Piece) string {
	switch p.Kind {
	case template.BOS:
		return "<bos>"
	case template.EOS:
		return "<eos>"
	}
	return p.Text
}

// addSpan appends text to the last span of the same state, or a new one.
func addSpan(spans []Span, text string, state State) []Span {
	if text == "" {
		return spans
	}
	if n := len(spans); n > 0 && spans[n-1].State == state {
		spans[n-1].Text += text
		return spans
	}
	return append(spans, Span{text, state})
}
