package baselines

import (
	"context"

	"airqa/internal/tokens"
)

// givenContext adds the text that the question brings: the introduction or the gold evidence of a companion benchmark.
func givenContext() Baseline {
	return Baseline{
		Name:    "given-context",
		Summary: "with the context that the question brings (companion benchmarks)",
		Prompts: []string{"plain", "task"},
		solve:   once(". The context holds the passages that come with it.", given),
	}
}

func given(_ context.Context, j job) (string, error) {
	if j.example.Context == "" {
		return "none, because the question brings none.", nil
	}
	text, cut := tokens.Cut(j.example.Context, j.settings.ContextTokens)
	return "\n" + text + cutNote(cut, j.settings.ContextTokens), nil
}
