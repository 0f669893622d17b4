package terminal

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"airqa/internal/terminal"
	"airqa/internal/testkit"
	"airqa/qa"
	"airqa/runlog"
	"airqa/trace"
	"airqa/trace/cause"
	"airqa/trace/diff"
)

// hostile has all that could move a cursor or break a line.
const hostile = "\x1b[2J\x1b]0;title\x07\u202e漢字 emoji 👩‍👩‍👧 \r\n\tx\u2028y\x00 \xff"

// No screen is wider or higher than the terminal, and no text of an episode reaches it as it is.
func TestEverySize(t *testing.T) {
	testkit.OneGoroutine(t)
	long := strings.Repeat(hostile, 20)
	w := trace.Row{Run: hostile, Episode: "00000001#0", UUID: "00000001", Short: "00000001", Asked: trace.Asked{Question: long, Gold: long}, Facts: trace.Facts{
		Status: trace.Wrong, Given: true, Answer: long, Turns: 123456, Prompt: 1 << 40, Cause: cause.TextualReasoning, LostAt: "answer", LostAtWeak: true,
	}}
	rec := runlog.Recorded{Trajectory: qa.Trajectory{Episode: w.Episode, UUID: w.UUID, Messages: []qa.Message{{Role: qa.User, Text: long}}, Steps: []qa.Step{{
		N: 1, By: qa.ByModel, Reply: &qa.Reply{Text: long, Reasoning: long}, Action: &qa.Action{Name: hostile, Text: long},
		Observation: &qa.Observation{Status: qa.Status(hostile), Text: `{"` + strings.Repeat("c", 90) + `": "` + strings.Repeat("v", 300) + `"}` + "\n(1 row)"},
	}}}}
	e := trace.Episode{Row: w, Traced: trace.NewTraced(qa.Example{Question: long, AnswerFormat: long}, rec, nil), Why: cause.Cause{Code: cause.WrongGold, Why: long}}
	other := rec
	other.Steps = []qa.Step{{N: 1, By: qa.ByProgram, Action: &qa.Action{Name: hostile, Text: "x" + long, Args: map[string]any{hostile: long}}}}
	q := diff.Question{Question: long, Gold: long, Diff: diff.Of(rec, other)}
	q.A.Run, q.B.Run = hostile, strings.Repeat("long", 90)
	b := newBrowser(t.Context(), Config{Library: &trace.Library{Runs: []*trace.Run{{}, {}}}, Paths: []string{hostile}})
	b.listed(rowsMsg{rows: []trace.Row{w, w, w}, total: 9, of: 99, notices: []string{long}, writing: true})
	for _, width := range []int{1, 23, 24, 25, 31, 40, 41, 43, 59, 80, 81, 97, 120, 161, 200} {
		for _, height := range []int{1, 5, 6, 20} {
			b.Update(tea.WindowSizeMsg{Width: width, Height: height})
			for s := listScreen; s <= helpScreen; s++ {
				b.screen, b.before, b.view, b.compared = s, s, view{id: w.Key()}, comparison{}
				if s == episodeScreen || s == queueScreen {
					b.library.opening = 0
					b.opened(episodeMsg{episode: e})
				}
				if s == diffScreen {
					b.view.episode, b.compared.other = e, trace.Key{Run: hostile, Episode: w.Episode}
					b.aligned(comparedMsg{question: q})
				}
				for _, typing := range []bool{false, true} {
					b.prompt = nil
					if typing {
						b.message = long
						b.ask(askComment, "")
						b.type_(tea.PasteMsg{Content: long})
					}
					fits(t, fmt.Sprintf("screen %d, typing %t", s, typing), b, typing)
				}
			}
		}
	}
}

// fits checks the size of a screen. An input of bubbles is at least one column wider than its prompt.
func fits(t *testing.T, name string, b *browser, typing bool) {
	t.Helper()
	lines := strings.Split(b.View().Content, "\n")
	if len(lines) > b.height {
		t.Fatalf("%s: %d lines of %d", name, len(lines), b.height)
	}
	if typing {
		lines = lines[:len(lines)-1]
	}
	for _, line := range lines {
		if n := terminal.Width(line); n > b.width {
			t.Fatalf("%s: %d columns of %d: %q", name, n, b.width, line)
		}
		if terminal.Safe(line) != line {
			t.Fatalf("%s: unsafe: %q", name, line)
		}
	}
}

func TestParseFilter(t *testing.T) {
	for _, tt := range []struct {
		text, want, err string
	}{
		{text: "", want: ""},
		{text: "--status wrong --status=failed", want: "--status=wrong --status=failed"},
		{text: `--grep "learning rate" --limit 3`, want: "'--grep=learning rate' --limit=3"},
		{text: "--grep 'it''s'", want: "--grep=its"},
		{text: `--grep "it's"`, want: `'--grep=it'"'"'s'`},
		{text: "learning rate", want: "'--grep=learning rate'"},
		{text: "--status good", err: "must be one of"},
		{text: "--nonsense", err: "unknown flag"},
		{text: `--grep "open`, err: "unclosed quote"},
		{text: "--limit x", err: "limit"},
		{text: "--help", err: "unknown flag"},
	} {
		f, err := parseFilter(tt.text)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: error %v, want %q", tt.text, err, tt.err)
			}
			continue
		}
		if got := strings.Join(quoted(f.Flags()), " "); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.text, got, err, tt.want)
		}
	}
}
