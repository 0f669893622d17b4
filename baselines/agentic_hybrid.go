package baselines

// agenticHybrid uses the vector store and the database (paper, "Agentic Hybrid").
func agenticHybrid() Baseline {
	return Baseline{
		Name:    "agentic-hybrid",
		Summary: "an agent that retrieves passages and queries the database",
		Tools:   []string{"Retrieve", "Query", "Answer"},
		Prompts: []string{"react", "task", "schema", "hints_retrieve", "hints_query", "hints_steps", "hints_hybrid"},
		Loop:    true,
		solve:   loop,
	}
}
