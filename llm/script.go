package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"airqa/internal/ledger"
)

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

// UnmarshalJSON accepts both forms.
func (r *scriptReply) UnmarshalJSON(data []byte) error {
	var plain *string
	if json.Unmarshal(data, &plain) == nil && plain != nil {
		*r = scriptReply(*plain)
		return nil
	}
	var object struct {
		Text *string `json:"text"`
	}
	var outer map[string]json.RawMessage
	if json.Unmarshal(data, &outer) != nil {
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
		return Episode{}, errors.New("match and replies go together, and neither may be empty")
	}
	episode := Episode{Match: entry.Match}
	for _, reply := range entry.Replies {
		episode.Replies = append(episode.Replies, string(reply))
	}
	return episode, nil
}
