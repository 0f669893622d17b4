package llm

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// quirks are the request settings that an endpoint has rejected for one model, learned from errors. Each costs one
// request at the start of a run; later requests are sent without it.
type quirks struct {
	mu sync.Mutex
	// rejected are settings, or "stream" for an endpoint that only streams.
	rejected []string
	// members has the members of messages that an error named while they were sent; true if a later error missed them.
	members map[string]bool
	// room has the limits of replies to requests that were refused, by the hash of their bodies.
	room map[[sha256.Size]byte]room
	// longest is the limit of every reply; 0 if none is known. latest is the one that an error had, which counts when
	// another request gets the same.
	longest, latest int
}

// room is a lowered limit of a reply, and how often it was halved.
type room struct{ limit, halved int }

// otherName has the settings with two names, replyLimits the names of the limit of a reply.
var (
	otherName   = map[string]string{"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
	replyLimits = append(slices.Sorted(maps.Keys(otherName)), "max_output_tokens")
)

// rejectable are settings that some models reject and that a request can do without, or that have another name. Of two
// rejected together, the first in this list counts.
var rejectable = append(slices.Clone(replyLimits),
	"top_p", "temperature", "stop", "stop_sequences", "parallel_tool_calls", "tool_choice", "stream_options", "include")

var (
	refuses   = lazyregexp.New(`unsupported|not support|n't support|not permitted|not allowed|unknown|unrecognized|deprecated|cannot both|extra input`)
	streaming = lazyregexp.New(`only supports? stream|only available (in|with) stream|stream(ing)?\W.{0,20}(must|required|only)|(must|require|enable|set).{0,12} stream`)
	noStream  = lazyregexp.New(`stream\w*\W.{0,20}not support|not support stream`)
	notWhole  = lazyregexp.New(`non[- ]?stream`) // of a request that is none
)

// rejection returns the setting that an error in lower case rejects, and a notice for the user; "" if there is none.
func rejection(sent map[string]any, text string) (setting, notice string) {
	onlyStreams := notWhole.MatchString(text) || streaming.MatchString(text) && !noStream.MatchString(text)
	reasoning, _ := sent["reasoning"].(map[string]any)
	switch {
	case sent["stream"] == nil && onlyStreams:
		return "stream", "only streams; its replies are read as streams"
	case reasoning["summary"] != nil && strings.Contains(text, "summar"): // OpenAI writes them for verified organizations
		return "summary", "refuses reasoning.summary, which is not sent"
	}
	for _, name := range rejectable {
		if sent[name] == nil || !rejects(text, name) {
			continue
		}
		if other := otherName[name]; other != "" {
			return name, "takes " + other + " instead of " + name
		}
		return name, "refuses " + name + ", which is not sent"
	}
	return "", ""
}

// rejects reports whether an error rejects a setting. One about max_tokens names the other limit.
func rejects(text, name string) bool {
	if name == "max_tokens" {
		return strings.Contains(text, otherName[name])
	}
	return refuses.MatchString(text) && names(text, name)
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
	for _, name := range q.rejected {
		switch {
		case name == "stream":
			maps.Copy(full, stream)
		case otherName[name] != "":
			rename(full, name, otherName[name])
		case name == "summary":
			reasoning, _ := full["reasoning"].(map[string]any)
			reasoning = maps.Clone(reasoning) // all requests share it
			delete(reasoning, name)
			full["reasoning"] = reasoning
		default:
			delete(full, name)
		}
	}
}

func (q *quirks) learn(name string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if slices.Contains(q.rejected, name) {
		return false
	}
	q.rejected = append(q.rejected, name)
	return true
}

// adapted is a rejection with a known remedy: the request is repeated at once with the change.
type adapted struct{ error }

func (a adapted) Unwrap() error { return a.error }

// leastRoom is the least limit of a reply that is worth another try, mostHalved the number of times that a limit is halved.
const (
	leastRoom  = 64
	mostHalved = 2
)

// bound matches the window in a message about the limit of a reply.
var bound = lazyregexp.New(`[<>]=? ?(\d[\d,_]*)|(?:maximum|limit|window|context length|only|at most|less than|up to|allowed)` +
	`[^\d]*(\d[\d,_]*)`)

// roomIn returns the limit of a reply that an error leaves to a request with a larger one; 0 if its amounts are no help,
// and -1 if the prompt alone is too long. An amount below the window is a prompt, one above it the sum with the reply: the
// least room counts. vLLM may name the least prompt that is too long, which leaves one token less than the limit.
func roomIn(message string, amounts []int, limit int) int {
	windows := amounts // any of them
	if all := bound.FindAllStringSubmatch(message, -1); len(all) > 0 {
		at := max(slices.IndexFunc(all, func(m []string) bool { return m[1] != "" }), 0)
		windows = []int{number(all[at][1] + all[at][2])}
	}
	best := 0
	for _, window := range windows {
		for _, amount := range amounts {
			room := window - amount
			if room <= -limit && len(windows) == 1 {
				return -1
			}
			if room < 0 {
				room += limit
			}
			if room > 0 && room < limit-1 && (best == 0 || room < best) {
				best = room
			}
		}
	}
	if best < leastRoom {
		return 0
	}
	return best
}

// limitOf returns the limit of a request's reply; 0 if it has none.
func limitOf(full map[string]any) int {
	for _, name := range replyLimits {
		if limit, ok := full[name].(int); ok {
			return limit
		}
	}
	return 0
}

// shorten notes a lower limit for the reply to a refused request, from the amounts in the error, or else the half. It
// reports whether the same request may be sent again with that limit, and returns a notice if every reply is limited so.
func (q *quirks) shorten(r request, e *HTTPError) (notice string, ok bool) {
	limit := limitOf(r.full)
	if limit == 0 || !e.limitsReply() && (e.Status >= http.StatusInternalServerError || !e.overflows()) {
		return "", false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	reckoned, notice := q.reckon(e, limit)
	left := q.room[r.key]
	switch {
	case reckoned > 0 && left.limit == 0:
		left.limit = reckoned
	case reckoned >= 0 && left.halved < mostHalved && limit/2 >= leastRoom && e.limitsReply():
		left = room{limit / 2, left.halved + 1}
	default:
		return notice, false
	}
	q.room[r.key] = left
	return notice, true
}

// reckon returns the limit that an error leaves, see [roomIn], and the notice of shorten.
func (q *quirks) reckon(e *HTTPError, limit int) (reckoned int, notice string) {
	message := strings.ToLower(e.Message)
	amounts := slices.DeleteFunc(e.amounts(), func(n int) bool { return n == limit })
	less := slices.DeleteFunc(slices.Clone(amounts), func(n int) bool { return n > limit })
	if len(less) == 0 || inputWords.MatchString(message) {
		return roomIn(message, amounts, limit), ""
	}
	reckoned = slices.Max(less)
	if reckoned == q.latest {
		q.longest, notice = reckoned, fmt.Sprintf("takes replies of at most %d tokens", reckoned)
	}
	q.latest = reckoned
	return reckoned, notice
}

// fit lowers the limit of the reply to a request that was refused with a larger one. It reports whether it did.
func (q *quirks) fit(full map[string]any, key [sha256.Size]byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	before := limitOf(full)
	limit := min(before, cmp.Or(q.longest, before), cmp.Or(q.room[key].limit, before))
	for _, name := range replyLimits {
		if full[name] != nil {
			full[name] = limit
		}
	}
	return limit < before
}

// adapt marks an error that the next request avoids. A call sent before another one learned the same may just be retried.
func (c *client) adapt(m sentMembers, r request, err error) error {
	var status *HTTPError
	if !errors.As(err, &status) {
		return err
	}
	if notice, ok := c.quirks.shorten(r, status); ok {
		c.note(notice)
		return adapted{err}
	}
	// Proxies wrap a rejection in a server error.
	if status.Status != 500 && Classify(err) != qa.FailBadRequest {
		return err
	}
	text := status.said()
	if name, notice := rejection(r.full, text); name != "" {
		if c.quirks.learn(name) {
			c.note(notice)
		}
		next := maps.Clone(r.full)
		if c.quirks.apply(next, c.codec.stream); reflect.DeepEqual(next, r.full) {
			return err // it rejects both names
		}
		return adapted{err}
	}
	notice, again := c.quirks.judge(m, text)
	c.note(notice)
	if again {
		return adapted{err}
	}
	return err
}

// note reports a notice, if any, about the model.
func (c *client) note(notice string) {
	if notice != "" {
		c.notice(fmt.Sprintf("%s at %s %s", c.model, c.base.Host, notice))
	}
}
