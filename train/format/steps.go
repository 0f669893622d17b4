package format

import (
	"encoding/json"

	"airqa/qa"
)

func readATIF(raw []byte) (Conversation, error) {
	t, err := ReadTrajectory(raw)
	if err != nil {
		return Conversation{}, err
	}
	c := Conversation{ID: t.TrajectoryID}
	f := fields{of: map[string]json.RawMessage{"tools": t.Agent.Tools}}
	if c.Tools = f.tools(); f.err != nil {
		return c, f.err
	}
	if c.ID == "" {
		c.ID = t.SessionID
	}
	for _, s := range t.Steps {
		c.Messages = append(c.Messages, stepMessages(s)...)
	}
	return c, nil
}

// stepMessages returns the messages of a step: the step's own, and those of its results.
func stepMessages(s Step) []Message {
	ours := s.Airqa()
	if ours.Turn > 0 && s.Inferences != nil && *s.Inferences == 0 {
		return nil // an action of the baseline, which no model saw as such
	}
	m := Message{Role: qa.User, Parts: contentParts(s.Message), Reasoning: s.Reasoning}
	switch s.Source {
	case SourceSystem:
		m.Role = qa.System
	case SourceAgent:
		m.Role = qa.Assistant
		if !ours.ActionInText {
			for _, c := range s.Calls {
				m.Calls = append(m.Calls, c.ToolCall())
			}
		}
		if s.Copied {
			trained := false
			m.Trained = &trained
		}
	}
	return append([]Message{m}, results(s, ours.ActionInText)...)
}

// results returns the messages of a step's results. The result of an action in the text is what the model saw: a
// message of the user with a label.
func results(s Step, inText bool) []Message {
	if s.Observation == nil {
		return nil
	}
	var list []Message
	for _, r := range s.Observation.Results {
		if r.Content == nil {
			continue
		}
		m := Message{Role: qa.ToolResult, Parts: contentParts(*r.Content), CallID: r.CallID}
		if inText {
			label := qa.ObservationMessage(qa.Observation{Text: m.Text()})
			m = Message{Role: qa.User, Parts: append(text(label.Text), m.Images()...)}
		}
		list = append(list, m)
	}
	return list
}

func contentParts(c Content) []Part {
	if c.Parts == nil && c.Text != "" {
		return text(c.Text)
	}
	var parts []Part
	for _, p := range c.Parts {
		switch {
		case p.Type == "audio":
			parts = append(parts, Part{Image: Audio + p.Source.Path})
		case p.Source != nil:
			parts = append(parts, Part{Image: p.Source.Path})
		case *p.Text != "":
			parts = append(parts, Part{Text: *p.Text})
		}
	}
	return parts
}
