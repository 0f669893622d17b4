package baselines

// agenticHybridView can also look at pages (paper, Appendix C.4).
func agenticHybridView() Baseline {
	return Baseline{
		Name:    "agentic-hybrid-view",
		Summary: "the same, and it can look at pages",
		Tools:   []string{"Retrieve", "Query", "View", "Answer"},
		Prompts: []string{"react", "task", "schema", "hints_retrieve", "hints_query", "hints_steps", "hints_hybrid", "hints_view"},
		Loop:    true,
		solve:   loop,
	}
}
