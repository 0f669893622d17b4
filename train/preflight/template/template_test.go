package template_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/train/preflight/template"
)

// rendering is a dialog, with what LLaMA-Factory 0.9.5 made of it: the pieces of each source and target, with {{bos}}
// and {{eos}} for the tokenizer's own tokens, or an error.
type rendering struct {
	Template   string        `json:"template"`
	Note       string        `json:"note"`
	System     string        `json:"system"`
	Tools      string        `json:"tools"`
	Messages   [][2]string   `json:"messages"`
	Last       bool          `json:"last"`
	NoThinking bool          `json:"no_thinking"`
	Pairs      [][2][]string `json:"pairs"`
	Error      string        `json:"error"`
}

// TestTemplates compares every known template with LLaMA-Factory 0.9.5, on 2 January 2026.
func TestTemplates(t *testing.T) {
	raw, err := os.ReadFile("testdata/templates.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(string(raw)) {
		var want rendering
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		seen[want.Template] = true
		t.Run(want.Template+"/"+want.Note, func(t *testing.T) { compareRendering(t, want) })
	}
	for _, name := range template.Names() {
		if !seen[name] {
			t.Errorf("template %s was not compared", name)
		}
		if !template.Exists(name) {
			t.Errorf("names.txt does not list %s", name)
		}
	}
}

func compareRendering(t *testing.T, want rendering) {
	found, err := template.Find(want.Template)
	if err != nil {
		t.Fatal(err)
	}
	d := template.Dialog{System: want.System, Tools: want.Tools}
	for _, m := range want.Messages {
		d.Messages = append(d.Messages, template.Message{Role: m[0], Text: m[1]})
	}
	pairs, err := found.Pairs(d, template.Options{Thinking: !want.NoThinking, KeepHistory: !want.Last, Date: "02 Jan 2026"})
	if (err != nil) != (want.Error != "") {
		t.Fatalf("error = %v, want %q", err, want.Error)
	}
	var got [][2][]string
	for _, p := range pairs {
		got = append(got, [2][]string{texts(p.Source), texts(p.Target)})
	}
	if diff := cmp.Diff(want.Pairs, got); diff != "" {
		t.Errorf("(-LLaMA-Factory +airqa):\n%s", diff)
	}
}

func texts(pieces []template.Piece) []string {
	list := make([]string, len(pieces))
	for i, p := range pieces {
		list[i] = map[template.Kind]string{template.Text: p.Text, template.BOS: "{{bos}}", template.EOS: "{{eos}}"}[p.Kind]
	}
	return list
}

func TestFindErrors(t *testing.T) {
	tests := []struct{ name, want string }{
		{"glm4v", `unknown template "glm4v"; known: alpaca, chatml, `},
		{"", `unknown template ""; known: alpaca, `},
	}
	for _, tt := range tests {
		if _, err := template.Find(tt.name); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("Find(%q) = %v, want %s", tt.name, err, tt.want)
		}
	}
	qwen, _ := template.Find("qwen")
	if _, err := qwen.WithTools("none"); err == nil || !strings.HasPrefix(err.Error(), `unknown tool format "none"; known: default, glm4, `) {
		t.Errorf("WithTools = %v", err)
	}
}

func TestToolErrors(t *testing.T) {
	const call = `{"name": "f", "arguments": {}}`
	tests := []struct {
		name, template, tools, call, want string
	}{
		{"prose as tools", "qwen", "none", call, "Invalid JSON format in tool description"},
		{"no tools", "qwen", `""`, call, ""},
		{"an object as tools", "qwen", `{"a": 1}`, call, "AttributeError"},
		{"a number as tools", "qwen", "5", call, "object of type 'int' has no len()"},
		{"a text as a tool", "llama3", `["f"]`, call, "AttributeError"},
		{"a tool without parameters in prose", "yi", `[{"name": "f"}]`, call, "KeyError: 'parameters'"},
		{"a tool without properties in prose", "yi", `[{"name": "f", "parameters": {}}]`, call, "KeyError: 'properties'"},
		{"a tool without name in prose", "yi", `[{"parameters": {"properties": {}}}]`, call, "KeyError: 'name'"},
		{"prose as a call", "qwen", "", "I call f", "Invalid JSON format in function message"},
		{"a call without name", "qwen", "", `{"arguments": {}}`, "KeyError: 'name'"},
		{"a call without arguments", "qwen", "", `{"name": "f"}`, "KeyError: 'arguments'"},
		{"a number as a call", "qwen", "", "5", "TypeError"},
		{"a list as arguments in prose", "yi", "", `{"name": "f", "arguments": []}`, ""},
		{"a list as arguments in XML", "qwen3_5", "", `{"name": "f", "arguments": []}`, "has no attribute 'items'"},
		{"a lone surrogate", "qwen", "", `{"name": "f", "arguments": {"a": "\ud800"}}`, "a lone surrogate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, err := template.Find(tt.template)
			if err != nil {
				t.Fatal(err)
			}
			_, err = found.Pairs(template.Dialog{Tools: tt.tools, Messages: []template.Message{
				{Role: template.User, Text: "q"}, {Role: template.Function, Text: tt.call},
			}}, template.Options{})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Pairs = %v, want %q", err, tt.want)
			}
		})
	}
}
