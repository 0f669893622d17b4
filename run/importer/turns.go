package importer

import (
	"encoding/json"
	"slices"
	"strings"

	"airqa/internal/files"
	"airqa/qa"
	"airqa/train/format"
)

// turnsOf makes the turns of an episode.
type turnsOf struct {
	reader *trajectoryReader
	file   string
	e      *episode
}

// steps adds the steps of a trajectory; of one that continues another, without those that are copied.
func (b *turnsOf) steps(t format.Trajectory, more bool) {
	for i := 0; i < len(t.Steps); i++ {
		s := t.Steps[i]
		if s.Copied {
			if more {
				continue
			}
			b.e.losses.Add("mark of a copied step")
		}
		now := b.turn(s)
		ours := s.Airqa()
		if s.Source == format.SourceAgent && len(s.Calls) == 0 && ours.Status != "" && i+1 < len(t.Steps) &&
			t.Steps[i+1].Source == format.SourceUser {
			i++ // what the user said next is the observation
			said := b.content(t.Steps[i].Message)
			now.shown = &result{text: said.text, images: said.images, status: ours.Status}
		}
		b.e.turns = append(b.e.turns, now)
		if s.Source != format.SourceAgent && s.Observation != nil {
			b.results(s)
		}
	}
}

// results adds results of a step without calls as messages.
func (b *turnsOf) results(s format.Step) {
	for _, r := range s.Observation.Results {
		b.subagents(r)
		if r.Content != nil {
			said := b.content(*r.Content)
			b.e.losses.Add("result without a call, now a message of the user")
			b.e.turns = append(b.e.turns, turn{role: qa.User, text: said.text, images: said.images})
		}
	}
}

// turn returns a step as a turn.
func (b *turnsOf) turn(s format.Step) turn {
	said := b.content(s.Message)
	t := turn{role: qa.User, text: said.text, images: said.images}
	t.started, _ = format.ParseTime(s.Timestamp)
	switch s.Source {
	case format.SourceSystem:
		t.role = qa.System
	case format.SourceAgent:
		b.agent(&t, s)
	case format.SourceUser:
	default:
		b.e.losses.Add("source of a step that is neither system, user nor agent, now a user")
	}
	if ours := s.Airqa(); s.Extra != nil && ours == (format.StepExtra{}) {
		b.e.losses.Add("extra of a step")
	}
	return t
}

// agent fills in what a step of the agent has.
func (b *turnsOf) agent(t *turn, s format.Step) {
	ours := s.Airqa()
	t.role, t.reasoning, t.model = qa.Assistant, s.Reasoning, s.Model
	t.fromCache = ours.FromCache
	t.inText = ours.ActionInText && len(s.Calls) == 1
	t.program = s.Inferences != nil && *s.Inferences == 0
	if len(t.images) > 0 {
		b.e.losses.Add("image of an agent's message")
		t.images = nil
	}
	if s.Inferences != nil && *s.Inferences > 1 {
		b.e.losses.Add("step of several calls of the model, now one")
	}
	if s.Effort != nil {
		b.e.losses.Add("reasoning_effort")
	}
	b.metrics(t, s.Metrics)
	for _, c := range s.Calls {
		if c.Extra != nil {
			b.e.losses.Add("extra of a call")
		}
		t.calls = append(t.calls, call{ToolCall: qa.ToolCall{ID: c.ID, Name: c.Name, Arguments: format.Compact(c.Arguments)}})
	}
	if s.Observation != nil {
		b.observation(t, s.Observation.Results, ours.Status)
	}
}

func (b *turnsOf) metrics(t *turn, m *format.Metrics) {
	if m == nil {
		return
	}
	for to, from := range map[*int]*int{&t.usage.Prompt: m.Prompt, &t.usage.Completion: m.Completion, &t.usage.Cached: m.Cached} {
		if from != nil {
			*to = *from
		}
	}
	if m.USD != nil && b.e.price == nil {
		b.e.losses.Add("cost_usd of a step")
	}
	if m.PromptIDs != nil || m.ReplyIDs != nil || m.Logprobs != nil || m.Extra != nil {
		b.e.losses.Add("token ids, log probabilities or extra of metrics")
	}
}

// observation gives the calls of a turn their results.
func (b *turnsOf) observation(t *turn, results []format.CallResult, status qa.Status) {
	for i, r := range results {
		b.subagents(r)
		if r.Extra != nil {
			b.e.losses.Add("extra of a result")
		}
		if r.Content == nil {
			continue
		}
		said := b.content(*r.Content)
		got := &result{text: said.text, images: said.images, status: status}
		if status == "" {
			got.status = statusOf(said.text, said.images)
		}
		at := slices.IndexFunc(t.calls, func(c call) bool { return c.ID == r.CallID && c.result == nil })
		if at < 0 && r.CallID == "" && i < len(t.calls) && t.calls[i].result == nil {
			at = i
		}
		if at < 0 {
			b.unasked(t, got)
			continue
		}
		t.calls[at].result = got
		t.calls[at].notRun = at > 0 && got.text == qa.NotRunResult
	}
}

// unasked keeps a result that belongs to no call: as the answer to the reply, or at the end of another result.
func (b *turnsOf) unasked(t *turn, got *result) {
	b.e.losses.Add("result without a call, now a part of the observation")
	to := t.shown
	for _, c := range t.calls {
		if c.result != nil {
			to = c.result
		}
	}
	if to == nil && len(t.calls) > 0 {
		t.calls[0].result = got
		return
	}
	if to == nil {
		t.shown = got
		return
	}
	to.text += "\n" + got.text
	to.images = append(to.images, got.images...)
}

// subagents queues the files of subagents.
func (b *turnsOf) subagents(r format.CallResult) {
	if len(r.Subagent) == 0 {
		return
	}
	var refs []struct {
		Path string `json:"trajectory_path"`
	}
	b.e.losses.Add("reference to a subagent")
	if json.Unmarshal(r.Subagent, &refs) != nil {
		return
	}
	for _, ref := range refs {
		if ref.Path == "" {
			continue
		}
		name, ok := b.reader.beside(b.file, ref.Path)
		if ok {
			_, err := b.reader.root.Stat(name)
			ok = err == nil
		}
		if !ok {
			b.reader.to.Notify.Warnf("%s: the trajectory %q of a subagent is missing or outside the folder; it is left out", b.file, ref.Path)
			b.e.losses.Add("trajectory of a subagent that is missing or outside of the folder")
			continue
		}
		b.reader.files = append(b.reader.files, name)
	}
}

// content returns a message with its images.
func (b *turnsOf) content(c format.Content) result {
	if c.Parts == nil {
		return result{text: c.Text}
	}
	var texts []string
	var out result
	for _, p := range c.Parts {
		switch {
		case p.Text != nil:
			texts = append(texts, *p.Text)
		case p.Source != nil && p.Type == "image":
			if im, ok := b.image(*p.Source); ok {
				out.images = append(out.images, im)
				continue
			}
			b.e.losses.Add("image that is missing or outside of the folder")
		default:
			b.e.losses.Add("content of another type than text and image")
		}
	}
	if len(texts) > 1 {
		b.e.losses.Add("borders of the texts of a message")
	}
	out.text = strings.Join(texts, "\n")
	return out
}

func (b *turnsOf) image(m format.Media) (qa.Image, bool) {
	if strings.HasPrefix(m.Path, "data:") {
		return dataURL(m.Path)
	}
	name, ok := b.reader.beside(b.file, m.Path)
	if !ok {
		return qa.Image{}, false
	}
	data, err := files.ReadRegular(b.reader.root, name, maxImage)
	if err != nil {
		return qa.Image{}, false
	}
	return imageOf(data, m.Type)
}

// extras takes over the tools, and counts what has no place.
func (b *turnsOf) extras(t format.Trajectory) {
	var tools []json.RawMessage
	if t.Agent.Tools != nil && json.Unmarshal(t.Agent.Tools, &tools) != nil {
		b.e.losses.Add("tool_definitions in an unknown form")
	}
	for _, raw := range tools {
		if spec, ok := specOf(raw, b.e.losses); ok {
			b.e.tools = append(b.e.tools, spec)
		} else {
			b.e.losses.Add("tool without a name")
		}
	}
	_, ours := t.Airqa()
	for what, is := range map[string]bool{
		"notes": t.Notes != "", "extra of a trajectory": t.Extra != nil && !ours, "extra of the agent": t.Agent.Extra != nil,
		"final_metrics, now the sums of the steps": t.Totals != nil && !ours,
		"session_id": t.SessionID != "" && t.TrajectoryID != "" && t.SessionID != t.TrajectoryID,
	} {
		if is {
			b.e.losses.Add(what)
		}
	}
}
