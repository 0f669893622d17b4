package compare_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/golden"
	"airqa/qa"
	"airqa/report"
	"airqa/report/compare"
	"airqa/report/render"
	"airqa/runlog"
)

// system is a side without questions or scores.
func system(name string) compare.Side {
	return compare.Side{System: compare.System{
		Path: "runs/" + name, Run: "runs/" + name, Baseline: name, Model: "openai:m", Scoring: "reference", Judge: "none",
	}}
}

// score is the score of a repeat; a negative one is unscored.
func score(uuid string, repeat int, value float64) qa.Score {
	s := qa.Score{UUID: uuid, Repeat: repeat, Value: value, Verdict: qa.Wrong, Func: "eval_int_exact_match"}
	switch {
	case value < 0:
		s.Value, s.Verdict = 0, qa.Unscored
	case value == 1:
		s.Verdict = qa.Right
	}
	return s
}

// sides makes two runs from marks: 1 right, 0 wrong, u unscored, - not run; the question of the i-th mark is "q0i".
// Three questions are on one paper.
func sides(a, b string) (compare.Side, compare.Side) {
	both := []compare.Side{system("rag"), system("hybrid")}
	for s, marks := range []string{a, b} {
		for i, mark := range marks {
			ex := qa.Example{
				UUID: fmt.Sprintf("q%02d", i), Question: fmt.Sprintf("Question number %d?", i),
				Tags: []string{[]string{"single", "multiple"}[i%2], "text", "objective"}, AnchorPDF: []string{fmt.Sprintf("paper %d", i/3)},
			}
			both[s].Examples = append(both[s].Examples, ex)
			if value, scored := map[rune]float64{'1': 1, '0': 0, 'u': -1}[mark]; scored {
				both[s].Scores = append(both[s].Scores, score(ex.UUID, 0, value))
			}
		}
	}
	return both[0], both[1]
}

func TestRuns(t *testing.T) {
	a, b := sides("1100110u-1", "10101011u-")
	b.Examples = append(b.Examples, qa.Example{UUID: "extra"})
	b.Scores = append(b.Scores, score("extra", 0, 1))
	r, err := compare.Runs(a, b, compare.Options{Rounds: 200, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	all := r.All
	got := []int{all.Questions, all.Both, all.OnlyA, all.OnlyB, all.Neither, all.Clusters}
	if diff := cmp.Diff([]int{7, 2, 2, 2, 1, 3}, got); diff != "" {
		t.Errorf("questions, both, only A, only B, neither, clusters (-want +got):\n%s", diff)
	}
	if want := (compare.LeftOut{OnlyA: 1, OnlyB: 2, Neither: 1}); r.LeftOut != want {
		t.Errorf("left out %+v, want %+v", r.LeftOut, want)
	}
	if all.P != 1 || math.Abs(all.Difference) > 1e-9 || all.Discordant != 4.0/7 || math.Abs(all.A-400.0/7) > 1e-9 {
		t.Errorf("p %g, difference %g, discordant %g, A %g", all.P, all.Difference, all.Discordant, all.A)
	}
	var names []string
	for _, g := range r.Groups {
		names = append(names, g.Name)
	}
	if diff := cmp.Diff([]string{"sgl.", "multi.", "text", "obj."}, names); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	var flips []string
	for _, f := range r.Flips {
		flips = append(flips, f.UUID)
	}
	if diff := cmp.Diff([]string{"q01", "q05", "q02", "q06"}, flips); diff != "" {
		t.Errorf("flips, A's first (-want +got):\n%s", diff)
	}
}

func TestRunsTheOtherWayRound(t *testing.T) {
	a, b := sides("110011011100", "101010110111")
	there, err := compare.Runs(a, b, compare.Options{Rounds: 500})
	if err != nil {
		t.Fatal(err)
	}
	back, err := compare.Runs(b, a, compare.Options{Rounds: 500})
	if err != nil {
		t.Fatal(err)
	}
	if there.All.P != back.All.P || there.All.Difference != -back.All.Difference || there.All.OnlyA != back.All.OnlyB {
		t.Errorf("there %+v\nback %+v", there.All, back.All)
	}
	if i, j := there.All.Interval, back.All.Interval; math.Abs(i.Low+j.High) > 1e-9 || math.Abs(i.High+j.Low) > 1e-9 {
		t.Errorf("intervals %v and %v", i, j)
	}
}

// Where a bootstrap is unreliable or has no width, the interval is made of Wilson's, as in a report.
func TestWhatTheBootstrapDoesNotKnow(t *testing.T) {
	many := strings.Repeat("110", 40)
	tests := []struct{ name, a, b, method string }{
		{"the runs never differ", many, many, report.WilsonIntervals},
		{"one paper", "110", "010", report.WilsonIntervals},
		{"few papers", "110101110", "010111011", report.WilsonIntervals},
		{"enough papers", many, strings.Repeat("010", 20) + strings.Repeat("110", 20), report.BootstrapIntervals},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := sides(tt.a, tt.b)
			r, err := compare.Runs(a, b, compare.Options{Rounds: 50})
			if err != nil {
				t.Fatal(err)
			}
			if i := r.All.Interval; r.All.Method != tt.method || !(i.Low < r.All.Difference && r.All.Difference < i.High || r.All.Method == report.BootstrapIntervals) {
				t.Errorf("interval %v of %g by %s, want %s", i, r.All.Difference, r.All.Method, tt.method)
			}
		})
	}
}

// A question counts for the run with the higher mean over its scored repeats; the episode is the one that shows it.
func TestRepeats(t *testing.T) {
	a, b := system("rag"), system("hybrid")
	marks := map[string][2][]float64{
		"better":   {{1, 0, 1}, {0, 0, 1}},
		"worse":    {{0, 0, 1}, {0, 1, 1}},
		"same":     {{1, 0, 1}, {0, 1, 1}},
		"both bad": {{0, 0, 1}, {1, 0, 0}},
		"partly":   {{1, -1, 1}, {-1, -1, 0}},
		"lost":     {{1, 1, 1}, {-1, -1, -1}},
	}
	for _, uuid := range []string{"better", "worse", "same", "both bad", "partly", "lost"} {
		for i := range 3 {
			a.Scores = append(a.Scores, score(uuid, i, marks[uuid][0][i]))
			b.Scores = append(b.Scores, score(uuid, i, marks[uuid][1][i]))
		}
	}
	r, err := compare.Runs(a, b, compare.Options{Rounds: 50, IncludePartial: true})
	if err != nil {
		t.Fatal(err)
	}
	g := r.All
	if !r.Repeats || g.OnlyA != 2 || g.OnlyB != 1 || g.Both != 1 || g.Neither != 1 || r.LeftOut.OnlyA != 1 {
		t.Errorf("repeats %v, left out %+v, %+v", r.Repeats, r.LeftOut, g)
	}
	want := (2./3 + 1./3 + 2./3 + 1./3 + 1) / 5 * 100
	if math.Abs(g.A-want) > 1e-9 {
		t.Errorf("A = %g, want %g", g.A, want)
	}
	// -1/3, 1/3, 0, 0, -1
	if want := 100 * math.Sqrt((11./9-5*0.04)/4); g.Discordant != 0.6 || math.Abs(g.Spread-want) > 1e-9 {
		t.Errorf("discordant %g, spread %g, want 0.6, %g", g.Discordant, g.Spread, want)
	}
	if want := (1.959964 + 0.841621) * g.Spread / math.Sqrt(5); g.Detectable == nil || math.Abs(*g.Detectable-want) > 1e-4 {
		t.Errorf("detectable %v, want %g", g.Detectable, want)
	}
	if n := compare.QuestionsLike(r, *g.Detectable, 0.8).Questions; n == nil || *n != 5 {
		t.Errorf("questions for what five can show: %v", n)
	}
	episodes := []string{r.Flips[0].EpisodeA, r.Flips[0].EpisodeB, r.Flips[2].EpisodeA, r.Flips[2].EpisodeB}
	if diff := cmp.Diff([]string{"better#0", "better#0", "worse#0", "worse#1"}, episodes); diff != "" {
		t.Errorf("episodes (-want +got):\n%s", diff)
	}
}

func TestWarnings(t *testing.T) {
	long := strings.Repeat("10", 40)
	tests := []struct {
		name   string
		change func(b *compare.Side)
		want   string
	}{
		{"nothing", func(*compare.Side) {}, ""},
		{"scoring", func(b *compare.Side) { b.Scoring = "fixed" }, "the scoring differs: A reference, B fixed"},
		{"judge", func(b *compare.Side) { b.Judge = "offline" }, "the judge differs: A none, B offline"},
		{"a gold", func(b *compare.Side) { b.Examples[3].Evaluator.Kwargs = json.RawMessage(`{"gold":4}`) }, "the questions differ: 0 in A only, 0 in B only, 1 with another text or gold"},
		{"a text", func(b *compare.Side) { b.Examples[3].Question = "?" }, "the questions differ: 0 in A only, 0 in B only, 1 with another text or gold"},
		{"a question", func(b *compare.Side) { b.Examples = b.Examples[:70] }, "the questions differ: 10 in A only, 0 in B only, 0 with another text or gold"},
		{"a tag", func(b *compare.Side) { b.Examples[3].Tags = nil }, ""},
		{"no questions", func(b *compare.Side) { b.Examples = nil }, ""},
		{"the rules", func(b *compare.Side) { b.Model = "offline" }, `"offline" is a rule-based policy, not a language model: its scores say nothing about any model`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := sides(long, long)
			tt.change(&b)
			r, err := compare.Runs(a, b, compare.Options{Rounds: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(r.Warnings, "\n"); got != tt.want {
				t.Errorf("warnings %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNothingShared(t *testing.T) {
	a, b := sides("1-", "-1")
	if _, err := compare.Runs(a, b, compare.Options{}); !errors.Is(err, compare.ErrNothingShared) {
		t.Errorf("error %v", err)
	}
	if _, err := compare.Pairs([]compare.Side{a, a, b}, compare.Options{Rounds: 1}); !errors.Is(err, compare.ErrNothingShared) {
		t.Errorf("error %v", err)
	}
}

func TestTraces(t *testing.T) {
	flip := compare.Flip{EpisodeA: "q'1", EpisodeB: "q1#2"}
	r := compare.Result{A: compare.System{Run: "my runs/a"}, B: compare.System{Run: "runs/b"}}
	want := []string{`airqa trace 'my runs/a' 'q'\''1'`, "airqa trace runs/b q1#2"}
	if diff := cmp.Diff(want, flip.Traces(r)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if lines := flip.Traces(compare.Result{}); len(lines) != 0 {
		t.Errorf("scores without runs have traces: %q", lines)
	}
}

func TestQuestions(t *testing.T) {
	if n := compare.Questions(3, 0.2, 0.8).Questions; n == nil || *n != 1742 {
		t.Errorf("questions %v, want 1742", n)
	}
	if n := compare.Questions(30, 0.2, 0.8).Questions; n != nil {
		t.Errorf("%d questions show more than the systems disagree", *n)
	}
}

func TestWrite(t *testing.T) {
	a, b := sides("11011100110100110110u1", "1011111111110111111101")
	a.Examples[1].Question = "A \x1b[31mred\u202e question | with *marks*, `code`\nand a second line that runs on and on and on and on"
	b.Examples[1], a.Path, a.Run = a.Examples[1], "my runs/rag", "my runs/rag"
	r, err := compare.Runs(a, b, compare.Options{Rounds: 500, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]render.Options{
		"two.text":    {Format: "text", Flips: 2},
		"two.80.text": {Format: "text", Flips: 2, Width: 80},
		"two.40.text": {Format: "text", Flips: 1, Width: 40},
		"two.md":      {Format: "md", Flips: 2},
		"two.json":    {Format: "json"},
	} {
		t.Run(name, func(t *testing.T) {
			got := printed(t, func(out *bytes.Buffer) error { return r.Write(out, l) })
			golden.Check(t, name, got)
			if l.Format != "json" {
				fits(t, got, l.Width)
			}
		})
	}
}

func TestWriteRepeats(t *testing.T) {
	a, b := system("rag"), system("hybrid")
	for i := range 12 {
		uuid := fmt.Sprintf("q%d", i)
		a.Scores = append(a.Scores, score(uuid, 0, 0), score(uuid, 1, 0))
		b.Scores = append(b.Scores, score(uuid, 0, 1), score(uuid, 1, float64(i%2)))
	}
	r, err := compare.Runs(a, b, compare.Options{Rounds: 500})
	if err != nil {
		t.Fatal(err)
	}
	l := render.Options{Format: "text", Flips: 1, Width: 80}
	golden.Check(t, "repeats.text", printed(t, func(out *bytes.Buffer) error {
		if err := r.Write(out, l); err != nil {
			return err
		}
		return compare.QuestionsLike(r, 3, 0.8).Write(out, l)
	}))
}

func TestWritePairs(t *testing.T) {
	a, b := sides("11011100110100110110", "10111111111101111111")
	c := b
	c.Path, c.Baseline, c.Judge = "runs/view", "view", "offline"
	list := []compare.Side{a, b, c}
	results, err := compare.Pairs(list, compare.Options{Rounds: 500})
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]render.Options{
		"three.80.text": {Format: "text", Width: 80},
		"three.40.text": {Format: "text", Width: 40},
		"three.md":      {Format: "md"},
		"three.json":    {Format: "json"},
	} {
		t.Run(name, func(t *testing.T) {
			got := printed(t, func(out *bytes.Buffer) error { return compare.WritePairs(out, list, results, l) })
			golden.Check(t, name, got)
			fits(t, got, l.Width)
		})
	}
}

func TestWriteNeed(t *testing.T) {
	got := printed(t, func(out *bytes.Buffer) error {
		for _, l := range []render.Options{{Format: "text"}, {Format: "text", Width: 40}, {Format: "json"}} {
			for _, need := range []compare.Need{compare.Questions(3, 0.2, 0.8), compare.Questions(30, 0.125, 0.9)} {
				if err := need.Write(out, l); err != nil {
					return err
				}
			}
		}
		return nil
	})
	golden.Check(t, "need.text", got)
}

func printed(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// fits fails on control characters, and on lines wider than the terminal except commands.
func fits(t *testing.T, text string, width int) {
	t.Helper()
	if strings.ContainsAny(text, "\x1b\u202e") {
		t.Error("a control character is printed as it is")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if width > 0 && len([]rune(line)) > width && !strings.Contains(line, "airqa trace") {
			t.Errorf("wider than %d: %q", width, line)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	config := runlog.Config{Shape: runlog.Shape{Baseline: "rag", Model: map[string]any{"provider": "openai", "model": "gpt-4o"}}}
	if err := runlog.Create(dir, config, nil); err != nil {
		t.Fatal(err)
	}
	run, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compare.Load(run, nil, compare.Choice{}); !errors.Is(err, runlog.ErrNoScores) {
		t.Errorf("a run without scores: %v", err)
	}
	want := []qa.Score{score("a", 0, 1), score("b", 0, 0)}
	if err := runlog.WriteScores(dir, runlog.Scoring{Mode: "reference", Judge: "none"}, want, nil); err != nil {
		t.Fatal(err)
	}
	newest, err := compare.Load(run, nil, compare.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "scores", "reference.none.jsonl")
	named, err := compare.Load(run, nil, compare.Choice{File: file})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compare.Load(run, nil, compare.Choice{Choice: runlog.Choice{Scoring: "fixed"}}); !errors.Is(err, runlog.ErrOtherScores) {
		t.Errorf("a run that is scored otherwise: %v", err)
	}
	for _, side := range []compare.Side{newest, named} {
		if side.Baseline != "rag" || side.Model != "openai:gpt-4o" || side.Judge != "none" || !cmp.Equal(side.Scores, want) {
			t.Errorf("got %+v", side)
		}
	}
	bare, err := compare.LoadFile(file)
	if err != nil || bare.Run != "" || bare.Path != file || len(bare.Scores) != 2 {
		t.Errorf("a score file alone: %+v, %v", bare, err)
	}
}

func TestLoadFileRefuses(t *testing.T) {
	const head = `{"format":1,"mode":"reference","judge":"none","program":"p","created":"2031-05-01T12:00:00Z"}` + "\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "the first line is not the header of a score file"},
		{"predictions", `{"uuid":"a","answer":1}`, "the first line is not the header of a score file"},
		{"another format", strings.Replace(head, `:1`, `:9`, 1), "format 9; this program reads format 1"},
		{"no score", head + `{"uuid":"a","verdict":"right","score":1,"eval_func":"f"}` + "\n" + `{"uuid":1}` + "\n", "scores.jsonl:3: "},
		{"no JSON", head + "nonsense\n", "scores.jsonl:2: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "scores.jsonl")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := compare.LoadFile(path); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := compare.LoadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// The text explains a disagreement between test and interval.
func TestVerdict(t *testing.T) {
	repeated := func(n int, a, b float64) (compare.Side, compare.Side) {
		left, right := system("rag"), system("hybrid")
		for i := range 24 {
			for repeat := range 3 {
				x, y := 0., 0.
				if i < n && repeat == 0 {
					x = a
				}
				if i >= n && i < 9 {
					y = b
				}
				uuid := fmt.Sprint("q", i)
				left.Scores, right.Scores = append(left.Scores, score(uuid, repeat, x)), append(right.Scores, score(uuid, repeat, y))
			}
		}
		return left, right
	}
	tests := []struct {
		name, want string
		runs       func() (compare.Side, compare.Side)
	}{
		{name: "neither", want: "These questions do not separate A from B.", runs: func() (compare.Side, compare.Side) { return sides("110011", "101011") }},
		{name: "only the interval, repeats", want: "The test does not separate A from B, but the interval does", runs: func() (compare.Side, compare.Side) { return repeated(3, 1, 1) }},
		{name: "only the interval", want: "although the interval excludes 0", runs: func() (compare.Side, compare.Side) {
			return sides(strings.Repeat("0", 60), strings.Repeat("001", 4)+strings.Repeat("000", 16))
		}},
		{name: "both", want: "B does better than A on more questions", runs: func() (compare.Side, compare.Side) { return repeated(0, 1, 1) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := tt.runs()
			r, err := compare.Runs(a, b, compare.Options{Rounds: 2000, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := r.Write(&out, render.Options{Width: 200}); err != nil || !strings.Contains(out.String(), tt.want) {
				t.Errorf("%v, want %q in:\n%s", err, tt.want, out.String())
			}
		})
	}
}

// Identical systems do not differ just because answers of one of them lost their verdict.
func TestPartlyScored(t *testing.T) {
	a, b := system("rag"), system("rag")
	for i := range 40 {
		uuid := fmt.Sprintf("q%02d", i)
		for repeat := range 3 {
			value := float64((i + repeat) % 2)
			a.Scores = append(a.Scores, score(uuid, repeat, value))
			if i < 8 && value == 1 {
				value = -1
			}
			b.Scores = append(b.Scores, score(uuid, repeat, value))
		}
	}
	r, err := compare.Runs(a, b, compare.Options{Rounds: 500})
	if err != nil {
		t.Fatal(err)
	}
	if g := r.All; g.Questions != 32 || g.Difference != 0 || g.P != 1 || r.LeftOut.Partly != 8 {
		t.Errorf("%d questions, difference %g, p %g, left out %+v", g.Questions, g.Difference, g.P, r.LeftOut)
	}
	if !slices.Contains(r.Warnings, "12 of 120 answers of B have no verdict; their questions are left out of both runs") {
		t.Errorf("warnings %q", r.Warnings)
	}
	text := printed(t, func(out *bytes.Buffer) error { return r.Write(out, render.Options{}) })
	if !strings.Contains(text, "Excluded as only partly scored: 8") || !strings.Contains(text, "Sign test (mid-p) on the means") {
		t.Errorf("printed:\n%s", text)
	}
	// The biased comparison is optional.
	r, err = compare.Runs(a, b, compare.Options{Rounds: 500, IncludePartial: true})
	if err != nil || r.All.Questions != 40 || r.All.Difference >= 0 || r.All.P > 0.01 {
		t.Errorf("with all: %+v, %v", r.All, err)
	}
}

// Answers that failed without a judge still count if the judge of one run was down.
func TestJudgeOutage(t *testing.T) {
	a, b := sides("1111", "11uu")
	for _, side := range []*compare.Side{&a, &b} {
		for i := range side.Examples {
			side.Examples[i].Evaluator = qa.Evaluator{Func: "eval_reference_answer_with_llm", Kwargs: []byte(`{"reference_answer": "x", "question": "y"}`)}
		}
	}
	r, err := compare.Runs(a, b, compare.Options{Rounds: 50})
	if err != nil || !strings.Contains(strings.Join(r.Warnings, "\n"), "2 of them are of questions that need a judge") {
		t.Errorf("warnings %q, %v", r.Warnings, err)
	}
}
