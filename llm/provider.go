package llm

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// KeyVariable is the environment variable of OpenAI's key. The package reads no environment: a key arrives in [Config].
const KeyVariable = "OPENAI_API_KEY"

// DefaultBaseURL is the address of the provider "openai".
const DefaultBaseURL = "https://api.openai.com/v1"

// vendor is a built-in provider of endpoints: where they are, where their keys and addresses are found, what they speak.
type vendor struct {
	name string
	base string
	// keys and bases are environment variables, the first that is set wins and the first is the one that errors name.
	keys, bases []string
	// free endpoints need no key at their default address.
	free     bool
	protocol protocol
}

func vendors() []vendor {
	return []vendor{
		{"openai", DefaultBaseURL, []string{KeyVariable}, []string{"OPENAI_BASE_URL"}, false, openAIProtocol()},
		{
			"anthropic", "https://api.anthropic.com/v1",
			[]string{"ANTHROPIC_API_KEY"},
			[]string{"ANTHROPIC_BASE_URL"},
			false,
			anthropicProtocol(),
		},
		{
			"google", "https://generativelanguage.googleapis.com/v1beta/openai",
			[]string{"GOOGLE_API_KEY", "GEMINI_API_KEY"},
			[]string{"GOOGLE_BASE_URL"},
			false, openAIProtocol(),
		},
		{"ollama", "http://127.0.0.1:11434", []string{"OLLAMA_API_KEY"}, []string{"OLLAMA_HOST"}, true, ollamaProtocol()},
	}
}

func findVendor(name string) (vendor, bool) {
	all := vendors()
	i := slices.IndexFunc(all, func(v vendor) bool { return v.name == name })
	if i < 0 {
		return vendor{}, false
	}
	return all[i], true
}

// FromEnvironment reads the key and the address that the environment holds for the provider of a spec, each from the
// variables that the provider's own tools read, and no other provider's. Both are empty for other providers.
func FromEnvironment(spec string, getenv func(string) string) (key, baseURL string) {
	name, _ := SplitSpec(spec)
	v, _ := findVendor(name)
	base := firstSet(v.bases, getenv)
	if name == "ollama" && base != "" {
		base = ollamaAddress(base)
	}
	return firstSet(v.keys, getenv), base
}

// KeyVariables lists the environment variables that can hold a key, for whoever keeps keys out of what is written.
func KeyVariables() []string {
	var all []string
	for _, v := range vendors() {
		all = append(all, v.keys...)
	}
	return all
}

func firstSet(variables []string, getenv func(string) string) string {
	for _, variable := range variables {
		if value := getenv(variable); value != "" {
			return value
		}
	}
	return ""
}

// ollamaAddress completes what OLLAMA_HOST may hold: a host, a host and port, or a URL. The address that a server
// listens on everywhere with is no address to ask.
func ollamaAddress(host string) string {
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	address, err := url.Parse(host)
	if err != nil {
		return host
	}
	if address.Hostname() == "0.0.0.0" {
		address.Host = strings.Replace(address.Host, "0.0.0.0", "127.0.0.1", 1)
	}
	if address.Port() == "" && address.Scheme == "http" {
		address.Host += ":11434"
	}
	return address.String()
}

// parseBaseURL never repeats the address in an error, since a key may be what is wrong with it.
func (v vendor) parseBaseURL(address string) (*url.URL, error) {
	if address == "" {
		address = v.base
	}
	base, err := url.Parse(strings.TrimRight(strings.TrimSpace(address), "/"))
	switch {
	case err != nil:
		return nil, errors.New("the base URL is not a URL")
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, errors.New("the base URL must start with http:// or https:// and a host")
	case base.User != nil, base.RawQuery != "", base.Fragment != "":
		return nil, fmt.Errorf("the base URL may carry no credentials, query or fragment: put the key in %s", v.keys[0])
	}
	return base, nil
}

func (v vendor) checkKey(key string, base *url.URL) error {
	own, err := url.Parse(v.base)
	if err != nil {
		return err
	}
	if key == "" && !v.free && base.Hostname() == own.Hostname() {
		return fmt.Errorf("no API key for %s: set %s, or give the base URL of another endpoint",
			base.Host, strings.Join(v.keys, " or "))
	}
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return fmt.Errorf("the API key has a character that no key has (a space, a line break?): look at %s", v.keys[0])
		}
	}
	return nil
}
