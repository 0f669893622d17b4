package llm_test

import (
	"slices"
	"testing"

	"airqa/internal/testkit/modeltest"
	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

// TestContract runs the checks of a model over an endpoint of every provider, alone and with retries around it.
func TestContract(t *testing.T) {
	served := func(t *testing.T, provider string) (*openaitest.Server, llm.Config) {
		s := start(t, openaitest.Config{ToolCalls: func([]openaitest.Message) []openaitest.ToolCall { return nil }})
		return s, endpoints(s)[provider]
	}
	for _, provider := range []string{"openai", "openai-responses", "google", "anthropic", "ollama"} {
		for name, retries := range map[string]int{"alone": 0, "retried": 2} {
			t.Run(provider+" "+name, func(t *testing.T) {
				build := func(t *testing.T, c llm.Config) qa.Model {
					if c.MaxRetries = retries; retries > 0 {
						return open(t, c)
					}
					m, err := llm.NewEndpoint(c)
					if err != nil {
						t.Fatal(err)
					}
					return m
				}
				checks := modeltest.Config{
					New: func(t *testing.T) qa.Model {
						_, c := served(t, provider)
						return build(t, c)
					},
					Failing: func(t *testing.T) (qa.Model, qa.FailureClass, int) {
						s, c := served(t, provider)
						s.Fail(slices.Repeat([]openaitest.Fault{openaitest.Body(503, "busy")}, retries+1)...)
						return build(t, c), qa.FailServer, retries + 1
					},
					Hanging: func(t *testing.T, asked func()) qa.Model {
						s, c := served(t, provider)
						s.Fail(openaitest.Hang(asked))
						return build(t, c)
					},
					Tools: func(t *testing.T) qa.Model {
						s := start(t, openaitest.Config{ToolCalls: func([]openaitest.Message) []openaitest.ToolCall {
							return []openaitest.ToolCall{{ID: "a", Name: modeltest.Tool.Name, Arguments: `{"query":"x"}`}}
						}})
						return build(t, endpoints(s)[provider])
					},
				}
				modeltest.Run(t, checks)
			})
		}
	}
	t.Run("scripted", func(t *testing.T) {
		modeltest.Run(t, modeltest.Config{New: func(*testing.T) qa.Model {
			return llm.NewScript([]llm.Episode{{Replies: slices.Repeat([]string{"ok"}, 16)}})
		}})
	})
}
