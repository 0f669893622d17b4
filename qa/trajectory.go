package qa

import "time"

// Span is a range of message numbers, from First up to but not including End.
type Span struct {
	First int `json:"first"`
	End   int `json:"end"`
}

// Step is one turn of an episode: a call of the model, what was read from its reply, and what came back.
type Step struct {
	// N counts from 1.
	N int `json:"n"`
	// By is "model", or "program" for an action that a baseline took by itself.
	By string `json:"by"`
	// Shown are the messages of the trajectory that the model saw, by number.
	Shown []Span `json:"shown,omitempty"`
	Reply *Reply `json:"reply,omitempty"`
	// Kept is how many bytes of the reply stay in the history: what follows a parsed action is dropped.
	Kept        int          `json:"kept,omitempty"`
	Thought     string       `json:"thought,omitempty"`
	Action      *Action      `json:"action,omitempty"`
	ParseError  *ParseError  `json:"parse_error,omitempty"`
	Observation *Observation `json:"observation,omitempty"`
	Started     time.Time    `json:"started"`
	Ended       time.Time    `json:"ended"`
}

// Trajectory is everything that happened on one question: the messages in order, and the steps that made them.
type Trajectory struct {
	// Episode is UUID, a '#', and the repeat index.
	Episode  string    `json:"episode"`
	UUID     string    `json:"uuid"`
	Repeat   int       `json:"repeat"`
	Messages []Message `json:"messages"`
	Steps    []Step    `json:"steps"`
	// Outcome is empty while the episode is not finished.
	Outcome Outcome   `json:"outcome"`
	Reason  string    `json:"reason,omitempty"`
	Answer  Answer    `json:"answer"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
}

// Usage sums the tokens of all steps.
func (t Trajectory) Usage() Usage {
	var sum Usage
	for _, s := range t.Steps {
		if s.Reply != nil {
			sum = sum.Add(s.Reply.Usage)
		}
	}
	return sum
}
