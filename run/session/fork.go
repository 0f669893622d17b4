package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/baselines"
	"airqa/internal/lazyregexp"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa"
	"airqa/runlog"
)

// Branch is an episode up to the changed message.
type Branch struct {
	run      *runlog.Run
	Baseline baselines.Baseline
	rec      runlog.Recorded
	// step is the step with the changed message, events the part to copy.
	step   qa.Step
	events []runlog.Event
	Note   runlog.Fork
	// reply or observation replaces the recorded one.
	reply       qa.Reply
	observation qa.Observation
}

// NewBranch finds the step to change and rejects one that cannot be changed. episode is UUID#REPEAT.
func NewBranch(r *runlog.Run, episode string, note runlog.Fork) (b *Branch, err error) {
	if r.Config.Note.Imported != nil {
		return nil, fmt.Errorf("%s: %w", r.Dir, runlog.ErrImported)
	}
	note.Episode = episode
	b = &Branch{run: r, Note: note}
	if b.Baseline, err = baselines.Find(r.Config.Shape.Baseline); err != nil {
		return nil, err
	}
	if !b.Baseline.Loop {
		return nil, qa.Usagef("%s is a run of %s, which has no agent loop, so a changed message has no effect; run the question again", r.Dir, b.Baseline.Name)
	}
	uuid, repeat := qa.SplitEpisodeID(episode)
	if b.rec, err = r.Episode(uuid, repeat); err != nil {
		return nil, err
	}
	if err := r.LoadImages(&b.rec); err != nil {
		return nil, err
	}
	if b.events, err = r.Events(episode); err != nil {
		return nil, err
	}
	return b, b.cut(note.Step)
}

// cut truncates the events before the changed message.
func (b *Branch) cut(at int) error {
	if at < 1 || at > len(b.rec.Steps) {
		return qa.Usagef("step %d: %s has steps 1 to %d", at, b.rec.Episode, len(b.rec.Steps))
	}
	b.step = b.rec.Steps[at-1]
	switch {
	case b.step.By != qa.ByModel:
		return qa.Usagef("step %d: the program made this step, so it has no model reply", at)
	case b.Note.Changed == runlog.ForkObservation && b.step.Observation == nil:
		return qa.Usagef("step %d: this step has no observation; change its reply", at)
	}
	call := slices.IndexFunc(b.events, func(ev runlog.Event) bool { return ev.Type == runlog.TypeCall && ev.Step == at })
	if call < 0 {
		return fmt.Errorf("%s: the call of step %d is not in the log", b.rec.Episode, at)
	}
	if b.Note.Changed == runlog.ForkObservation {
		call++
	}
	b.events = b.events[:call]
	return nil
}

// Plan turns a plan, whose only job has the directory of the fork, into that of the fork.
func (b *Branch) Plan(p Plan) Plan {
	p.Prompts = prompts.Of(b.run.Config.Note.Prompts)
	p.Repeats, p.Workers, p.Note.Fork, p.Fork = b.rec.Repeat+1, 1, &b.Note, b
	return p
}

// runs reports whether the fork runs an episode.
func (b *Branch) runs(uuid string, repeat int) bool {
	return uuid == b.rec.UUID && repeat == b.rec.Repeat
}

// start writes the earlier events and a changed observation. A changed reply comes from the model.
func (b *Branch) start(dir string, w *runlog.Writer) error {
	if err := w.Copy(b.run, b.events); err != nil {
		return err
	}
	if b.Note.Changed != runlog.ForkObservation {
		return nil
	}
	r, err := runlog.Open(dir)
	if err != nil {
		return err
	}
	begun, err := r.Episode(b.rec.UUID, b.rec.Repeat)
	if err != nil {
		return err
	}
	log, err := w.Begin(b.rec.UUID, b.rec.Repeat, &begun)
	if err != nil {
		return err
	}
	s := begun.Steps[b.Note.Step-1]
	b.observation.Text = string(w.Redact([]byte(b.observation.Text)))
	s.Observation, s.Acted = &b.observation, s.Ended // the change took no time of the episode
	return log.Observation(s)
}

// Place is the directory of the fork, which must not have a run yet; if empty, one inside the original run is chosen.
func (b *Branch) Place(dir string) (_ string, err error) {
	if dir == "" {
		if dir, err = b.free(); err != nil {
			return "", err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, runlog.RunFile)); err == nil {
		return "", qa.Usagef("%s already contains a run; choose another directory for the fork", dir)
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(b.run.Dir)
	if err != nil {
		return "", err
	}
	back, err := filepath.Rel(from, to)
	b.Note.Run = filepath.ToSlash(back)
	return dir, err
}

// free returns the first unused path for the fork.
func (b *Branch) free() (string, error) {
	const longest = 100 // bytes of the uuid; file systems allow names of 255
	name := notInNames.ReplaceAllString(b.rec.UUID, "-")
	if len(name) > longest {
		name = name[:longest] + "-" + runlog.Hash(b.rec.UUID)[:12]
	}
	if b.rec.Repeat > 0 {
		name += fmt.Sprintf("-r%d", b.rec.Repeat)
	}
	for n := 1; ; n++ {
		dir := filepath.Join(b.run.Dir, "forks", fmt.Sprintf("%s-s%d-%d", name, b.Note.Step, n))
		_, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return dir, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// check rejects a fork whose start this program would have shown differently, and reports other differences.
func (b *Branch) check(notify terminal.Notify, now runlog.Config) error {
	var refused []string
	for _, line := range runlog.Differences(b.run.Config.Shape, now.Shape) {
		key, _, _ := strings.Cut(line, ":")
		limits := qa.FlagsOf(qa.QuestionLimits{}, map[string]any{strings.TrimPrefix(key, "settings."): 0.0}) // a fork may change them
		switch {
		case key == "questions" || key == "shard" || key == "selected":
		case strings.HasPrefix(key, "model.") || key == "data" || len(limits) > 0:
			notify.Notef("the fork differs from the original run: %s", line)
		default:
			refused = append(refused, line)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return qa.Usagef("%s was recorded with different prompts, tools or settings; cannot continue:\n  %s",
		b.run.Dir, strings.Join(refused, "\n  "))
}

// changed answers the step of a fork whose reply is changed, so that the reply is parsed and executed like any other. It passes
// the others to the model.
type changed struct {
	asked  qa.Model
	branch *Branch
}

// Complete returns the changed reply at its step.
func (c changed) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if n := c.branch.Note; n.Changed == runlog.ForkReply && r.Step == n.Step && c.branch.runs(r.UUID, r.Repeat) {
		return c.branch.reply, nil
	}
	return c.asked.Complete(ctx, r)
}

// Message is the original message in its editable form.
func (b *Branch) Message() string {
	if b.Note.Changed == runlog.ForkObservation {
		return b.step.Observation.Text
	}
	if len(b.step.Reply.ToolCalls) == 0 {
		return b.step.Reply.Text
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(nativeReply{b.step.Reply.Text, b.step.Reply.ToolCalls}); err != nil {
		return b.step.Reply.Text
	}
	return out.String()
}

// nativeReply is the editable form of a reply with tool calls.
type nativeReply struct {
	Text      string        `json:"text"`
	ToolCalls []qa.ToolCall `json:"tool_calls"`
}

// SetMessage parses the new message.
func (b *Branch) SetMessage(text string) error {
	if b.Note.Changed == runlog.ForkObservation {
		b.observation = qa.Observation{Status: qa.StatusOK, Text: text, Images: b.step.Observation.Images}
		if b.step.ParseError != nil {
			b.observation.Status = qa.StatusParse
		}
		return nil
	}
	b.reply = qa.Reply{Text: text, Finish: "stop"}
	if _, native := b.run.Config.Shape.Settings["protocol"]; !native || !strings.HasPrefix(strings.TrimSpace(text), `{"`) && !strings.HasPrefix(text, "{\n") {
		return nil
	}
	var n nativeReply
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&n); err != nil {
		return qa.Usagef("the changed reply: %v; want {\"text\": \"...\", \"tool_calls\": [{\"name\": \"...\", \"arguments\": {...}}]}, or prose", err)
	}
	for i := range n.ToolCalls {
		if n.ToolCalls[i].ID == "" {
			n.ToolCalls[i].ID = fmt.Sprintf("fork-%d", i+1)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, n.ToolCalls[i].Arguments); err == nil {
			n.ToolCalls[i].Arguments = compact.Bytes()
		}
	}
	b.reply.Text, b.reply.ToolCalls = n.Text, n.ToolCalls
	return nil
}

var notInNames = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// Slug turns a text into a part of a file name.
func Slug(text string) string { return strings.Trim(notInNames.ReplaceAllString(text, "-"), "-") }
