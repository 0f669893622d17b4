package llm

import (
	"errors"
	"math"
)

// Sampling holds the settings of generation. What is nil, zero or empty is not sent, so the endpoint's default holds.
type Sampling struct {
	Temperature *float64
	// TopP is in (0, 1].
	TopP *float64
	// Seed is sent when it is 0, too.
	Seed *int
	// MaxTokens bounds the reply, hidden reasoning included. It goes out as max_tokens, except to api.openai.com for the
	// o series and GPT-5 and later, which only take max_completion_tokens.
	MaxTokens int
	Stop      []string
}

func (s Sampling) check() error {
	switch {
	case s.Temperature != nil && (math.IsNaN(*s.Temperature) || math.IsInf(*s.Temperature, 0) || *s.Temperature < 0):
		return errors.New("temperature must be a number from 0 up")
	case s.TopP != nil && !(*s.TopP > 0 && *s.TopP <= 1):
		return errors.New("top_p must be above 0 and at most 1")
	case s.MaxTokens < 0:
		return errors.New("max tokens must not be negative")
	}
	return nil
}

// fields returns what is set, by the names of the protocol. Requests and descriptions are both made from it, so that the
// record of a run cannot differ from what was sent.
func (s Sampling) fields() map[string]any {
	out := map[string]any{}
	if s.Temperature != nil {
		out["temperature"] = *s.Temperature
	}
	if s.TopP != nil {
		out["top_p"] = *s.TopP
	}
	if s.Seed != nil {
		out["seed"] = *s.Seed
	}
	if s.MaxTokens > 0 {
		out["max_tokens"] = s.MaxTokens
	}
	if len(s.Stop) > 0 {
		out["stop"] = s.Stop
	}
	return out
}
