package trace

import (
	"encoding/json"
	"fmt"
	"io"

	"airqa/agent/action"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/runlog"
	"airqa/tools"
)

// Traced is one trajectory with its question and score, for people and as JSON.
type Traced struct {
	Question     string   `json:"question"`
	AnswerFormat string   `json:"answer_format"`
	Tags         []string `json:"tags"`
	// Evaluator holds the function and its arguments, including the gold answer.
	Evaluator qa.Evaluator `json:"evaluator"`
	Score     *qa.Score    `json:"score"`
	Usage     qa.Usage     `json:"usage"`
	Turns     int          `json:"turns"`
	// Fork is the point where the run of the episode was forked from another; usually nil.
	Fork *runlog.Fork `json:"fork,omitempty"`
	// CutReplies counts replies cut off by the token limit for one reply.
	CutReplies int `json:"cut_replies,omitempty"`
	runlog.Recorded
	// Thoughts holds the thought of each step, in order.
	Thoughts []string `json:"thoughts"`
}

// NewTraced combines the parts of one episode; score may be nil.
func NewTraced(ex qa.Example, rec runlog.Recorded, score *qa.Score) Traced {
	thoughts := make([]string, len(rec.Steps))
	for i, s := range rec.Steps {
		thoughts[i] = s.Thought()
	}
	return Traced{
		Question: ex.Question, AnswerFormat: ex.AnswerFormat, Tags: ex.Tags, Evaluator: ex.Evaluator, Score: score,
		Usage: rec.Usage(), Turns: rec.Turns(), CutReplies: rec.CutReplies(), Recorded: rec, Thoughts: thoughts,
	}
}

// ReplyParts returns the parts of a step's reply for people; nil without a reply. What counts as thinking is read again, with
// the names of all tools.
func ReplyParts(s qa.Step) []action.Part {
	if s.Reply == nil {
		return nil
	}
	return action.Grammar{Specs: tools.Called(nil).Specs()}.Parts(s)
}

// WriteJSON prints a trajectory as one line of JSON.
func (t Traced) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(t)
}

// ForkText describes a fork: "of runs/a, step 2: reply changed by someone".
func ForkText(f runlog.Fork) string {
	text := fmt.Sprintf("of %s, step %d: %s changed", f.Run, f.Step, f.Changed)
	if f.By != "" {
		text += " by " + f.By
	}
	return terminal.Line(text)
}
