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
	groups []*group
	ranges []*rowRange
}

// group is a kind of problem with the rows that have it.
type group struct {
	outcome Outcome
	reason  string
	count   int
	rows    []string // the first
}

// shownRows is the number of rows listed for a problem.
const shownRows = 5

// Add adds a row.
func (s *Summary) Add(r Row) {
	s.addRange(r)
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
		g.rows = append(g.rows, fmt.Sprintf("%d (%s:%d)", r.Row, r.File, r.Line))
	}
}

// Write prints the total and the problems, most frequent first.
func (s *Summary) Write(w io.Writer, t Total) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d ok, %d wrong, %d too long, %d not checked.\n", terminal.Plural(t.Rows, "row"), t.OK, t.Wrong, t.TooLong, t.NotChecked)
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
	s.writeTrainer(&b, t)
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

// rowRange is a run of rows of a file with which the trainer's own loader did the same.
type rowRange struct {
	file        string
	first, last int
	trainer     TrainerRow
	tokens      int
}

// addRange adds a row to the last range or begins another one.
func (s *Summary) addRange(r Row) {
	if r.Trainer == nil {
		return
	}
	tokens := 0
	if r.Trainer.Tokens != nil {
		tokens = *r.Trainer.Tokens
	}
	if n := len(s.ranges); n > 0 {
		last := s.ranges[n-1]
		if last.file == r.File && last.trainer.Outcome == r.Trainer.Outcome && last.trainer.Reason == r.Trainer.Reason {
			last.last = r.Row
			last.tokens += tokens
			return
		}
	}
	s.ranges = append(s.ranges, &rowRange{r.File, r.Row, r.Row, *r.Trainer, tokens})
}

// shownRanges is the number of ranges that are printed.
const shownRanges = 200

// writeTrainer prints what the trainer's own loader did.
func (s *Summary) writeTrainer(b *strings.Builder, t Total) {
	for _, run := range t.Trainer {
		fmt.Fprintf(b, "\nResult of the trainer's own libraries (%s) for %s:\n", run.libraries(), run.File)
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
	}
	if len(s.ranges) == 0 {
		return
	}
	const layout = "  %-15s  %-11s  %9s  %s\n"
	b.WriteString(strings.TrimRight(fmt.Sprintf(layout, "rows", "trainer", "tokens", ""), " \n") + "\n")
	for _, g := range s.ranges[:min(len(s.ranges), shownRanges)] {
		rows, tokens := fmt.Sprint(g.first), fmt.Sprint(g.tokens)
		if g.first != g.last {
			rows = fmt.Sprintf("%d to %d", g.first, g.last)
		}
		if g.tokens == 0 { // not counted
			tokens = ""
		}
		text := fmt.Sprintf(layout, rows, g.trainer.Outcome, tokens, terminal.Message(g.trainer.Reason))
		b.WriteString(strings.TrimRight(text, " \n") + "\n")
	}
	if more := len(s.ranges) - shownRanges; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}
