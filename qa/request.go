package qa

// Request is one question of an episode to its model.
type Request struct {
	Messages []Message
	// Tools are offered natively; empty where the model writes its actions as text.
	Tools []ToolSpec
	// UUID, Repeat and Step say whose request it is: a cache and a replay tell repeats apart by them, and no endpoint sees
	// them. Step counts from 1.
	UUID   string
	Repeat int
	Step   int
	// Again is asked before a request that failed is made once more; its error ends the call. nil allows every one.
	Again func(failed Attempt) error
}
