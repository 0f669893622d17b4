package llm_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/llm"
	"airqa/qa"
)

// episode asks for n replies in a row, from a conversation that already has some, and shows the last window of them.
type episode struct {
	task    string
	replies []string
	window  int
}

func (e *episode) run(t *testing.T, m qa.Model, n int) {
	t.Helper()
	for range n {
		messages := []qa.Message{{Role: qa.System, Text: "rules"}, {Role: qa.User, Text: e.task}}
		for _, reply := range e.replies[max(0, len(e.replies)-e.window):] {
			messages = append(messages, qa.Message{Role: qa.Assistant, Text: reply}, qa.Message{Role: qa.User, Text: "seen"})
		}
		got, err := m.Complete(t.Context(), qa.Request{Messages: messages})
		if err != nil {
			t.Errorf("reply %d: %v", len(e.replies)+1, err)
			return
		}
		e.replies = append(e.replies, got.Text)
	}
}

func TestScriptedFollowsTheConversation(t *testing.T) {
	distinct := []string{"a", "b", "c", "d", "e"}
	alike := []string{"x", "x", "x", "x", "x", "end"}
	tests := []struct {
		name    string
		replies []string
		window  int
	}{
		{"whole conversation", distinct, 10},
		{"short window", distinct, 1},
		{"replies alike, whole conversation", alike, 10},
		{"replies alike, short window", alike, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := llm.NewScript([]llm.Episode{{Replies: test.replies}})
			for range 2 { // the second episode starts over
				e := episode{task: "q", window: test.window}
				e.run(t, m, len(test.replies))
				if diff := cmp.Diff(test.replies, e.replies); diff != "" {
					t.Errorf("replies (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestScriptedResumesInANewProgram(t *testing.T) {
	replies := []string{"a", "b", "c", "d", "e"}
	e := episode{task: "q", window: 2}
	e.run(t, llm.NewScript([]llm.Episode{{Replies: replies}}), 3)
	e.run(t, llm.NewScript([]llm.Episode{{Replies: replies}}), 2)
	if diff := cmp.Diff(replies, e.replies); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

func TestScriptedEpisodesOverlap(t *testing.T) {
	m := llm.NewScript([]llm.Episode{
		{Match: "odd", Replies: []string{"1", "3", "5"}},
		{Replies: []string{"2", "4", "6"}},
	})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			e, want := episode{task: "an even task", window: 1}, []string{"2", "4", "6"}
			if i%2 == 1 {
				e.task, want = "an odd task", []string{"1", "3", "5"}
			}
			e.run(t, m, 3)
			if diff := cmp.Diff(want, e.replies); diff != "" {
				t.Errorf("replies (-want +got):\n%s", diff)
			}
		})
	}
	wg.Wait()
}

func TestScriptedWhenRepliesWereRewritten(t *testing.T) {
	m := llm.NewScript([]llm.Episode{{Replies: []string{"a", "b"}}})
	messages := []qa.Message{{Role: qa.User, Text: "q"}}
	for _, want := range []string{"a", "b"} {
		got, err := m.Complete(t.Context(), qa.Request{Messages: messages})
		if err != nil || got.Text != want {
			t.Errorf("got %q, %v, want %q", got.Text, err, want)
		}
		messages = append(messages, qa.Message{Role: qa.Assistant, Text: "rewritten"})
	}
}

func TestScriptedErrors(t *testing.T) {
	m := llm.NewScript([]llm.Episode{{Match: "cat", Replies: []string{"a"}}})
	tests := []struct {
		name     string
		messages []qa.Message
		want     string
	}{
		{"no task", []qa.Message{{Role: qa.System, Text: "x"}}, "the conversation has no user message"},
		{"no match", []qa.Message{{Role: qa.User, Text: "dog"}}, `the script has no replies for the task "dog"`},
		{
			"over",
			[]qa.Message{{Role: qa.User, Text: "cat"}, {Role: qa.Assistant, Text: "a"}},
			`the script has only 1 replies for the task "cat"`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := m.Complete(t.Context(), qa.Request{Messages: test.messages})
			if err == nil || err.Error() != test.want || qa.ClassOf(err) != qa.FailBadRequest {
				t.Errorf("error %v of class %s", err, qa.ClassOf(err))
			}
		})
	}
}

func TestScriptedReply(t *testing.T) {
	got, err := llm.NewScript([]llm.Episode{{Replies: []string{"hello world"}}}).Complete(t.Context(), qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "hello"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := qa.Reply{
		Text: "hello world", Model: "scripted", Finish: "stop",
		Usage: qa.Usage{Prompt: 8, Completion: 2, Estimated: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

func TestParseScript(t *testing.T) {
	loose := []llm.Episode{{Replies: []string{"a", "b"}}}
	keyed := []llm.Episode{{Match: "cat", Replies: []string{"c", "d"}}, {Replies: []string{"a"}}}
	tests := []struct {
		name, data string
		want       []llm.Episode
	}{
		{"array", ` ["a", {"text": "b"}]`, loose},
		{"lines", "\"a\"\n\n{\"text\": \"b\"}\n", loose},
		{"keyed", "\"a\"\n{\"match\": \"cat\", \"replies\": [\"c\", {\"text\": \"d\"}]}\n", keyed},
		{"empty text", `[""]`, []llm.Episode{{Replies: []string{""}}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := llm.ParseScript([]byte(test.data))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("episodes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseScriptErrors(t *testing.T) {
	for data, want := range map[string]string{
		"":                      "no replies",
		"[]":                    "no replies",
		"[1]":                   `entry 1: want a string or {"text": …}`,
		"\"a\"\n{":              "entry 2: unexpected EOF",
		`["a", {"txt": "b"}]`:   `entry 2: json: unknown field "txt"`,
		`[null]`:                `entry 1: want a string or {"text": …}`,
		`[{"match": "a"}]`:      "entry 1: match and replies must both be given, and neither may be empty",
		`[{"replies": ["a"]}]`:  "entry 1: match and replies must both be given, and neither may be empty",
		`[{"match":"a","x":1}]`: `entry 1: json: unknown field "x"`,
	} {
		_, err := llm.ParseScript([]byte(data))
		if err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", data, err, want)
		}
	}
}

func TestOpenScript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(`"a"`), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ask(t, llm.Config{Spec: "scripted:" + path})
	if err != nil || got.Text != "a" {
		t.Errorf("got %q, %v", got.Text, err)
	}
	if _, err := llm.Open(llm.Config{Spec: "scripted:" + path + "x"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add([]byte(`["a", {"text": "b"}, {"match": "c", "replies": ["d"]}]`))
	f.Add([]byte("\"a\"\nnull\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		episodes, err := llm.ParseScript(data)
		if err == nil && len(episodes) == 0 {
			t.Error("neither episodes nor an error")
		}
		for _, e := range episodes {
			if len(e.Replies) == 0 {
				t.Errorf("an episode without replies: %s", fmt.Sprint(episodes))
			}
		}
	})
}
