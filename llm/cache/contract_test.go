package cache_test

import (
	"testing"

	"airqa/internal/testkit/modeltest"
	"airqa/llm/cache"
	"airqa/qa"
)

func TestContract(t *testing.T) {
	modeltest.Run(t, modeltest.Around(func(t *testing.T, inner qa.Model) qa.Model {
		return &cache.Model{Store: open(t, t.TempDir()), Model: inner, Name: "openai:m", Endpoint: map[string]any{"model": "m"}}
	}))
}
