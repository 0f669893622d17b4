package llm

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"airqa/internal/files"
	"airqa/llm/catalog"
	"airqa/qa"
)

// Describe returns the part of a configuration that affects replies, for the record of a run: runs with equal
// descriptions are comparable. It contains no key and no absolute path. The keys are
//
// provider, model   the two halves of the spec; a script is identified by its file name only
// base_url          scheme, host, path and query, for endpoints and for custom providers with an address
// sampling          the settings sent, by their names in OpenAI's protocol
// not_sent          the names of settings that the model or its protocol does not accept, if any
// extra_body        members added to requests, if any
// context_window    the requested window, if the protocol has one
// reasoning         true if the configuration declares a reasoning model
//
//	script_sha256     of the script file
//
// Timeouts and retries are excluded. It fails for a base URL with credentials and for an unreadable script.
func Describe(c Config) (map[string]any, error) {
	c = c.withDefaults()
	provider, model := SplitSpec(c.Spec)
	out := map[string]any{"provider": provider, "model": model}
	v, builtin := c.vendor()
	if _, added := c.Providers[provider]; added || !builtin {
		out["sampling"] = c.Sampling.Record()
		if provider == "scripted" && !added {
			data, err := os.ReadFile(model)
			if err != nil {
				return nil, fmt.Errorf("describe the script: %w", err)
			}
			out["model"], out["script_sha256"] = filepath.Base(model), files.Hash(data)
			return out, nil
		}
		if c.BaseURL == "" {
			return out, nil
		}
	} else {
		c.describeEndpoint(out)
	}
	base, err := v.parseBaseURL(c.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("describe model %q: %w", c.Spec, err)
	}
	out["base_url"] = base.String()
	return out, nil
}

func (c Config) describeEndpoint(out map[string]any) {
	fields, unsent := c.settled()
	out["sampling"] = fields
	if len(unsent) > 0 {
		out["not_sent"] = unsent
	}
	if extra := c.extra(); extra != nil {
		out["extra_body"] = extra
	}
	if c.listed().SystemAsUser {
		out["system_as_user"] = true
	}
	if provider, _ := SplitSpec(c.Spec); provider == "ollama" {
		out["context_window"] = c.window()
	}
}

func checkSampling(s qa.Sampling) error {
	switch {
	case s.Temperature != nil && (math.IsNaN(*s.Temperature) || math.IsInf(*s.Temperature, 0) || *s.Temperature < 0):
		return errors.New("temperature must be at least 0")
	case s.TopP != nil && !(*s.TopP > 0 && *s.TopP <= 1):
		return errors.New("top_p must be above 0 and at most 1")
	case s.MaxTokens < 0:
		return errors.New("max tokens must not be negative")
	}
	return nil
}

// settled returns the sampling sent, by the names of OpenAI's protocol, and the sorted names of settings that the model or
// its protocol does not accept, which are not sent.
func (c Config) settled() (fields map[string]any, unsent []string) {
	fields = c.Sampling.Record()
	provider, _ := SplitSpec(c.Spec)
	v, _ := c.vendor()
	refused := slices.Clone(v.unsent)
	_, temperature := fields["temperature"]
	switch model := c.listed(); {
	case model.DefaultSampling:
		refused = append(refused, "temperature", "top_p")
	case model.OneSampling && temperature:
		refused = append(refused, "top_p")
	}
	for _, name := range refused {
		if _, set := fields[name]; set {
			delete(fields, name)
			unsent = append(unsent, name)
		}
	}
	if _, set := fields["max_tokens"]; !set && provider == "anthropic" {
		fields["max_tokens"] = 4096 // the protocol requires a limit
	}
	return fields, unsent
}

// reasons reports whether the model thinks before it replies.
func (c Config) reasons() bool { return c.Sampling.Reasons() || c.listed().Reasoning }

// window is the model's context window: of Ollama the requested one. It is 0 if unknown.
func (c Config) window() int {
	if provider, _ := SplitSpec(c.Spec); provider == "ollama" {
		options, _ := c.extra()["options"].(map[string]any)
		if n, _ := options["num_ctx"].(float64); n >= 1 {
			return int(n)
		}
		return DefaultOllamaWindow
	}
	return c.listed().Context
}

// listed is the model's entry in the catalog; the zero value for an unknown model.
func (c Config) listed() catalog.Model {
	model, _ := c.Catalog.Find(c.Spec)
	return model
}
