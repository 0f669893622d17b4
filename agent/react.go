package agent

import (
	"context"
	"errors"
	"fmt"

	"airqa/qa"
)

// Limits limit a ReAct episode. The defaults of the paper (Appendix C.2) are 20 turns and a window of 5.
type Limits struct {
	// Turns is the maximum number of replies.
	Turns int
	// Window is the number of recent turns shown after the first two messages.
	Window int
	// FormatErrors is the number of consecutive format errors that end the episode; 0 means that only Turns applies, as
	// in the authors' code.
	FormatErrors int
}

// ReAct runs the loop on an episode whose first messages have been added: show the window, ask, read one action,
// execute it, until the answer or a limit. The error is nil if the episode ended with an outcome.
func ReAct(ctx context.Context, e *Episode, l Limits, read Read) error {
	unread := 0
	for range l.Turns {
		step, err := e.askWindow(ctx, l.Window, read)
		if err != nil {
			return err
		}
		o, err := e.Act(ctx, step)
		switch {
		case err != nil:
			return err
		case o.Status == qa.StatusFinal:
			return e.Finish(qa.Answered, "", *o.Answer)
		case o.Status == qa.StatusParse:
			unread++
		default:
			unread = 0
		}
		if l.FormatErrors > 0 && unread >= l.FormatErrors {
			return e.Finish(qa.FormatErrors, fmt.Sprintf("%d replies in a row held no action", unread), qa.Answer{})
		}
	}
	return e.Finish(qa.TurnLimit, fmt.Sprintf("no answer in %d turns", l.Turns), qa.Answer{})
}

// askWindow asks with the last w turns. While the model refuses the conversation as too long, it halves w. The record
// of the call lists the refused requests and the messages of the accepted one.
func (e *Episode) askWindow(ctx context.Context, w int, read Read) (*qa.Step, error) {
	for w = min(w, (e.Len()-1)/2); ; w /= 2 {
		step, err := e.Ask(ctx, Window(e.Len(), w), read)
		var call *qa.CallError
		if w == 0 || !errors.As(err, &call) || call.Class != qa.FailContextOverflow {
			return step, err
		}
		e.overflowed = append(e.overflowed, call.Attempts...)
	}
}

// Window returns the spans of n messages to show with the last w turns: the first two (system and task), and the last
// 2·w. It is used both for prompts and for training rows.
func Window(n, w int) []qa.Span {
	if n <= 2*(w+1) {
		return []qa.Span{{First: 0, End: n}}
	}
	return []qa.Span{{First: 0, End: 2}, {First: n - 2*w, End: n}}
}
