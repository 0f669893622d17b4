package llm

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"airqa/qa"
)

// quirks is what an endpoint has refused of the requests for one model. It is learned from the errors: each costs one
// request, for the first calls of a run, and the next requests go out without it.
type quirks struct {
	mu sync.Mutex
	// learned holds names of remedies.
	learned []string
}

// remedy changes a request that an endpoint refused.
type remedy struct {
	name string
	// fits reports whether an error asks for the remedy of a request that was sent; text is the error in lower case.
	fits func(sent map[string]any, text string) bool
	// change makes it in the next requests; stream is what asks for a stream in the protocol.
	change func(full, stream map[string]any)
	// notice is for the user.
	notice string
}

// droppable are the settings that some models refuse, and without which a request means the same or nearly so. Of two that
// are refused together, the first in this list is dropped.
var droppable = []string{"top_p", "temperature", "stop", "stop_sequences", "parallel_tool_calls", "tool_choice", "stream_options"}

var (
	refuses   = regexp.MustCompile(`unsupported|not support|n't support|not permitted|not allowed|unknown|unrecognized|deprecated|cannot both|extra input`)
	streaming = regexp.MustCompile(`only supports? stream|only available (in|with) stream|stream(ing)?\W.{0,20}(must|required|only)|(must|require|enable|set).{0,12} stream`)
	noStream  = regexp.MustCompile(`stream\w*\W.{0,20}not support|not support stream`)
	notWhole  = regexp.MustCompile(`non-?stream\w*\W.{0,20}not `)
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

// names reports whether a text holds a name as a whole.
func names(text, name string) bool {
	return regexp.MustCompile(`(^|\W)` + name + `(\W|$)`).MatchString(text)
}

// apply changes a request as the endpoint's earlier errors ask; stream is what asks for a stream.
func (q *quirks) apply(full, stream map[string]any) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range remedies() {
		if slices.Contains(q.learned, r.name) {
			r.change(full, stream)
		}
	}
}

// learn reports whether the next request will differ from the one that was sent in what the error complains of. A call that
// was sent before another one learned the same may simply try again.
func (q *quirks) learn(sent map[string]any, err error) (r remedy, isNew, ok bool) {
	var status *HTTPError
	// Proxies wrap a refusal in a fault of their own.
	if !errors.As(err, &status) || status.Status != 500 && Classify(err) != qa.FailBadRequest {
		return remedy{}, false, false
	}
	text := strings.ToLower(status.Body)
	all := remedies()
	i := slices.IndexFunc(all, func(r remedy) bool { return r.fits(sent, text) })
	if i < 0 {
		return remedy{}, false, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	isNew = !slices.Contains(q.learned, all[i].name)
	if isNew {
		q.learned = append(q.learned, all[i].name)
	}
	return all[i], isNew, true
}

// adapted is a refusal whose remedy is known: the request is made again at once, changed.
type adapted struct{ error }

// Unwrap returns the refusal.
func (a adapted) Unwrap() error { return a.error }

// adapt marks an error that the next request avoids.
func (c *client) adapt(sent map[string]any, err error) error {
	r, isNew, ok := c.quirks.learn(sent, err)
	if !ok {
		return err
	}
	if isNew {
		c.notice(fmt.Sprintf("%s at %s %s", c.model, c.base.Host, r.notice))
	}
	return adapted{err}
}
