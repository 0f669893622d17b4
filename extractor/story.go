package extractor

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/llm/cache"
	"airqa/qa"
)

// Story is all that is known of a candidate.
type Story struct {
	Candidate string `json:"candidate"`
	// Stages are the last lines of its stages, in the order in which they ran.
	Stages []StoryStage `json:"stages"`
}

// StoryStage is a stage with the replies that it used.
type StoryStage struct {
	candidate.Line
	Replies []string `json:"replies"`
}

// ReadStory returns the story of a candidate, named by its ID or by the uuid of its row or a prefix of it.
func ReadStory(dir, name string) (Story, error) {
	if _, err := candidate.ReadSettings(dir); err != nil {
		return Story{}, err
	}
	id, err := findCandidate(dir, name)
	if err != nil {
		return Story{}, err
	}
	story := Story{Candidate: id}
	for line, err := range candidate.Lines(dir) {
		if err != nil {
			return story, err
		}
		if line.Candidate == id {
			story.Stages = slices.DeleteFunc(story.Stages, func(t StoryStage) bool { return t.Stage == line.Stage })
			story.Stages = append(story.Stages, StoryStage{Line: line})
		}
	}
	slices.SortStableFunc(story.Stages, func(a, b StoryStage) int { return gate.Place(a.Stage) - gate.Place(b.Stage) })
	return story, story.addReplies(filepath.Join(dir, cache.Folder))
}

// findCandidate returns the candidate with a name, or with a row whose uuid begins with it.
func findCandidate(dir, name string) (string, error) {
	for line, err := range candidate.Lines(dir) {
		if err != nil {
			return "", err
		}
		if line.Candidate == name {
			return name, nil
		}
		var row struct{ UUID string }
		isRow := line.Stage == candidate.Accept && line.Data != nil && json.Unmarshal(line.Data, &row) == nil
		if isRow && len(name) >= 4 && strings.HasPrefix(row.UUID, name) {
			return line.Candidate, nil
		}
	}
	return "", qa.Usagef("%s has no candidate %q; airqa synth why %s lists the counts", dir, name, dir)
}

// addReplies reads the replies of all stages.
func (s *Story) addReplies(dir string) (err error) {
	store, err := cache.Open(dir, cache.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for i := range s.Stages {
		for _, text := range s.Stages[i].Calls {
			var key cache.Key
			if _, err := hex.Decode(key[:], []byte(text)); err != nil {
				continue
			}
			if reply, ok := store.Reply(key); ok {
				s.Stages[i].Replies = append(s.Stages[i].Replies, reply.Text)
			}
		}
	}
	return nil
}

// Text prints the story.
func (s Story) Text() string {
	var b strings.Builder
	for i, t := range s.Stages {
		if i == 0 {
			_, _ = fmt.Fprintf(&b, "%s  paper %s", s.Candidate, t.Paper)
			if t.Element != "" {
				_, _ = fmt.Fprintf(&b, "  element %s", t.Element)
			}
			b.WriteString("\n")
		}
		_, _ = fmt.Fprintf(&b, "\n%s: %s", t.Stage, t.Outcome)
		if t.Reason != "" {
			_, _ = fmt.Fprintf(&b, " (%s)", t.Reason)
		}
		if t.Detail != "" {
			_, _ = fmt.Fprintf(&b, ": %s", t.Detail)
		}
		if len(t.Calls) > 0 {
			_, _ = fmt.Fprintf(&b, "  [%d calls, %d tokens]", len(t.Calls), t.Usage.Prompt+t.Usage.Completion)
		}
		b.WriteString("\n")
		for _, reply := range t.Replies {
			b.WriteString(indented("reply: " + reply))
		}
		if t.Data != nil && (t.Stage == candidate.Explore || t.Stage == candidate.Track) {
			b.WriteString(indented(string(t.Data)))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ") + "\n"
}
