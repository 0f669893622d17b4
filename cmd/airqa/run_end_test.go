package main

import (
	"strings"
	"testing"
)

// A run with other prompts cannot be resumed by repeating its settings.
func TestAdviceOnMismatch(t *testing.T) {
	for line, want := range map[string]string{
		"prompts.task: 1 there, 2 now": "started with other prompts", "tools.Query: 1 there, 2 now": "started with other prompts", "settings.turns: 20 there, 5 now": "repeat the settings",
	} {
		if got := adviceOn([]string{"data: 1 there, 2 now", line}); !strings.Contains(got, want) {
			t.Errorf("%s: %s", line, got)
		}
	}
}
