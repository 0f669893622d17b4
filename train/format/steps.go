package format

import (
	"path"
	"strings"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
)

func readATIF(raw []byte, l Losses) (Conversation, error) {
	t, err := ReadTrajectory(raw)
	if err != nil {
		return Conversation{}, err
	}
	c := Conversation{ID: t.TrajectoryID, Tools: list(t.Agent.Tools), agent: &t.Agent}
	if c.ID == "" {
		c.ID = t.SessionID
	}
	for _, s := range t.Steps {
		c.Messages = append(c.Messages, stepMessages(s, l)...)
	}
	l.addIf(t.Totals != nil, "final_metrics")
	l.addIf(t.Notes != "", "notes")
	l.addIf(t.Extra != nil, "extra of a trajectory")
	l.addIf(t.Continued != "", "reference to a continuation")
	l.addIf(len(t.Subagents) > 0, "trajectories of subagents")
	return c, nil
}

// stepMessages returns the messages of a step: the step's own, and those of its results.
func stepMessages(s Step, l Losses) []Message {
	ours := s.Airqa()
	if ours.Turn > 0 && s.Inferences != nil && *s.Inferences == 0 {
		l.Add("action of a baseline's own, which no model saw as such")
		return nil
	}
	m := Message{Role: qa.User, Parts: contentParts(s.Message), Reasoning: s.Reasoning}
	switch s.Source {
	case SourceSystem:
		m.Role = qa.System
	case SourceAgent:
		m.Role = qa.Assistant
		if !ours.ActionInText {
			for _, c := range s.Calls {
				m.Calls = append(m.Calls, qa.ToolCall{ID: c.ID, Name: c.Name, Arguments: compact(c.Arguments)})
			}
		}
		if s.Copied {
			trained := false
			m.Trained = &trained
		}
	}
	l.addIf(s.Metrics != nil, "metrics of a step")
	l.addIf(s.Timestamp != "", "timestamp")
	l.addIf(s.Model != "", "model of a step")
	l.addIf(s.Extra != nil, "extra of a step")
	return append([]Message{m}, results(s, ours.ActionInText, l)...)
}

// results returns the messages of a step's results. The result of an action in the text is what the model saw: a
// message of the user with a label.
func results(s Step, inText bool, l Losses) []Message {
	if s.Observation == nil {
		return nil
	}
	var list []Message
	for _, r := range s.Observation.Results {
		if r.Subagent != nil {
			l.Add("reference to a subagent")
		}
		if r.Content == nil {
			continue
		}
		m := Message{Role: qa.ToolResult, Parts: contentParts(*r.Content), CallID: r.CallID}
		if inText {
			label := qa.ObservationMessage(qa.Observation{Text: m.Text()})
			images := m.Images()
			m = Message{Role: qa.User, Parts: text(label.Text)}
			for _, im := range images {
				m.Parts = append(m.Parts, Part{Image: im.Path})
			}
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
		case p.Source != nil:
			parts = append(parts, Part{Image: p.Source.Path})
		case *p.Text != "":
			parts = append(parts, Part{Text: *p.Text})
		}
	}
	return parts
}

// trajectory returns a conversation as a trajectory. A result belongs to the step with its call; one without a call is a
// step of the user.
func (c Conversation) trajectory(l Losses) (Trajectory, error) {
	t := Trajectory{SchemaVersion: ATIFVersion, SessionID: c.ID, TrajectoryID: c.ID, Agent: AgentInfo{Name: "unknown", Version: "unknown"}}
	if c.agent != nil {
		t.Agent = *c.agent
	}
	t.Agent.Tools = c.Tools
	if c.ID == "" {
		line, err := ledger.Encode(c.Messages)
		if err != nil {
			return t, err
		}
		t.SessionID = files.Hash(line)[:32]
		t.TrajectoryID = t.SessionID
	}
	for _, m := range c.withCallIDs().Messages {
		if m.Role == qa.ToolResult && attach(t.Steps, m, l) {
			continue
		}
		s := m.step(l)
		s.ID = len(t.Steps) + 1
		t.Steps = append(t.Steps, s)
	}
	return t, t.Check()
}

// attach adds a result to the last step if the call is there.
func attach(steps []Step, m Message, l Losses) bool {
	if len(steps) == 0 {
		return false
	}
	s := &steps[len(steps)-1]
	for _, c := range s.Calls {
		if c.ID != m.CallID {
			continue
		}
		if s.Observation == nil {
			s.Observation = new(Observation)
		}
		content := m.content(l)
		s.Observation.Results = append(s.Observation.Results, CallResult{CallID: c.ID, Content: &content})
		return true
	}
	return false
}

func (m Message) step(l Losses) Step {
	s := Step{Source: SourceUser, Message: m.content(l)}
	switch m.Role {
	case qa.System:
		s.Source = SourceSystem
	case qa.ToolResult:
		l.Add("result without a call, now a step of the user")
	case qa.Assistant:
		s.Source, s.Reasoning = SourceAgent, m.Reasoning
		s.Copied = m.Trained != nil && !*m.Trained
		for _, c := range m.Calls {
			s.Calls = append(s.Calls, Call{ID: c.ID, Name: c.Name, Arguments: argumentObject(c.Arguments)})
		}
	}
	return s
}

func (m Message) content(l Losses) Content {
	if len(m.Images()) == 0 {
		return Content{Text: m.Text()}
	}
	var c Content
	for _, p := range m.Parts {
		if p.Image == "" {
			said := p.Text
			c.Parts = append(c.Parts, ContentPart{Type: "text", Text: &said})
			continue
		}
		p.loseData(l)
		c.Parts = append(c.Parts, ContentPart{Type: "image", Source: &Media{Type: mediaType(p.Image), Path: p.Image}})
	}
	return c
}

// mediaType returns the type of an image by its data URL or suffix.
func mediaType(image string) string {
	if data, ok := strings.CutPrefix(image, "data:"); ok {
		kind, _, _ := strings.Cut(data, ";")
		return kind
	}
	switch strings.ToLower(path.Ext(image)) {
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	}
	return "image/png"
}
