package action_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"airqa/agent/action"
	"airqa/internal/python"
	"airqa/qa"
)

// entry is one reply of testdata/replies.yaml.
type entry struct {
	Name, Reply, Call, Error, Says, Thought, Dropped, LaTeX string
	Formats, Early                                          []string
}

func corpus(t testing.TB) []entry {
	t.Helper()
	raw, err := os.ReadFile("testdata/replies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []entry
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	if err := dec.Decode(&all); err != nil {
		t.Fatal(err)
	}
	for i, e := range all {
		if len(e.Formats) == 0 && strings.Contains(e.Reply, "«") {
			all[i].Formats = action.Formats()
		} else if len(e.Formats) == 0 {
			all[i].Formats = []string{string(action.Python)}
		}
	}
	return all
}

// in converts the calls between « and » to a format.
func in(t testing.TB, text string, f action.Format) string {
	t.Helper()
	for {
		before, rest, ok := strings.Cut(text, "«")
		if !ok {
			return text
		}
		call, after, _ := strings.Cut(rest, "»")
		text = before + written(t, call, f) + after
	}
}

func written(t testing.TB, call string, f action.Format) string {
	t.Helper()
	c, err := python.ParseCall(call, 0, python.Options{})
	if err != nil || f == action.Python {
		return call
	}
	spec := action.Spec{Name: c.Name}
	args := map[string]any{}
	for _, k := range c.Keywords {
		spec.Params = append(spec.Params, action.Param{Name: k.Name})
		args[k.Name] = python.ToGo(k.Value)
	}
	return f.Write(spec, args)
}

func (e entry) check(t *testing.T, f action.Format, reply string, s qa.Step) {
	t.Helper()
	switch {
	case e.Error != "" && (s.ParseError == nil || s.ParseError.Kind != e.Error || !strings.Contains(s.ParseError.Reason, e.Says)):
		t.Errorf("read %+v, error %+v\nwant %s with %q", s.Action, s.ParseError, e.Error, e.Says)
	case e.Error == "" && s.Action == nil:
		t.Errorf("error %s\nwant %s", s.ParseError.Reason, e.Call)
	case e.Error == "" && (s.Action.Text != e.Call && s.Action.Text != asText(e.Call, f) || s.Action.LaTeX != e.LaTeX):
		t.Errorf("read %s, LaTeX %s\nwant %s, %s", s.Action.Text, s.Action.LaTeX, e.Call, e.LaTeX)
	case e.Error == "" && s.Action.Start >= s.Action.End:
		t.Errorf("range %d-%d", s.Action.Start, s.Action.End)
	}
	if got, want := reply[s.ThoughtAt.First:s.ThoughtAt.End], in(t, e.Thought, f); got != want {
		t.Errorf("thought %q, want %q", got, want)
	}
	if got, want := reply[s.Kept:], in(t, e.Dropped, f); got != want {
		t.Errorf("dropped %q, want %q", got, want)
	}
}

// asText returns the call as XML can represent it, with a text answer.
func asText(call string, f action.Format) string {
	if n, ok := strings.CutPrefix(call, "Answer(answer="); ok && f == action.XML {
		return "Answer(answer='" + strings.TrimSuffix(n, ")") + "')"
	}
	return call
}

func step(reply string) qa.Step { return qa.Step{Reply: &qa.Reply{Text: reply}} }

func TestCorpus(t *testing.T) {
	all := corpus(t)
	if len(all) < 400 {
		t.Errorf("%d replies, want at least 150", len(all))
	}
	for _, e := range all {
		for _, name := range e.Formats {
			t.Run(e.Name+"/"+name, func(t *testing.T) {
				g := grammar()
				g.Format = action.Format(name)
				reply := in(t, e.Reply, g.Format)
				s := step(reply)
				g.ReadStep(&s, action.AsText)
				e.check(t, g.Format, reply, s)
			})
		}
	}
}

// With mixed, a reply without a native call is read like with react. With tools, text is never an action.
func TestCorpusNative(t *testing.T) {
	for _, e := range corpus(t) {
		for _, name := range e.Formats {
			t.Run(e.Name+"/"+name, func(t *testing.T) {
				g := grammar()
				g.Format = action.Format(name)
				reply := in(t, e.Reply, g.Format)
				s := step(reply)
				g.ReadStep(&s, action.AsTextOrCall)
				e := e
				if e.Error == qa.ErrNoAction {
					e.Says = "the reply calls no tool"
				}
				e.check(t, g.Format, reply, s)
				for _, how := range []action.Protocol{action.AsCall, action.AsTextOrCall} {
					s = step(reply)
					s.Reply.ToolCalls = []qa.ToolCall{{ID: "a", Name: "Retrieve", Arguments: json.RawMessage(`{"query":"native"}`)}}
					g.ReadStep(&s, how)
					if s.Action == nil || s.Action.Text != "Retrieve(query='native', limit=5)" {
						t.Errorf("%v: beside a native call read %+v, %+v", how, s.Action, s.ParseError)
					}
				}
				s = step(reply)
				if g.ReadStep(&s, action.AsCall); s.Action != nil || s.ParseError == nil || s.ParseError.Kind != qa.ErrNoAction {
					t.Errorf("without a native call read %+v, %+v", s.Action, s.ParseError)
				}
			})
		}
	}
}

// A reply truncated anywhere runs no call that the whole reply does not contain, and does not panic.
func TestCorpusCut(t *testing.T) {
	for _, e := range corpus(t) {
		for _, name := range e.Formats {
			g := grammar()
			g.Format = action.Format(name)
			reply := in(t, e.Reply, g.Format)
			for end := range reply {
				s := step(reply[:end])
				s.Reply.Finish = qa.FinishLength
				g.ReadStep(&s, action.AsText)
				if a := s.Action; a != nil && a.Name == "Answer" && strings.Trim(reply[a.End:end], " \n`") == "" {
					continue // what would take it back is not there
				}
				if a := s.Action; a != nil && a.Text != e.Call && a.Text != asText(e.Call, g.Format) && !slices.Contains(e.Early, a.Text) {
					t.Errorf("%s/%s cut at %d runs %s", e.Name, name, end, a.Text)
					break
				}
				if (s.Action == nil) == (s.ParseError == nil) || s.Kept > end || s.ThoughtAt.End > end {
					t.Fatalf("%s/%s cut at %d: %+v", e.Name, name, end, s)
				}
			}
		}
	}
	if n := slices.IndexFunc(corpus(t), func(e entry) bool { return e.Call == "" && e.Error == "" }); n >= 0 {
		t.Errorf("entry %d expects nothing", n)
	}
}
