package qa_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
)

func TestThought(t *testing.T) {
	reply := &qa.Reply{Text: "[Thought]: look\n[Action]: Query()"}
	tests := []struct {
		name string
		step qa.Step
		want string
	}{
		{"in the reply", qa.Step{Reply: reply, ThoughtAt: qa.Span{First: 11, End: 15}}, "look"},
		{"from the start", qa.Step{Reply: reply, ThoughtAt: qa.Span{First: 0, End: 9}}, "[Thought]"},
		{"to the end", qa.Step{Reply: reply, ThoughtAt: qa.Span{First: 26, End: 33}}, "Query()"},
		{"none", qa.Step{Reply: reply}, ""},
		{"without a reply", qa.Step{ThoughtAt: qa.Span{First: 0, End: 4}}, ""},
		{"before the reply", qa.Step{Reply: reply, ThoughtAt: qa.Span{First: -1, End: 4}}, ""},
		{"behind the reply", qa.Step{Reply: reply, ThoughtAt: qa.Span{First: 30, End: 34}}, ""},
		{"backwards", qa.Step{Reply: reply, ThoughtAt: qa.Span{First: 4, End: 3}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.step.Thought(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// The history has the reply up to the end of its action, and a native call as the model made it.
func TestStepMessage(t *testing.T) {
	calls := []qa.ToolCall{{ID: "1", Name: "Query"}, {ID: "2", Name: "View"}}
	sealed := json.RawMessage(`{"signature":"x"}`)
	reply := &qa.Reply{Text: "act and invent", Reasoning: "hm", ToolCalls: calls, Sealed: sealed}
	tests := []struct {
		name string
		step qa.Step
		want qa.Message
	}{
		{"text", qa.Step{Reply: reply, Kept: 3}, qa.Message{Role: qa.Assistant, Text: "act", Reasoning: "hm", Sealed: sealed}},
		{
			"the whole reply",
			qa.Step{Reply: reply, Kept: 14},
			qa.Message{Role: qa.Assistant, Text: "act and invent", Reasoning: "hm", Sealed: sealed},
		},
		{
			"reasoning without a field of its own",
			qa.Step{Reply: &qa.Reply{Text: "act", Reasoning: "hm"}, Kept: 3},
			qa.Message{Role: qa.Assistant, Text: "act"},
		},
		{"more than the reply", qa.Step{Reply: reply, Kept: 15}, qa.Message{Role: qa.Assistant}},
		{"less than nothing", qa.Step{Reply: reply, Kept: -1}, qa.Message{Role: qa.Assistant}},
		{"an action of the program", qa.Step{}, qa.Message{Role: qa.Assistant}},
		{"a native call", qa.Step{Reply: reply, Kept: 3, Called: &calls[0]}, qa.Message{Role: qa.Assistant, Text: "act", ToolCalls: calls[:1], Reasoning: "hm", Sealed: sealed}},
		{
			"several native calls",
			qa.Step{Reply: reply, Called: &calls[0], Others: []qa.CallResult{{ID: "2", Text: qa.NotRunResult}}},
			qa.Message{Role: qa.Assistant, ToolCalls: calls, Reasoning: "hm", Sealed: sealed},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.step.Message()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestObservationMessage(t *testing.T) {
	images := []qa.Image{{SHA256: "00", MIME: "image/png"}}
	one, two := qa.Observation{Text: "3 rows", Images: images}, qa.Observation{Text: "a\nb"}
	tests := []struct {
		name string
		step qa.Step
		want qa.Message
	}{
		{"a line", qa.Step{Observation: &one}, qa.Message{Role: qa.User, Text: "[Observation]: 3 rows", Images: images}},
		{"lines", qa.Step{Observation: &two}, qa.Message{Role: qa.User, Text: "[Observation]:\na\nb"}},
		{
			"a native call",
			qa.Step{Observation: &one, Called: &qa.ToolCall{ID: "7"}, Others: []qa.CallResult{{ID: "8", Text: qa.NotRunResult}}, Unlabelled: true},
			qa.Message{Role: qa.ToolResult, Text: "3 rows", Images: images, ToolCallID: "7", Others: []qa.CallResult{{ID: "8", Text: qa.NotRunResult}}},
		},
		{
			"an action in the text, without labels",
			qa.Step{Observation: &one, Unlabelled: true, Action: &qa.Action{Name: "Query"}},
			qa.Message{Role: qa.User, Text: "Result of Query:\n3 rows", Images: images},
		},
		{"no action, without labels", qa.Step{Observation: &two, Unlabelled: true}, qa.Message{Role: qa.User, Text: "a\nb"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.step.ObservationMessage()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if one.Text != "3 rows" {
		t.Errorf("the observation was changed: %q", one.Text)
	}
}

// Steps of the program are not turns; cached replies use no tokens; failed requests are charged separately.
func TestTrajectorySums(t *testing.T) {
	charged := &qa.Usage{Prompt: 50, Completion: 5, Estimated: true}
	tr := qa.Trajectory{
		FailedAttempts: []qa.Attempt{{Error: "server", Charged: charged}, {Status: 401, Error: "auth"}},
		Steps: []qa.Step{
			{N: 1, By: qa.ByProgram},
			{N: 2, Reply: &qa.Reply{Usage: qa.Usage{Prompt: 100, Completion: 10}, Attempts: []qa.Attempt{{Error: "timeout", Charged: charged}, {Status: 200}}}},
			{N: 3, Reply: &qa.Reply{Usage: qa.Usage{Prompt: 1000, Completion: 100}, Cached: true}},
			{N: 4, Reply: &qa.Reply{Usage: qa.Usage{Prompt: 200, Completion: 20}}},
		},
	}
	if got, want := tr.Usage(), (qa.Usage{Prompt: 300, Completion: 30}); got != want {
		t.Errorf("usage %+v, want %+v", got, want)
	}
	if got, want := tr.Charged(), (qa.Usage{Prompt: 100, Completion: 10, Estimated: true}); got != want {
		t.Errorf("charged %+v, want %+v", got, want)
	}
	if tr.Turns() != 3 {
		t.Errorf("%d turns, want 3", tr.Turns())
	}
}

func TestCutReplies(t *testing.T) {
	tr := qa.Trajectory{Steps: []qa.Step{
		{N: 1, By: qa.ByProgram},
		{N: 2, Reply: &qa.Reply{Finish: qa.FinishLength}},
		{N: 3, Reply: &qa.Reply{Finish: "stop"}},
		{N: 4, Reply: &qa.Reply{}},
		{N: 5, Reply: &qa.Reply{Finish: qa.FinishLength}},
	}}
	if got := tr.CutReplies(); got != 2 {
		t.Errorf("%d replies are cut, want 2", got)
	}
}

func TestEpisodeID(t *testing.T) {
	for id, want := range map[string]struct {
		uuid   string
		repeat int
	}{"u#0": {"u", 0}, "u#12": {"u", 12}, "a#b#3": {"a#b", 3}, "#1": {"", 1}} {
		uuid, repeat := qa.SplitEpisodeID(id)
		if uuid != want.uuid || repeat != want.repeat || qa.EpisodeID(uuid, repeat) != id {
			t.Errorf("%s: %q and %d", id, uuid, repeat)
		}
	}
	if uuid, repeat := qa.SplitEpisodeID("plain"); uuid != "plain" || repeat != 0 {
		t.Errorf("without a repeat: %q and %d", uuid, repeat)
	}
}

func TestExample(t *testing.T) {
	ex := qa.Example{AnchorPDF: []string{"b", "a", "b"}, ReferencePDF: []string{"c", "a"}, Tags: []string{"text"}}
	if diff := cmp.Diff([]string{"b", "a", "c"}, ex.Papers()); diff != "" {
		t.Errorf("papers (-want +got):\n%s", diff)
	}
	if !ex.HasTag("text") || ex.HasTag("tex") || ex.HasTag("") {
		t.Error("HasTag takes another tag for one of the example's")
	}
	ex.Tags = []string{"text", "single"}
	for tags, want := range map[string]bool{
		"text": true, "text single": true, "text table": false, "!table": true, "!text": false, "single !table": true, "single !text": false, "table !x": false,
	} {
		if ex.HasTags(strings.Fields(tags)...) != want {
			t.Errorf("all of %s: %v", tags, !want)
		}
	}
	if !ex.HasTags() {
		t.Error("the example lacks one of no tags")
	}
}

func TestJudgeName(t *testing.T) {
	for name, want := range map[string]string{
		"openai:m": "openai:m", "majority(b,a)": "majority(a,b)", "all(a)": "all(a)", "any(c,b,a)": "any(a,b,c)", "most(b,a)": "most(b,a)",
	} {
		if got := qa.JudgeName(name); got != want {
			t.Errorf("JudgeName(%q) = %q, want %q", name, got, want)
		}
	}
	rule, members, ok := qa.PanelMembers("all(b,a)")
	if diff := cmp.Diff([]string{"b", "a"}, members); rule != "all" || !ok || diff != "" {
		t.Errorf("%q, %v (-want +got):\n%s", rule, ok, diff)
	}
}

func TestShortEpisode(t *testing.T) {
	const uuid = "00608f20-e3f5-5fdc-8979-4efeb0756d8e"
	for want, got := range map[string]string{
		"00608f20": qa.ShortEpisode(uuid, 0), "00608f20#2": qa.ShortEpisode(uuid, 2), "a question": qa.ShortEpisode("a question", 0),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNamedEpisodes(t *testing.T) {
	all := []string{"1e6bccdd#0", "1e6bccdd#1", "1e6bccdd#10", "1e6f0000#0", "a#1#0"}
	for given, want := range map[string][]string{
		"1e6b":       {"1e6bccdd#0", "1e6bccdd#1", "1e6bccdd#10"},
		"1e6b#1":     {"1e6bccdd#1"},
		"1e6bccdd#1": {"1e6bccdd#1"},
		"1e6#0":      {"1e6bccdd#0", "1e6f0000#0"},
		"1e6bccdd#":  {"1e6bccdd#0", "1e6bccdd#1", "1e6bccdd#10"},
		"a#1":        {"a#1#0"},
		"none":       nil,
		"1e6b#2":     nil,
	} {
		if diff := cmp.Diff(want, qa.NamedEpisodes(all, func(id string) string { return id }, given)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", given, diff)
		}
	}
}
