package llm

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
)

// KeyVariable is the environment variable of OpenAI's key. The package reads no environment: keys come in [Config].
const KeyVariable = "OPENAI_API_KEY"

// DefaultBaseURL is the address of the provider "openai".
const DefaultBaseURL = "https://api.openai.com/v1"

// ErrNoKey means that the address requires a key.
var ErrNoKey = errors.New("no API key")

// vendor is a built-in provider of endpoints: its address, key variables and protocol.
type vendor struct {
	name string
	base string
	// keys and bases are environment variables. The first one set wins; errors name the first.
	keys, bases []string
	// free endpoints need no key at their default address.
	free bool
	// unversioned addresses may omit /v1, like ANTHROPIC_BASE_URL for Anthropic's own SDKs.
	unversioned bool
	codec       codec
	// unsent names the settings that the protocol does not have.
	unsent []string
}

func vendors() []vendor {
	mistral := openAICodec() // Mistral's API differs from OpenAI's only in the name of the seed
	mistral.settings = func(fields map[string]any, _ scope) map[string]any {
		rename(fields, "seed", "random_seed")
		return fields
	}
	return []vendor{
		{
			name: "openai", base: DefaultBaseURL, codec: openAICodec(),
			keys: []string{KeyVariable}, bases: []string{"OPENAI_BASE_URL"},
		},
		{
			name: "openai-responses", base: DefaultBaseURL, codec: responsesCodec(), unsent: []string{"seed"},
			keys: []string{KeyVariable}, bases: []string{"OPENAI_BASE_URL"},
		},
		{
			name: "anthropic", base: "https://api.anthropic.com/v1", unversioned: true, codec: anthropicCodec(), unsent: []string{"seed"},
			keys: []string{"ANTHROPIC_API_KEY"}, bases: []string{"ANTHROPIC_BASE_URL"},
		},
		{
			name: "google", base: "https://generativelanguage.googleapis.com/v1beta/openai", codec: openAICodec(),
			keys: []string{"GOOGLE_API_KEY", "GEMINI_API_KEY"}, bases: []string{"GOOGLE_BASE_URL"},
		},
		{
			name: "ollama", base: "http://127.0.0.1:11434", free: true,
			codec: codec{path: "api/chat", settings: ollamaSettings, body: ollamaBody, read: readOllama, authorize: bearer, thinks: true},
			keys:  []string{"OLLAMA_API_KEY"}, bases: []string{"OLLAMA_HOST"},
		},
		{
			name: "mistral", base: "https://api.mistral.ai/v1", codec: mistral,
			keys: []string{"MISTRAL_API_KEY"}, bases: []string{"MISTRAL_BASE_URL"},
		},
		{
			name: "cohere", base: "https://api.cohere.ai/compatibility/v1", codec: openAICodec(),
			keys: []string{"COHERE_API_KEY"}, bases: []string{"COHERE_BASE_URL"},
		},
	}
}

// vendor returns the provider of the spec; ok is false if it is not built in. OpenAI serves some of its models only with
// the Responses API; another host with the same name of a model may not have that API.
func (c Config) vendor() (v vendor, ok bool) {
	name, _ := SplitSpec(c.Spec)
	v, ok = findVendor(name)
	if name == "openai" && v.origin(c.BaseURL) == v.origin("") && c.listed().Responses {
		return findVendor("openai-responses")
	}
	return v, ok
}

func findVendor(name string) (vendor, bool) {
	all := vendors()
	i := slices.IndexFunc(all, func(v vendor) bool { return v.name == name })
	if i < 0 {
		return vendor{}, false
	}
	return all[i], true
}

// Vendors lists the names of the built-in providers with an endpoint.
func Vendors() []string {
	var names []string
	for _, v := range vendors() {
		names = append(names, v.name)
	}
	return names
}

// KeyVariables lists the environment variables that may hold a key, for redaction.
func KeyVariables() []string {
	var all []string
	for _, v := range vendors() {
		all = append(all, v.keys...)
	}
	return all
}

// KeyedVendor returns the first provider whose key is set, and the variable that has it; "" if there is none.
func KeyedVendor(getenv func(string) string) (name, variable string) {
	for _, v := range vendors() {
		for _, variable := range v.keys {
			if getenv(variable) != "" {
				return v.name, variable
			}
		}
	}
	return "", ""
}

func firstSet(variables []string, getenv func(string) string) string {
	for _, variable := range variables {
		if value := getenv(variable); value != "" {
			return value
		}
	}
	return ""
}

// ollamaAddress completes the value of OLLAMA_HOST: a host, a host and port, or a URL. The wildcard address of a server
// becomes the local host.
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

// parseBaseURL includes the address in an error only if it cannot be a key.
func (v vendor) parseBaseURL(address string) (*url.URL, error) {
	address = strings.TrimRight(strings.TrimSpace(cmp.Or(address, v.base)), "/")
	base, err := url.Parse(address)
	switch {
	case bareHost.MatchString(address):
		return nil, fmt.Errorf("the base URL must start with http:// or https://: write http://%s", address)
	case err != nil:
		return nil, errors.New("invalid base URL")
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, errors.New("the base URL must start with http:// or https:// and a host")
	case base.User != nil, secretName.MatchString(base.RawQuery), base.Fragment != "":
		return nil, fmt.Errorf("the base URL must not contain credentials or a fragment: put the key in %s or a header", v.keys[0])
	}
	base.Path = strings.TrimRight(base.Path, "/") // in front of a query
	if v.unversioned && !version.MatchString(base.Path) {
		return base.JoinPath("v1"), nil
	}
	return base, nil
}

// secretName matches a query that seems to have a key.
var secretName = lazyregexp.New(`(?i)(key|token|secret|pass\w*|sig\w*|code|auth\w*)=`)

// bareHost matches a host with its port and no scheme. No key has this form.
var bareHost = lazyregexp.New(`^[a-z0-9.-]+:[0-9]{1,5}(/[A-Za-z0-9._/-]*)?$`)

// version matches a path that ends in a version of the API.
var version = lazyregexp.New(`/v[0-9]+[a-z0-9]*$`)

func (v vendor) checkKey(key string, base *url.URL) error {
	own, err := url.Parse(v.base)
	if err != nil {
		return err
	}
	if key == "" && !v.free && base.Hostname() == own.Hostname() {
		return fmt.Errorf("%w for %s: set %s, or give the base URL of another endpoint",
			ErrNoKey, base.Host, strings.Join(v.keys, " or "))
	}
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return fmt.Errorf("the API key has an invalid character (a space or line break?): check %s", v.keys[0])
		}
	}
	return nil
}
