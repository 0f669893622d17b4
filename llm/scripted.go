package llm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"airqa/internal/tokens"
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
	counts   tokens.Memo
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
		return qa.Reply{}, errors.New("a script cannot be offered tools; use --protocol react")
	}
	text, err := s.next(r.Messages)
	if err != nil {
		return qa.Reply{}, callError(nil, &Fault{Class: qa.FailBadRequest, Detail: err.Error()})
	}
	reply := qa.Reply{Text: text, Model: "scripted", Finish: "stop"}
	reply.Usage = estimate(&s.counts, r, reply)
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

func openScripted(c Config) (*Scripted, error) {
	_, path := SplitSpec(c.Spec)
	if path == "" {
		return nil, errors.New("the file is missing: want scripted:FILE")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	episodes, err := ParseScript(data)
	if err != nil {
		return nil, fmt.Errorf("read the script %s: %w", path, err)
	}
	return NewScript(episodes), nil
}
