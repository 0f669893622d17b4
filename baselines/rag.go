package baselines

import (
	"context"

	"airqa/tools"
)

// rag sends the question to the vector store and shows what comes back (paper, "RAG").
func rag() Baseline {
	return Baseline{
		Name:    "rag",
		Summary: "with the passages that fit the question best",
		Tools:   []string{"Retrieve"},
		Prompts: []string{"plain", "task"},
		solve:   once(". The context holds the passages of the papers that fit the question best.", passages),
	}
}

func passages(ctx context.Context, j job) (string, error) {
	found, err := j.act(ctx, tools.Retrieve{}, map[string]any{
		"query": j.example.Question, "limit": int64(j.settings.Passages),
	})
	return "\n" + found, err
}
