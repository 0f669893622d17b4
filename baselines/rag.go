package baselines

import (
	"context"
	"slices"
	"strings"

	"airqa/tools"
)

func passages(ctx context.Context, j job) (string, error) {
	texts := []string{j.example.Question}
	for _, u := range slices.Backward(j.example.History[max(0, len(j.example.History)-2):]) {
		texts = append(texts, u.Text) // a question such as "And why?" is about the last question and its answer
	}
	found, err := j.act(ctx, tools.Retrieve{}, map[string]any{
		"query": strings.Join(texts, "\n"), "limit": int64(j.settings.Passages),
	})
	return "\n" + found, err
}

// titled adds the titles of their papers to passages, because a model without tools cannot look them up.
type titled struct {
	tools.Retriever
	library Library
}

// PartRead asks the wrapped retriever.
func (t titled) PartRead(query string) int { return tools.PartRead(t.Retriever, query) }

// Retrieve adds titles to the passages.
func (t titled) Retrieve(ctx context.Context, query string, limit int, scope tools.Scope) ([]tools.Hit, error) {
	hits, err := t.Retriever.Retrieve(ctx, query, limit, scope)
	known := make(map[string]string)
	for i := range hits[:min(limit, len(hits))] {
		id := hits[i].PDFID
		if known[id] == "" {
			if known[id], err = titleOf(ctx, t.library, id); err != nil {
				return nil, err
			}
		}
		hits[i].Title = known[id]
	}
	return hits, err
}
