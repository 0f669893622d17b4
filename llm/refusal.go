package llm

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"airqa/internal/lazyregexp"
)

// refusal is what an endpoint says about a failed request.
type refusal struct {
	message string
	// codes are the parts for programs: codes, types, parameters and the names of exceeded quotas.
	codes []string
	// delay is the requested pause, or 0.
	delay time.Duration
}

// Errors have no common format, but their members have few names. They may be nested, in lists, or JSON in a text:
// {"error": {"message", "code", "type", "metadata": {"raw"}}}, {"error": "text"}, {"detail": [{"msg", "loc"}]},
// {"errors": [{"message"}]}, {"title", "status", "detail"}, [{"error": {"details": [{"retryDelay"}]}}].
var (
	messageName = lazyregexp.New(`(?i)^(errors?|fault|detail|title|raw|(.*_)?(message|msg))$`)
	codeName    = lazyregexp.New(`(?i)^(.*code|.*type|status|reason|param|loc|quota_?(id|limit|metric))$`)
	delayName   = lazyregexp.New(`(?i)^retry_?(after|delay|in)(_?s|_?seconds)?$`)
	echoName    = lazyregexp.New(`(?i)^(input|request|headers)$`)
)

// readRefusal reads the body of an error; the result is empty if the format is unknown.
func readRefusal(body []byte) refusal {
	var r refusal
	var value any
	if json.Unmarshal(body, &value) == nil {
		r.read("", value)
	}
	return r
}

// read adds the value of a member and all in it.
func (r *refusal) read(name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range slices.Sorted(maps.Keys(v)) {
			if !echoName.MatchString(inner) {
				r.read(inner, v[inner])
			}
		}
	case []any:
		for _, item := range v {
			r.read(name, item)
		}
	case float64:
		r.add(name, strconv.FormatFloat(v, 'f', -1, 64))
	case string:
		var inner any
		if messageName.MatchString(name) && json.Unmarshal([]byte(v), &inner) == nil {
			r.read(name, inner)
		} else {
			r.add(name, v)
		}
	}
}

// add adds a text or a number. A number as the message is a code.
func (r *refusal) add(name, text string) {
	_, err := strconv.ParseFloat(text, 64)
	text = strings.TrimSpace(text)
	switch {
	case text == "":
	case delayName.MatchString(name):
		if err == nil {
			text += "s"
		}
		r.delay = max(r.delay, duration(text))
	case codeName.MatchString(name), err == nil && messageName.MatchString(name):
		r.codes = append(r.codes, text)
	case messageName.MatchString(name) && !strings.Contains(r.message, text):
		r.message = strings.TrimPrefix(r.message+": "+text, ": ")
	}
}

func (r refusal) found() bool { return r.message != "" || r.status() != 0 }

// status is the HTTP status among the codes, or the one that OpenAI has for a code; 0 if there is none.
func (r refusal) status() int {
	for _, code := range r.codes {
		if status, err := strconv.Atoi(code); err == nil && status >= 400 && status <= 599 {
			return status
		}
		if status := codeStatus[code]; status != 0 {
			return status
		}
	}
	return 0
}

// codeStatus maps OpenAI's codes to the statuses that they have.
var codeStatus = map[string]int{
	"rate_limit_exceeded": 429, "insufficient_quota": 429, "server_error": 500, "invalid_prompt": 400, "context_length_exceeded": 400,
}
