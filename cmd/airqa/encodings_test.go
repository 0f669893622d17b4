package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"airqa/internal/testkit"
)

// Files that people write, and texts that they pipe, mean the same in every encoding of editors and shells.
func TestEncodingsOfFiles(t *testing.T) {
	t.Parallel()
	data := ingested(t)
	fixtures, err := filepath.Abs("../../fixtures")
	if err != nil {
		t.Fatal(err)
	}
	questions := read(t, filepath.Join(fixtures, "questions.jsonl"))
	first, _, _ := strings.Cut(questions, "\n")
	_, id, _ := strings.Cut(first, `"uuid"`)
	id = strings.Split(id, `"`)[1]
	const tokenizer = `{"added_tokens": [{"id": 1, "content": "<own>", "special": true}], "pre_tokenizer": {"type": "ByteLevel"},
		"model": {"type": "BPE", "unk_token": "?", "vocab": {"?": 0}, "merges": []}}`
	tests := []struct {
		name, file, text, args, stdin string
		want                          string // in the output
	}{
		{"keys", ".env", "OPENAI_API_KEY=sk-from-a-file\n", "list baselines", "", "OPENAI_API_KEY is from .env"},
		{"bad keys", ".env", "A=1\nB=2\n-broken line\nC=3\n", "list baselines", "", ".env: a line is not NAME=VALUE: line 3"},
		{"ids", "ids.txt", id + "\n", "run -q questions.jsonl -d DATA --baseline question-only -m offline -o r --id @ids.txt", "", "1 of 1"},
		{"replies", "s.json", `["[Action]: Answer(answer='forty')"]`, "ask -d DATA -m scripted:s.json --baseline agentic-rag Why?", "", "forty"},
		{"models", "m.json", `{"format":1,"models":[{"name":"openai:mine","price":{"input":1,"output":2}}]}`, "list models mine --models m.json", "", "openai:mine"},
		{"broken models", "m.json", "{\"format\":1,\n\"models\":[{]}", "list models mine --models m.json", "", "m.json:2: invalid character"},
		{"settings", "airqa.yaml", "search:\n  limit: 1\n", "search -d DATA --config airqa.yaml reading", "", "1. score"},
		{"questions", "q.txt", "How many parameters does LumenParse have?\n", "ask -d DATA -f q.txt -m offline --baseline rag", "", "1.7"},
		{"piped questions", "", "", "ask -d DATA -f - -m offline --baseline rag", "How many parameters does LumenParse have?\n", "1.7"},
		{"piped SQL", "", "", "sql -d DATA -", "SELECT 40 + 2 AS x", "42"},
		{"piped query", "", "", "search -d DATA --limit 1 -", "reading order", "1. score"},
		{"piped answer", "", "", "questions try questions.jsonl " + id + " --answer -", "nothing\n", "said 'nothing'\n"},
		{"list", "papers.txt", "# papers\nno-paper-at-all\n", "ingest --list papers.txt -d new", "", "papers.txt:2"},
		{
			"labels", "l.jsonl", `{"question":"q","eval_func":"eval_string_exact_match","eval_kwargs":{"gold":"a"},"answer":"a","label":true}`,
			"bench judge-check l.jsonl --judge offline", "", "",
		},
		{"rows", "rows.jsonl", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`, "export check rows.jsonl", "", "1 row: 1 ok"},
		{"tokenizer", "tok.json", tokenizer, "export check own.jsonl --tokenizer tok.json", "", "own.jsonl: 1 wrong row"},
		{"notes", "n.jsonl", "{}\n", "notes list none --merge n.jsonl", "", ""},
		{"ratings", "r.csv", "unit,a,b\n1,x,x\n2,y,y\n", "bench agree r.csv", "", "2"},
	}
	others := []string{"mark", "little", "big", "little, no mark"}
	for i, tt := range tests {
		outputs := make(map[string]bool)
		encodings := []string{"utf-8", others[i%len(others)]}
		if testkit.IsLong() {
			encodings = append(encodings[:1], others...)
		}
		for _, encoding := range encodings {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"questions.jsonl": questions, "own.jsonl": `{"messages":[{"role":"user","content":"a<own>"},{"role":"assistant","content":"b"}]}`,
				cmp.Or(tt.file, "none"): encode(tt.text, encoding),
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c := exec.CommandContext(t.Context(), os.Args[0], strings.Fields(strings.ReplaceAll(tt.args, "DATA", data))...)
			c.Dir, c.Env = dir, append(os.Environ(), asProgram+"=1", "XDG_CONFIG_HOME="+dir, "NO_COLOR=1", "OPENAI_API_KEY=")
			c.Stdin = strings.NewReader(encode(tt.stdin, encoding))
			out, _ := c.CombinedOutput()
			if !strings.Contains(string(out), tt.want) {
				t.Errorf("%s, %s: %s", tt.name, encoding, out)
			}
			if tt.want == "" {
				outputs[string(out)] = true
			}
		}
		if len(outputs) > 1 {
			t.Errorf("%s: outputs differ: %v", tt.name, outputs)
		}
	}
}

func encode(text, encoding string) string {
	var order binary.ByteOrder = binary.LittleEndian
	switch encoding {
	case "utf-8":
		return text
	case "mark":
		return "\ufeff" + text
	case "big":
		order = binary.BigEndian
	}
	if text != "" && !strings.Contains(encoding, "no mark") {
		text = "\ufeff" + text
	}
	var b bytes.Buffer
	_ = binary.Write(&b, order, utf16.Encode([]rune(text)))
	return b.String()
}
