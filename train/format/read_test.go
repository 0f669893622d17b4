package format_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/train/format"
)

const (
	user   = `{"role":"user","content":"q"}`
	answer = `{"role":"assistant","content":"a"}`
	human  = `{"from":"human","value":"q"}`
	gpt    = `{"from":"gpt","value":"a"}`
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, row string
		format    format.Format // "" to detect it
		want      format.Format
		text      string // roles and texts
	}{
		{"ShareGPT", `{"system":"s","conversations":[` + human + `,{"from":"function_call","value":"{\"name\":\"f\",\"arguments\":{}}"},` +
			`{"from":"observation","value":"o"},` + gpt + `]}`, "", format.ShareGPT, "system s, user q, assistant f, tool o, assistant a"},
		{"image", `{"conversations":[{"from":"human","value":"see <image>"},` + gpt + `],"images":["i.png"]}`, "", format.ShareGPT, "user see [i.png], assistant a"},
		{
			"OpenAI", `{"messages":[` + user + `,{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"o"}]},{"role":"assistant","content":"a","weight":1}]}`, "", format.OpenAI,
			"user q, assistant f, tool o, assistant a",
		},
		{"TRL", `{"prompt":[` + user + `],"completion":[` + answer + `],"tools":""}`, "", format.TRL, "user q, assistant a"},
		{"TRL, texts", `{"prompt":"q","completion":"a"}`, "", format.TRL, "user q, assistant a"},
		{"TRL, messages", `{"messages":[{"role":"user","content":[{"type":"image"}]},` + answer + `],"images":["i.png"]}`, format.TRL, format.TRL, "user [i.png], assistant a"},
		{"pair of ShareGPT", `{"conversations":[` + human + `],"chosen":` + gpt + `,"rejected":{"from":"gpt","value":"b"}}`, "", format.DPO, "user q, assistant a, not b"},
		{"pair of TRL", `{"prompt":[` + user + `],"chosen":[` + answer + `],"rejected":[` + answer + `]}`, "", format.DPO, "user q, assistant a, not a"},
		{"pair without a prompt", `{"chosen":[` + user + `,` + answer + `],"rejected":[` + user + `,` + answer + `]}`, "", format.DPO, "user q, assistant a, not a"},
		{
			"pair of OpenAI", `{"input":{"messages":[` + user + `]},"preferred_output":[` + answer + `],"non_preferred_output":[` + answer + `]}`, "", format.DPO,
			"user q, assistant a, not a",
		},
		{"label of ShareGPT", `{"conversations":[` + human + `,` + gpt + `],"kto_tag":false}`, "", format.KTO, "user q, assistant a"},
		{"label of TRL", `{"prompt":[` + user + `],"completion":[` + answer + `],"label":true}`, "", format.KTO, "user q, assistant a"},
		{"ATIF", `{"schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":"q"},` +
			`{"step_id":2,"source":"agent","message":"a","tool_calls":[{"tool_call_id":"1","function_name":"f","arguments":{}}],` +
			`"observation":{"results":[{"source_call_id":"1","content":"o"}]}}]}`, "", format.ATIF, "user q, assistant a f, tool o"},
		{
			"ATIF with numbers of Python", `{"schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":"is \"NaN\" -Infinity?"},` +
				`{"step_id":2,"source":"agent","message":"a","metrics":{"logprobs":[-0.1,-Infinity,NaN,Infinity]}}]}`, "", format.ATIF, `user is "NaN" -Infinity?, assistant a`,
		},
		{
			"audio of OpenAI", `{"messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"","format":"mp3"}}]},` + answer + `]}`, "", format.OpenAI,
			"user [audio:], assistant a",
		},
		{
			"audio", `{"schema_version":"ATIF-v1.8","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":` +
				`[{"type":"text","text":"q"},{"type":"audio","source":{"media_type":"audio/mpeg","path":"a.mp3"}}]}]}`, "", format.ATIF, "user q [audio:a.mp3]",
		},
		{
			"a custom call", `{"messages":[` + user + `,{"role":"assistant","tool_calls":[{"id":"1","type":"custom","custom":{"name":"code","input":"print(1)"}}]}]}`, "", format.OpenAI,
			"user q, assistant code",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, got, err := format.Read([]byte(c.row), c.format)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.text, described(got)); f != c.want || diff != "" {
				t.Errorf("%s (-want +got):\n%s", f, diff)
			}
		})
	}
}

// described lists the messages of a conversation.
func described(c format.Conversation) string {
	var list []string
	for _, m := range c.Messages {
		list = append(list, string(m.Role)+describedParts(m))
	}
	if c.Rejected != nil {
		list = append(list, "not"+describedParts(*c.Rejected))
	}
	return strings.Join(list, ", ")
}

func describedParts(m format.Message) (text string) {
	for _, p := range m.Parts {
		text += " " + strings.TrimSpace(p.Text)
		if p.Image != "" {
			text = strings.TrimRight(text, " ") + " [" + p.Image + "]"
		}
	}
	for _, call := range m.Calls {
		text += " " + call.Name
	}
	return text
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ name, row, want string }{
		{"no object", `"x"`, "want an object"},
		{"other keys", `{"question":"x","answer":"y"}`, `unknown format, with the keys "answer, question"`},
		{"no messages", `{"messages":[]}`, "no messages"},
		{"role", `{"messages":[{"role":"bot","content":"x"}]}`, `messages: message 1: unknown role "bot"`},
		{"content", `{"messages":[{"role":"user","content":3}]}`, "message 1: content: want a text, not 3"},
		{"part", `{"messages":[{"role":"user","content":[{"type":"video"}]}]}`, `message 1: content: unknown part of type "video"`},
		{"a number of Python", `{"messages":[` + user + `,` + answer + `],"score":NaN}`, "NaN is not a number of JSON"},
		{"no number at all", `{"messages":[` + user + `,` + answer + `],"score":NaNs}`, "want an object"},
		{"calls", `{"messages":[{"role":"assistant","tool_calls":{}}]}`, "message 1: tool_calls: json"},
		{"nameless call", `{"messages":[{"role":"assistant","tool_calls":[{}]}]}`, "a call without a name"},
		{"weight", `{"messages":[` + user + `,{"role":"assistant","content":"a","weight":2}]}`, "message 2: weight is 2; want 0 or 1"},
		{"last message", `{"messages":[` + user + `]}`, "message 1: the last message is not of the assistant"},
		{"tools", `{"messages":[` + user + `,` + answer + `],"tools":{}}`, "tools: want a list of objects"},
		{"conversations", `{"conversations":"x"}`, "conversations: json"},
		{"turn", `{"conversations":[{"from":"GPT","value":"x"}]}`, `turn 1: unknown role "GPT"`},
		{"value", `{"conversations":[` + human + `,{"from":"gpt","value":[1]}]}`, "turn 2: value: want a text, not [1]"},
		{"no value", `{"conversations":[` + human + `,{"from":"gpt","value":null}]}`, "turn 2: no value"},
		{"order", `{"conversations":[` + human + `,` + gpt + `,` + gpt + `]}`, "turn 3: human (or observation) and gpt (or function_call) do not alternate"},
		{"late system", `{"conversations":[` + human + `,` + gpt + `,{"from":"system","value":"s"}]}`, "turn 3: a system prompt after the start"},
		{"end", `{"conversations":[` + human + `,` + gpt + `,` + human + `]}`, "the last turn is not of gpt"},
		{"function_call", `{"conversations":[` + human + `,{"from":"function_call","value":"f(x)"}]}`, "turn 2: function_call"},
		{"images", `{"conversations":[` + human + `,` + gpt + `],"images":["a.png"]}`, "1 images without a marker <image>"},
		{"markers", `{"conversations":[{"from":"human","value":"<image>"},` + gpt + `]}`, "turn 1: a marker <image> without an image"},
		{"images of a chat", `{"messages":[` + user + `,` + answer + `],"images":["a.png"]}`, "images: 1 more than the messages have places for"},
		{"empty prompt", `{"prompt":[],"completion":[` + answer + `]}`, "prompt: no message"},
		{"completion of the user", `{"prompt":[` + user + `],"completion":[` + user + `]}`, "completion: the last message is not of the assistant"},
		{"label", `{"prompt":[` + user + `],"completion":[` + answer + `],"label":1}`, "label: want true or false"},
		{"two answers", `{"prompt":[` + user + `],"chosen":[` + answer + `,` + answer + `],"rejected":[` + answer + `]}`, "chosen: want one message of the assistant"},
		{"no rejected answer", `{"conversations":[` + human + `],"chosen":` + gpt + `}`, "rejected: "},
		{"trajectory", `{"schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1"},"steps":[{"step_id":7,"source":"user","message":""}]}`, "steps[0]: step_id is 7; want 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, _, err := format.Read([]byte(c.row), ""); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestWrittenRows reads what Rows writes.
func TestWrittenRows(t *testing.T) {
	trained := true
	c := format.Conversation{ID: "id", Messages: []format.Message{
		{Role: qa.System, Parts: []format.Part{{Text: "s"}}},
		{Role: qa.User, Parts: []format.Part{{Text: "q "}, {Image: "i.png"}}},
		{Role: qa.Assistant, Parts: []format.Part{{Text: "a"}}, Trained: &trained},
	}}
	for _, f := range []format.Format{format.ShareGPT, format.OpenAI, format.TRL} {
		for _, pair := range []bool{false, true} {
			c, want := c, f
			if pair {
				c.Rejected, want = &format.Message{Role: qa.Assistant, Parts: []format.Part{{Text: "b"}}}, format.DPO
			}
			rows := format.Rows{Images: true}
			got, back, err := format.Read(rows.Append(nil, f, c), "")
			if err != nil || got != want || described(back) != described(c) {
				t.Errorf("%s, pair %v: %s, %q, %v", f, pair, got, described(back), err)
			}
		}
	}
}

func FuzzRow(f *testing.F) {
	f.Add([]byte(`{"conversations":[`+human+`,`+gpt+`]}`), "")
	f.Add([]byte(`{"messages":[`+user+`,`+answer+`]}`), "trl")
	f.Add([]byte(`{"chosen":[`+user+`,`+answer+`],"rejected":[]}`), "dpo")
	f.Fuzz(func(t *testing.T, raw []byte, name string) {
		if _, c, err := format.Read(raw, format.Format(name)); err == nil && len(c.Messages) == 0 {
			t.Error("a row without messages")
		}
	})
}
