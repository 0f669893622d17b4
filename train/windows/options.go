package windows

// Turns is the form of the targets.
type Turns string

// The forms.
const (
	// Canonical is the turn as later prompts show it, with the action as the program prints it in the run's format.
	Canonical Turns = "canonical"
	// Raw is the whole reply as received.
	Raw Turns = "raw"
)

// Thinking is what happens to thinking: reasoning that the endpoint returned separately, and <think> blocks in replies.
type Thinking string

// The rules for thinking.
const (
	// ThinkingKeep leaves the context as the model saw it and trains the thinking of the target.
	ThinkingKeep Thinking = "keep"
	// ThinkingLast removes it from the context and trains that of the target.
	ThinkingLast Thinking = "last"
	// ThinkingDrop removes it everywhere.
	ThinkingDrop Thinking = "drop"
)

// Options define the rows. The zero value is [Canonical] and [ThinkingKeep].
type Options struct {
	Turns    Turns
	Thinking Thinking
}
