package models

import (
	"errors"
	"fmt"

	"airqa/qa"
	"airqa/runlog"
)

// Fill adds the recorded replies of a run to the cache, as replies of the model to the same conversations with the same
// tools. It returns the number of replies that the cache lacked. The caller checks that the run asked this model.
func (m Model) Fill(r Requests, from *runlog.Run, tools []qa.ToolSpec) (added int, err error) {
	cached := m.Cached(r, nil)
	for rec, unread := range from.Episodes() {
		if unread != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", rec.Episode, unread))
			continue
		}
		for _, s := range rec.Steps {
			fork := from.Config.Note.Fork
			if s.Reply == nil || fork != nil && s.N <= fork.Step {
				continue // the fork's model did not write what is of the original run, or was changed
			}
			key, bad := cached.Key(qa.Request{Messages: shown(rec.Trajectory, s), Tools: tools, Repeat: rec.Repeat})
			if bad != nil {
				return added, bad
			}
			if _, had := r.Cache.Reply(key); !had {
				cached.Keep(key, rec.Repeat, *s.Reply)
				added++
			}
		}
	}
	return added, err
}

// shown returns the messages that the model saw at a step; none if the log is wrong about them.
func shown(t qa.Trajectory, s qa.Step) []qa.Message {
	var list []qa.Message
	for _, span := range s.Shown {
		if span.First < 0 || span.First > span.End || span.End > len(t.Messages) {
			return nil
		}
		list = append(list, t.Messages[span.First:span.End]...)
	}
	return list
}
