package preflight

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"airqa/internal/terminal"
)

// Summary groups rows by what is wrong with them. The zero value is ready.
type Summary struct {
	groups  []*group
	trainer []string // what the trainer's own loader did, a line for each row
}

// group is a kind of problem with the rows that have it.
type group struct {
	outcome Outcome
	reason  string
	count   int
	rows    []string // the first
}

// Add adds a row.
func (s *Summary) Add(r Row) {
	const shownRows = 5
	place := fmt.Sprintf("%d (%s:%d)", r.Row, r.File, r.Line)
	if r.Trainer != nil {
		s.trainer = append(s.trainer, "  "+place+": "+r.Trainer.text()+"\n")
	}
	if r.Outcome == OK {
		return
	}
	i := slices.IndexFunc(s.groups, func(g *group) bool { return g.outcome == r.Outcome && g.reason == r.Reason })
	if i < 0 {
		i = len(s.groups)
		s.groups = append(s.groups, &group{outcome: r.Outcome, reason: r.Reason})
	}
	g := s.groups[i]
	if g.count++; len(g.rows) < shownRows {
		g.rows = append(g.rows, place)
	}
}

// Write prints the total and the problems, most frequent first.
func (s *Summary) Write(w io.Writer, t Total) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d ok, %d wrong, %d too long, %d not checked.\n",
		terminal.Plural(t.Rows, "row"), t.OK, t.Wrong, t.TooLong, t.NotChecked)
	limit := "without a limit; --cutoff-len sets one"
	if t.CutoffLen > 0 {
		limit = fmt.Sprintf("the limit is %d", t.CutoffLen)
	}
	fmt.Fprintf(&b, "Tokens: at most %d, of which %d are trained; the longest row has %d, %s.\n", t.Tokens, t.Trained, t.Longest, limit)
	if t.Vocabulary > 0 {
		fmt.Fprintf(&b, "Texts are estimated for a vocabulary of %d words; --tokenizer tokenizer.json counts them exactly.\n", t.Vocabulary)
	}
	fmt.Fprintf(&b, "The markup is an upper bound for the template %s.\n", t.Template)
	if t.Trainer == nil {
		b.WriteString("Not checked: whether the trainer loads the file. --python runs its own loader.\n")
	}
	slices.SortStableFunc(s.groups, func(x, y *group) int { return y.count - x.count })
	for _, g := range s.groups {
		title := strings.ReplaceAll(string(g.outcome), "_", " ")
		fmt.Fprintf(&b, "\n%s: %s: %s\n  %s\n", title, terminal.Plural(g.count, "row"), g.list(), terminal.Message(g.reason))
		if g.outcome == TooLong {
			b.WriteString("  fix: raise the limit, or shorten observations (airqa export --cutoff-len N)\n")
		}
	}
	for _, run := range t.Trainer {
		fmt.Fprintf(&b, "\nResult of the trainer's own libraries (%s) for %s:\n", run.libraries(), run.File)
		switch run.Load {
		case LoadOK:
			fmt.Fprintf(&b, "The file loads: %d of %s kept, %d dropped", run.Kept, terminal.Plural(len(run.rows), "row"), run.Dropped)
			if run.NotChecked > 0 {
				fmt.Fprintf(&b, ", %d not checked", run.NotChecked)
			}
			b.WriteString(".\n")
		case LoadCrash:
			fmt.Fprintf(&b, "The file does not load: %s\n", terminal.Message(run.Error))
		default:
			fmt.Fprintf(&b, "Not checked: %s\n", terminal.Message(run.Error))
		}
	}
	b.WriteString(strings.Join(s.trainer, ""))
	_, err := io.WriteString(w, b.String())
	return err
}

// list prints the first rows, such as 3 (train.jsonl:4) and 5 more.
func (g *group) list() string {
	text := strings.Join(g.rows, ", ")
	if more := g.count - len(g.rows); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// text is such as "kept, 31 tokens", or "dropped: too long".
func (r TrainerRow) text() string {
	text := strings.ReplaceAll(string(r.Outcome), "_", " ")
	if r.Tokens != nil {
		text += ", " + terminal.Plural(*r.Tokens, "token")
	}
	if r.Reason != "" {
		text += ": " + terminal.Message(r.Reason)
	}
	return text
}
