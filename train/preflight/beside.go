package preflight

import (
	"cmp"
	"fmt"
	"strings"

	"airqa/internal/terminal"
)

// rowRange is a run of rows with which the trainer's own loader did the same, and of which the same was predicted.
type rowRange struct {
	first, last       int
	trainer, estimate Outcome
	reason            string
	// tokens are those of the trainer, -1 if it did not count; predicted those of the prediction.
	tokens, predicted int
}

// addRange adds a row to the last range or begins another one.
func (s *Summary) addRange(r Row) {
	if r.Trainer == nil {
		return
	}
	next := &rowRange{first: r.Row, last: r.Row, trainer: r.Trainer.Outcome, estimate: r.Outcome, reason: r.Trainer.Reason, tokens: -1}
	if r.Outcome == Kept {
		next.predicted = r.Tokens
	}
	if r.Trainer.Tokens != nil {
		next.tokens = *r.Trainer.Tokens
	}
	if n := len(s.ranges); n > 0 && s.ranges[n-1].joins(next) {
		last := s.ranges[n-1]
		last.last = r.Row
		last.tokens += max(next.tokens, 0)
		last.predicted += next.predicted
		return
	}
	s.ranges = append(s.ranges, next)
}

// joins reports whether a row continues a range.
func (g *rowRange) joins(next *rowRange) bool {
	return g.trainer == next.trainer && g.estimate == next.estimate && g.reason == next.reason && (g.tokens < 0) == (next.tokens < 0)
}

// shownRanges is the number of ranges that are printed.
const shownRanges = 200

// writeTrainer prints what the trainer's own loader did beside what was predicted.
func (s *Summary) writeTrainer(b *strings.Builder, t Total) {
	run := t.Trainer
	if run == nil {
		return
	}
	fmt.Fprintf(b, "\nResult of the trainer's own libraries (%s):\n", run.libraries())
	switch run.Load {
	case LoadOK:
		fmt.Fprintf(b, "The file loads: %d of %s kept, %d dropped", run.Kept, terminal.Plural(len(run.rows), "row"), run.Dropped)
		if run.NotChecked > 0 {
			fmt.Fprintf(b, ", %d not checked", run.NotChecked)
		}
		b.WriteString(".\n")
	case LoadCrash:
		fmt.Fprintf(b, "The file does not load: %s\n", terminal.Message(*run.Error))
	default:
		fmt.Fprintf(b, "Not checked: %s\n", terminal.Message(*run.Error))
	}
	if len(s.ranges) == 0 {
		return
	}
	fmt.Fprintf(b, "Rows with a different outcome than predicted: %d.\n", run.Differ)
	const layout = "  %-15s  %-11s  %9s  %-11s  %9s  %s\n"
	head := fmt.Sprintf(layout, "rows", "trainer", "tokens", "estimate", "tokens", "")
	b.WriteString(strings.TrimRight(head, " \n") + "\n")
	for _, g := range s.ranges[:min(len(s.ranges), shownRanges)] {
		text := fmt.Sprintf(layout, g.rows(), g.trainer, count(g.tokens), g.estimate, count(cmp.Or(g.predicted, -1)), terminal.Message(g.reason))
		b.WriteString(strings.TrimRight(text, " \n") + "\n")
	}
	if more := len(s.ranges) - shownRanges; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}

func (g *rowRange) rows() string {
	if g.first == g.last {
		return fmt.Sprint(g.first)
	}
	return fmt.Sprintf("%d to %d", g.first, g.last)
}

// count prints a number of tokens, nothing for an unknown one.
func count(n int) string {
	if n < 0 {
		return ""
	}
	return fmt.Sprint(n)
}
