package runlog_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airqa/qa"
	"airqa/run/runlog"
)

// TestPanelOrder reads scorings of one panel with its members in different orders, also from older versions.
func TestPanelOrder(t *testing.T) {
	dir := create(t)
	at := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	old := `{"format":1,"mode":"fixed","judge":"majority(openai:b,offline,openai:a)","program":"airqa","created":"2031-05-01T11:00:00Z"}
{"uuid":"old","verdict":"right","score":1,"eval_func":"f"}
`
	if err := os.MkdirAll(filepath.Join(dir, "scores"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "scores", "fixed.majority_openai_b_offline_openai_a_.jsonl")
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	const name = "majority(offline,openai:a,openai:b)"
	for _, asked := range []string{"majority(openai:a,openai:b,offline)", name} {
		s, scores, err := runlog.FindScores(dir, "fixed", asked)
		if err != nil || s.Judge != name || len(scores) != 1 || scores[0].UUID != "old" {
			t.Errorf("%s: %+v, %v, %v", asked, s, scores, err)
		}
	}
	for i, order := range []string{"majority(openai:a,openai:b,offline)", "majority(openai:b,openai:a,offline)"} {
		s := runlog.Scoring{Mode: "fixed", Judge: order, Created: at.Add(time.Duration(i) * time.Hour)}
		if err := runlog.WriteScores(dir, s, []qa.Score{{UUID: order, Verdict: qa.Right}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	s, scores, err := runlog.FindScores(dir, "fixed", name)
	if list, _ := runlog.Scorings(dir); err != nil || s.Judge != name || scores[0].UUID != "majority(openai:b,openai:a,offline)" || len(list) != 2 {
		t.Errorf("%+v, %v, %v; scorings %+v", s, scores, err, list)
	}
}

func TestFindScores(t *testing.T) {
	dir := create(t)
	if list, err := runlog.Scorings(dir); err != nil || len(list) != 0 {
		t.Errorf("not scored: %v, %v", list, err)
	}
	if _, _, err := runlog.FindScores(dir, "", ""); !errors.Is(err, runlog.ErrNoScores) {
		t.Errorf("not scored: %v", err)
	}
	at := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	for i, s := range []runlog.Scoring{
		{Mode: "reference", Judge: "openai:gpt"}, {Mode: "fixed", Judge: "openai:gpt"}, {Mode: "reference", Judge: "offline"},
	} {
		s.Created = at.Add(time.Duration(i) * time.Hour)
		if err := runlog.WriteScores(dir, s, []qa.Score{{UUID: s.Mode + " " + s.Judge, Verdict: qa.Right}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct{ name, mode, judge, want string }{
		{"newest", "", "", "reference offline"},
		{"mode", "fixed", "", "fixed openai:gpt"},
		{"judge", "", "openai:gpt", "fixed openai:gpt"},
		{"both", "reference", "openai:gpt", "reference openai:gpt"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, scores, err := runlog.FindScores(dir, tt.mode, tt.judge)
			if err != nil || len(scores) != 1 || scores[0].UUID != tt.want || s.Mode+" "+s.Judge != tt.want {
				t.Errorf("got %+v, %+v, %v", s, scores, err)
			}
		})
	}
	_, _, err := runlog.FindScores(dir, "fixed", "offline")
	if !errors.Is(err, runlog.ErrOtherScores) || !strings.Contains(err.Error(), "--scoring fixed --judge openai:gpt") {
		t.Errorf("none fits: %v", err)
	}
	list, err := runlog.Scorings(dir)
	if err != nil || len(list) != 3 || list[0].Judge != "offline" || list[2].Mode != "reference" {
		t.Errorf("scorings %+v, %v", list, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "scores", "x.jsonl"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := runlog.FindScores(dir, "", ""); err == nil || !strings.Contains(err.Error(), "x.jsonl:1") {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// A scoring with verdicts missing does not hide one that has them.
func TestFindScoresWithVerdicts(t *testing.T) {
	type scoring struct{ mode, judge, verdicts string } // r: right, u: unscored
	tests := []struct {
		name        string
		files       []scoring // oldest first
		want, newer string
	}{
		{"newest is complete", []scoring{{"fixed", "a", "rr"}, {"fixed", "b", "rr"}}, "b", ""},
		{"newest lacks verdicts", []scoring{{"fixed", "a", "rr"}, {"fixed", "b", "ru"}}, "a", "b"},
		{"as many verdicts", []scoring{{"fixed", "a", "ru"}, {"fixed", "b", "ru"}}, "b", ""},
		{"the most verdicts", []scoring{{"fixed", "a", "rru"}, {"fixed", "b", "rrr"}, {"fixed", "c", "ruu"}}, "b", "c"},
		{"another mode", []scoring{{"reference", "a", "rr"}, {"fixed", "b", "ru"}}, "b", ""},
		{"offline for a model", []scoring{{"fixed", "offline", "rr"}, {"fixed", "b", "ru"}}, "b", ""},
		{"offline for none", []scoring{{"fixed", "offline", "rr"}, {"fixed", "none", "ru"}}, "offline", "none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := create(t)
			for i, f := range tt.files {
				var scores []qa.Score
				for j, v := range f.verdicts {
					scores = append(scores, qa.Score{UUID: string(rune('a' + j)), Verdict: map[rune]qa.Verdict{'r': qa.Right, 'u': qa.Unscored}[v]})
				}
				s := runlog.Scoring{Mode: f.mode, Judge: f.judge, Created: time.Unix(int64(i), 0).UTC()}
				if err := runlog.WriteScores(dir, s, scores, nil); err != nil {
					t.Fatal(err)
				}
			}
			s, _, err := runlog.FindScores(dir, "", "")
			newer := ""
			if s.Newer != nil {
				newer = s.Newer.Judge
			}
			if err != nil || s.Judge != tt.want || newer != tt.newer {
				t.Errorf("judge %q, newer %q, %v; want %q, %q", s.Judge, newer, err, tt.want, tt.newer)
			}
			last := tt.files[len(tt.files)-1].judge
			if s, _, err := runlog.FindScores(dir, "", last); err != nil || s.Judge != last || s.Newer != nil {
				t.Errorf("by name: %+v, %v", s, err)
			}
		})
	}
}

// A folder may have a name that is a pattern of files, and a panel a name that no file system takes.
func TestScoresOfAnyName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs[1]*?")
	if err := runlog.Create(dir, runlog.Config{}, nil); err != nil {
		t.Fatal(err)
	}
	long := "majority(" + strings.Repeat("openai:a-model-with-quite-a-name,", 12)
	for i, judge := range []string{long + "a)", long + "b)"} {
		s := runlog.Scoring{Mode: "fixed", Judge: judge, Created: time.Unix(int64(i), 0).UTC()}
		if err := runlog.WriteScores(dir, s, []qa.Score{{UUID: judge, Verdict: qa.Right}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	list, err := runlog.Scorings(dir)
	if err != nil || len(list) != 2 {
		t.Fatalf("scorings %v, %v", list, err)
	}
	for _, judge := range []string{long + "a)", long + "b)"} {
		if _, scores, err := runlog.FindScores(dir, "", judge); err != nil || len(scores) != 1 || scores[0].UUID != judge {
			t.Errorf("%s: %v, %v", judge, scores, err)
		}
	}
}
