package llm

import (
	"errors"
	"math"
)

// Sampling holds the settings of generation. What is nil, zero or empty is not sent, so the endpoint's default holds; what
// the model or the protocol does not take is not sent either, and [Describe] names it.
type Sampling struct {
	Temperature *float64
	// TopP is in (0, 1].
	TopP *float64
	// Seed is sent when it is 0, too.
	Seed *int
	// MaxTokens bounds the reply, hidden reasoning included. It goes out as max_tokens, or as max_completion_tokens to models
	// that take only that: those that reason at OpenAI's own hosts, and where an endpoint's error asks for it. Anthropic requires a limit: 0 is 4096 there.
	MaxTokens int
	// Stop ends the reply where one of these would begin.
	Stop []string
	// ReasoningEffort is how much a reasoning model thinks: "low", "medium", "high" and what else the endpoint knows.
	ReasoningEffort string
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
	if s.ReasoningEffort != "" {
		out["reasoning_effort"] = s.ReasoningEffort
	}
	return out
}

// settled returns the sampling that is sent, by the names of OpenAI's protocol, and the names of what is set and not
// sent, in order.
func (c Config) settled() (fields map[string]any, unsent []string) {
	fields = c.Sampling.fields()
	for _, name := range c.refused(fields) {
		if _, set := fields[name]; set {
			delete(fields, name)
			unsent = append(unsent, name)
		}
	}
	provider, _ := SplitSpec(c.Spec)
	if _, set := fields["max_tokens"]; !set && provider == "anthropic" {
		fields["max_tokens"] = anthropicMaxTokens
	}
	return fields, unsent
}

// refused names the settings that the model or its protocol does not take.
func (c Config) refused(fields map[string]any) []string {
	var names []string
	if provider, _ := SplitSpec(c.Spec); provider == "anthropic" {
		names = append(names, "seed")
	}
	model, _ := c.Catalog.Find(c.Spec)
	_, temperature := fields["temperature"]
	switch {
	case model.DefaultSampling:
		names = append(names, "temperature", "top_p")
	case model.OneSampling && temperature:
		names = append(names, "top_p")
	}
	return names
}

// reasons tells whether the model thinks before it replies.
func (c Config) reasons() bool {
	model, _ := c.Catalog.Find(c.Spec)
	return c.Reasoning || model.Reasoning
}

// systemAsUser reports whether system messages go out as user messages.
func (c Config) systemAsUser() bool {
	model, _ := c.Catalog.Find(c.Spec)
	return model.SystemAsUser
}

// newLimit reports whether the list of models has it that the model takes max_completion_tokens only.
func (c Config) newLimit() bool {
	model, _ := c.Catalog.Find(c.Spec)
	return model.MaxCompletionTokens
}
