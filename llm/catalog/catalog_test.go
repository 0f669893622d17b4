package catalog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/llm/catalog"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "models.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFind(t *testing.T) {
	tests := []struct{ spec, want string }{
		{"openai:gpt-4o", "openai:gpt-4o"},
		{"openai:gpt-4o-2024-08-06", "openai:gpt-4o"},
		{"openai:gpt-4o-2024-05-13", "openai:gpt-4o-2024-05-13"},
		{"openai:gpt-4o-mini-2024-07-18", "openai:gpt-4o-mini"},
		{"anthropic:claude-sonnet-4-5-20250929", "anthropic:claude-sonnet-4-5"},
		{"anthropic:claude-3-5-haiku-latest", "anthropic:claude-3-5-haiku"},
		{"google:gemini-2.0-flash-001", "google:gemini-2.0-flash"},
		{"openai:Qwen/Qwen2.5-72B-Instruct", "open:qwen2.5-72b-instruct"},
		{"openai:Qwen/Qwen2.5-72B-Instruct-AWQ", "open:qwen2.5-72b-instruct"},
		{"ollama:qwen2.5:72b", "open:qwen2.5-72b-instruct"},
		{"ollama:qwen3:32b-q4_K_M", "open:qwen3-32b"},
		{"ollama:llama3.1:latest", "open:llama-3.1-8b-instruct"},
		// The names in the AirQA paper.
		{"openai:GPT-4o-2024-08-06", "openai:gpt-4o"},
		{"openai:GPT-4o-mini-2024-07-18", "openai:gpt-4o-mini"},
		{"openai:o1-mini-2024-09-12", "openai:o1-mini"},
		{"anthropic:Claude-3.7-Sonnet-20250219", "anthropic:claude-3-7-sonnet"},
		{"google:Gemini-2.5-Pro-exp-03-25", "google:gemini-2.5-pro"},
		{"google:gemini-2.5-pro-exp-03-25", "google:gemini-2.5-pro"},
		{"openai:Llama-3.3-70B-Instruct", "open:llama-3.3-70b-instruct"},
		{"openai:DeepSeek-R1", "open:deepseek-r1"},
		{"openai:Qwen2.5-72B-Instruct", "open:qwen2.5-72b-instruct"},
		{"openai:Qwen2.5-32B-Instruct", "open:qwen2.5-32b-instruct"},
		{"openai:Qwen2.5-14B-Instruct", "open:qwen2.5-14b-instruct"},
		{"openai:Qwen2.5-7B-Instruct", "open:qwen2.5-7b-instruct"},
		{"openai:Qwen2.5-3B-Instruct", "open:qwen2.5-3b-instruct"},
		{"openai:Qwen2.5-VL-7B-Instruct", "open:qwen2.5-vl-7b-instruct"},
		{"openai:Qwen/Qwen2.5-VL-32B-Instruct", "open:qwen2.5-vl-32b-instruct"},
		{"openai:Qwen/Qwen2.5-VL-72B-Instruct-AWQ", "open:qwen2.5-vl-72b-instruct"},
		// Dates and stages.
		{"google:gemini-2.5-pro-preview-05-06", "google:gemini-2.5-pro"},
		{"google:gemini-2.5-flash-preview-09-2025", "google:gemini-2.5-flash"},
		{"google:gemini-2.5-flash-lite-preview-06-17", "google:gemini-2.5-flash-lite"},
		{"google:gemini-2.0-flash-exp", "google:gemini-2.0-flash"},
		{"google:gemini-3-pro-preview-11-2025", "google:gemini-3-pro-preview"},
		{"google:models/gemini-2.5-pro", "google:gemini-2.5-pro"},
		{"google:gemini-2.5-pro-preview-tts", ""},
		{"google:gemini-2.5-flash-image-preview", ""},
		{"google:gemini-2.0-pro-exp-02-05", ""},
		{"openai:gpt-4-turbo-preview", "openai:gpt-4-turbo"},
		{"openai:gpt-4-0125-preview", "openai:gpt-4-1106-preview"},
		{"openai:gpt-4-0613", "openai:gpt-4"},
		{"openai:gpt-5-pro-2025-10-06", "openai:gpt-5-pro"},
		{"openai:gpt-5.1-codex", "openai:gpt-5.1-codex"},
		{"openai-responses:gpt-4o-2024-08-06", "openai:gpt-4o"},
		{"openai-responses:gpt", ""},
		{"openai:gpt-3.5-turbo-0125", "openai:gpt-3.5-turbo"},
		{"openai:o1-preview-2024-09-12", "openai:o1-preview"},
		{"openai:gpt-4o-audio-preview-2024-12-17", ""},
		{"openai:gpt-4o-realtime-preview", ""},
		{"anthropic:claude-3-7-sonnet@20250219", "anthropic:claude-3-7-sonnet"},
		// Hosts and proxies.
		{"openai:google/gemini-2.5-pro-exp-03-25:free", "google:gemini-2.5-pro"},
		{"openai:google/gemini-2.5-pro", "google:gemini-2.5-pro"},
		{"openai:publishers/google/models/gemini-2.5-flash", "google:gemini-2.5-flash"},
		{"openai:gemini-2.5-pro-preview-06-05", "google:gemini-2.5-pro"},
		{"openai:openai/gpt-4o-2024-11-20", "openai:gpt-4o"},
		{"openai:anthropic/claude-3.7-sonnet", "anthropic:claude-3-7-sonnet"},
		{"openai:us.anthropic.claude-3-7-sonnet-20250219-v1:0", "anthropic:claude-3-7-sonnet"},
		{"openai:claude-sonnet-4.5", "anthropic:claude-sonnet-4-5"},
		{"openai:deepseek/deepseek-r1:free", "open:deepseek-r1"},
		{"openai:deepseek-ai/DeepSeek-R1-0528", "open:deepseek-r1"},
		{"openai:accounts/fireworks/models/deepseek-r1", "open:deepseek-r1"},
		{"openai:qwen/qwen-2.5-72b-instruct", "open:qwen2.5-72b-instruct"},
		{"openai:meta-llama/llama-3.3-70b-instruct", "open:llama-3.3-70b-instruct"},
		{"openai:openai/o3-mini-high", "openai:o3-mini"},
		{"openai:bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0", "anthropic:claude-3-5-sonnet"},
		{"openai:vertex_ai/gemini-2.5-pro-latest", "google:gemini-2.5-pro"},
		{"openai:ft:gpt-4o-2024-08-06:acme::x", ""},
		{"openai:gemini-2.5", ""},
		{"openai:gpt", ""},
		{"ollama:gpt-4o", ""},
		{"openai:gpt-4o-audio", ""},
		{"google:gpt-4o", ""},
		{"offline", ""},
		{"", ""},
	}
	for _, test := range tests {
		t.Run(test.spec, func(t *testing.T) {
			if got, ok := catalog.Builtin().Find(test.spec); got.Name != test.want || ok != (test.want != "") {
				t.Errorf("found %q, want %q", got.Name, test.want)
			}
		})
	}
}

// The settings of the paper's models depend on the list: reasoning models get 0.6 and longer replies (Appendix C.2), the
// models of Appendix C.4 get images, and the base models of Table 6 neither.
func TestTraitsInThePaper(t *testing.T) {
	type traits struct{ reasoning, images bool }
	for spec, want := range map[string]traits{
		"openai:GPT-4o-2024-08-06": {false, true}, "openai:o1-mini-2024-09-12": {true, false},
		"anthropic:Claude-3.7-Sonnet-20250219": {false, true},
		"google:Gemini-2.5-Pro-exp-03-25":      {true, true}, "google:gemini-2.5-pro-preview-05-06": {true, true},
		"openai:gemini-2.5-pro-preview-03-25": {true, true}, "openai:google/gemini-2.5-pro-exp-03-25": {true, true},
		"openai:DeepSeek-R1": {true, false}, "openai:Llama-3.3-70B-Instruct": {}, "openai:Qwen2.5-72B-Instruct": {},
		"openai:Qwen/Qwen2.5-VL-32B-Instruct": {false, true}, "openai:Qwen2.5-VL-72B-Instruct": {false, true}, "ollama:qwen2.5vl:32b": {false, true},
		"openai:Qwen/Qwen2.5-3B-Instruct": {}, "openai:Qwen2.5-7B-Instruct": {}, "ollama:qwen2.5:14b": {}, "openai:Qwen2.5-32B-Instruct": {},
	} {
		m, ok := catalog.Builtin().Find(spec)
		if got := (traits{m.Reasoning, m.Images}); !ok || got != want {
			t.Errorf("%s: listed %t as %s, %+v, want %+v", spec, ok, m.Name, got, want)
		}
	}
}

func TestPriceOfAFamily(t *testing.T) {
	for spec, want := range map[string]bool{
		"google:gemini-2.5-pro-exp-03-25": true, "openai:anthropic/claude-3.7-sonnet": true,
		"openai:google/gemini-2.5-pro-exp-03-25:free": false, "openai:Qwen2.5-72B-Instruct": false,
	} {
		if got := catalog.Builtin().Price(spec); (got != nil) != want {
			t.Errorf("%s: price %+v", spec, got)
		}
	}
}

func TestBuiltinIsWhole(t *testing.T) {
	names := map[string]bool{}
	for _, m := range catalog.Builtin().Models() {
		for _, name := range append([]string{m.Name}, m.Also...) {
			if names[name] {
				t.Errorf("%s is listed twice", name)
			}
			names[name] = true
		}
		if !strings.HasPrefix(m.Source, "https://") || m.File != catalog.BuiltinFile {
			t.Errorf("%s is from %q in %q", m.Name, m.Source, m.File)
		}
		if p := m.Price; p != nil && (p.Output < p.Input || p.Cached != nil && *p.Cached >= p.Input) {
			t.Errorf("%s: price %+v", m.Name, p)
		}
		if open := strings.HasPrefix(m.Name, "open:"); open && m.Price != nil {
			t.Errorf("%s has a price", m.Name)
		}
	}
}

func TestOpenExtendsAndOverrides(t *testing.T) {
	path := write(t, `{"format": 1, "models": [
  {"name": "openai:gpt-4o", "price": {"input": 1, "output": 4}},
  {"name": "openai:gpt-4o-mini", "price": null},
  {"name": "openai:mine", "context": 1000, "also": ["my-alias"], "price": {"input": 0, "output": 0}}
]}`)
	c, err := catalog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Context int
		Price   *catalog.Price
		File    string
	}
	want := map[string]row{
		"openai:gpt-4o":      {128000, &catalog.Price{Input: 1, Output: 4}, path},
		"openai:gpt-4o-mini": {128000, nil, path},
		"openai:my-alias":    {1000, &catalog.Price{}, path},
		"openai:gpt-4":       {8192, &catalog.Price{Input: 30, Output: 60}, catalog.BuiltinFile},
	}
	got := map[string]row{}
	for name := range want {
		m, _ := c.Find(name)
		got[name] = row{m.Context, m.Price, m.File}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
	if p := catalog.Builtin().Price("openai:gpt-4o"); p == nil || p.Input != 2.5 || *p.Cached != 1.25 {
		t.Errorf("the built-in list changed: %+v", p)
	}
}

func TestOpenErrors(t *testing.T) {
	const head = "{\"format\": 1,\n\"models\": [\n"
	tests := []struct{ name, text, want string }{
		{"unknown field", head + "{\"name\": \"a:b\",\n \"prise\": 1}]}", `:4: unknown field "prise"`},
		{
			"the same field in an earlier entry", head + "{\"name\": \"a:b\", \"comment\": \"inputs\"},\n{\"name\": \"a:c\", " +
				"\"price\": {\"input\": 1,\n\"inputs\": 2}}]}", `:5: unknown field "inputs"`,
		},
		{"unknown field outside", "{\"format\": 1,\n\n\"model\": []}", `:3: unknown field "model"`},
		{"wrong type", head + "\n{\"name\": \"a:b\",\n\"context\": \"1\"}]}", ":5: cannot unmarshal string"},
		{"broken", head + "{\"name\" \"a:b\"}]}", ":3: invalid character"},
		{"cut", head, ":1: unexpected EOF"},
		{"no provider", head + "{\"name\": \"b\"}]}", `:3: name "b": want PROVIDER:MODEL`},
		{"negative", head + "{\"name\": \"a:b\", \"price\": {\"input\": -1}}]}", ":3: a:b: a price below 0"},
		{"format", `{"models": []}`, ": format 0: want 1"},
		{"two objects", `{"format": 1} {}`, ":1: more than one object"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, test.text)
			if _, err := catalog.Open(path); err == nil || !strings.HasPrefix(err.Error(), path+test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
	if _, err := catalog.Open("nowhere.json"); err == nil {
		t.Error("no error for a missing file")
	}
}

// TestDocumentedExample reads the list in the documentation.
func TestDocumentedExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/providers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	c, err := catalog.Open(write(t, example))
	if err != nil {
		t.Fatal(err)
	}
	if m, _ := c.Find("openai:Qwen/Qwen3-32B"); !m.Reasoning || m.Price == nil || m.Output != 8192 {
		t.Errorf("%+v", m)
	}
}
