package llm

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// quirks are the request settings that an endpoint has rejected for one model, learned from errors. Each costs one
// request at the start of a run; later requests are sent without it.
type quirks struct {
	mu sync.Mutex
	// learned holds names of remedies.
	learned []string
	// room is the number of tokens left for the reply to a request that was refused, by the hash of its body.
	room map[[sha256.Size]byte]int
	// members has the members of messages that an error named while they were sent; true if a later error missed them.
	members map[string]bool
}

// remedy changes requests that an endpoint rejects.
type remedy struct {
	name string
	// fits reports whether the remedy applies to an error on a request; text is the error in lower case.
	fits func(sent map[string]any, text string) bool
	// change modifies later requests; stream has the fields that request a stream.
	change func(full, stream map[string]any)
	// notice is for the user.
	notice string
}

// droppable are settings that some models reject and that a request can do without. Of two rejected together, the first
// in this list is dropped.
var droppable = []string{"top_p", "temperature", "stop", "stop_sequences", "parallel_tool_calls", "tool_choice", "stream_options"}

var (
	refuses   = lazyregexp.New(`unsupported|not support|n't support|not permitted|not allowed|unknown|unrecognized|deprecated|cannot both|extra input`)
	streaming = lazyregexp.New(`only supports? stream|only available (in|with) stream|stream(ing)?\W.{0,20}(must|required|only)|(must|require|enable|set).{0,12} stream`)
	noStream  = lazyregexp.New(`stream\w*\W.{0,20}not support|not support stream`)
	notWhole  = lazyregexp.New(`non-?stream\w*\W.{0,20}not `)
)

func remedies() []remedy {
	all := []remedy{
		{
			name: "max_completion_tokens", notice: "takes max_completion_tokens instead of max_tokens",
			fits: func(sent map[string]any, text string) bool {
				return sent["max_tokens"] != nil && strings.Contains(text, "max_completion_tokens")
			},
			change: func(full, _ map[string]any) { rename(full, "max_tokens", "max_completion_tokens") },
		},
		{
			name: "max_tokens", notice: "takes max_tokens instead of max_completion_tokens",
			fits: func(sent map[string]any, text string) bool {
				return sent["max_completion_tokens"] != nil && refuses.MatchString(text) && names(text, "max_completion_tokens")
			},
			change: func(full, _ map[string]any) { rename(full, "max_completion_tokens", "max_tokens") },
		},
		{
			name: "stream", notice: "only streams; its replies are read as streams",
			fits: func(sent map[string]any, text string) bool {
				return sent["stream"] == nil &&
					(notWhole.MatchString(text) || streaming.MatchString(text) && !noStream.MatchString(text))
			},
			change: func(full, stream map[string]any) { maps.Copy(full, stream) },
		},
	}
	for _, name := range droppable {
		all = append(all, remedy{
			name: "no " + name, notice: "refuses " + name + ", which is not sent",
			fits: func(sent map[string]any, text string) bool {
				return sent[name] != nil && refuses.MatchString(text) && names(text, name)
			},
			change: func(full, _ map[string]any) { delete(full, name) },
		})
	}
	return all
}

func rename(full map[string]any, from, to string) {
	if value, ok := full[from]; ok {
		delete(full, from)
		full[to] = value
	}
}

// names reports whether a text contains a name as a whole word.
func names(text, name string) bool {
	return regexp.MustCompile(`(^|\W)` + name + `(\W|$)`).MatchString(text)
}

// apply changes a request as earlier errors require; stream has the fields that request a stream.
func (q *quirks) apply(full, stream map[string]any) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range remedies() {
		if slices.Contains(q.learned, r.name) {
			r.change(full, stream)
		}
	}
}

// learn remembers a remedy. It reports whether it is new.
func (q *quirks) learn(name string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if slices.Contains(q.learned, name) {
		return false
	}
	q.learned = append(q.learned, name)
	return true
}

// adapted is a rejection with a known remedy: the request is repeated at once with the change.
type adapted struct{ error }

// Unwrap returns the rejection.
func (a adapted) Unwrap() error { return a.error }

var (
	// asksTooMuch matches the message of a server that refuses a reply limit beyond its context window: vLLM and SGLang,
	// OpenAI's older models, and Anthropic.
	asksTooMuch = lazyregexp.New(`maximum context length is (\d+)[^0-9].{0,200}?(?:has|contains at least|prompt:?) (\d+) input tokens` +
		`|maximum context length is (\d+)[^0-9].{0,200}?\((\d+) (?:in the messages|in your prompt)`)
	sumTooMuch = lazyregexp.New(`context limit: (\d+) \+ \d+ > (\d+)`)
)

// leastRoom is the least number of tokens that is worth another try.
const leastRoom = 64

// roomIn returns the tokens that an error leaves for the reply; 0 if it is not about the limit of the reply.
func roomIn(message string) int {
	var window, prompt string
	if m := asksTooMuch.FindStringSubmatch(message); m != nil {
		window, prompt = m[1]+m[3], m[2]+m[4]
	} else if m := sumTooMuch.FindStringSubmatch(message); m != nil {
		window, prompt = m[2], m[1]
	}
	all, _ := strconv.Atoi(window) // 0 if there is none
	used, _ := strconv.Atoi(prompt)
	return all - used
}

// replyLimits are the names of the limit of a reply.
var replyLimits = []string{"max_tokens", "max_completion_tokens"}

// shorten notes the room for the reply to a request that asked for more than the context window holds. It reports whether
// the same request may be sent again with that limit.
func (q *quirks) shorten(sent map[string]any, message string) bool {
	room := roomIn(message)
	for _, name := range replyLimits {
		limit, _ := sent[name].(int)
		if room < leastRoom || room >= limit {
			continue
		}
		body, err := json.Marshal(sent)
		if err != nil {
			return false
		}
		key := sha256.Sum256(body)
		q.mu.Lock()
		defer q.mu.Unlock()
		if _, tried := q.room[key]; tried {
			return false
		}
		if q.room == nil {
			q.room = make(map[[sha256.Size]byte]int)
		}
		q.room[key] = room
		return true
	}
	return false
}

// fit lowers the limit of a reply that a request with this body left no room for.
func (q *quirks) fit(full map[string]any, body []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.room) == 0 {
		return false
	}
	room, ok := q.room[sha256.Sum256(body)]
	for _, name := range replyLimits {
		if ok && full[name] != nil {
			full[name] = room
		}
	}
	return ok
}

// adapt marks an error that the next request avoids. A call sent before another one learned the same may just be retried.
func (c *client) adapt(m sentMembers, sent map[string]any, err error) error {
	var status *HTTPError
	// Proxies wrap a rejection in a server error.
	if errors.As(err, &status) && c.quirks.shorten(sent, status.Body) {
		return adapted{err}
	}
	if !errors.As(err, &status) || status.Status != 500 && Classify(err) != qa.FailBadRequest {
		return err
	}
	text := strings.ToLower(status.Body)
	for _, r := range remedies() {
		if !r.fits(sent, text) {
			continue
		}
		if c.quirks.learn(r.name) {
			c.notice(fmt.Sprintf("%s at %s %s", c.model, c.base.Host, r.notice))
		}
		return adapted{err}
	}
	notice, again := c.quirks.judge(m, text)
	if notice != "" {
		c.notice(fmt.Sprintf("%s at %s %s", c.model, c.base.Host, notice))
	}
	if again {
		return adapted{err}
	}
	return err
}
