package baselines

// agenticRAG searches the vector store as often as it wants (paper, "Agentic RAG").
func agenticRAG() Baseline {
	return Baseline{
		Name:    "agentic-rag",
		Summary: "an agent that retrieves passages",
		Tools:   []string{"Retrieve", "Answer"},
		Prompts: []string{"react", "task", "hints_retrieve"},
		Loop:    true,
		solve:   loop,
	}
}
