package rows_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/internal/python"
	"airqa/train/preflight/rows"
)

// entry reads an entry of dataset_info.json.
func entry(t *testing.T, text string) rows.Info {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, rows.InfoFile), []byte(`{"data": `+text+`}`), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := rows.ReadInfo(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// printRow prints what the trainer makes of a row.
func printRow(r rows.Row, err error) string {
	if err != nil {
		return err.Error()
	}
	if len(r.Warnings) > 0 {
		return "dropped: " + r.Warnings[0]
	}
	var parts []string
	for _, list := range [][]rows.Message{r.Prompt, r.Response} {
		for _, m := range list {
			parts = append(parts, m.Role+" "+python.Repr(m.Content))
		}
		parts = append(parts, "|")
	}
	parts = parts[:len(parts)-1]
	for _, v := range []struct {
		name  string
		value python.Value
	}{{"system", r.System}, {"tools", r.Tools}} {
		if v.value != nil && v.value != "" {
			parts = append(parts, v.name+"="+python.Repr(v.value))
		}
	}
	if len(r.Images) > 0 {
		parts = append(parts, "images="+python.Repr(python.List(r.Images)))
	}
	return strings.Join(parts, " ")
}

func TestConvert(t *testing.T) {
	const (
		shareGPT = `{"file_name": "f", "formatting": "sharegpt", "columns": {"messages": "conversations", "system": "system", "tools": "tools"}}`
		openAI   = `{"file_name": "f", "formatting": "openai", "columns": {"messages": "messages", "tools": "tools"},
			"tags": {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant",
				"observation_tag": "tool", "function_tag": "function", "system_tag": "system"}}`
		alpaca  = `{"file_name": "f", "columns": {"prompt": "instruction", "query": "input", "response": "output", "history": "history"}}`
		images  = `{"file_name": "f", "formatting": "sharegpt", "columns": {"messages": "conversations", "images": "images"}}`
		ranking = `{"file_name": "f", "formatting": "sharegpt", "ranking": true,
			"columns": {"messages": "conversations", "chosen": "chosen", "rejected": "rejected"}}`
		kto    = `{"file_name": "f", "formatting": "sharegpt", "columns": {"messages": "conversations", "kto_tag": "good"}}`
		rest   = `, "system": "s", "tools": ""}`
		system = "detailed thinking off"
	)
	turns := func(list ...string) string {
		var items []string
		for i := 0; i+1 < len(list); i += 2 {
			items = append(items, fmt.Sprintf(`{"from": %q, "value": %q}`, list[i], list[i+1]))
		}
		return `{"conversations": [` + strings.Join(items, ", ") + `]`
	}
	tests := []struct{ name, entry, row, want string }{
		{"turns", shareGPT, turns("human", "q", "gpt", "a") + rest, "user 'q' | assistant 'a' system='s'"},
		{
			"calls", shareGPT, turns("human", "q", "function_call", "{}", "observation", "o", "gpt", "a") + rest,
			"user 'q' function '{}' observation 'o' | assistant 'a' system='s'",
		},
		{"a system turn", shareGPT, turns("system", "t", "human", "q", "gpt", "a") + rest, "user 'q' | assistant 'a' system='t'"},
		{"two humans", shareGPT, turns("human", "q", "human", "r") + rest, "dropped: Invalid role tag"},
		{"an unknown role", shareGPT, turns("user", "q", "gpt", "a") + rest, "dropped: Invalid role tag"},
		{"an odd number", shareGPT, turns("human", "q") + rest, "dropped: Invalid message count"},
		{"a missing column", shareGPT, turns("human", "q", "gpt", "a") + "}", "KeyError: 'system'"},
		{"no list", shareGPT, `{"conversations": "q"` + rest, "TypeError: messages must be a list, not str"},
		{"a text in the list", shareGPT, `{"conversations": ["q"]` + rest, "TypeError: a message must be an object"},
		{"no role", shareGPT, `{"conversations": [{"value": "q"}]` + rest, "KeyError: 'from'"},
		{
			"a number as content", shareGPT,
			`{"conversations": [{"from": "human", "value": 1}, {"from": "gpt", "value": 2.5}]` + rest,
			"user 1.0 | assistant 2.5 system='s'",
		},
		{
			"tags without defaults",
			strings.Replace(shareGPT, "}}", `}, "tags": {"role_tag": "from", "content_tag": "value", "user_tag": "human"}}`, 1),
			turns("human", "q", "gpt", "a") + rest, "dropped: Invalid role tag",
		},

		{
			"a chat", openAI,
			`{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"},
				{"role": "assistant", "content": "a"}], "tools": ""}`,
			"user 'q' | assistant 'a' system='s\\n" + system + "'",
		},
		{
			"a chat without a system prompt", openAI,
			`{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}], "tools": ""}`,
			"user 'q' | assistant 'a' system='" + system + "'",
		},
		{
			"calls of a chat", openAI,
			`{"messages": [{"role": "user", "content": "q"},
				{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]},
				{"role": "tool", "content": "1"}, {"role": "tool", "content": "2"}, {"role": "assistant", "content": "a"}], "tools": [{"a": 1}]}`,
			`user 'q' function '[{"name": "f", "arguments": {}}]' observation '1\n</tool_response>\n<tool_response>\n2' |` +
				` assistant 'a' tools='[{"a": 1}]'`,
		},
		{
			"calls without a function", openAI,
			`{"messages": [{"role": "assistant", "content": "", "tool_calls": [{"name": "f"}]}], "tools": ""}`,
			"KeyError: 'function'",
		},
		{"a role of no tag", openAI, `{"messages": [{"role": "critic", "content": "q"}], "tools": ""}`, "KeyError: 'critic'"},

		{
			"an instruction", alpaca, `{"instruction": "q", "input": "r", "output": "a", "history": [["p", "b"]]}`,
			"user 'p' assistant 'b' user 'q\\nr' | assistant 'a'",
		},
		{"an instruction without output", alpaca, `{"instruction": "q", "input": "", "output": null, "history": []}`, "user 'q'"},
		{
			"a broken history", alpaca, `{"instruction": "q", "input": "", "output": "a", "history": ["p"]}`,
			"ValueError: an entry of the history must be a pair",
		},
		{
			"a number as an instruction", alpaca, `{"instruction": 5, "input": "", "output": "a", "history": []}`,
			"TypeError: sequence item 0: expected str instance, int found",
		},

		{"images", images, turns("human", "q", "gpt", "a") + `, "images": ["i.png"]}`, "user 'q' | assistant 'a' images=['i.png']"},
		{"one image", images, turns("human", "q", "gpt", "a") + `, "images": "i.png"}`, "user 'q' | assistant 'a' images=['i.png']"},
		{
			"a pair", ranking,
			turns("human", "q") + `, "chosen": {"from": "gpt", "value": "a"}, "rejected": {"from": "gpt", "value": "b"}}`,
			"user 'q' | assistant 'a' assistant 'b'",
		},
		{
			"a pair with an answer too many", ranking,
			turns("human", "q", "gpt", "a") + `, "chosen": {"from": "gpt", "value": "a"}, "rejected": {"from": "gpt", "value": "b"}}`,
			"dropped: Invalid message count",
		},
		{"a pair of texts", ranking, turns("human", "q") + `, "chosen": "a", "rejected": "b"}`, "| user 'q'"},
		{"good feedback", kto, turns("human", "q", "gpt", "a") + `, "good": true}`, "user 'q' | assistant 'a' assistant ''"},
		{"bad feedback", kto, turns("human", "q", "gpt", "a") + `, "good": false}`, "user 'q' | assistant '' assistant 'a'"},
		{"feedback as a number", kto, turns("human", "q", "gpt", "a") + `, "good": 1}`, "user 'q' | assistant 'a'"},
		{
			"an unknown converter", `{"file_name": "f", "formatting": "other"}`, turns("human", "q") + "}",
			"ValueError: Dataset converter other not found",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := open(t, tt.row)
			if err != nil {
				t.Fatal(err)
			}
			cell, err := f.Row(0)
			if err != nil {
				t.Fatal(err)
			}
			got := printRow(entry(t, tt.entry).Convert(cell))
			if strings.TrimSpace(strings.TrimSuffix(got, "|")) != tt.want {
				t.Errorf("Convert = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestReadInfo(t *testing.T) {
	tests := []struct {
		name, text, dataset string
		want                string // the file, or a part of the error
		is                  error
	}{
		{"the only one", `{"a": {"file_name": "f.json"}}`, "", "f.json", nil},
		{"one of two", `{"a": {"file_name": "f"}, "b": {"file_name": "g"}}`, "b", "g", nil},
		{"two", `{"b": {}, "a": {}}`, "", "has 2 datasets (a, b): choose one", rows.ErrSeveral},
		{"another", `{"a": {}}`, "c", "Undefined dataset c", rows.ErrEntry},
		{"on a hub", `{"a": {"hf_hub_url": "x/y"}}`, "", "only files are checked", nil},
		{"a text", `{"a": "f"}`, "", "a is not an object", nil},
		{"broken", `{`, "", "unexpected end of JSON", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, rows.InfoFile), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			info, err := rows.ReadInfo(dir, tt.dataset)
			got := info.File
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, tt.want) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("ReadInfo = %s, want %s", got, tt.want)
			}
		})
	}
}

// An entry for the trainer is the one of the file with another file name; a file without one gets all tags.
func TestEntry(t *testing.T) {
	written, err := entry(t, `{"file_name": "f", "formatting": "sharegpt", "subset": "x"}`).Entry("/g.json")
	if want := `{"file_name":"/g.json","formatting":"sharegpt","subset":"x"}`; err != nil || string(written) != want {
		t.Errorf("Entry = %s, %v, want %s", written, err, want)
	}
	guessed, err := rows.ShareGPT("f", func(column string) bool { return column == "messages" || column == "tools" }).Entry("f")
	const want = `{"columns":{"messages":"messages","tools":"tools"},"file_name":"f","formatting":"sharegpt","ranking":false,"tags":{` +
		`"assistant_tag":"assistant","content_tag":"content","function_tag":"function_call","observation_tag":"tool",` +
		`"role_tag":"role","system_tag":"system","user_tag":"user"}}`
	if err != nil || string(guessed) != want {
		t.Errorf("Entry = %s, %v, want %s", guessed, err, want)
	}
}
