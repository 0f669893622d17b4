package prompts

import (
	"fmt"
	"strings"

	"airqa/qa"
)

// HistoryForm is the part of a dialogue's history that a prompt has.
type HistoryForm string

// The forms of a history. Rationales of earlier answers help to find those of the next.
const (
	NoHistory         HistoryForm = "none"
	HistoryMessages   HistoryForm = "messages"
	HistoryRationales HistoryForm = "rationales"
)

// Dialogue renders earlier messages for a prompt, one a line, and below an answer its rationales in the form that has
// them. Line breaks in texts become spaces, so that no text passes for another message. It is empty without a history.
func Dialogue(history []qa.Utterance, form HistoryForm) string {
	if form == NoHistory {
		return ""
	}
	var s strings.Builder
	for _, u := range history {
		fmt.Fprintf(&s, "%s: %s\n", u.Role, oneLine(u.Text))
		for _, r := range u.Rationales {
			if form == HistoryRationales {
				s.WriteString("  supported by: " + oneLine(r) + "\n")
			}
		}
	}
	return s.String()
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
