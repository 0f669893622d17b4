package baselines

// questionOnly shows only the question and the answer format (paper, Section 4.1, "Question Only").
func questionOnly() Baseline {
	return Baseline{
		Name:    "question-only",
		Summary: "the question and the answer format alone",
		Prompts: []string{"plain", "task"},
		solve:   once(", from what you know.", nil),
	}
}
