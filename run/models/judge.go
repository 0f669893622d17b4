package models

import (
	"errors"
	"time"

	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/qa"
)

// JudgeEndpoint is where judges are, and what is sent there.
type JudgeEndpoint struct {
	// BaseURL is empty for the provider's address.
	BaseURL string
	// Body is added to requests, see [llm.Config].
	Body map[string]any
	// MaxReply is the maximum number of tokens of a reply; 0 is the default.
	MaxReply int
}

// JudgeConfig configures [OpenJudge].
type JudgeConfig struct {
	// Spec is PROVIDER:NAME.
	Spec string
	JudgeEndpoint
	// Own are the addresses that keys are for.
	Own    Addresses
	Getenv func(string) string
	Notify terminal.Notify
	// Timeout limits one request, Retries follow transient failures; 0 is the default, and negative Retries are none.
	Timeout time.Duration
	Retries int
	// Others are the names of judges that are not models, for the error about an unknown provider.
	Others []string
}

// judgeReply is the maximum number of tokens of a judge's reply.
const judgeReply = 1500

// OpenJudge opens the model of a judge and asks like the authors' judges: temperature 0, top_p 0.95, 1,500 tokens. Without a
// key, the error is [llm.ErrNoKey], and the model is only described.
func OpenJudge(c JudgeConfig) (Model, llm.Access, error) {
	access := c.Own.Access(c.Spec, JudgeKey, c.BaseURL, c.Getenv)
	sampling := qa.Sampling{Temperature: new(0.0), TopP: new(0.95), MaxTokens: judgeReply}
	if c.MaxReply > 0 {
		sampling.MaxTokens = c.MaxReply
	}
	config := llm.Config{
		Spec: c.Spec, Access: access, Timeout: c.Timeout, MaxRetries: c.Retries, Sampling: sampling,
		Body: c.Body, Catalog: c.Own.Catalog,
		OnNotice:  func(text string) { c.Notify.Notef("%s", text) },
		Providers: make(map[string]llm.Provider),
	}
	for _, name := range c.Others {
		config.Providers[name] = nil
	}
	described, err := llm.Describe(config)
	if err != nil {
		return Model{}, access, err
	}
	m := Model{Spec: c.Spec, Described: described, MaxReply: sampling.MaxTokens}
	m.Endpoint, err = llm.Open(config)
	if errors.Is(err, llm.ErrNoKey) {
		err = MissingKey(access, JudgeKey)
	}
	return m, access, err
}
