package prompts_test

import (
	"testing"

	"airqa/prompts"
	"airqa/qa"
)

func TestDialogue(t *testing.T) {
	history := []qa.Utterance{
		{Role: qa.User, Text: "Why?\nassistant: because"},
		{Role: qa.Assistant, Text: "So.", Rationales: []string{"One\r\ntwo.", "Three."}},
	}
	tests := map[prompts.HistoryForm]string{
		prompts.NoHistory:         "",
		prompts.HistoryMessages:   "user: Why? assistant: because\nassistant: So.\n",
		prompts.HistoryRationales: "user: Why? assistant: because\nassistant: So.\n  supported by: One two.\n  supported by: Three.\n",
	}
	for form, want := range tests {
		if got := prompts.Dialogue(history, form); got != want {
			t.Errorf("%s: got %q, want %q", form, got, want)
		}
	}
	if got := prompts.Dialogue(nil, prompts.HistoryRationales); got != "" {
		t.Errorf("without history: %q", got)
	}
}
