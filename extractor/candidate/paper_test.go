package candidate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/eval"
	"airqa/extractor/candidate"
	"airqa/prompts"
)

// printed returns the prompts that the paper prints (appendix E), by the names of the files that replace ours.
func printed(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile("../../../shared/papers/airqa.txt")
	if err != nil {
		t.Skipf("without the text of the paper: %v", err)
	}
	_, appendix, _ := strings.Cut(string(raw), "\n## E Synthesis Prompt\n")
	between := func(begin, end string) string {
		_, text, ok := strings.Cut(appendix, begin)
		text, _, closed := strings.Cut(text, end)
		if !ok || !closed {
			t.Fatalf("the paper has no text between %q and %q", begin, end)
		}
		return strings.ReplaceAll(text, `\_`, "_") // as the printed page has it
	}
	return map[string]string{
		"synth_explore":       between("#### Explorer Prompt for Single and Comprehensive question types\n\n```\n", "\n```\n\nHere, {description}"),
		"synth_task_table":    between("the description is “*", "*”"),
		"synth_hint_table":    between("the hint prompt is “*", "*”"),
		"synth_context_table": between("#### Context Prompt for Single type, Table category\n\n```\n", "\n```\n\nwhere the caption"),
		"synth_retrieval":     between("#### Explorer Prompt for Retrieval question type\n\n```\n", "\n```\n\nFor retrieval"),
		"synth_track":         between("### Tracker Prompt for Single and Comprehensive question types\n\n", "\n\nHere, {evaluator} contains"),
		"synth_function":      between("\nTracker Prompt for Single and Comprehensive question types\n\n```\n", "\n```\n\nwhich contains"),
	}
}

// fill puts values into a printed prompt.
func fill(text string, values map[string]string) string {
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// With the prompts that the paper prints, the requests are the paper's, apart from the values, and replies in their form are read.
func TestPrintedPrompts(t *testing.T) {
	texts := printed(t)
	dir := t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name+".txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := prompts.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	forms, err := candidate.ReadForms(set)
	if err != nil {
		t.Fatal(err)
	}
	same := func(name, want, got string, err error) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-paper +request):\n%s", name, err, diff)
		}
	}

	table := material("single-table")
	got, err := table.Request(set)
	same("explorer", fill(texts["synth_explore"], map[string]string{
		"description": texts["synth_task_table"], "hint": texts["synth_hint_table"],
		"context": fill(texts["synth_context_table"], map[string]string{"caption": "THE CAPTION", "content": "{{.the}} CONTENT"}),
	}), got.Text, err)
	draft, err := table.Parse(forms, "[Thought]: Hm.\n```txt\n[Question]: How many?\n[Answer]: 3\n```")
	if diff := cmp.Diff(candidate.Draft{Question: "How many?", Answer: "3"}, draft); diff != "" || err != nil {
		t.Errorf("%v; draft (-want +got):\n%s", err, diff)
	}
	if forms.AskEvidence() {
		t.Error("the paper's explorer quotes no evidence")
	}

	paper := material("retrieval")
	got, err = paper.Request(set)
	same("explorer for retrieval", fill(texts["synth_retrieval"], map[string]string{"title": "THE TITLE", "abstract": "THE ABSTRACT"}), got.Text, err)
	draft, err = paper.Parse(forms, "It counts otters.\n```txt\nWhich paper counts\notters?\n```")
	if diff := cmp.Diff(candidate.Draft{Question: "Which paper counts otters?", Answer: "THE TITLE"}, draft); diff != "" || err != nil {
		t.Errorf("%v; draft (-want +got):\n%s", err, diff)
	}

	var functions []string
	for _, f := range eval.Functions() {
		functions = append(functions, fill(texts["synth_function"], f.Describe()))
	}
	got, err = candidate.Draft{Question: "How many?", Answer: "3"}.TrackRequest(set)
	same("tracker", fill(texts["synth_track"], map[string]string{
		"evaluator": strings.Join(functions, "\n\n"), "question": "How many?", "answer": "3",
	}), got.Text, err)
	reply := "[thought]: Hm.\n\n```txt\n\n[question]: How many?\n\n[evaluator]: {\"eval_func\": \"eval_int_exact_match\", \"eval_kwargs\": {\"gold\": 3}}\n\n" +
		"[answer_format]: Your answer should be an integer.\n\n[answer]: 3\n\n[tag]: objective\n\n```"
	tracked, err := candidate.ParseTracked(forms, reply)
	if err != nil || tracked.Tag != "objective" || tracked.Answer != "3" || tracked.AnswerFormat != "Your answer should be an integer." {
		t.Errorf("%+v, %v", tracked, err)
	}
	for _, label := range []string{"[answer_format]", "[tag]"} {
		if _, err := candidate.ParseTracked(forms, strings.Replace(reply, label, "", 1)); err == nil || !strings.Contains(err.Error(), label) {
			t.Errorf("without %s: %v", label, err)
		}
	}
}
