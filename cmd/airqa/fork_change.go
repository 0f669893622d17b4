package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/term"

	"airqa/internal/exit"
	"airqa/qa"
	"airqa/run/runlog"
)

// changed answers one step of a branch and leaves the others to the model.
type changed struct {
	asked  qa.Model
	branch *branch
}

// Complete implements [qa.Model].
func (c changed) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if r.Step == c.branch.note.Step && qa.EpisodeID(r.UUID, r.Repeat) == c.branch.rec.Episode {
		return c.branch.reply, nil
	}
	return c.asked.Complete(ctx, r)
}

// change reads what is put in the place of the recorded message.
func (c forkCmd) change(a *app, b *branch) error {
	before := b.recorded()
	var text string
	var err error
	switch {
	case c.Edit:
		text, err = a.edit(before)
	case c.Reply != "":
		text, err = a.readText(c.Reply)
	default:
		text, err = a.readText(c.Observation)
	}
	if err != nil {
		return err
	}
	if !strings.HasSuffix(before, "\n") {
		text = strings.TrimSuffix(text, "\n") // which editors add
	}
	if text == before {
		return exit.Misuse("nothing was changed, so there is nothing to branch off for")
	}
	return b.put(text)
}

// recorded is the message as it was, in the form in which it is changed.
func (b *branch) recorded() string {
	if b.note.Changed == runlog.ForkObservation {
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

// nativeReply is how a reply with tool calls is edited.
type nativeReply struct {
	Text      string        `json:"text"`
	ToolCalls []qa.ToolCall `json:"tool_calls"`
}

// put makes the new message of a text.
func (b *branch) put(text string) error {
	if b.note.Changed == runlog.ForkObservation {
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
		return exit.Misuse("the changed reply: %v; want {\"text\": \"...\", \"tool_calls\": [{\"name\": \"...\", \"arguments\": {...}}]}, or prose", err)
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

// readText reads a file, or standard input for "-".
func (a *app) readText(path string) (string, error) {
	if path == "-" {
		raw, err := io.ReadAll(a.in)
		return string(raw), err
	}
	raw, err := os.ReadFile(path)
	return string(raw), err
}

// edit shows a text in the user's editor and returns what came of it.
func (a *app) edit(text string) (string, error) {
	file, err := os.CreateTemp("", "airqa-*.txt")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.WriteString(text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return "", err
	}
	words := strings.Fields(a.getenv("VISUAL"))
	if len(words) == 0 {
		words = strings.Fields(a.getenv("EDITOR"))
	}
	if len(words) == 0 {
		if in, ok := a.in.(*os.File); !ok || !term.IsTerminal(int(in.Fd())) {
			return "", exit.Misuse("--edit needs a terminal, or an editor in EDITOR; --reply and --observation take a file")
		}
		words = []string{"vi"}
	}
	editor := exec.CommandContext(a.ctx, words[0], append(words[1:], file.Name())...) //nolint:gosec // the user's own editor
	editor.Stdin, editor.Stdout, editor.Stderr = a.in, a.errs, a.errs
	if err := editor.Run(); err != nil {
		return "", fmt.Errorf("editor %s: %w", words[0], err)
	}
	raw, err := os.ReadFile(file.Name())
	return string(raw), err
}
