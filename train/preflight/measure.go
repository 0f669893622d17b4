package preflight

import (
	"errors"
	"fmt"

	"airqa/internal/python"
	"airqa/train/format"
	"airqa/train/preflight/align"
	"airqa/train/preflight/table"
	"airqa/train/preflight/template"
)

// Measure predicts what the trainer does with one conversation. Its last message is the target.
func (k *Checker) Measure(c format.Dialogue) Verdict { return k.Judge(alignDialogue(c)).Verdict }

// droppedRow is the last reason for every dropped row, in the trainer's words.
const droppedRow = "Dropped invalid"

// alignDialogue returns what the trainer's converter makes of a conversation.
func alignDialogue(c format.Dialogue) align.Row {
	row := align.Row{System: c.System, Tools: c.Tools}
	for _, i := range c.Images {
		row.Images = append(row.Images, i)
	}
	messages := c.Turns
	if len(messages) > 0 && messages[0].Role == format.RoleSystem {
		row.System, messages = messages[0].Text, messages[1:]
	}
	turns := make([]align.Message, 0, len(messages))
	for i, m := range messages {
		role, answer := roleOf(m.Role)
		if role == "" || answer != (i%2 == 1) {
			row.Warnings = append(row.Warnings, align.InvalidRole)
			break
		}
		turns = append(turns, align.Message{Role: role, Content: m.Text})
	}
	if len(turns)%2 != 0 {
		row.Warnings = append(row.Warnings, align.InvalidCount)
	}
	if n := len(turns); len(row.Warnings) > 0 {
		row.Warnings = append(row.Warnings, align.Skipping)
	} else if n > 0 {
		row.Prompt, row.Response = turns[:n-1], turns[n-1:]
	}
	return row
}

// roleOf returns the trainer's role of a message, and whether it is the model's.
func roleOf(role string) (mapped string, answer bool) {
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

// Judge predicts what becomes of a row that the trainer has converted.
func (k *Checker) Judge(row align.Row) Judged {
	want := len(row.Response) == 1
	if k.c.Stage != SFT {
		want = len(row.Response) >= 2
	}
	if len(row.Prompt)%2 != 1 || !want {
		return Judged{Verdict: Verdict{Outcome: Dropped, Reasons: append(row.Warnings, droppedRow)}}
	}
	var j Judged
	var err error
	switch k.c.Stage {
	case RM:
		j, err = k.judgePair(row)
	case KTO:
		j.Verdict, err = k.judgeAnswer(row, row.Response[AnswerOf(row.Response)])
	default:
		j.Verdict, err = k.judgeTurns(row)
	}
	if err != nil {
		return Judged{Verdict: Crashed(err)}
	}
	j.Reasons = append([]string{}, row.Warnings...)
	return j
}

// Crashed is the verdict on a row that stops the trainer.
func Crashed(err error) Verdict { return Verdict{Outcome: Crash, Reasons: []string{err.Error()}} }

// AnswerOf returns the index of the answer of a feedback row: the first that is not empty.
func AnswerOf(response []align.Message) int {
	if response[0].Content == "" || response[0].Content == nil {
		return 1
	}
	return 0
}

// render turns a row with one answer into pairs.
func (k *Checker) render(row align.Row, answer align.Message) ([]template.Pair, error) {
	d := template.Dialog{}
	for _, m := range append(row.Prompt[:len(row.Prompt):len(row.Prompt)], answer) {
		text, ok := m.Content.(string)
		if !ok {
			return nil, fmt.Errorf("RuntimeError: Expected a string, got %s", show(m.Content))
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
	case python.List:
		if len(x) == 0 {
			return "", nil
		}
	case *python.Dict:
		if x.Len() == 0 {
			return "", nil
		}
	}
	if v == false || v == int64(0) || v == 0.0 {
		return "", nil
	}
	return "", fmt.Errorf(format, TypeName(v))
}

// TypeName returns the name of a value's type in Python.
func TypeName(v python.Value) string {
	if _, ok := v.(table.Moment); ok {
		return "datetime"
	}
	return python.Type(v)
}

// show prints a value for an error message.
func show(v python.Value) string {
	if m, ok := v.(table.Moment); ok {
		return string(m)
	}
	return python.Str(v)
}

func (k *Checker) options() template.Options {
	on := !k.c.NoThinking
	o := template.Options{
		Thinking: &on, KeepHistory: k.c.PreserveThinking || !k.c.MaskHistory && k.c.Stage == SFT,
		DefaultSystem: k.c.DefaultSystem, Date: k.c.Date, Pairwise: k.c.Stage != SFT,
	}
	if k.c.ThinkingNull {
		o.Thinking = nil
	}
	return o
}

// judgeTurns judges a row of supervised training.
func (k *Checker) judgeTurns(row align.Row) (Verdict, error) {
	pairs, err := k.render(row, row.Response[0])
	if err != nil {
		return Verdict{}, err
	}
	return k.verdict(k.cut(pairs)), nil
}

// judgeAnswer judges a row of which the answer alone is the target.
func (k *Checker) judgeAnswer(row align.Row, answer align.Message) (Verdict, error) {
	pairs, err := k.render(row, answer)
	if err != nil {
		return Verdict{}, err
	}
	return k.verdict(k.cutAnswer(oneTurn(pairs), 0)), nil
}

// Renders returns the error with which the trainer refuses a row with another answer.
func (k *Checker) Renders(row align.Row, answer align.Message) error {
	_, err := k.render(row, answer)
	return err
}

// judgePair judges both answers of a pair; they share the limit of the longer one.
func (k *Checker) judgePair(row align.Row) (Judged, error) {
	var turns [2]template.Pair
	longest := 0
	for i := range turns {
		pairs, err := k.render(row, row.Response[i])
		if err != nil {
			return Judged{}, err
		}
		turns[i] = oneTurn(pairs)
		longest = max(longest, k.size(turns[i].Target))
	}
	turns[1].Source = turns[0].Source
	chosen := k.verdict(k.cutAnswer(turns[0], longest))
	rejected := k.verdict(k.cutAnswer(turns[1], longest))
	return Judged{chosen, &chosen, &rejected}, nil
}

// oneTurn joins all but the last target into the source.
func oneTurn(pairs []template.Pair) (one template.Pair) {
	for i, p := range pairs {
		one.Source = append(one.Source, p.Source...)
		if i < len(pairs)-1 {
			one.Source = append(one.Source, p.Target...)
		}
		one.Target = p.Target
	}
	return one
}

// cutPair is a rendered pair with the number of its tokens and of those that the trainer keeps.
type cutPair struct {
	template.Pair
	size, kept part
	trained    bool // the target has a loss
}

// cut applies the limit to a rendered row.
func (k *Checker) cut(pairs []template.Pair) []cutPair {
	sizes := make([]part, len(pairs))
	for i, p := range pairs {
		sizes[i] = part{k.size(p.Source), k.size(p.Target)}
	}
	limit := k.c.Limit()
	if k.template.EfficientEOS {
		limit--
	}
	kept := fit(sizes, limit, k.c.MaskHistory)
	out := make([]cutPair, len(pairs))
	for i, p := range pairs {
		out[i] = cutPair{Pair: p, size: sizes[i], kept: kept[i], trained: !k.c.MaskHistory || i == len(pairs)-1}
	}
	return out
}

// cutAnswer applies the limit to a pair whose target counts as at least as long as longest.
func (k *Checker) cutAnswer(p template.Pair, longest int) []cutPair {
	if k.template.EfficientEOS {
		p.Target = append(p.Target[:len(p.Target):len(p.Target)], template.Piece{Kind: template.EOS})
		longest++
	}
	size := part{k.size(p.Source), k.size(p.Target)}
	kept := share(part{size.source, max(size.target, longest)}, k.c.Limit())
	kept.target = min(kept.target, size.target)
	return []cutPair{{Pair: p, size: size, kept: kept, trained: true}}
}

func (k *Checker) size(pieces []template.Piece) (n int) {
	for _, p := range pieces {
		n += k.counter.count(p)
	}
	return n
}

// verdict sums up a kept row.
func (k *Checker) verdict(pairs []cutPair) Verdict {
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
func (k *Checker) oldEnds(pairs []cutPair) (n int) {
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

var errNoSpans = errors.New("the trainer does not keep this row")

// Spans returns a conversation as the trainer renders it, in order, with what is trained, context and cut; none if the
// row is not kept.
func (k *Checker) Spans(c format.Dialogue) []Span {
	spans, _ := k.RowSpans(alignDialogue(c), 0)
	return spans
}

// RowSpans is [Checker.Spans] for a converted row and one of its answers.
func (k *Checker) RowSpans(row align.Row, answer int) ([]Span, error) {
	if v := k.Judge(row); v.Outcome != Kept {
		return nil, fmt.Errorf("%w: %s", errNoSpans, v.Reasons)
	}
	pairs, err := k.render(row, row.Response[answer])
	if err != nil {
		return nil, err
	}
	cut := k.cut(pairs)
	if k.c.Stage != SFT {
		longest := 0
		for _, r := range row.Response {
			if other, err := k.render(row, r); err == nil && k.c.Stage == RM {
				longest = max(longest, k.size(oneTurn(other).Target))
			}
		}
		cut = k.cutAnswer(oneTurn(pairs), longest)
	}
	var spans []Span
	for _, p := range cut {
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
	return spans, nil
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
