package baselines

// agenticText2SQL queries the database as often as it wants (paper, "Agentic Text2SQL").
func agenticText2SQL() Baseline {
	return Baseline{
		Name:    "agentic-text2sql",
		Summary: "an agent that queries the database",
		Tools:   []string{"Query", "Answer"},
		Prompts: []string{"react", "task", "schema", "hints_query", "hints_steps"},
		Loop:    true,
		solve:   loop,
	}
}
