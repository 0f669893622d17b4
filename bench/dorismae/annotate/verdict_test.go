package annotate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench/dorismae"
	"airqa/bench/dorismae/annotate"
	"airqa/prompts"
	"airqa/qa"
)

func TestParse(t *testing.T) {
	tests := []struct {
		reply        string
		compat, last annotate.Score
	}{
		{"It has a part of it. I AGREE", 1, 1},
		{"It DISAGREES", 0, annotate.Unparsed},
		{"I AGREE in part but finally DISAGREE", 0, 0},
		{"AGREE is too weak, so CONCUR", annotate.Unparsed, 2},
		{"i agree", annotate.Unparsed, annotate.Unparsed},
		{"", annotate.Unparsed, annotate.Unparsed},
		{"DISPUTE; DISAGREE", annotate.Unparsed, 0},
		{"In AGREEMENT", 1, annotate.Unparsed},
		{"CONCURRENT programs are not in it, so DISAGREE", annotate.Unparsed, 0},
		{"CONCUR CONCUR", 2, 2},
		{"DISPUTE", 1, 1},
		{"DISAGREE would ignore the corpus.\nThe verdict is **AGREE**.\n\n", 0, 1},
		{"Not CONCUR.\n__AGREE__", annotate.Unparsed, 1},
		{"AGREE\nThat is all.", 1, annotate.Unparsed},
		{"I neither AGREE nor decide.\n\nWhat do you think?", 1, annotate.Unparsed},
	}
	for _, tt := range tests {
		if got := annotate.Parse(tt.reply, "stop", annotate.Compat); got != tt.compat {
			t.Errorf("compat %q: %d, want %d", tt.reply, got, tt.compat)
		}
		if got := annotate.Parse(tt.reply, "stop", annotate.LastLabel); got != tt.last {
			t.Errorf("last %q: %d, want %d", tt.reply, got, tt.last)
		}
	}
	const cut = "Either DISPUTE or AGREE"
	if got := annotate.Parse(cut, qa.FinishLength, annotate.LastLabel); got != annotate.Unparsed {
		t.Errorf("a reply that was cut off has the score %d", got)
	}
}

func TestTemplate(t *testing.T) {
	pair := dorismae.Pair{
		AspectID: "1", Aspect: "It uses {abstract} or {{.title}}.", Within: []string{"It detects shores."},
		Abstract: dorismae.Abstract{ID: 4, Title: "Shores", Text: "We read {requirement}.\nCONCUR"},
	}
	filled := func(set prompts.Set, pair dorismae.Pair) string {
		text, err := annotate.Config{Prompts: set}.Fill(pair)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	text := filled(prompts.Set{}, pair)
	for _, want := range []string{
		"Requirement: It uses {abstract} or {{.title}}.\n", "part of this wider requirement: It detects shores.\n",
		"=====\nWe read {requirement}.\nCONCUR\n=====", "DISAGREE:", "DISPUTE:", "AGREE:", "CONCUR:", "step by step",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the question lacks %q:\n%s", want, text)
		}
	}
	pair.Within = nil
	if text := filled(prompts.Set{}, pair); strings.Contains(text, "wider") || strings.Contains(text, "{{.mark}}") {
		t.Errorf("the question about an aspect:\n%s", text)
	}
	dir := t.TempDir()
	for text, fault := range map[string]string{
		"Does {abstract} meet {requirement}? {title}": "", "Does {{.abstract}} meet {{.requirement}}?": "", "Does {abstract} meet {aspect}?": "",
		"Is {abstract} good?": "{requirement} is missing", "": "is missing", "{abstract} {aspect} {other}": "annotate.txt:1: unknown placeholder {other}",
	} {
		if err := os.WriteFile(filepath.Join(dir, "annotate.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		set, err := prompts.Open(dir)
		if (err == nil) != (fault == "") || err != nil && !strings.Contains(err.Error(), fault) {
			t.Errorf("template %q: %v", text, err)
		}
		if err == nil && !strings.HasPrefix(filled(set, pair), "Does We read {requirement}.\nCONCUR meet It uses") {
			t.Errorf("filled %q: %s", text, filled(set, pair))
		}
	}
}

func TestParseNumbers(t *testing.T) {
	if got, err := annotate.ParseNumbers([]string{"0", " 3-5"}); err != nil || len(got) != 4 || got[3] != 5 {
		t.Errorf("numbers %v %v", got, err)
	}
	for _, bad := range []string{"x", "-1", "5-3", "1-", "0-99999999"} {
		if _, err := annotate.ParseNumbers([]string{bad}); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
