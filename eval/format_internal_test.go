package eval

import "testing"

// TestLeadWords checks a lead-in with each of the words that may start one.
func TestLeadWords(t *testing.T) {
	leadIns := []string{
		"So the answer is", "Therefore, the answer is", "Thus it is", "Hence the answer is", "Sure! The answer is", "OK, the answer is", "Okay. It is",
		"The answer is", "My answer:", "Your final answer is", "Final answer:", "Correct answer =", "Right answer:", "Short answer:", "Answer:", "Answers:",
		"It is", "This is", "That was", "These are", "Those were", "They are", "There are", "Here is the result:",
	}
	for _, lead := range leadIns {
		if got := withoutLead(lead + " 42"); got != "42" {
			t.Errorf("%s 42 becomes %q", lead, got)
		}
	}
	for _, whole := range []string{"42", "Soap is 42", "Perhaps it is 42", "It is not 42", "Thesis: 42"} {
		if got := withoutLead(whole); got != whole {
			t.Errorf("%s becomes %q", whole, got)
		}
	}
}
