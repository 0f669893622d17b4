package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"airqa/qa"
)

// RepeatNote is the sentence after the result of a repeated call.
const RepeatNote = "\nNote: this is the same call as before, and so is its result. Try something else, or answer."

// Loop is a ReAct episode whose first messages have been added. It runs as a whole or turn by turn.
type Loop struct {
	*Episode
	// Settings limit the episode: Turns is the maximum number of replies, Window the number of recent turns shown after the
	// first two messages. FormatErrors unreadable replies in a row end it. From RepeatLimit identical calls in a row, each
	// result ends with [RepeatNote]; twice as many end it. Both are off at 0, as in the paper. Other settings have no effect.
	Settings qa.Settings
	Read     Read

	turns, unread int
}

// Run takes turns until the answer or a limit. The error is nil if the episode ended with an outcome.
func (l *Loop) Run(ctx context.Context) error {
	for l.t.Outcome == "" {
		if _, err := l.Turn(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Turn shows the window, asks, reads one action and executes it. With the answer, or at a limit, it ends the episode: its
// trajectory then has an outcome.
func (l *Loop) Turn(ctx context.Context) (qa.Observation, error) {
	step, err := l.askWindow(ctx, l.Settings.Window, l.Read)
	if err != nil {
		return qa.Observation{}, err
	}
	note, row := l.repeats()
	o, err := l.Act(ctx, step, note)
	l.turns++
	switch {
	case err != nil:
		return o, err
	case o.Status == qa.StatusFinal:
		return o, l.Finish(qa.Answered, "", *o.Answer)
	case o.Status == qa.StatusParse:
		l.unread++
	default:
		l.unread = 0
	}
	switch {
	case l.Settings.FormatErrors > 0 && l.unread >= l.Settings.FormatErrors:
		return o, l.Finish(qa.FormatErrors, fmt.Sprintf("%d replies in a row held no action", l.unread), qa.Answer{})
	case note != "" && row >= 2*l.Settings.RepeatLimit:
		return o, l.Finish(qa.RepeatLimit, fmt.Sprintf("the same call %d times in a row", row), qa.Answer{})
	case l.turns >= l.Settings.Turns:
		return o, l.Finish(qa.TurnLimit, fmt.Sprintf("no answer in %d turns", l.Settings.Turns), qa.Answer{})
	}
	return o, nil
}

// repeats returns how many of the last replies made the same call, 0 if the last one made none, and the note on it.
func (l *Loop) repeats() (note string, n int) {
	last := l.t.Steps[len(l.t.Steps)-1].Action
	for _, s := range slices.Backward(l.t.Steps) {
		if last == nil || s.Action == nil || s.Action.Text != last.Text {
			break
		}
		n++
	}
	if l.Settings.RepeatLimit > 0 && n >= l.Settings.RepeatLimit {
		note = RepeatNote
	}
	return note, n
}

// askWindow asks with the last w turns. While the model refuses the conversation as too long, it halves w. A refusal that
// may have the same reason is tried once with half the turns: it had that reason if the model then replies. The record of
// the call lists the refused requests and the messages of the accepted one.
func (e *Episode) askWindow(ctx context.Context, w int, read Read) (*qa.Step, error) {
	guessed := false
	for w = min(w, (e.Len()-1)/2); ; w /= 2 {
		step, err := e.Ask(ctx, Window(e.Len(), w), read)
		var call *qa.CallError
		refused := errors.As(err, &call) && w > 0
		guess := refused && call.MaybeLong && !guessed && len(call.Attempts) > 0
		if !guess && (!refused || call.Class != qa.FailContextOverflow) {
			return step, err
		}
		e.overflowed = append(e.overflowed, call.Attempts...)
		if guess {
			guessed, e.guess = true, len(e.overflowed)
		}
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
