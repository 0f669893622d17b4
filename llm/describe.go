package llm

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"airqa/internal/ledger"
)

// Describe returns the part of a configuration that affects replies, for the record of a run: runs with equal
// descriptions are comparable. It contains no key and no absolute path. The keys are
//
// provider, model   the two halves of the spec; a script is identified by its file name only
// base_url          scheme, host and path, for endpoints and for custom providers with an address
// sampling          the settings sent, by their names in OpenAI's protocol
// not_sent          the names of settings that the model or its protocol does not accept, if any
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
	v, builtin := findVendor(provider)
	if _, added := c.Providers[provider]; added || !builtin {
		out["sampling"] = c.Sampling.Record()
		if provider == "scripted" && !added {
			data, err := os.ReadFile(model)
			if err != nil {
				return nil, fmt.Errorf("describe the script: %w", err)
			}
			out["model"], out["script_sha256"] = filepath.Base(model), ledger.Hash(data)
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
	if c.listed().SystemAsUser {
		out["system_as_user"] = true
	}
	if c.Reasoning {
		out["reasoning"] = true
	}
	if provider, _ := SplitSpec(c.Spec); provider == "ollama" {
		out["context_window"] = cmp.Or(max(c.ContextWindow, 0), DefaultOllamaWindow)
	}
}
