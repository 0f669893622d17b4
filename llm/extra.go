package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// ParseBody reads members for [Config.Body] from a JSON object. The limit of a reply among them is returned apart, for
// the sampling settings, which budgets count; 0 if there is none.
func ParseBody(text string) (body map[string]any, limit int, err error) {
	if err := json.Unmarshal([]byte(text), &body); err != nil || body == nil {
		return nil, 0, errors.New(`want a JSON object such as {"top_k": 20}`)
	}
	for _, name := range replyLimits {
		if n, isNumber := body[name].(float64); isNumber {
			limit = int(n)
			delete(body, name)
		}
	}
	return body, limit, nil
}

// headerName matches the name of a header, ownHeader those that the program or its HTTP client sets.
var (
	headerName = lazyregexp.New(`^[A-Za-z0-9!#$%&'*+.^_|~-]+$`)
	ownHeader  = lazyregexp.New(`^(Content-.*|Host|Transfer-Encoding|Accept-Encoding|Connection|Trailer)$`)
)

// HeadersVariable is the environment variable with headers for the models, NAME=VALUE, one per line.
const HeadersVariable = "AIRQA_HEADERS"

// HeadersOf reads the value of a variable with headers that [ParseHeaders] accepts; nil if it has none.
func HeadersOf(lines string) http.Header {
	headers, _ := ParseHeaders(lines) // checked when the program starts
	return headers
}

// ParseHeaders reads headers, NAME=VALUE, one per line; nil if there is none. No error contains a value.
func ParseHeaders(lines string) (headers http.Header, err error) {
	for i, line := range strings.Split(lines, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if headers == nil {
			headers = http.Header{}
		}
		name, value, found := strings.Cut(line, "=")
		name, value = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
		switch {
		case !found || !headerName.MatchString(name):
			return nil, fmt.Errorf("header %d is not NAME=VALUE", i+1)
		case ownHeader.MatchString(name):
			return nil, fmt.Errorf("airqa sets the header %s itself", name)
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
			return nil, fmt.Errorf("the value of the header %s has an invalid character", name)
		}
		headers.Add(name, value)
	}
	return headers, nil
}

// extra is what the catalog and the configuration add to bodies; nil if nothing.
func (c Config) extra() map[string]any {
	if len(c.listed().ExtraBody)+len(c.Body) == 0 {
		return nil
	}
	return merged(merged(nil, c.listed().ExtraBody), c.Body)
}

// checkExtra refuses members that the codec writes itself, with tools or without, or to request a stream.
func (c codec) checkExtra(extra map[string]any) error {
	own, err := c.body([]llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, "s"), llms.TextParts(llms.ChatMessageTypeHuman, "u"),
	}, toTools([]qa.ToolSpec{{Name: "t", Parameters: json.RawMessage("{}")}}))
	if err != nil {
		return err
	}
	maps.Copy(own, c.stream)
	own["model"] = true
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if _, taken := own[name]; taken {
			return fmt.Errorf("extra body: airqa sets %s itself", name)
		}
	}
	return nil
}

// merged returns a with the members of b, which win; objects in both are merged.
func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]any{}
	}
	for name, value := range b {
		inner, both := out[name].(map[string]any)
		more, isObject := value.(map[string]any)
		if both && isObject {
			value = merged(inner, more)
		}
		out[name] = value
	}
	return out
}
