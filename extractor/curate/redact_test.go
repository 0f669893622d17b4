package curate_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor/curate"
	"airqa/qa"
)

// TestScope redacts the messages of an episode.
func TestScope(t *testing.T) {
	messages := []qa.Message{
		{Role: qa.System, Text: "Data: /home/ann/data"},
		{Role: qa.User, Text: "Who is bob@paper.edu?"},
		{Role: qa.Assistant, Text: "bob@paper.edu, not eve@lab.org", ToolCalls: []qa.ToolCall{{Name: "Query", Arguments: json.RawMessage(`{"sql":"/home/ann/x"}`)}}},
		{Role: qa.ToolResult, Text: "eve@paper.edu wrote /home/user/code"},
		{Role: qa.Assistant, Text: "plain"},
	}
	want := []qa.Message{
		{Role: qa.System, Text: "Data: ~/data"},
		messages[1],
		{Role: qa.Assistant, Text: "bob@paper.edu, not [email]", ToolCalls: []qa.ToolCall{{Name: "Query", Arguments: json.RawMessage(`{"sql":"~/x"}`)}}},
		messages[3], messages[4],
	}
	s := curate.NewRedactor(nil).Scope(messages)
	for range 2 {
		var got []qa.Message
		for _, m := range messages {
			got = append(got, s.Message(m))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	if diff := cmp.Diff(curate.Counts{curate.HomePath: 2, curate.Email: 1}, s.Counts); diff != "" {
		t.Errorf("counts (-want +got)\n%s", diff)
	}
}
