package text_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"airqa/internal/terminal"
	"airqa/internal/testkit/golden"
	"airqa/qa"
	"airqa/report/render"
	"airqa/runlog"
	"airqa/trace/diff"
	"airqa/trace/text"
)

// acted is a step with an action; an empty result is none.
func acted(n int, name, arg, value, result string) qa.Step {
	s := qa.Step{
		N: n, By: qa.ByModel, Reply: &qa.Reply{Text: "[Action]: " + name},
		Action: &qa.Action{Name: name, Args: map[string]any{arg: value}, Text: fmt.Sprintf("%s(%s=%q)", name, arg, value)},
	}
	if result != "" {
		s.Observation = &qa.Observation{Status: qa.StatusOK, Text: result}
	}
	return s
}

func recorded(answer string, steps ...qa.Step) runlog.Recorded {
	return runlog.Recorded{Trajectory: qa.Trajectory{
		Episode: "u#0", UUID: "u", Steps: steps, Outcome: qa.Answered, Answer: qa.Answer{Given: true, Text: answer},
	}}
}

// compared are two trajectories with a step of every kind. Their texts are not safe for a terminal.
func compared() diff.Question {
	sql := "SELECT title, num_pages FROM metadata WHERE title ILIKE '%anchor%' AND num_pages > 3 ORDER BY title LIMIT 5"
	a := recorded("3",
		acted(1, "Retrieve", "query", "window size", `{"score": 1}`), acted(2, "Query", "sql", sql, `{"n": 1}`+"\n(1 row)"),
		acted(3, "Query", "sql", sql+" OFFSET 1", "rows\nof A"), acted(4, "View", "paper_id", "p", "Page 1"), acted(5, "Answer", "answer", "3", ""))
	b := recorded("4\x1b[31m",
		acted(1, "Retrieve", "query", "window  size", `{"score": 1}`), acted(2, "Query", "sql", strings.ToLower(sql[:6])+sql[6:], `{"n": 2}`+"\n(1 row)"),
		acted(3, "Query", "sql", sql+" OFFSET 2", "rows\nof B\x1b[2J\u202e"), acted(4, "Answer", "answer", "4", ""))
	b.Steps[3].By = qa.ByProgram
	d := diff.Of(a, b)
	d.Prompt = []diff.PromptChange{{Message: 0, Role: qa.System, Change: *diff.Texts("You answer.", "You ask.")}}
	d.A.Run, d.A.Baseline, d.A.Model, d.A.Score = "runs/a", "agentic-rag", "openai:m", &qa.Score{Verdict: qa.Right}
	d.B.Run, d.B.Baseline, d.B.Model = "runs/b", "agentic-rag", "openai:n"
	return diff.Question{
		UUID: "u", Question: "How many\nfigures?", Gold: "3", Diff: d,
		Settings: []runlog.Change{{Key: "model.model", Old: `"m"`, New: `"n"`}, {Key: "settings.turns", New: "9"}},
	}
}

func TestDiff(t *testing.T) {
	for name, o := range map[string]render.Options{
		"diff.text": {Format: "text"}, "diff.80.text": {Width: 80}, "diff.120.text": {Width: 120}, "diff.md": {Format: "md"},
		"diff.json": {Format: "json"}, "diff.csv": {Format: "csv"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := text.Diff(&out, compared(), o); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, name, out.String())
			if o.Format != "csv" && o.Format != "json" && strings.ContainsAny(out.String(), "\x1b\u202e") {
				t.Error("a control character is printed as it is")
			}
			for line := range strings.Lines(out.String()) {
				if n := utf8.RuneCountInString(strings.TrimSpace(line)); o.Width > 0 && n > o.Width {
					t.Errorf("%d characters: %s", n, line)
				}
			}
		})
	}
}

// On a terminal the sides and what is equal have colours of their own.
func TestDiffColours(t *testing.T) {
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	defer func() { _ = f.Close() }()
	style := terminal.StyleOf(f, func(string) string { return "" })
	for _, width := range []int{80, 120} {
		var out bytes.Buffer
		if err := text.Diff(&out, compared(), render.Options{Width: width, Style: style}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"\x1b[31mA step 2", "\x1b[32mB step 2", "\x1b[2m── 1 equal step"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%d columns: no %q", width, want)
			}
		}
	}
}

func TestDiffRuns(t *testing.T) {
	side := func(v qa.Verdict, answer, action string) diff.FlippedSide {
		return diff.FlippedSide{Run: "runs/a", Verdict: v, Outcome: qa.Answered, Answer: answer, Action: action}
	}
	const uuid = "00608f20-e3f5-5fdc-8979-4efeb0756d8e"
	r := diff.Runs{
		A: diff.Side{Run: "runs/a", Baseline: "rag", Model: "openai:m", Scoring: "fixed", Judge: "none"},
		B: diff.Side{Run: "runs/b", Baseline: "rag", Model: "openai:n", Scoring: "fixed", Judge: "none"}, Both: 40, Other: 2,
		Settings: []runlog.Change{{Key: "prompts.react", Old: `"` + strings.Repeat("a", 64) + `"`, New: `"` + strings.Repeat("b", 64) + `"`}},
		Flips: []diff.Flip{
			{Episode: uuid + "#0", UUID: uuid, Change: diff.Won, Diverged: diff.Later, Step: 3, A: side(qa.Wrong, "3", "Query(sql='\x1b')"), B: side(qa.Right, "4", "")},
			{Episode: "q2#1", UUID: "q2", Repeat: 1, Change: diff.Lost, Diverged: diff.Never, A: side(qa.Right, "3", ""), B: side(qa.Wrong, "3", "")},
			{
				Episode: "q3#0", UUID: "q3", Change: diff.NoVerdict, Diverged: diff.AfterResult, Step: 2, Result: diff.Texts("one", "two"),
				A: side(qa.Unscored, "3", "Query(sql='x')"), B: side(qa.Wrong, "3", "Query(sql='x')"),
			},
		},
	}
	for name, o := range map[string]render.Options{"flips.text": {}, "flips.80.text": {Width: 80}, "flips.md": {Format: "md"}, "flips.json": {Format: "json"}} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := text.DiffRuns(&out, r, o); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, name, out.String())
		})
	}
	var out bytes.Buffer
	r.Flips = nil
	if err := text.DiffRuns(&out, r, render.Options{}); err != nil || !strings.Contains(out.String(), "0 right in A only") {
		t.Errorf("%v: %s", err, out.String())
	}
}
