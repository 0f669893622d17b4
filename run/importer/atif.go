package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train/format"
)

// trajectoryReader reads files of ATIF.
type trajectoryReader struct {
	*folder
	to *writer
	// continued are the files that continue another one: they are no episodes.
	continued map[string]bool
	read      map[string]bool
}

// readTrajectories imports the trajectories of a file or folder, and the files that they refer to.
func readTrajectories(ctx context.Context, name string, w *writer) (err error) {
	f, err := openFolder(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.root.Close()) }()
	r := &trajectoryReader{folder: f, to: w, continued: make(map[string]bool), read: make(map[string]bool)}
	if len(f.files) > 1 {
		if err := r.findContinued(); err != nil {
			return err
		}
	}
	for i := 0; i < len(r.files); i++ { // the list grows by subagents
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.read[r.files[i]] || r.continued[r.files[i]] {
			continue
		}
		r.read[r.files[i]] = true
		if err := r.file(r.files[i]); err != nil {
			return err
		}
	}
	return nil
}

// records returns the trajectories of a file: one, an array, or lines.
func (r *trajectoryReader) records(name string) ([]json.RawMessage, error) {
	raw, err := r.folder.read(name, r.to.MaxFile)
	if err != nil {
		return nil, err
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	var list []json.RawMessage
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		err := json.Unmarshal(raw, &list)
		return list, wrap(name, err)
	}
	for dec := json.NewDecoder(bytes.NewReader(raw)); ; {
		var one json.RawMessage
		err := dec.Decode(&one)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, wrap(name, err)
		}
		list = append(list, one)
	}
	return list, nil
}

func wrap(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// findContinued finds the files that continue others.
func (r *trajectoryReader) findContinued() error {
	for _, name := range r.files {
		list, err := r.records(name)
		if err != nil {
			return err
		}
		for _, raw := range list {
			var t struct {
				Continued string `json:"continued_trajectory_ref"`
			}
			_ = json.Unmarshal(raw, &t) // reported when the record is read
			if next, ok := r.beside(name, t.Continued); ok && t.Continued != "" && next != name {
				r.continued[next] = true
			}
		}
	}
	return nil
}

// file imports the trajectories of a file.
func (r *trajectoryReader) file(name string) error {
	list, err := r.records(name)
	if err != nil {
		return err
	}
	for i, raw := range list {
		losses := make(Losses)
		t, err := readTrajectory(raw, losses)
		if err != nil {
			return fmt.Errorf("%s: record %d: %w", name, i+1, err)
		}
		if err := r.trajectory(name, t, losses); err != nil {
			return fmt.Errorf("%s: record %d: %w", name, i+1, err)
		}
	}
	return nil
}

// readTrajectory reads a trajectory. Unknown keys and broken rules are losses; without an agent or steps it is none.
func readTrajectory(raw []byte, l Losses) (t format.Trajectory, err error) {
	if err := decode(raw, &t, "", l); err != nil {
		return t, err
	}
	if len(t.Steps) == 0 {
		return t, errors.New("not an ATIF trajectory: it has no steps")
	}
	if err := t.Check(); err != nil {
		l.Add("broken rule of the format: " + ruleNumbers.ReplaceAllString(err.Error(), "N"))
	}
	return t, nil
}

var ruleNumbers = lazyregexp.New(`[0-9]+`)

// trajectory imports a trajectory, those that continue it, and its subagents.
func (r *trajectoryReader) trajectory(name string, t format.Trajectory, l Losses) error {
	e := episodeOf(t)
	e.file, e.losses = path.Base(name), l
	b := &turnsOf{reader: r, file: name, e: e}
	b.steps(t, false)
	seen := map[string]bool{name: true}
	for next := t; next.Continued != ""; {
		var ok bool
		if next, name, ok = r.next(next, name, seen, l); !ok {
			break
		}
		b.file = name
		b.steps(next, true)
		t.Subagents = append(t.Subagents, next.Subagents...)
	}
	b.extras(t)
	e.question = question(e.turns)
	if err := r.to.add(e); err != nil {
		return err
	}
	for _, sub := range t.Subagents {
		own := make(Losses)
		own.Add("trajectory of a subagent, now an episode of its own")
		if len(sub.Steps) == 0 {
			continue
		}
		if err := r.trajectory(name, sub, own); err != nil {
			return err
		}
	}
	return nil
}

// next returns the trajectory that continues another one.
func (r *trajectoryReader) next(t format.Trajectory, name string, seen map[string]bool, l Losses) (format.Trajectory, string, bool) {
	at, ok := r.beside(name, t.Continued)
	if !ok || seen[at] {
		r.to.Notify.Warnf("%s: its continuation %q is outside the folder or refers back to an earlier part; it is left out",
			name, t.Continued)
		l.Add("continuation outside of the folder")
		return t, name, false
	}
	seen[at] = true
	list, err := r.records(at)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%d trajectories; want one", len(list))
	}
	var next format.Trajectory
	if err == nil {
		next, err = readTrajectory(list[0], l)
	}
	if err != nil {
		r.to.Notify.Warnf("%s: its continuation cannot be read and is left out: %v", name, err)
		l.Add("continuation that cannot be read")
		return t, name, false
	}
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
	e := &episode{origin: origin{Agent: t.Agent.Name, Program: t.Agent.Version, Provider: provider, Model: model, Format: t.SchemaVersion}}
	id := t.TrajectoryID
	if id == "" {
		id = t.SessionID
	}
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

var questionLine = lazyregexp.New(`(?s)\[Question\]: (.*?)(?:\n\[[A-Z][A-Za-z ]*\]: |\n\n|$)`)

// question returns the text of the question: airqa's own after its label, otherwise the first message of the user.
func question(turns []turn) string {
	at := slices.IndexFunc(turns, func(t turn) bool { return t.role == qa.User })
	if at < 0 {
		return ""
	}
	if m := questionLine.FindStringSubmatch(turns[at].text); m != nil {
		return m[1]
	}
	return turns[at].text
}

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
		t.calls = append(t.calls, call{ToolCall: qa.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}})
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
	data, err := b.reader.folder.read(name, maxImage)
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
