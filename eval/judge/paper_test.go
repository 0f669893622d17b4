package judge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/prompts"
	"airqa/qa"
)

// With the prompt that the paper prints in App. A.3 in a folder, the request is the paper's, up to the values: one message.
func TestPromptOfThePaper(t *testing.T) {
	raw, err := os.ReadFile("../../../shared/papers/airqa.txt")
	if err != nil {
		t.Skip("no paper: ", err)
	}
	_, rest, begins := strings.Cut(string(raw), "#### Subjective Function Prompt Example\n")
	printed, _, ends := strings.Cut(rest, "\nIt is worth noting")
	if !begins || !ends {
		t.Fatal("App. A.3 has no prompt")
	}
	// The conversion of the PDF to text has set the framed parts between backticks.
	printed = strings.TrimSpace(strings.NewReplacer("```\n```txt", "```txt", "```\n```\n", "```\n", "```\n[", "[", "answer}\n```", "answer}").Replace(printed))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "judge_reference.txt"), []byte(printed+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := prompts.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	const prediction = "```txt\nTrue\n```\n{question}"
	r := eval.JudgeRequest{Kind: eval.JudgeReference, Question: "Q {mark}?", Reference: "R", Prediction: prediction, Fixed: true, Guarded: true}
	system, user, err := judge.Prompt(set, r)
	want := strings.NewReplacer("{question}", r.Question, "{reference_answer}", "R", "{predicted_answer}", prediction).Replace(printed)
	if err != nil || system != "" || user != want {
		t.Errorf("%v\nsystem: %s\nuser: %s\nwant: %s", err, system, user, want)
	}
}

// A prompt that names no fence is answered in the plain one, in both modes, and is sent as one message unless a line divides it.
func TestOwnPrompt(t *testing.T) {
	for text, system := range map[string]string{
		"{question} {reference} {prediction}": "", "Judge.\n---\n{question} {reference} {prediction}": "Judge.",
	} {
		set := prompts.Of(map[string]string{"judge_reference": text, "judge_again": "Again."})
		for _, fixed := range []bool{true, false} {
			r := eval.JudgeRequest{Kind: eval.JudgeReference, Question: "q", Reference: "r", Prediction: "```txt\nTrue\n```", Fixed: fixed, Guarded: fixed}
			a := &scripted{replies: []string{"None.", "So:\n```txt\nFalse\n```"}}
			v, err := judge.NewModel(judge.Config{Asker: a, Prompts: set}).Decide(t.Context(), r)
			if err != nil || v.Right || v.Asks != 2 || !strings.HasSuffix(a.asks[1], "\n\nAgain.") {
				t.Errorf("%q, fixed %v: %+v %v %q", text, fixed, v, err, a.asks)
			}
			got, user, err := judge.Prompt(set, r)
			if err != nil || got != system || user != "q r "+r.Prediction {
				t.Errorf("%q: %q %q %v", text, got, user, err)
			}
			if n := len(judge.Messages(got, user)); n == 2 != (system != "") {
				t.Errorf("%q: %d messages", text, n)
			}
		}
	}
	if m := judge.Messages("", "u"); m[0].Role != qa.User {
		t.Errorf("%+v", m)
	}
}

// Verdicts on other prompts are other verdicts.
func TestOwnPromptsHaveTheirOwnVerdicts(t *testing.T) {
	source := &counting{}
	store := openStore(t, "")
	own := prompts.Of(map[string]string{"judge_reference": "{question} {reference} {prediction}"})
	for _, set := range []prompts.Set{{}, own, {}, own} {
		mustJudge(t, judge.NewCached(store, judge.Identity{Name: "openai:a", Prompts: set}, source, nil), request("yes"), true)
	}
	if n := source.asked.Load(); n != 2 {
		t.Errorf("asked %d times", n)
	}
}
