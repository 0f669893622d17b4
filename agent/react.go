package agent

import (
	"context"
	"errors"
	"fmt"

	"airqa/qa"
)

// Limits bound a ReAct episode. The defaults of the paper (Appendix C.2) are 20 turns and a window of 5.
type Limits struct {
	// Turns is the greatest number of replies.
	Turns int
	// Window is how many of the last turns are shown beside the first two messages.
	Window int
	// FormatErrors in a row end the episode; 0 lets it go on to the turn limit, as the authors' code does.
	FormatErrors int
}

// ReAct runs the loop on an episode whose first messages were said: show the window, ask, read one action, act,
// until the answer or a limit. The error is nil when the episode ended with an outcome of its own.
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

// askWindow asks with the last w turns, and with half as many again and again while the model refuses the conversation as too
// long. The record of the call lists the refused requests and the messages of the accepted one.
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

// Window returns which of n messages are shown when the last w turns are: the first two (system and task), and
// the last 2·w. The same function builds the prompt of a run and the context of a training row.
func Window(n, w int) []qa.Span {
	if n <= 2*(w+1) {
		return []qa.Span{{First: 0, End: n}}
	}
	return []qa.Span{{First: 0, End: 2}, {First: n - 2*w, End: n}}
}
