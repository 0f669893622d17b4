package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
)

// Scripted replays lists of replies, without a network. Calls may overlap.
//
// A conversation is identified by the text of its first user message, the task. The first [Episode] whose Match occurs
// in the task provides the replies; an episode without a match accepts every task.
//
// A conversation without assistant messages gets the first reply, so that each repeat of a question starts over. After
// that, the position is found from the assistant messages shown, which are a run of consecutive replies. So the reply
// depends neither on what a window has dropped, nor on other conversations, nor on restarts of the program. If the run
// occurs several times in the script, or not at all because the caller rewrote the replies, the number of calls so far
// for this task decides. Only then do concurrent or resumed episodes of one task depend on their order, so the replies
// of a script should differ.
//
// Usage is counted with the cl100k vocabulary. A call beyond the last reply fails with [qa.FailBadRequest].
type Scripted struct {
	episodes []Episode
	mu       sync.Mutex
	calls    map[string]int
}

// Episode has the replies to the tasks that contain Match.
type Episode struct {
	// Match is a part of the task; empty matches every task.
	Match   string
	Replies []string
}

// NewScript answers by task. The first match wins, so an episode for all tasks comes last.
func NewScript(episodes []Episode) *Scripted {
	return &Scripted{episodes: episodes, calls: map[string]int{}}
}

// Complete returns the next reply of the conversation.
func (s *Scripted) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if err := ctx.Err(); err != nil {
		return qa.Reply{}, callError(nil, err)
	}
	if len(r.Tools) > 0 {
		return qa.Reply{}, errors.New("scripted models have no native tool calls; use --protocol react")
	}
	text, err := s.next(r.Messages)
	if err != nil {
		return qa.Reply{}, callError(nil, &Fault{Class: qa.FailBadRequest, Detail: err.Error()})
	}
	reply := qa.Reply{Text: text, Model: "scripted", Finish: "stop"}
	reply.Usage = estimate(r, reply)
	return reply, nil
}

func (s *Scripted) next(messages []qa.Message) (string, error) {
	first := slices.IndexFunc(messages, func(m qa.Message) bool { return m.Role == qa.User })
	if first < 0 {
		return "", errors.New("the conversation has no user message")
	}
	task := messages[first].Text
	var shown []string
	for _, m := range messages {
		if m.Role == qa.Assistant {
			shown = append(shown, m.Text)
		}
	}
	i := slices.IndexFunc(s.episodes, func(e Episode) bool { return strings.Contains(task, e.Match) })
	if i < 0 {
		return "", fmt.Errorf("the script has no replies for the task %q", excerpt(task))
	}
	replies := s.episodes[i].Replies
	s.mu.Lock()
	defer s.mu.Unlock()
	place := findPlace(replies, shown, s.calls[task])
	if place >= len(replies) {
		return "", fmt.Errorf("the script has only %d replies for the task %q", len(replies), excerpt(task))
	}
	s.calls[task] = place + 1
	return replies[place], nil
}

// findPlace returns the index of the reply after the shown ones; calls is the number of replies given so far.
func findPlace(replies, shown []string, calls int) int {
	if len(shown) == 0 {
		return 0
	}
	var places []int
	for end := len(shown); end <= len(replies); end++ {
		if slices.Equal(replies[end-len(shown):end], shown) {
			places = append(places, end)
		}
	}
	if len(places) == 0 || slices.Contains(places, calls) {
		return calls
	}
	return places[0]
}

func openScripted(c Config) (qa.Model, error) {
	_, path := SplitSpec(c.Spec)
	if path == "" {
		return nil, errors.New("the file is missing: want scripted:FILE")
	}
	data, err := files.ReadText(path)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	episodes, err := ParseScript(data)
	if err != nil {
		return nil, fmt.Errorf("read the script %s: %w", path, err)
	}
	return NewScript(episodes), nil
}

// ParseScript reads a script: a JSON array, or JSON Lines, of entries
//
//	"a reply"
//	{"text": "a reply"}
//	{"match": "part of the task", "replies": ["a reply", {"text": "a reply"}]}
//
// Loose replies form one episode, for tasks without a match. Unknown fields are an error.
func ParseScript(data []byte) ([]Episode, error) {
	entries, err := splitEntries(data)
	if err != nil {
		return nil, err
	}
	var episodes []Episode
	var loose []string
	for i, raw := range entries {
		entry, err := parseEntry(raw)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		if entry.Match == "" {
			loose = append(loose, entry.Replies...)
		} else {
			episodes = append(episodes, entry)
		}
	}
	if len(loose) > 0 {
		episodes = append(episodes, Episode{Replies: loose})
	}
	if len(episodes) == 0 {
		return nil, errors.New("no replies")
	}
	return episodes, nil
}

// splitEntries splits an array or a sequence of values into its elements.
func splitEntries(data []byte) ([]json.RawMessage, error) {
	var entries []json.RawMessage
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		if err := json.Unmarshal(data, &entries); err != nil {
			return nil, fmt.Errorf("read the array: %w", err)
		}
		return entries, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	for {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", len(entries)+1, err)
		}
		entries = append(entries, raw)
	}
}

// scriptReply is a reply as a string or as an object with a text.
type scriptReply string

var errReplyForm = errors.New(`want a string or {"text": …}`)

func (r *scriptReply) UnmarshalJSON(data []byte) error {
	var plain *string
	if json.Unmarshal(data, &plain) == nil && plain != nil {
		*r = scriptReply(*plain)
		return nil
	}
	var object struct {
		Text *string `json:"text"`
	}
	if !isObject(data) {
		return errReplyForm
	}
	if err := ledger.Strict(data, &object); err != nil {
		return err
	}
	if object.Text == nil {
		return errReplyForm
	}
	*r = scriptReply(*object.Text)
	return nil
}

func parseEntry(raw json.RawMessage) (Episode, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields["match"] == nil && fields["replies"] == nil {
		var reply scriptReply
		err := reply.UnmarshalJSON(raw)
		return Episode{Replies: []string{string(reply)}}, err
	}
	var entry struct {
		Match   string        `json:"match"`
		Replies []scriptReply `json:"replies"`
	}
	if err := ledger.Strict(raw, &entry); err != nil {
		return Episode{}, err
	}
	if entry.Match == "" || len(entry.Replies) == 0 {
		return Episode{}, errors.New("match and replies must both be given, and neither may be empty")
	}
	episode := Episode{Match: entry.Match}
	for _, reply := range entry.Replies {
		episode.Replies = append(episode.Replies, string(reply))
	}
	return episode, nil
}
