package prompts_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/prompts"
)

// folder writes files and returns their folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, files map[string]string) prompts.Set {
	t.Helper()
	s, err := prompts.Open(folder(t, files))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOwn(t *testing.T) {
	s := open(t, map[string]string{
		"task.txt":   "Q: {question} {{.question}} {{question}} {\"question\": 1} {Question} \\frac{1}{2} { x }",
		"schema.txt": "Tables:\r\n{schema}\r\n", "README.md": "mine", ".hidden": "",
	})
	got, err := s.Render("task", prompts.Data{"question": "{schema} {{.x}}"})
	want := `Q: {schema} {{.x}} {schema} {{.x}} {schema} {{.x}} {"question": 1} {Question} \frac{1}{2} { x }`
	if err != nil || got != want {
		t.Errorf("%q %v, want %q", got, err, want)
	}
	if got, err := s.Render("schema", prompts.Data{"schema": "T"}); err != nil || got != "Tables:\nT" {
		t.Errorf("%q %v", got, err)
	}
	if got, err := s.Render("hints_steps", nil); err != nil || !strings.HasPrefix(got, "- Ask for few columns") {
		t.Errorf("a built-in text: %q %v", got, err)
	}
	if names := s.Own("task", "react"); len(names) != 1 || names["task"] == "" || len(s.Own()) != 2 || s.Own("react") != nil {
		t.Errorf("own texts %v of %v", names, s.Own())
	}
	if diff := cmp.Diff(s.Own(), prompts.Of(s.Own()).Own()); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

func TestOpenFaults(t *testing.T) {
	tests := []struct {
		name, file, text string
		want             []string
	}{
		{"name", "judge_referense.txt", "", []string{"judge_referense.txt: no prompt has this name; did you mean judge_reference.txt?"}},
		{"strange name", "zzz.txt", "", []string{"zzz.txt: no prompt has this name; airqa list prompts"}},
		{"extension", "react.md", "x", []string{"react.md: no prompt has this name; did you mean react.txt?"}},
		{"unknown", "schema.txt", "{schema}\n\n{colour} and\n{{.Schema}}", []string{
			"schema.txt:3: unknown placeholder {colour}; its placeholders are {schema}", "schema.txt:4: unknown placeholder {Schema}",
		}},
		{"none allowed", "hints_view.txt", "Use {view}.", []string{"hints_view.txt:1: unknown placeholder {view}; it has no placeholders"}},
		{"missing", "synth_track.txt", "{question} {answer}", []string{"synth_track.txt: {functions} is missing"}},
		{"one of two", "synth_retrieval.txt", "{title}", []string{"synth_retrieval.txt: {context} or {abstract} is missing"}},
		{"alias of another kind", "judge_reference.txt", "{question} {reference} {prediction} {scoring_points}", []string{"unknown placeholder {scoring_points}"}},
		{"no user message", "judge_reference.txt", "{question} {reference} {prediction}\n---\n \n", []string{"no text for the user message"}},
		{"empty", "plain.txt", "", []string{"{task} is missing", "{context} is missing"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := prompts.Open(folder(t, map[string]string{tt.file: tt.text}))
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
			}
		})
	}
	if _, err := prompts.Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "has no prompts") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := prompts.Open("nowhere"); err == nil {
		t.Error("no folder: no error")
	}
}

// A name of the paper means a name of the built-in text, and a text of a tool is taken as it is.
func TestAliases(t *testing.T) {
	s := open(t, map[string]string{
		"judge_reference.txt": "{predicted_answer} {reference_answer} {question}", "query.txt": "Query {sql} \\frac{a}{b}",
		"synth_retrieval.txt": "{title}: {abstract}{hint}",
	})
	system, user, err := s.Judge("reference", prompts.Data{"question": "q", "reference": "r\n---\n", "prediction": "p"})
	if err != nil || system != "" || user != "p r\n---\n q" {
		t.Errorf("%q %q %v", system, user, err)
	}
	if s.Shows("judge_reference", "fence") || !s.Shows("judge_points", "fence") || !s.Shows("judge_reference", "prediction") {
		t.Error("wrong placeholders shown")
	}
	if s.Own("query")["query"] != "Query {sql} \\frac{a}{b}" {
		t.Errorf("the text of a tool: %v", s.Own())
	}
}

func TestExamples(t *testing.T) {
	const text = "[Question]: {q}\n[Action]: Answer(answer={\"x\": 1})\n"
	s := open(t, map[string]string{"examples.txt": text})
	data := prompts.Data{"given": ".", "task": "[Task]", "context": ""}
	without, err := prompts.Set{}.Render("plain", data)
	if err != nil || strings.Contains(without, "\n\n\n") {
		t.Fatal(without, err)
	}
	with, err := s.Render("plain", data)
	if want := strings.Replace(without, "\n\n[Task]", "\n\n"+text+"\n[Task]", 1); err != nil || with != want {
		t.Errorf("%s %v, want %s", with, err, want)
	}
	if got := s.Used("plain", "task"); !slices.Equal(got, []string{"plain", "task", "examples"}) {
		t.Errorf("used %v", got)
	}
	if got := (prompts.Set{}).Used("plain"); len(got) != 1 || len(s.Used("task")) != 1 {
		t.Errorf("used without examples: %v", got)
	}
}

// The hashes that runs have recorded before examples and lines between messages existed stay the hashes of the built-in texts. A copy of
// a built-in text is no text of one's own.
func TestHashes(t *testing.T) {
	source, err := prompts.Set{}.Source("judge_reference")
	if err != nil {
		t.Fatal(err)
	}
	same := open(t, map[string]string{"judge_reference.txt": strings.ReplaceAll(source, "\n", "\r\n"), "examples.txt": ""})
	for name, want := range map[string]string{
		"judge_reference": "e59a85254578bf53274a40cb64b143b533f8b8db645098f929d82c1203e61892",
		"react":           "c646b508c0693d560015b4bca053d16e350f64d3d351cf72b43513d900d6c8ee",
		"plain":           "db41d8d15efa789741630b8e3863374229ebd62ca95f38beec40af6d0aa7b890",
	} {
		if got, err := same.Hash(name); err != nil || got != want {
			t.Errorf("%s: %s %v", name, got, err)
		}
	}
	if same.Own() != nil {
		t.Errorf("own texts %v", same.Own())
	}
	own := prompts.Of(map[string]string{"react": "A {{.examples}}"})
	if got, err := own.Hash("react"); err != nil || got != "eb2b5552fbe1d6eb0516bedbfe5085b9d0116d3895d8c66bb99bb1cfb9667cab" {
		t.Errorf("%s %v", got, err)
	}
}

// Every built-in file is described, and has the placeholders that a text of one's own needs.
func TestAll(t *testing.T) {
	found, err := filepath.Glob("*.txt")
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, path := range found {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = string(raw)
	}
	if s := open(t, files); s.Own() != nil {
		t.Errorf("built-in texts that count as one's own: %v", s.Own())
	}
	for _, p := range prompts.All() {
		if p.About == "" || !p.Tool && files[p.Name+".txt"] == "" && p.Name != "examples" {
			t.Errorf("%s: %q, %d bytes", p.Name, p.About, len(files[p.Name+".txt"]))
		}
	}
}
