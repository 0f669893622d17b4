package importer

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"airqa/qa"
)

// said is the content of a message.
type said struct {
	text, reasoning string
	images          []qa.Image
}

// contentPart is a part of the content of a message; Type decides which of the other fields it has.
type contentPart struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Reasoning string `json:"reasoning"`
	Redacted  bool   `json:"redacted"`
	Image     string `json:"image"`
}

// attached returns a text, or the one that it refers to.
func (b *sampleTurns) attached(text string) string {
	const attachment = "attachment://" // begins a text that is kept apart
	if name, ok := strings.CutPrefix(text, attachment); ok {
		if whole, there := b.s.Attachments[name]; there {
			return whole
		}
		b.e.losses.Add("attachment that is missing")
	}
	return text
}

// content reads a text, or a list of parts.
func (b *sampleTurns) content(raw json.RawMessage) (out said) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		out.text = b.attached(text)
		return out
	}
	var parts []contentPart
	if json.Unmarshal(raw, &parts) != nil {
		b.e.losses.Add("content in an unknown form")
		return out
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text":
			texts = append(texts, b.attached(p.Text))
		case "reasoning":
			if p.Redacted {
				b.e.losses.Add("reasoning that is sealed")
				continue
			}
			out.reasoning = strings.TrimPrefix(out.reasoning+"\n"+b.attached(p.Reasoning), "\n")
		case "image":
			if im, ok := dataURL(b.attached(p.Image)); ok {
				out.images = append(out.images, im)
				continue
			}
			b.e.losses.Add("image that is not part of the log")
		default:
			b.e.losses.Add("content of type " + idOf(p.Type))
		}
	}
	if len(texts) > 1 {
		b.e.losses.Add("borders of the texts of a message")
	}
	out.text = strings.Join(texts, "\n")
	return out
}

// scores adds the scores of a sample, in the order of the scorers of the log.
func (l *inspectLog) scores(s sample, e *episode) {
	done := make(map[string]bool)
	add := func(name string) {
		if raw, ok := s.Scores[name]; ok && !done[name] {
			done[name] = true
			e.scores = append(e.scores, scoreOf(name, raw, e.losses))
		}
	}
	for _, scorer := range l.Eval.Scorers {
		add(scorer.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Scores)) {
		add(name)
	}
}

// grades are the values that inspect_ai's scorers use.
var grades = map[string]float64{"C": 1, "I": 0, "P": 0.5, "N": 0}

// scoreOf reads a score. A value outside of 0 to 1 gives no verdict.
func scoreOf(name string, raw json.RawMessage, l Losses) scored {
	var read struct {
		Value       any    `json:"value"`
		Answer      any    `json:"answer,omitempty"`
		Explanation string `json:"explanation,omitempty"`
		Metadata    any    `json:"metadata,omitempty"`
	}
	out := scored{"inspect_ai:" + name, qa.Score{Verdict: qa.Unscored, Func: name}}
	if json.Unmarshal(raw, &read) != nil {
		l.Add("score in an unknown form")
		out.Reason = "the log's score cannot be read"
		return out
	}
	if read.Explanation != "" || read.Metadata != nil {
		l.Add("explanation or metadata of a score")
	}
	value, ok := number(read.Value)
	if !ok || math.IsNaN(value) || value < 0 || value > 1 {
		l.Add("score outside of 0 to 1, or without a number")
		out.Reason = "the score in the log is not a number from 0 to 1"
		return out
	}
	out.Value, out.Verdict = value, qa.Wrong
	if value == 1 {
		out.Verdict = qa.Right
	}
	return out
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case string:
		grade, ok := grades[v]
		return grade, ok
	}
	return 0, false
}
