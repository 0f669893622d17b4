package runlog_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/runlog"
)

// TestPanelOrder writes and finds scorings of one panel with its members in different orders.
func TestPanelOrder(t *testing.T) {
	dir := create(t)
	at := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	const name = "majority(offline,openai:a,openai:b)"
	for i, order := range []string{"majority(openai:a,openai:b,offline)", "majority(openai:b,openai:a,offline)"} {
		s := runlog.Scoring{Mode: "fixed", Judge: order, Created: at.Add(time.Duration(i) * time.Hour)}
		if err := runlog.WriteScores(dir, s, []qa.Score{{UUID: order, Verdict: qa.Right}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, asked := range []string{"majority(openai:a,openai:b,offline)", name} {
		s, scores, err := runlog.FindScores(dir, runlog.Choice{Scoring: "fixed", Judge: asked})
		if err != nil || s.Judge != name || len(scores) != 1 || scores[0].UUID != "majority(openai:b,openai:a,offline)" {
			t.Errorf("%s: %+v, %v, %v", asked, s, scores, err)
		}
	}
	if list, err := runlog.Scorings(dir); err != nil || len(list) != 1 {
		t.Errorf("scorings %+v, %v", list, err)
	}
}

// A scoring of questions without an evaluator says nothing: the imported verdicts stay, until others are newer.
func TestBlankScoring(t *testing.T) {
	dir := create(t)
	for i, tt := range []struct {
		scoring runlog.Scoring
		verdict qa.Verdict
		want    string
	}{
		{runlog.Scoring{Mode: "reference", Judge: "openai:gpt"}, qa.Unscored, "reference"},
		{runlog.Scoring{Mode: "imported", Judge: "inspect_ai:match"}, qa.Wrong, "imported"},
		{runlog.Scoring{Mode: "reference", Judge: "offline"}, qa.Unscored, "imported"},
		{runlog.Scoring{Mode: "fixed", Judge: "none"}, qa.Unscored, "imported"},
		{runlog.Scoring{Mode: "fixed", Judge: "openai:gpt"}, qa.Right, "fixed"},
	} {
		tt.scoring.Created = time.Date(2031, 5, 1, i, 0, 0, 0, time.UTC)
		if err := runlog.WriteScores(dir, tt.scoring, []qa.Score{{UUID: "a", Verdict: tt.verdict}}, nil); err != nil {
			t.Fatal(err)
		}
		if s, _, err := runlog.FindScores(dir, runlog.Choice{}); err != nil || s.Mode != tt.want {
			t.Errorf("after %s: %+v, %v; want %s", tt.scoring.Mode, s, err, tt.want)
		}
	}
}

func TestFindScores(t *testing.T) {
	dir := create(t)
	if list, err := runlog.Scorings(dir); err != nil || len(list) != 0 {
		t.Errorf("not scored: %v, %v", list, err)
	}
	if _, _, err := runlog.FindScores(dir, runlog.Choice{}); !errors.Is(err, runlog.ErrNoScores) {
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
			s, scores, err := runlog.FindScores(dir, runlog.Choice{Scoring: tt.mode, Judge: tt.judge})
			if err != nil || len(scores) != 1 || scores[0].UUID != tt.want || s.Mode+" "+s.Judge != tt.want {
				t.Errorf("got %+v, %+v, %v", s, scores, err)
			}
		})
	}
	_, _, err := runlog.FindScores(dir, runlog.Choice{Scoring: "fixed", Judge: "offline"})
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
	if _, _, err := runlog.FindScores(dir, runlog.Choice{}); err == nil || !strings.Contains(err.Error(), "x.jsonl:1") {
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
		{"newest is complete, of fewer answers", []scoring{{"fixed", "a", "rrr"}, {"fixed", "b", "rr"}}, "b", ""},
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
			s, _, err := runlog.FindScores(dir, runlog.Choice{})
			newer := ""
			if s.Newer != nil {
				newer = s.Newer.Judge
			}
			if err != nil || s.Judge != tt.want || newer != tt.newer {
				t.Errorf("judge %q, newer %q, %v; want %q, %q", s.Judge, newer, err, tt.want, tt.newer)
			}
			last := tt.files[len(tt.files)-1].judge
			if s, _, err := runlog.FindScores(dir, runlog.Choice{Judge: last}); err != nil || s.Judge != last || s.Newer != nil {
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
		if _, scores, err := runlog.FindScores(dir, runlog.Choice{Judge: judge}); err != nil || len(scores) != 1 || scores[0].UUID != judge {
			t.Errorf("%s: %v, %v", judge, scores, err)
		}
	}
}

// Find returns run directories as given, and those inside other folders.
func TestFind(t *testing.T) {
	root := t.TempDir()
	in := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(root, name))
		}
		return paths
	}
	for _, name := range []string{"runs[1]/b", "runs[1]/a", "single", "deep/below/run"} {
		if err := runlog.Create(filepath.Join(root, name), runlog.Config{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(root, "runs[1]", "other"), 0o700), os.WriteFile(filepath.Join(root, "file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path string }{{"nothing", "none"}, {"runs further down", "deep"}, {"no runs", "runs[1]/other"}} {
		if dirs, err := runlog.Find(in("single", tt.path)); !errors.Is(err, runlog.ErrNoRun) {
			t.Errorf("%s: %v, %v", tt.name, dirs, err)
		}
	}
	if dirs, err := runlog.Find(in("file")); err == nil || errors.Is(err, runlog.ErrNoRun) || !strings.Contains(err.Error(), "is not a run directory") {
		t.Errorf("a file: %v, %v", dirs, err)
	}
	dirs, err := runlog.Find(in("runs[1]", "single"))
	if diff := cmp.Diff(in("runs[1]/a", "runs[1]/b", "single"), dirs); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if dirs, err := runlog.Find(nil); err != nil || len(dirs) != 0 {
		t.Errorf("of nothing: %v, %v", dirs, err)
	}
}

// A score file that is damaged anywhere is an error that names the line.
func TestDamagedScores(t *testing.T) {
	const head, line = `{"format":1,"mode":"fixed","judge":"offline"}` + "\n", `{"uuid":"u","verdict":"right"}` + "\n"
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "x.jsonl:1: "},
		{"no score file", `{"uuid":"u","verdict":"right"}` + "\n", "x.jsonl:1: the first line is not the header of a score file"},
		{"another format", `{"format":2,"mode":"fixed"}`, "format 2; this program reads format 1: make it again with airqa score"},
		{"bad line", head + line + "x\n" + line, "x.jsonl:3: "},
		{"unknown key", head + `{"uuid":"u","mark":1}`, "x.jsonl:2: "},
		{"torn line", head + line + line[:9], "x.jsonl:3: "},
		{"empty line", head + line + "\n", "x.jsonl:3: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := create(t)
			path := filepath.Join(dir, "scores", "x.jsonl")
			if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(tt.text), 0o600)); err != nil {
				t.Fatal(err)
			}
			if _, scores, err := runlog.FindScores(dir, runlog.Choice{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("scores %+v, %v; want %q", scores, err, tt.want)
			}
		})
	}
	if _, _, err := runlog.ReadScoreFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	dir := create(t)
	if err := os.WriteFile(filepath.Join(dir, "scores"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := runlog.Scorings(dir); err == nil {
		t.Error("a file for the folder of scores is no error")
	}
}

// Only .jsonl files are scorings; one without scores is whole, with its last newline or without.
func TestScoreFiles(t *testing.T) {
	dir := create(t)
	if err := runlog.WriteScores(dir, runlog.Scoring{Mode: "fixed", Judge: "offline"}, nil, nil); err != nil {
		t.Fatal(err)
	}
	scores := filepath.Join(dir, "scores")
	if err := errors.Join(os.WriteFile(filepath.Join(scores, "notes.txt"), nil, 0o600), os.Mkdir(filepath.Join(scores, "folder"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if list, err := runlog.Scorings(dir); err != nil || len(list) != 1 {
		t.Errorf("scorings %+v, %v", list, err)
	}
	path := filepath.Join(scores, "fixed.offline.jsonl")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw[:len(raw)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if s, list, err := runlog.FindScores(dir, runlog.Choice{Scoring: "fixed", Judge: "offline"}); err != nil || s.Mode != "fixed" || list == nil || len(list) != 0 {
		t.Errorf("%+v, %v, %v", s, list, err)
	}
}

// Scores are redacted like everything else.
func TestScoresAreRedacted(t *testing.T) {
	dir := create(t)
	score := qa.Score{UUID: "u", Verdict: qa.Unscored, Reason: "rejected key a-secret-word"}
	if err := runlog.WriteScores(dir, runlog.Scoring{Mode: "fixed", Judge: "x"}, []qa.Score{score}, runlog.Redactor([]string{"a-secret-word"}, "")); err != nil {
		t.Fatal(err)
	}
	if _, got, err := runlog.ReadScores(dir); err != nil || got[0].Reason != "rejected key [redacted]" {
		t.Errorf("%+v, %v", got, err)
	}
}

// An older scoring that cannot be read does not replace the newest.
func TestDamagedOlderScoring(t *testing.T) {
	dir := create(t)
	for i, judge := range []string{"a", "b", "c"} {
		verdicts := []qa.Score{{UUID: "u", Verdict: qa.Right}, {UUID: "v", Verdict: qa.Right}}[:min(i+1, 2)]
		if judge == "c" {
			verdicts = []qa.Score{{UUID: "u", Verdict: qa.Unscored}, {UUID: "v", Verdict: qa.Unscored}}
		}
		s := runlog.Scoring{Mode: "fixed", Judge: judge, Created: time.Unix(int64(i), 0).UTC()}
		if err := runlog.WriteScores(dir, s, verdicts, nil); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "scores", "fixed.b.jsonl")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(raw, "{\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, _, err := runlog.FindScores(dir, runlog.Choice{}); err != nil || s.Judge != "a" || s.Newer == nil || s.Newer.Judge != "c" {
		t.Errorf("%+v, %v; want the readable one with a verdict", s, err)
	}
}

// A score that JSON cannot represent does not replace the scores that are there.
func TestUnencodableScore(t *testing.T) {
	dir := create(t)
	s := runlog.Scoring{Mode: "fixed", Judge: "offline"}
	if err := runlog.WriteScores(dir, s, []qa.Score{{UUID: "u", Verdict: qa.Right}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := runlog.WriteScores(dir, s, []qa.Score{{UUID: "u", Value: math.NaN()}}, nil); err == nil {
		t.Error("NaN was written")
	}
	if _, scores, err := runlog.ReadScores(dir); err != nil || len(scores) != 1 || scores[0].Verdict != qa.Right {
		t.Errorf("scores %+v, %v", scores, err)
	}
}
