package trace_test

import (
	"testing"

	"airqa/qa"
	"airqa/runlog"
	"airqa/trace"
)

// Each kind of mark has a label of its own, and a sentence with its details.
func TestMarkTexts(t *testing.T) {
	step := qa.Step{
		ParseError:  &qa.ParseError{Reason: "a quote is not closed"},
		Observation: &qa.Observation{Cut: &qa.Cut{Reason: "tokens", RowsShown: 2, RowsTotal: 5, TokenLimit: 5000}},
	}
	sentences := map[trace.MarkKind]string{
		trace.MarkFormat: "format error: a quote is not closed", trace.MarkError: "tool error", trace.MarkEmpty: "empty result",
		trace.MarkRepeated: "repeated: the same action as step 1; 40 tokens wasted",
		trace.MarkCut:      "cut: 2 of 5 rows shown (limit: 5000 tokens)",
		trace.MarkLeft:     "left the window: the last request did not contain this result", trace.MarkReply: "reply cut off at the token limit",
	}
	labels := map[string]bool{}
	for _, kind := range trace.MarkKinds() {
		m := trace.Mark{Step: 3, Kind: kind, First: 1, Wasted: 40}
		if got := m.Sentence(step); got != sentences[kind] {
			t.Errorf("%s: %q, want %q", kind, got, sentences[kind])
		}
		if labels[m.Label()] || m.Label() == "" {
			t.Errorf("%s: the label %q is empty or taken", kind, m.Label())
		}
		labels[m.Label()] = true
	}
}

func TestCutSentence(t *testing.T) {
	for want, cut := range map[string]qa.Cut{
		"cut: 2 of more rows shown (row limit)":                           {Reason: "rows", RowsShown: 2, RowsTotal: -1},
		"cut: 1 of 3 rows shown, the last one in part (limit: 90 tokens)": {Reason: "cell", RowsShown: 1, RowsTotal: 3, TokenLimit: 90},
	} {
		got := trace.Mark{Kind: trace.MarkCut}.Sentence(qa.Step{Observation: &qa.Observation{Cut: &cut}})
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A step is named by its action, or by what its reply is instead.
func TestStepTitle(t *testing.T) {
	for want, s := range map[string]qa.Step{
		"View": {Action: &qa.Action{Name: "View"}}, "reply": {Reply: &qa.Reply{Text: "91.6"}},
		"no action": {ParseError: &qa.ParseError{}, Action: &qa.Action{Name: "View"}},
	} {
		if got := trace.StepTitle(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The marks of a step are those of the episode with its number, in their order.
func TestStepMarks(t *testing.T) {
	e := trace.Episode{Marks: []trace.Mark{{Step: 1, Kind: trace.MarkError}, {Step: 2, Kind: trace.MarkCut}, {Step: 2, Kind: trace.MarkLeft}}}
	if got := e.StepMarks(2); len(got) != 2 || got[0].Kind != trace.MarkCut || got[1].Kind != trace.MarkLeft {
		t.Errorf("marks %v", got)
	}
	if got := e.StepMarks(3); got != nil {
		t.Errorf("marks %v of a step without one", got)
	}
}

// The other episodes of a question follow each other in a circle over runs and repeats.
func TestSameQuestion(t *testing.T) {
	row := func(run, uuid string, repeat int) trace.Row {
		return trace.Row{Run: run, UUID: uuid, Repeat: repeat, Episode: qa.EpisodeID(uuid, repeat)}
	}
	l := &trace.Library{Runs: []*trace.Run{
		{Name: "one", Log: &runlog.Run{}, Rows: []trace.Row{row("one", "a", 0), row("one", "b", 0), row("one", "a", 1)}},
		{Name: "two", Log: &runlog.Run{}, Rows: []trace.Row{row("two", "a", 0)}},
	}}
	for at, want := range map[trace.Key][]string{
		{Run: "one", Episode: "a#0"}: {"one a#1", "two a#0", "one a#0"},
		{Run: "one", Episode: "a#1"}: {"two a#0", "one a#0", "one a#1"},
		{Run: "two", Episode: "a#0"}: {"one a#0", "one a#1", "two a#0"},
		{Run: "two", Episode: "b#0"}: {"one a#0", "one a#1", "two a#0"},
	} {
		var got []string
		for _, w := range l.SameQuestion("a", at) {
			got = append(got, w.Run+" "+w.Episode)
		}
		if len(got) != len(want) {
			t.Fatalf("%v: %q", at, got)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%v: %q, want %q", at, got, want)
				break
			}
		}
	}
}
