package episodes

import (
	"context"
	"iter"
	"strings"

	"airqa/qa"
)

// Hit is a text found in an episode.
type Hit struct {
	Run     string `json:"run"`
	Episode string `json:"episode"`
	// Step is 0 for a message before the first step.
	Step  int    `json:"step"`
	Field string `json:"field"`
	// Offset is in bytes of the field.
	Offset int    `json:"offset"`
	Before string `json:"before"`
	Match  string `json:"match"`
	After  string `json:"after"`
}

// Grep searches a text in all messages, replies and results of the runs.
func (l *Library) Grep(_ context.Context, text string) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		for _, r := range l.Runs {
			for rec, err := range r.Log.Episodes() {
				if err != nil {
					continue
				}
				for _, m := range rec.Messages {
					at := strings.Index(m.Text, text)
					if m.Role != qa.Assistant && at >= 0 && !yield(Hit{Run: r.Name, Episode: rec.Episode, Field: "message", Offset: at, Match: text}, nil) {
						return
					}
				}
			}
		}
	}
}
