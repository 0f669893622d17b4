package llm

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// parseBaseURL never repeats the address in an error, since a key may be what is wrong with it.
func parseBaseURL(address string) (*url.URL, error) {
	base, err := url.Parse(strings.TrimRight(strings.TrimSpace(address), "/"))
	switch {
	case err != nil:
		return nil, errors.New("the base URL is not a URL")
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, errors.New("the base URL must start with http:// or https:// and a host")
	case base.User != nil, base.RawQuery != "", base.Fragment != "":
		return nil, fmt.Errorf("the base URL may carry no credentials, query or fragment: put the key in %s", KeyVariable)
	}
	return base, nil
}

func checkKey(key string, base *url.URL) error {
	if key == "" && isOpenAI(base) {
		return fmt.Errorf("no API key for %s: set %s, or give the base URL of another endpoint", base.Host, KeyVariable)
	}
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return fmt.Errorf("the API key has a character that no key has (a space, a line break?): look at %s", KeyVariable)
		}
	}
	return nil
}

func isOpenAI(base *url.URL) bool { return base.Hostname() == "api.openai.com" }

// wireSettings renames the token limit for the models that refuse max_tokens. Only OpenAI itself has them: compatible
// servers know max_tokens, and several ignore the newer name without a word.
func wireSettings(s Sampling, base *url.URL, model string) map[string]any {
	fields := s.fields()
	limit, ok := fields["max_tokens"]
	if ok && isOpenAI(base) && newerModel.MatchString(model) {
		delete(fields, "max_tokens")
		fields["max_completion_tokens"] = limit
	}
	return fields
}

// newerModel matches o1, o3-mini, gpt-5, gpt-5.1-mini and their fine-tuned forms.
var newerModel = regexp.MustCompile(`^(ft:)?(o[1-9]|gpt-([5-9]|[1-9][0-9]))`)

func httpClient(given *http.Client) *http.Client {
	client := http.Client{Transport: transport()}
	if given != nil {
		client = *given
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// transport keeps more idle connections to one host than the two of the default: workers of a run share it.
func transport() http.RoundTripper {
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	own := standard.Clone()
	own.MaxIdleConnsPerHost = own.MaxIdleConns
	return own
}
