package offline

import (
	"encoding/json"
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/qa"
)

// idPattern matches the id at the beginning of a passage or a document of a companion benchmark.
var idPattern = lazyregexp.New(`(?m)^(?:\[Title\]: )?\[([A-Za-z]?\d+)\] `)

// mostCited is the largest number of passages that an answer names.
const mostCited = 2

// cited returns the ids of what was seen, the closest to the question first.
func (t *task) cited() []string {
	var ids []string
	for _, s := range t.sentences {
		for _, it := range t.items {
			if m := idPattern.FindStringSubmatch(it.text); m != nil && strings.Contains(it.text, s.text) && !slices.Contains(ids, m[1]) {
				ids = append(ids, m[1])
			}
		}
	}
	return ids
}

// asksFor reads from a prompt what the answer consists of.
func asksFor(text string) qa.Kind {
	switch {
	case strings.Contains(text, "Answer(ranking"), strings.Contains(text, `"ranking":`), strings.Contains(text, "JSON list of the ids of the documents"):
		return qa.Rank
	case strings.Contains(text, "Answer(answer: Any, evidence"), strings.Contains(text, `"evidence":`):
		return qa.WithEvidence
	}
	return ""
}

// final are the arguments of the last call, for an answer.
func (t *task) final(value python.Value) map[string]any {
	switch t.kind {
	case qa.Rank:
		return map[string]any{"ranking": values(t.cited())}
	case qa.WithEvidence:
		ids := t.cited()
		return map[string]any{"answer": value, "evidence": values(ids[:min(mostCited, len(ids))])}
	default:
		return map[string]any{"answer": value}
	}
}

func values(ids []string) python.List {
	list := python.List{}
	for _, id := range ids {
		list = append(list, id)
	}
	return list
}

// written is the answer between fences.
func (t *task) written(value python.Value) python.Value {
	if t.kind == "" {
		return value
	}
	args := t.final(value)
	v := python.ToGo(args["ranking"])
	if t.kind != qa.Rank {
		v = map[string]any{"answer": python.Str(value), "evidence": python.ToGo(args["evidence"])}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return value
	}
	return string(text)
}
