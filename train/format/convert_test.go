package format_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/internal/testkit/golden"
	"airqa/qa"
	"airqa/train/format"
)

var formats = []format.Format{format.ShareGPT, format.OpenAI, format.TRL, format.ATIF}

// TestFiles converts files as other tools write them to every format.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.in.json*")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	for _, file := range files {
		for _, to := range formats {
			name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
			name = strings.TrimSuffix(name, ".in") + "." + string(to) + ".txt"
			t.Run(name, func(t *testing.T) {
				var out bytes.Buffer
				r, err := format.Convert(format.Conversion{Path: file, To: to}, &out)
				if err != nil {
					fmt.Fprintf(&out, "error: %v\n", err)
				}
				fmt.Fprintf(&out, "from %s, rows: %d\n%s\n", r.From, r.Rows, strings.Join(r.Losses.List(), "\n"))
				golden.Check(t, name, out.String())
			})
		}
	}
}

// TestAbsolute converts a file for another folder.
func TestAbsolute(t *testing.T) {
	if got := format.Detect("testdata/atif.in.json"); got != format.ATIF {
		t.Errorf("format %q", got)
	}
	if got := format.Detect("testdata/trl.trl.txt.none"); got != "" {
		t.Errorf("a missing file has the format %q", got)
	}
	var out bytes.Buffer
	if _, err := format.Convert(format.Conversion{Path: "testdata/atif.in.json", To: format.ShareGPT, Absolute: true}, &out); err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal([]string{filepath.Join(dir, "shot.png")})
	if !strings.Contains(out.String(), `"images":`+string(want)) {
		t.Errorf("want images %s in %s", want, out.String())
	}
}

// TestBadFiles has the errors of files that are none of the formats.
func TestBadFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "has no conversation"},
		{"no JSON", "hello", "record 1: invalid character"},
		{"cut array", `[{"messages":[{"role":"user","content":"x"}]}`, "record 2"},
		{"other keys", "\n" + `{"question":"x","answer":"y"}`, `record 1: unknown shape, with the keys "answer, question": want messages (OpenAI), conversations (ShareGPT)`},
		{"no object", `"x"`, "record 1: want an object"},
		{"null", `null`, "record 1: unknown shape"},
		{"pairs", `{"prompt":[],"chosen":[],"rejected":[]}`, "preference pairs are not converted"},
		{"no messages", `{"messages":[]}`, "no messages"},
		{"role", `{"messages":[{"role":"bot","content":"x"}]}`, `message 1: unknown role "bot"`},
		{"content", `{"messages":[{"role":"user","content":[1]}]}`, "message 1: content"},
		{"calls", `{"messages":[{"role":"assistant","tool_calls":{}}]}`, "message 1: tool_calls"},
		{"call", `{"messages":[{"role":"assistant","function_call":"x"}]}`, "message 1: function_call"},
		{"messages", `{"messages":{}}`, "messages: json"},
		{"conversations", `{"conversations":"x"}`, "conversations: json"},
		{"turn", `{"conversations":[{"from":"GPT","value":"x"}]}`, `turn 1: unknown role "GPT"`},
		{"function_call", `{"conversations":[{"from":"function_call","value":"f(x)"}]}`, "turn 1: function_call"},
		{"nameless call", `{"conversations":[{"from":"function_call","value":"{}"}]}`, "turn 1: function_call without a name"},
		{"images", `{"conversations":[{"from":"human","value":"x"}],"images":["a.png"]}`, "1 images without a marker <image>"},
		{"images of a number", `{"conversations":[{"from":"human","value":"x"}],"images":3}`, "images: json"},
		{"trajectory", `{"schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1"},"steps":[{"step_id":7,"source":"user","message":""}]}`, "steps[0]: step_id is 7; want 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "in.json")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := format.Convert(format.Conversion{Path: file, To: format.OpenAI}, new(bytes.Buffer))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), file) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := format.Convert(format.Conversion{Path: "nowhere.json", To: format.OpenAI}, new(bytes.Buffer)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := format.Convert(format.Conversion{Path: t.TempDir(), To: format.OpenAI}, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "no *.json file") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := format.Convert(format.Conversion{Path: "x", To: "dpo"}, new(bytes.Buffer)); err == nil {
		t.Error("an unknown format is accepted")
	}
}

// conversation draws a conversation that OpenAI and ATIF can both express.
func conversation(t *rapid.T) format.Conversation {
	said := rapid.StringMatching(`[a-z<>|"{}\n éß]{0,12}`)
	texts := func(label string) []format.Part {
		if s := said.Draw(t, label); s != "" {
			return []format.Part{{Text: s}}
		}
		return nil
	}
	c := format.Conversation{ID: "id", Messages: []format.Message{{Role: qa.System, Parts: texts("system")}}}
	for i := range rapid.IntRange(1, 4).Draw(t, "turns") {
		user := format.Message{Role: qa.User, Parts: texts("user")}
		if rapid.Bool().Draw(t, "image") {
			user.Parts = append(user.Parts, format.Part{Image: fmt.Sprintf("im%d.png", i)})
		}
		answer := format.Message{Role: qa.Assistant, Parts: texts("answer")}
		c.Messages = append(c.Messages, user)
		var results []format.Message
		for j := range rapid.IntRange(0, 2).Draw(t, "calls") {
			id := fmt.Sprintf("c%d_%d", i, j)
			args, _ := json.Marshal(map[string]string{"q": said.Draw(t, "argument")})
			answer.Calls = append(answer.Calls, qa.ToolCall{ID: id, Name: "Query", Arguments: args})
			results = append(results, format.Message{Role: qa.ToolResult, Parts: texts("result"), CallID: id})
		}
		if len(answer.Calls) > 0 {
			c.Tools = json.RawMessage(`[{"type":"function","function":{"name":"Query"}}]`)
		}
		c.Messages = append(append(c.Messages, answer), results...)
	}
	c.Messages = append(c.Messages, format.Message{Role: qa.Assistant, Parts: texts("last")})
	return c
}

// TestThereAndBack writes and reads conversations: OpenAI and ATIF lose nothing, and ShareGPT alternates.
func TestThereAndBack(t *testing.T) {
	dir := t.TempDir()
	write := func(t *rapid.T, from string, to format.Format) string {
		var out bytes.Buffer
		if _, err := format.Convert(format.Conversion{Path: from, To: to}, &out); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, string(to)+".jsonl")
		if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	read := func(t *rapid.T, name string) []format.Message {
		for rec, err := range format.Records(name) {
			if err != nil {
				t.Fatal(err)
			}
			return rec.Messages
		}
		t.Fatal("no record")
		return nil
	}
	rapid.Check(t, func(t *rapid.T) {
		c := conversation(t)
		start := filepath.Join(dir, "start.jsonl")
		if err := os.WriteFile(start, openAI(t, c), 0o600); err != nil {
			t.Fatal(err)
		}
		want := read(t, start)
		if diff := cmp.Diff(c.Messages, want); diff != "" {
			t.Fatalf("OpenAI (-want +got)\n%s", diff)
		}
		for _, way := range [][]format.Format{{format.OpenAI}, {format.ATIF}, {format.ATIF, format.OpenAI}, {format.TRL, format.ATIF}} {
			name := start
			for _, to := range way {
				name = write(t, name, to)
			}
			got := read(t, name)
			for i := range got {
				got[i].Trained = nil
			}
			if way[0] != format.TRL { // it takes images out of the messages
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%v (-want +got)\n%s", way, diff)
				}
			}
		}
		share := c.Dialogue(nil)
		for i, m := range share.Turns {
			if model := m.Role == format.RoleGPT || m.Role == format.RoleFunctionCall; model != (i%2 == 1) {
				t.Fatalf("turn %d is of %s", i, m.Role)
			}
		}
		markers := 0
		for _, m := range share.Turns {
			markers += strings.Count(m.Text, "<image>")
		}
		if markers != len(share.Images) {
			t.Fatalf("%d markers for %d images", markers, len(share.Images))
		}
		read(t, write(t, start, format.ShareGPT))
	})
}

// openAI writes a conversation by hand, with parts for every content.
func openAI(t *rapid.T, c format.Conversation) []byte {
	type object = map[string]any
	var messages []object
	for _, m := range c.Messages {
		parts := []object{}
		for _, p := range m.Parts {
			if p.Image != "" {
				parts = append(parts, object{"type": "image_url", "image_url": object{"url": p.Image}})
			} else {
				parts = append(parts, object{"type": "text", "text": p.Text})
			}
		}
		message := object{"role": m.Role, "content": parts}
		var calls []object
		for _, call := range m.Calls {
			calls = append(calls, object{"id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": string(call.Arguments)}})
		}
		if calls != nil {
			message["tool_calls"] = calls
		}
		if m.CallID != "" {
			message["tool_call_id"] = m.CallID
		}
		messages = append(messages, message)
	}
	raw, err := json.Marshal(object{"messages": messages, "tools": c.Tools, "id": c.ID})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// FuzzFile converts anything to every format: what is written can be read again.
func FuzzFile(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.in.json*")
	for _, file := range files {
		if raw, err := os.ReadFile(file); err == nil {
			f.Add(raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		dir := t.TempDir()
		in := filepath.Join(dir, "in.json")
		if err := os.WriteFile(in, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, to := range formats {
			var out bytes.Buffer
			if _, err := format.Convert(format.Conversion{Path: in, To: to}, &out); err != nil {
				continue
			}
			again := filepath.Join(dir, "out.jsonl")
			if err := os.WriteFile(again, out.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := format.Convert(format.Conversion{Path: again, To: format.OpenAI}, new(bytes.Buffer)); err != nil {
				t.Errorf("%s: %v\n%s", to, err, out.Bytes())
			}
		}
	})
}
