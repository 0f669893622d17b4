package export

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"airqa/internal/ledger"
	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/train"
	"airqa/train/format"
	"airqa/train/preflight"
)

// hostile are special tokens of many models, as a paper about them has them.
const hostile = `<|im_end|> <|/tool|> <|reserved-7|> </s> <s> <unk> <pad> <mask> <bos> <eos> [INST] [/INST] <<SYS>> <</SYS>> [TOOL_CALLS] ` +
	`[SYSTEM_PROMPT] [IMG] <start_of_turn> <end_of_turn> <image_soft_token> <｜end▁of▁sentence｜> <｜User｜> [gMASK] [MASK] <sop> <eop> ` +
	`>>TITLE<< ]~b] [e~[ [EOS] [PAD] <fim_prefix> <gh_stars> <custom> {{idx}}`

// ofTemplate has some tokens of templates that the shape <|name|> does not cover.
var ofTemplate = map[string]string{
	"llama2": "</s> <s> [INST] [/INST] <<SYS>> <</SYS>> <unk>", "mistral": "</s> <s> [INST] [/INST] [TOOL_CALLS] [IMG]",
	"mistral_small": "[SYSTEM_PROMPT] </s>", "gemma": "<bos> <eos> <start_of_turn> <end_of_turn> <pad> <unk> <mask>",
	"gemma3": "<end_of_turn> <image_soft_token>", "glm4": "[gMASK] <sop> [MASK]", "minimax2": "]~b] [e~[", "moonlight": "[EOS] [PAD]",
	"falcon_h1": ">>TITLE<<", "smollm2": "<gh_stars>", "granite3": "<fim_prefix>", "vicuna": "</s>", "phi": "</s> <unk>",
	"qwen": "", "deepseek3": "", "gpt_oss": "", "llama3": "",
}

// hostileRow has special tokens in every field, in arguments also behind escapes.
func hostileRow() *pair {
	escaped := strings.NewReplacer("<", `\u003c`, "/", `\/`, "[", `\u005b`).Replace(hostile)
	call := qa.ToolCall{ID: "call-</s><end_of_turn>", Name: "Query", Arguments: json.RawMessage(
		`{"sql":"` + hostile + `","[INST]":["` + escaped + `"],"n":1.50}`)}
	spec := tool("Query", `"sql":{"type":"string","description":"`+escaped+`"}`)
	spec.Description = hostile
	return &pair{row: train.Row{
		ID: "a1", Tools: []qa.ToolSpec{spec},
		Context: []qa.Message{
			{Role: qa.System, Text: hostile},
			{Role: qa.User, Text: hostile},
			{Role: qa.Assistant, Text: hostile, ToolCalls: []qa.ToolCall{call}},
			{Role: qa.ToolResult, Text: hostile, ToolCallID: call.ID},
		},
		Target: qa.Message{Role: qa.Assistant, Text: "<think>\n" + hostile + "\n</think>\n\n" + hostile},
	}, against: &train.Row{ID: "b1", Target: qa.Message{Role: qa.Assistant, ToolCalls: []qa.ToolCall{call}}}}
}

// templateNames lists all templates: the error of an unknown one does.
func templateNames(t *testing.T) []string {
	_, err := preflight.New(preflight.Length{Template: "none"})
	_, list, ok := strings.Cut(err.Error(), "known: ")
	if names := strings.Split(list, ", "); ok && len(names) > 40 {
		return names
	}
	t.Fatal(err)
	return nil
}

// No row of any template and format has a special token of the template in any field, and the check of rows agrees.
func TestSpecialTokens(t *testing.T) {
	for _, name := range templateNames(t) {
		counter, err := preflight.New(preflight.Length{Template: name})
		if err != nil {
			t.Fatal(err)
		}
		find := counter.Special(commands...)
		for word := range strings.FieldsSeq(ofTemplate[name]) {
			if found, _ := find.Find(word, 0); found != word {
				t.Errorf("%s: %q is no special token, but %q", name, word, found)
			}
		}
		for _, f := range []Format{ShareGPT, OpenAI, TRL, DPO, KTO} {
			for _, enc := range encoders(f) {
				row := hostileRow()
				if f != DPO {
					row.against = nil
				}
				text := texts{commands: find, changed: make(map[string]int)}
				shape := format.Rows{Tools: true}
				line := shape.Append(nil, enc.form, text.conversation(enc.form, &row.row, row.against))
				checkNone(t, name+" "+string(f)+" "+enc.dir, line, find)
				if text.changed["<|im_end|>"] == 0 || !strings.Contains(string(line), "<think>") {
					t.Errorf("%s: nothing changed, or the thinking has no tags", name)
				}
				checkAgrees(t, name, line)
			}
		}
	}
}

// checkNone looks for special tokens in all strings of a row, and in the JSON inside of them.
func checkNone(t *testing.T, name string, line []byte, find *preflight.Special) {
	t.Helper()
	ledger.EditStrings(line, func(s string) string {
		if json.Valid([]byte(s)) {
			checkNone(t, name, []byte(s), find)
		}
		if word, at := find.Find(s, 0); word != "" {
			t.Errorf("%s: %q at %d in %s", name, word, at, s)
		}
		return s
	})
}

// checkAgrees checks the row with the same template, and a row with a token.
func checkAgrees(t *testing.T, name string, line []byte) {
	t.Helper()
	for want, raw := range map[preflight.Outcome][]byte{
		preflight.OK:    line,
		preflight.Wrong: []byte(`{"messages":[{"role":"user","content":"a <|im_end|>"},{"role":"assistant","content":"b"}]}`),
	} {
		path := filepath.Join(t.TempDir(), "rows.jsonl")
		if err := os.WriteFile(path, append(raw, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
		data, err := preflight.Open(preflight.Options{Path: path, Length: preflight.Length{Template: name}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := data.Rows(func(r preflight.Row) error {
			if r.Outcome != want {
				t.Errorf("%s: %s (%s), want %s: %s", name, r.Outcome, r.Reason, want, raw)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// The formats of whole episodes, and a tokenizer that has tokens of its own.
func TestSpecialTokensOfRuns(t *testing.T) {
	made := recordtest.Make(t, recordtest.Config{
		Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid", Thinking: true, Text: hostile, Private: hostile, Questions: 6, Repeats: 4, Scored: true, Shared: 1,
	})
	tokenizer := filepath.Join(t.TempDir(), "tokenizer.json")
	const file = `{"added_tokens": [{"id": 256, "content": "<custom>", "special": true}, {"id": 257, "content": "a", "special": true},
		{"id": 258, "content": "search", "special": false}],
		"pre_tokenizer": {"type": "ByteLevel"}, "model": {"type": "BPE", "unk_token": "[gMASK]", "vocab": {"[gMASK]": 0}, "merges": []},
		"post_processor": {"type": "Sequence", "processors": [{"type": "ByteLevel"}, {"type": "RobertaProcessing", "sep": ["[EOS]", 2], "cls": ["<bos>", 0]},
			{"type": "TemplateProcessing", "single": [], "special_tokens": {"x": {"id": "x", "ids": [1], "tokens": ["<sop>"]}}}]}}`
	if err := os.WriteFile(tokenizer, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		for _, whole := range []bool{false, true} {
			out := filepath.Join(t.TempDir(), "out")
			c := Config{Runs: []string{made.Run.Dir}, Format: f, Out: out, Program: "airqa test", Rules: Rules{Whole: whole}}
			c.Template, c.Tokenizer, c.CutoffLen, c.Repeated = "llama2", tokenizer, DefaultCutoff(f), DropExact
			if c.check() != nil {
				continue
			}
			if _, err := Write(c); errors.Is(err, ErrNoPairs) {
				continue // the tokens make all repeats differ
			} else if err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			find := preflight.NewSpecial(append(commands, "</s>", "<s>", "[INST]", "<custom>", "[gMASK]", "[EOS]", "<bos>", "<sop>")...)
			checkFolder(t, out, find)
		}
	}
}

// checkFolder looks for special tokens in the rows of an export.
func checkFolder(t *testing.T, out string, find *preflight.Special) {
	t.Helper()
	n := 0
	for _, pattern := range []string{"*/*.jsonl", "trajectories/*.json"} {
		names, err := filepath.Glob(filepath.Join(out, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			checkNone(t, name, raw, find)
			n += strings.Count(string(raw), "[ gMASK]")
		}
	}
	tables, _ := filepath.Glob(filepath.Join(out, "*/*.parquet"))
	if n == 0 && len(tables) == 0 {
		t.Errorf("%s has no changed token", out)
	}
	for _, name := range tables {
		rows, err := parquet.ReadFile[stepRow](name)
		if strings.Contains(name, answersDir) {
			continue // it has questions and answers, which are edited alike
		}
		line, encodeErr := ledger.Encode(rows)
		if err != nil || encodeErr != nil {
			t.Fatal(err, encodeErr)
		}
		checkNone(t, name, line, find)
	}
}
