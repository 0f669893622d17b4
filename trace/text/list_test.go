package text_test

import (
	"strings"
	"testing"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/report/render"
	"airqa/trace"
	"airqa/trace/cause"
	"airqa/trace/text"
)

func listed(runs ...string) []trace.Row {
	var rows []trace.Row
	cost := 0.0123
	for _, run := range runs {
		rows = append(rows, trace.Row{
			Run: run, Episode: "1e6bccdd-a993#1", UUID: "1e6bccdd-a993", Repeat: 1, Short: "1e6bccdd",
			Asked: trace.Asked{Gold: "a gold answer of some length", Question: "How many heads does the base model use in \x1b[31meach layer?"},
			Facts: trace.Facts{
				Status: trace.Wrong, Verdict: qa.Wrong, Outcome: qa.Answered, Given: true, Answer: "an answer of some length", Turns: 3,
				Prompt: 12000, Completion: 345, CostUSD: &cost, LostAt: cause.LevelCut, LostAtWeak: true, Cause: cause.LackOfContext,
			},
		})
	}
	return rows
}

func listText(t *testing.T, l text.EpisodeList, format string, width int) string {
	t.Helper()
	var b strings.Builder
	if err := l.Write(&b, render.Options{Format: format, Width: width}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A list fits the terminal, and both answers are visible at 80 columns.
func TestEpisodesFit(t *testing.T) {
	list := text.EpisodeList{Rows: listed("runs/a", "runs/b"), Runs: 2, Total: 2, Of: 9}
	for _, width := range []int{60, 80, 100, 140, 200} {
		got := listText(t, list, "", width)
		for line := range strings.Lines(got) {
			if w := terminal.Width(strings.TrimRight(line, "\n")); w > width {
				t.Errorf("%d columns of %d: %s", w, width, line)
			}
		}
		if width >= 80 && (!strings.Contains(got, "an an") || !strings.Contains(got, "a g") || !strings.Contains(got, "cut?")) {
			t.Errorf("at %d columns:\n%s", width, got)
		}
		if strings.Contains(got, "\x1b") || !strings.Contains(got, "2 of 9 episodes") {
			t.Errorf("at %d columns:\n%s", width, got)
		}
	}
}

// Runs go by their last part, unless it is not unique.
func TestEpisodesRuns(t *testing.T) {
	for want, runs := range map[string][]string{"\na  ": {"x/a", "x/b"}, "\nx/a  ": {"x/a", "y/a"}} {
		if got := listText(t, text.EpisodeList{Rows: listed(runs...), Runs: 2, Total: 2, Of: 2}, "", 0); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// An empty run, a filter that selects nothing, and a limit are different things; a decision replaces the rule's cause.
func TestEpisodesSummary(t *testing.T) {
	decided := map[trace.Key]trace.Note{{Run: "a", Episode: "1e6bccdd-a993#1"}: {Cause: cause.WrongGold}}
	for want, list := range map[string]text.EpisodeList{
		"no episodes yet":                   {},
		"0 of 3 episodes: no episode match": {Of: 3},
		"1 shown, 2 of 3 episodes match":    {Rows: listed("a"), Total: 2, Of: 3},
		"wrong_gold ✓":                      {Rows: listed("a"), Total: 1, Of: 1, Decided: decided},
		"$0.01":                             {Rows: listed("a"), Total: 1, Of: 1},
	} {
		for _, format := range []string{"text", "md"} {
			if got := listText(t, list, format, 0); !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", format, want, got)
			}
		}
	}
}
