package replay

import (
	"fmt"
	"strings"

	"airqa/internal/terminal"
)

// Text describes the episodes for a terminal of some width: all steps of a single one, otherwise those that are not equal.
func (s Summary) Text(width int) string {
	var b strings.Builder
	single := len(s.Episodes) == 1
	for _, e := range s.Episodes {
		if !single && e.Error == "" && e.Different+e.Failed == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s\n", terminal.Line(e.Episode))
		if e.Error != "" {
			fmt.Fprintf(&b, "  not read: %s\n", terminal.Line(e.Error))
		}
		for _, step := range e.Steps {
			if single || step.State == Different || step.State == Failed {
				b.WriteString(step.text(width))
			}
		}
		b.WriteByte('\n')
	}
	return b.String() + terminal.Wrap(s.Total.text(), terminal.ProseWidth(width), "")
}

// states are the words for the states of a step.
var states = map[State]string{
	Equal: "equal", Different: "different", Failed: "failed", NoAction: "no action", NoResult: "no recorded result",
}

func (s Step) text(width int) string {
	head := fmt.Sprintf("  step %-3d %-10s ", s.N, states[s.State])
	action := s.Action
	if width > 0 {
		action = terminal.Clip(action, max(width-terminal.Width(head), leastAction))
	}
	lines := []string{strings.TrimRight(head+terminal.Line(action), " ")}
	if s.Error != "" {
		lines = append(lines, "    "+terminal.Line(s.Error))
	}
	if c := s.Change; c != nil {
		lines = append(lines, "    "+c.String(), "    recorded: "+terminal.Line(c.A), "    now:      "+terminal.Line(c.B))
	}
	return strings.Join(lines, "\n") + "\n"
}

// leastAction is the minimum number of columns for an action.
const leastAction = 20

func (t Total) text() string {
	text := fmt.Sprintf("%s. Results: %d equal, %d different, %d failed.", terminal.Plural(t.Episodes, "episode"), t.Equal, t.Different, t.Failed)
	if n := t.NoAction + t.NoResult; n > 0 {
		text += fmt.Sprintf(" Not executed: %s (%d without an action, %d without a recorded result).", terminal.Plural(n, "step"), t.NoAction, t.NoResult)
	}
	if t.Unread > 0 {
		text += fmt.Sprintf(" Not read: %s.", terminal.Plural(t.Unread, "episode"))
	}
	return text
}
