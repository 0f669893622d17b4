package preflight_test

import (
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/terminal"
	"airqa/internal/tokens"
	"airqa/qa"
	"airqa/train/format"
	"airqa/train/preflight"
)

// rendering is a conversation with what LLaMA-Factory 0.9.5 made of it: the pieces of each source and target, with {{bos}} and
// {{eos}} for the tokenizer's own tokens.
type rendering struct {
	Template, Note, System, Tools string
	Messages                      [][2]string
	Pairs                         [][2][]string
}

// TestTemplates compares the bound of every template with what LLaMA-Factory 0.9.5 renders: the conversation with its markup
// has no more tokens, if a special token is one.
func TestTemplates(t *testing.T) {
	raw, err := os.ReadFile("testdata/templates.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var r rendering
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		t.Run(r.Template+"/"+r.Note, func(t *testing.T) {
			counter, err := preflight.New(preflight.Length{Template: r.Template})
			if err != nil {
				t.Fatal(err)
			}
			size, err := counter.Measure(r.conversation())
			if err != nil {
				t.Fatal(err)
			}
			if n := r.tokens(); size.Tokens < n || size.Tokens > 2*n+60 {
				t.Errorf("at most %d tokens, but rendered %d", size.Tokens, n)
			}
		})
	}
}

// specials are tokens of the templates in testdata.
var specials = strings.NewReplacer(
	"{{bos}}", "\x00", "{{eos}}", "\x00", "<|im_start|>", "\x00", "<|im_end|>", "\x00", "<|start_header_id|>", "\x00", "<|end_header_id|>", "\x00",
	"<|eot_id|>", "\x00", "<|header_start|>", "\x00", "<|header_end|>", "\x00", "<|eot|>", "\x00", "<start_of_turn>", "\x00", "<end_of_turn>", "\x00",
	"[INST]", "\x00", "[/INST]", "\x00", "[TOOL_CALLS]", "\x00", "[TOOL_RESULTS]", "\x00", "[/TOOL_RESULTS]", "\x00", "[AVAILABLE_TOOLS]", "\x00",
	"[/AVAILABLE_TOOLS]", "\x00", "[SYSTEM_PROMPT]", "\x00", "[/SYSTEM_PROMPT]", "\x00", "<|user|>", "\x00", "<|assistant|>", "\x00", "<|system|>", "\x00",
	"<|observation|>", "\x00", "[gMASK]", "\x00", "<sop>", "\x00", "<|start_of_role|>", "\x00", "<|end_of_role|>", "\x00", "<|end_of_text|>", "\x00",
	"<|start|>", "\x00", "<|message|>", "\x00", "<|end|>", "\x00", "<|channel|>", "\x00", "<｜User｜>", "\x00", "<｜Assistant｜>", "\x00", "<|im_sep|>", "\x00",
	"<|im_system|>", "\x00", "<|im_middle|>", "\x00", "<|im_user|>", "\x00", "<|im_assistant|>", "\x00", "]~!b[", "\x00", "]~b]", "\x00", "[e~[", "\x00",
	"<think>", "\x00", "</think>", "\x00",
)

// tokens counts the rendered text like the bound: special tokens are one, texts are estimated.
func (r rendering) tokens() (n int) {
	for _, pair := range r.Pairs {
		for _, side := range pair {
			text := specials.Replace(strings.Join(side, ""))
			for i, part := range strings.Split(text, "\x00") {
				n += tokens.Bound(part)
				if i > 0 {
					n++
				}
			}
		}
	}
	return n
}

func (r rendering) conversation() format.Conversation {
	c := format.Conversation{Tools: json.RawMessage(r.Tools)}
	if r.System != "" {
		c.Messages = append(c.Messages, message(qa.System, r.System))
	}
	for _, m := range r.Messages {
		role := map[string]qa.Role{"user": qa.User, "observation": qa.ToolResult, "assistant": qa.Assistant, "function": qa.Assistant}[m[0]]
		turn := message(role, m[1])
		if m[0] == "function" {
			var call struct {
				Name      string
				Arguments json.RawMessage
			}
			_ = json.Unmarshal([]byte(m[1]), &call)
			turn = format.Message{Role: role, Calls: []qa.ToolCall{{Name: call.Name, Arguments: call.Arguments}}}
		}
		c.Messages = append(c.Messages, turn)
	}
	return c
}

func message(role qa.Role, text string) format.Message {
	return format.Message{Role: role, Parts: []format.Part{{Text: text}}}
}

func TestMeasure(t *testing.T) {
	yes, no := true, false
	turns := func(trained ...*bool) (c format.Conversation) {
		for i, weight := range trained {
			m := message([]qa.Role{qa.User, qa.Assistant}[i%2], "word")
			m.Trained = weight
			c.Messages = append(c.Messages, m)
		}
		return c
	}
	pair := turns(nil, nil)
	longer := message(qa.Assistant, "word word word word")
	pair.Rejected = &longer
	counter, err := preflight.New(preflight.Length{Template: "chatml"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		c    format.Conversation
		want preflight.Size
	}{
		{"the last turn is trained", turns(nil, nil, nil, nil), preflight.Size{Tokens: 43, Trained: 4}},
		{"weights", turns(&no, &yes, &no, &yes), preflight.Size{Tokens: 43, Trained: 8}},
		{"a pair is its longer side", pair, preflight.Size{Tokens: 29, Trained: 7}},
	} {
		if got, err := counter.Measure(tt.c); err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v, want %+v", tt.name, got, err, tt.want)
		}
	}
}

// TestImages measures rows with images: at most the tokens of the processor of Qwen2-VL, which rounds both sides to 28 pixels.
func TestImages(t *testing.T) {
	size := func(template string, width, height int) (int, error) {
		counter, err := preflight.New(preflight.Length{Template: template})
		if err != nil {
			t.Fatal(err)
		}
		s, err := counter.Measure(format.Conversation{Messages: []format.Message{
			{Role: qa.User, Parts: []format.Part{{Image: "i.png", Width: width, Height: height}}}, message(qa.Assistant, ""),
		}})
		return s.Tokens, err
	}
	empty, err := size("", 28, 28)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ width, height, want int }{{112, 56, 8}, {280, 280, 100}, {2000, 1000, 780}, {0, 0, 784}} {
		if got, err := size("", tt.width, tt.height); err != nil || got < empty-4+tt.want || got > empty+tt.want {
			t.Errorf("%d x %d: %d tokens, %v, want about %d", tt.width, tt.height, got, err, empty+tt.want)
		}
	}
	for template, want := range map[string]string{"qwen": "takes no images", "gemma3": "not checked: the number of tokens of an image is not known"} {
		if _, err := size(template, 28, 28); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", template, err, want)
		}
	}
}

func TestUnknownTemplate(t *testing.T) {
	_, err := preflight.New(preflight.Length{Template: "glm4v"})
	if err == nil || !strings.HasPrefix(err.Error(), `unknown template "glm4v"; known: alpaca, chatml, `) {
		t.Errorf("New = %v", err)
	}
}

// write writes the files of a data set.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	good  = `{"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"a"}]}` + "\n"
	bad   = `{"conversations":[{"from":"human","value":"q"}]}` + "\n"
	trl   = `{"prompt":[{"role":"user","content":"q"}],"completion":[{"role":"assistant","content":"a"}]}` + "\n"
	ranks = `{"prompt":[{"role":"user","content":"q"}],"chosen":[{"role":"assistant","content":"a"}],"rejected":[{"role":"assistant","content":"b"}]}` + "\n"
	info  = `{"b": {"file_name": "sharegpt/b.jsonl"}, "a": {"file_name": "a.jsonl"}}`
)

type rowTest struct {
	name    string
	files   map[string]string
	options preflight.Options
	path    string
	want    []string
	unclean string
}

func TestRows(t *testing.T) {
	long := strings.Replace(good, "q", strings.Repeat("word ", 200), 1)
	tests := []rowTest{
		{name: "lines", files: map[string]string{"a.jsonl": good + "\n" + bad + good}, path: "a.jsonl", want: []string{
			"0 a.jsonl:1 sharegpt ok", "1 a.jsonl:3 sharegpt wrong: the last turn is not of gpt (or function_call)", "2 a.jsonl:4 sharegpt ok",
		}, unclean: "1 wrong row"},
		{name: "a broken line", files: map[string]string{"a.jsonl": "{\n" + good}, path: "a.jsonl", want: []string{
			"0 a.jsonl:1  wrong: want an object: unexpected end of JSON input", "1 a.jsonl:2 sharegpt ok",
		}, unclean: "1 wrong row"},
		{name: "an array", files: map[string]string{"a.json": "[" + good + "," + good + "]"}, path: "a.json", want: []string{
			"0 a.json:1 sharegpt ok", "1 a.json:2 sharegpt ok",
		}},
		{name: "a broken array", files: map[string]string{"a.json": "[" + good}, path: "a.json", want: []string{"0 a.json:1  wrong: unexpected EOF"}, unclean: "1 wrong row"},
		{name: "several objects", files: map[string]string{"a.json": good + good + "x"}, path: "a.json", want: []string{
			"0 a.json:1 sharegpt ok", "1 a.json:2 sharegpt ok", "2 a.json:3  wrong: invalid character 'x' looking for beginning of value",
		}, unclean: "1 wrong row"},
		{name: "two formats", files: map[string]string{"a.jsonl": good + trl}, path: "a.jsonl", want: []string{
			"0 a.jsonl:1 sharegpt ok", "1 a.jsonl:2 sharegpt wrong: conversations: unexpected end of JSON input",
		}, unclean: "1 wrong row"},
		{name: "a given format", files: map[string]string{"a.jsonl": trl}, path: "a.jsonl", options: preflight.Options{Format: format.KTO}, want: []string{
			"0 a.jsonl:1 kto wrong: label: want true or false",
		}, unclean: "1 wrong row"},
		{name: "a limit", files: map[string]string{"a.jsonl": good + long}, path: "a.jsonl", options: preflight.Options{Length: preflight.Length{CutoffLen: 100}}, want: []string{
			"0 a.jsonl:1 sharegpt ok", "1 a.jsonl:2 sharegpt too_long: the row is longer than the limit: the trainer cuts or drops it",
		}, unclean: "1 row longer than the limit"},
		{
			name: "a limit of the folder", files: map[string]string{"data/a.jsonl": good + long, "llamafactory.yaml": "cutoff_len: 100"},
			options: preflight.Options{Trainer: preflight.LLaMAFactory}, want: []string{
				"0 data/a.jsonl:1 sharegpt ok", "1 data/a.jsonl:2 sharegpt too_long: the row is longer than the limit: the trainer cuts or drops it",
			}, unclean: "1 row longer than the limit",
		},
		{
			name: "entries", files: map[string]string{"dataset_info.json": info, "sharegpt/b.jsonl": good, "a.jsonl": good, "data/a.jsonl": ranks},
			options: preflight.Options{Trainer: preflight.LLaMAFactory}, want: []string{"0 a.jsonl:1 sharegpt ok", "1 sharegpt/b.jsonl:1 sharegpt ok"},
		},
		{
			name: "rows of another trainer", files: map[string]string{"dataset_info.json": info, "sharegpt/b.jsonl": good, "data/a.jsonl": ranks},
			options: preflight.Options{Trainer: preflight.TRL}, want: []string{"0 data/a.jsonl:1 dpo ok"},
		},
		{name: "a table", files: map[string]string{"a.parquet": "PAR1"}, path: "a.parquet", want: []string{
			"0 a.parquet:1  not_checked: not checked: only .json and .jsonl files are read here",
		}, unclean: "1 row not checked"},
		{
			name: "an image that is missing", files: map[string]string{"a.jsonl": strings.Replace(good, `"q"}`, `"<image>"}`, 1)[:len(good)+4] + `,"images":["i.png"]}`}, path: "a.jsonl",
			want: []string{"0 a.jsonl:1 sharegpt wrong: open DIR/i.png: no such file or directory"}, unclean: "1 wrong row",
		},
	}
	for arguments, ok := range map[string]bool{
		`"{\"a\": 1}"`: true, `"{}"`: true, `"[1]"`: true, `"{\"a\": \"\u2028\"}"`: true, `"{\"sql\": \"SEL"`: false, `""`: false, `"SELECT 1"`: false,
		`"{\"a\": 1}{}"`: false, `{"a": 1}`: false, `null`: false, `3`: false,
	} {
		call := `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"g","arguments":"{}"}},{"id":"2","function":{"name":"f","arguments":` + arguments + `}}]}`
		user, answer := `{"role":"user","content":"q"}`, `{"role":"assistant","content":"a"}`
		for at, row := range map[string]string{ // the message of the call
			"2 openai": `{"messages":[` + user + `,` + call + `]}`,
			"3 openai": `{"messages":[` + user + `,` + answer + `,` + call + `,` + user + `,` + answer + `]}`,
			"2 dpo":    `{"input":{"messages":[` + user + `]},"preferred_output":[` + call + `],"non_preferred_output":[` + answer + `]}`,
			"3 dpo":    `{"input":{"messages":[` + user + `]},"preferred_output":[` + answer + `],"non_preferred_output":[` + call + `]}`,
		} {
			number, form, _ := strings.Cut(at, " ")
			for trainer, strict := range map[preflight.Trainer]bool{preflight.OpenAI: true, preflight.TRL: false} {
				want, unclean := "0 a.jsonl:1 "+form+" ok", ""
				if strict && !ok {
					want, unclean = "0 a.jsonl:1 "+form+" wrong: message "+number+": the arguments of f are not JSON in a string", "1 wrong row"
				}
				tests = append(tests, rowTest{
					name: string(trainer) + " " + at + " " + arguments, files: map[string]string{"a.jsonl": row}, path: "a.jsonl",
					options: preflight.Options{Trainer: trainer}, want: []string{want}, unclean: unclean,
				})
			}
		}
	}
	custom := `{"messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"1","type":"custom","custom":{"name":"code","input":"print(1)"}}]}]}`
	tests = append(tests,
		rowTest{
			name: "a custom tool", files: map[string]string{"a.jsonl": custom}, path: "a.jsonl", options: preflight.Options{Trainer: preflight.OpenAI},
			want: []string{"0 a.jsonl:1 openai ok"},
		},
		rowTest{
			name: "another format", files: map[string]string{"a.jsonl": ranks}, path: "a.jsonl", options: preflight.Options{Trainer: preflight.OpenAI},
			want: []string{"0 a.jsonl:1 dpo ok"},
		})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, tt.files)
			tt.options.Path = filepath.Join(dir, tt.path)
			d, err := preflight.Open(tt.options)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			total, err := d.Rows(func(r preflight.Row) error {
				line := fmt.Sprintf("%d %s:%d %s %s", r.Row, r.File, r.Line, r.Format, r.Outcome)
				if r.Reason != "" {
					line += ": " + strings.ReplaceAll(r.Reason, dir, "DIR")
				}
				got = append(got, line)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || total.Unclean() != tt.unclean {
				t.Errorf("unclean: %q (-want +got):\n%s", total.Unclean(), diff)
			}
		})
	}
}

// The images of an export are beside the folder of its rows.
func TestImageOfExport(t *testing.T) {
	row := `{"conversations":[{"from":"human","value":"<image>"},{"from":"gpt","value":"a"}],"images":["images/i.png"]}`
	dir := write(t, map[string]string{"data/train.jsonl": row, "images/i.png": ""})
	f, err := os.Create(filepath.Join(dir, "images", "i.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 28, 28))); err != nil {
		t.Fatal(err)
	}
	d, err := preflight.Open(preflight.Options{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	total, err := d.Rows(func(preflight.Row) error { return nil })
	if err != nil || total.OK != 1 || total.Longest > 60 {
		t.Errorf("%+v, %v", total, err)
	}
}

func TestOpenErrors(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"has no file of rows": {"a.txt": ""},
		"dataset_info.json: ": {"dataset_info.json": `{"a": 1}`},
		"llamafactory.yaml: ": {"llamafactory.yaml": "a: ["},
		"unknown template":    {"a.jsonl": good, "llamafactory.yaml": "template: none"},
	} {
		_, err := preflight.Open(preflight.Options{Path: write(t, files), Trainer: preflight.LLaMAFactory})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", files, err, want)
		}
	}
}

func TestShow(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": good + `{"system":"s","conversations":[{"from":"human","value":"q\u001b"},{"from":"gpt","value":"<b>"}]}`})
	d, err := preflight.Open(preflight.Options{Path: filepath.Join(dir, "a.jsonl")})
	if err != nil {
		t.Fatal(err)
	}
	turns, err := d.Turns(1)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[system, 2 tokens]
s
[user, 14 tokens]
q\x1b
[assistant, 5 tokens, trained]
<b>`
	if diff := cmp.Diff(want, preflight.Text(turns, terminal.Style{})); diff != "" {
		t.Errorf("Text (-want +got):\n%s", diff)
	}
	if page := preflight.HTML("a <row>", turns); !strings.Contains(page, `<pre class="trained">&lt;b&gt;</pre>`) || !strings.Contains(page, "a &lt;row&gt;") {
		t.Errorf("HTML = %s", page)
	}
	if _, err := d.Turns(2); err == nil || !strings.Contains(err.Error(), "has 2 rows; rows are counted from 0") {
		t.Errorf("Turns(2) = %v", err)
	}
}
