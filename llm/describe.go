package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// Describe tells what in a configuration shapes the replies, for the record of a run: two runs are comparable when it is
// equal. It has no key and no absolute path. The keys are
//
//	provider, model   the two halves of the spec; a script is named by its file name alone
//	base_url          scheme, host and path, for endpoints and for added providers that were given one
//	sampling          the settings that are set, by their names in the protocol
//	script_sha256     of the script file
//
// Timeouts and retries are not part of it. It fails on a base URL with credentials and on an unreadable script.
func Describe(c Config) (map[string]any, error) {
	provider, model := SplitSpec(c.Spec)
	out := map[string]any{"provider": provider, "model": model, "sampling": c.Sampling.fields()}
	if _, added := c.Providers[provider]; !added {
		switch provider {
		case "scripted":
			return out, describeScript(out, model)
		case "openai":
			c = c.withDefaults()
		}
	}
	if c.BaseURL == "" {
		return out, nil
	}
	base, err := parseBaseURL(c.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("describe model %q: %w", c.Spec, err)
	}
	out["base_url"] = base.String()
	return out, nil
}

func describeScript(out map[string]any, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("describe the script: %w", err)
	}
	sum := sha256.Sum256(data)
	out["model"] = filepath.Base(path)
	out["script_sha256"] = hex.EncodeToString(sum[:])
	return nil
}
