package annotate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench/dorismae"
	"airqa/bench/dorismae/annotate"
	"airqa/prompts"
)

// With the prompt that the paper prints in App. B.3 in a folder, the request is the paper's, up to the values.
func TestPromptOfThePaper(t *testing.T) {
	raw, err := os.ReadFile("../../../../shared/papers/doris-mae-appendix.txt")
	if err != nil {
		t.Skip("no paper: ", err)
	}
	_, rest, begins := strings.Cut(string(raw), "The final prompt used in the hypothesis testing stage is displayed below.\n")
	printed, _, ends := strings.Cut(rest, "\nThis prompt produced the best results")
	if !begins || !ends {
		t.Fatal("App. B.3 has no prompt")
	}
	printed = strings.TrimSpace(strings.ReplaceAll(printed, "```\n", "")) // the conversion to text has set paragraphs between backticks
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "annotate.txt"), []byte(printed), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := prompts.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	pair := dorismae.Pair{Aspect: "It uses {abstract}.", Abstract: dorismae.Abstract{Title: "Shores", Text: "We read {aspect}."}}
	want := strings.NewReplacer("{aspect}", pair.Aspect, "{abstract}", pair.Abstract.Text).Replace(printed)
	if got, err := (annotate.Config{Prompts: set}).Fill(pair); err != nil || got != want || !strings.Contains(got, "*all capital*") {
		t.Errorf("%v\n%s\nwant:\n%s", err, got, want)
	}
}
