package preflight

import (
	"fmt"
	"strings"

	"airqa/extractor/preflight/template"
)

// Measure predicts what the trainer does with one conversation. Its last message is the target.
func (k *Checker) Measure(c Conversation) Verdict {
	d, reasons := align(c)
	if len(reasons) > 0 {
		return Verdict{Outcome: Dropped, Reasons: reasons}
	}
	if err := k.expandImages(d, c.Images); err != nil {
		return crash(err)
	}
	pairs, err := k.template.Pairs(d, k.options())
	if err != nil {
		return crash(err)
	}
	return k.verdict(k.cut(pairs))
}

// crash is the verdict of a row that stops the trainer.
func crash(err error) Verdict { return Verdict{Outcome: Crash, Reasons: []string{err.Error()}} }

// Reasons for a dropped row, in the trainer's words.
const (
	invalidRole  = "Invalid role tag"
	invalidCount = "Invalid message count"
	skipping     = "Skipping this abnormal"
	droppedRow   = "Dropped invalid"
)

// align maps the roles of a conversation. A broken order of roles gives the reasons for which the row is dropped.
func align(c Conversation) (d template.Dialog, reasons []string) {
	d = template.Dialog{System: c.System, Tools: c.Tools}
	messages := c.Messages
	if len(messages) > 0 && messages[0].Role == RoleSystem {
		d.System, messages = messages[0].Text, messages[1:]
	}
	for i, m := range messages {
		role, odd := roleOf(m.Role)
		if role == "" || odd != (i%2 == 1) {
			reasons = append(reasons, fmt.Sprintf("%s in message %d: %q", invalidRole, i+1, m.Role))
			break
		}
		d.Messages = append(d.Messages, template.Message{Role: role, Text: m.Text})
	}
	if len(d.Messages)%2 != 0 {
		reasons = append(reasons, fmt.Sprintf("%s: %d", invalidCount, len(d.Messages)))
	}
	if len(reasons) > 0 || len(d.Messages) == 0 {
		return d, append(reasons, skipping, droppedRow)
	}
	return d, nil
}

// roleOf returns the trainer's role of a message, and whether it is the model's.
func roleOf(role string) (mapped string, answer bool) {
	switch role {
	case RoleHuman:
		return template.User, false
	case RoleObservation:
		return template.Observation, false
	case RoleGPT:
		return template.Assistant, true
	case RoleFunctionCall:
		return template.Function, true
	}
	return "", false
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

// expandImages replaces the markers of images with their tokens.
func (k *Checker) expandImages(d template.Dialog, images []Image) error {
	v := k.template.Vision
	if v == nil {
		if len(images) > 0 {
			return fmt.Errorf("ValueError: This model does not support image input: template %s", k.template.Name)
		}
		return nil
	}
	return expand(v, d.Messages, images)
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
	limit := k.c.limit()
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
	if k.template.EfficientEOS {
		v.Tokens, v.Trained = v.Tokens+1, v.Trained+1
	}
	first, last := pairs[0], pairs[len(pairs)-1]
	v.HeadWhole = first.kept.source == first.size.source
	v.TargetWhole = last.kept.target == last.size.target
	return v
}

// Spans returns a conversation as the trainer renders it, in order, with what is trained, context and cut. A row that is
// not kept has one cut span.
func (k *Checker) Spans(c Conversation) []Span {
	d, reasons := align(c)
	if len(reasons) > 0 || k.expandImages(d, c.Images) != nil {
		return nil
	}
	pairs, err := k.template.Pairs(d, k.options())
	if err != nil {
		return nil
	}
	var spans []Span
	for _, p := range k.cut(pairs) {
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

// expand replaces markers in messages.
func expand(v *template.Vision, messages []template.Message, images []Image) error {
	markers := 0
	for _, m := range messages {
		markers += strings.Count(m.Text, "<image>")
	}
	if markers != len(images) {
		return fmt.Errorf("ValueError: The number of images does not match the number of <image> tokens: %d images, %d markers", len(images), markers)
	}
	for i, m := range messages {
		for strings.Contains(m.Text, "<image>") {
			n, err := imageTokens(images[0], v.Patch)
			if err != nil {
				return err
			}
			images = images[1:]
			m.Text = strings.Replace(m.Text, "<image>", v.Begin+strings.Repeat(v.Image, n)+v.End, 1)
		}
		messages[i] = m
	}
	return nil
}
