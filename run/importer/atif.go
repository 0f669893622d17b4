package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"airqa/internal/files"
	"airqa/internal/lazyregexp"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train/format"
)

// readTrajectory reads a trajectory. Unknown keys, keys without a place in a run, and broken rules are losses. A record without
// steps is [errNoLog].
func readTrajectory(raw []byte, l Losses) (t format.Trajectory, err error) {
	if err := json.Unmarshal(raw, &t); err != nil {
		return t, err
	}
	if len(t.Steps) == 0 {
		return t, errNoLog
	}
	if err := t.Check(); err != nil {
		l.Add("broken rule of the format: " + ruleNumbers.ReplaceAllString(err.Error(), "N"))
	}
	if _, ours := t.Airqa(); ours {
		return t, l.unread(raw, t, "", nil)
	}
	if t.SessionID != t.TrajectoryID && t.TrajectoryID != "" && t.SessionID != "" {
		l.Add("session_id")
	}
	return t, l.unread(raw, t, "", unused)
}

var ruleNumbers = lazyregexp.New(`[0-9]+`)

// unused are the keys that only a trajectory of airqa has a use for, or none.
var unused = map[string]bool{
	"notes": true, "extra": true, "final_metrics": true, "reasoning_effort": true, "cost_usd": true, "prompt_token_ids": true,
	"completion_token_ids": true, "logprobs": true,
}

// trajectory imports a trajectory, those that continue it, and its subagents.
func (r *reader) trajectory(ctx context.Context, name string, t format.Trajectory, l Losses) error {
	b := &steps{reader: r, file: name, episode: episodeOf(t)}
	b.losses = l
	b.add(t, false)
	seen := map[string]bool{name: true}
	for next := t; next.Continued != ""; {
		var ok bool
		if next, name, ok = r.next(next, name, seen, l); !ok {
			break
		}
		b.file = name
		b.add(next, true)
		t.Subagents = append(t.Subagents, next.Subagents...)
	}
	var tools []json.RawMessage
	if t.Agent.Tools != nil && json.Unmarshal(t.Agent.Tools, &tools) != nil {
		l.Add("tool_definitions in an unknown form")
	}
	b.addTools(tools)
	b.question = b.asked()
	if err := r.to.add(b.episode); err != nil {
		return err
	}
	for _, sub := range t.Subagents {
		own := Losses{"trajectory of a subagent, now an episode of its own": 1}
		if len(sub.Steps) == 0 {
			continue
		}
		if err := errors.Join(ctx.Err(), r.trajectory(ctx, name, sub, own)); err != nil {
			return err
		}
	}
	return nil
}

// next returns the trajectory that continues another one.
func (r *reader) next(t format.Trajectory, name string, seen map[string]bool, l Losses) (format.Trajectory, string, bool) {
	at, ok := r.beside(name, t.Continued)
	var next format.Trajectory
	var list []json.RawMessage
	err := errors.New("it is outside the folder or refers back to an earlier part")
	if ok && !seen[at] {
		list, err = r.records(at, l)
	}
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%d trajectories; want one", len(list))
	}
	if err == nil {
		next, err = readTrajectory(r.to.safe(list[0]), l)
	}
	if err != nil {
		r.to.Notify.Warnf("%s: its continuation %q is left out: %v", name, t.Continued, err)
		l.Add("continuation that is left out")
		return t, name, false
	}
	seen[at] = true
	r.to.Notify.Notef("%s: continued by %s", name, at)
	r.read[at] = true
	return next, at, true
}

var plainID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,119}$`)

// idOf returns an id of a stranger, or its hash if it is not plain.
func idOf(id string) string {
	if plainID.MatchString(id) && !strings.Contains(id, "..") {
		return id
	}
	return "id-" + runlog.Hash(id)[:24]
}

// episodeOf returns what a trajectory says about its episode.
func episodeOf(t format.Trajectory) *episode {
	provider, model := splitModel(t.Agent.Model)
	e := &episode{
		origin:  origin{Agent: t.Agent.Name, Program: t.Agent.Version, Provider: provider, Model: model, Format: t.SchemaVersion},
		defined: make(map[string]bool),
	}
	id := cmp.Or(t.TrajectoryID, t.SessionID)
	if id == "" {
		line, _ := t.Line() // it was read from one
		id = runlog.Hash(string(line))
	}
	e.uuid = idOf(id)
	ours, ok := t.Airqa()
	if !ok {
		return e
	}
	e.Run, e.uuid, e.repeat, e.outcome, e.price = ours.Run, ours.Question, max(ours.Repeat, 0), ours.Outcome, ours.Price
	if ours.Score != nil {
		e.scores = append(e.scores, scored{"airqa", qa.Score{Verdict: ours.Verdict, Value: *ours.Score, Func: "imported"}})
	}
	if ours.Charged != nil {
		e.failed = []qa.Attempt{{Error: qa.FailUnknown, Charged: ours.Charged}}
	}
	return e
}

// splitModel splits the name of a model as airqa writes it, PROVIDER:NAME, or as others do, PROVIDER/NAME.
func splitModel(name string) (provider, model string) {
	for _, sep := range []string{":", "/"} {
		if before, after, ok := strings.Cut(name, sep); ok && before != "" && after != "" && !strings.ContainsAny(before, "/ ") {
			return before, after
		}
	}
	return "", name
}

// steps makes the entries of an episode from the steps of trajectories.
type steps struct {
	*episode
	reader *reader
	file   string
}

// add adds the steps of a trajectory. If it continues another one, copied steps are skipped.
func (b *steps) add(t format.Trajectory, more bool) {
	var awaited qa.Status // of what the user says next, if the reply before had no call
	for _, s := range t.Steps {
		if s.Copied && more {
			continue
		}
		if s.Copied {
			b.losses.Add("mark of a copied step")
		}
		x := entry{Message: b.message(s.Message), model: s.Model}
		x.started, _ = format.ParseTime(s.Timestamp)
		var status qa.Status
		switch s.Source {
		case format.SourceAgent:
			status = b.reply(&x, s)
		case format.SourceSystem:
			x.Role = qa.System
		default:
			if x.Role, x.status = qa.User, awaited; s.Source != format.SourceUser {
				b.losses.Add("source of a step that is neither system, user nor agent, now a user")
			}
		}
		awaited = ""
		if len(x.ToolCalls) == 0 {
			awaited = status
		}
		b.entries = append(b.entries, x)
		if s.Observation != nil {
			b.results(s.Observation.Results, status)
		}
	}
}

// reply fills in what a step of the agent has, and returns the status of its observation if it is one of airqa's.
func (b *steps) reply(x *entry, s format.Step) qa.Status {
	ours := s.Airqa()
	x.Role, x.Reasoning, x.cached, x.inText = qa.Assistant, s.Reasoning, ours.FromCache, ours.ActionInText && len(s.Calls) == 1
	x.program = s.Inferences != nil && *s.Inferences == 0
	if s.Inferences != nil && *s.Inferences > 1 {
		b.losses.Add("step of several calls of the model, now one")
	}
	if m := s.Metrics; m != nil {
		for to, from := range map[*int]*int{&x.usage.Prompt: m.Prompt, &x.usage.Completion: m.Completion, &x.usage.Cached: m.Cached} {
			if from != nil {
				*to = *from
			}
		}
	}
	for _, c := range s.Calls {
		x.ToolCalls = append(x.ToolCalls, c.ToolCall())
	}
	return ours.Status
}

// results adds the results of a step. The first one has the given status.
func (b *steps) results(list []format.CallResult, status qa.Status) {
	for _, r := range list {
		if len(r.Subagent) > 0 {
			b.losses.Add("reference to a subagent")
		}
		if r.Content != nil {
			b.entries = append(b.entries, result(r.CallID, b.message(*r.Content), status))
			status = ""
		}
	}
}

// message returns a content as a message.
func (b *steps) message(c format.Content) qa.Message {
	if c.Parts == nil {
		return qa.Message{Text: c.Text}
	}
	var parts []part
	for _, p := range c.Parts {
		parts = append(parts, part{ContentPart: p})
	}
	return b.losses.content(parts, func(s string) string { return s }, func(p part) (im qa.Image, ok bool) {
		if p.Source == nil {
			return im, false
		}
		if strings.HasPrefix(p.Source.Path, "data:") {
			return dataURL(p.Source.Path)
		}
		name, ok := b.reader.beside(b.file, p.Source.Path)
		if data, err := files.ReadRegular(b.reader.root, name, maxImage); ok && err == nil {
			return imageOf(data, p.Source.Type)
		}
		return im, false
	})
}
