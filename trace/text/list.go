package text

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"airqa/internal/terminal"
	"airqa/report"
	"airqa/report/render"
	"airqa/trace"
)

// EpisodeList is the rows of a list of episodes.
type EpisodeList struct {
	Rows []trace.Row
	// Runs is the number of runs that were read: with several, each line names its run.
	Runs int
	// Total counts the episodes that match, shown or not; Of all episodes.
	Total, Of int
	// NoScores is true if no answer of the runs has a score.
	NoScores bool
	// Decided are the causes that people decided on, by episode.
	Decided map[trace.Key]trace.Note
	Style   terminal.Style
}

// Write prints the list: as text fitted to the width of o, as a table of Markdown, or its rows as JSON or CSV.
func (l EpisodeList) Write(w io.Writer, o render.Options) error {
	d := render.Document{Title: "Episodes", Columns: []string{
		"run", "episode", "status", "verdict", "score", "outcome", "turns", "prompt_tokens", "completion_tokens", "cost_usd", "seconds",
		"cut_replies", "answer", "gold", "lost_at", "lost_at_weak", "cause", "errors", "wasted_tokens", "tags", "function", "question",
	}}
	for _, row := range l.Rows {
		d.Data = append(d.Data, row)
	}
	const leastSide, mostSide = 6, 24 // both answers are visible on a narrow terminal
	side := mostSide
	if o.Width > 0 {
		room := o.Width - 50 // the columns that are always there
		if l.Runs > 1 {
			room -= 18
		}
		if room >= wideColumns["cause"] {
			room -= 20
		}
		side = min(max(room/5, leastSide), mostSide)
	}
	heads, cells := l.cells(side)
	table := report.NewTable("episodes", "Episodes", heads[0], heads[1:]...)
	for _, row := range cells {
		table.Add("", row[0], row[1:]...)
	}
	table.Notes = []string{l.summary()}
	text := l.summary()
	if len(l.Rows) > 0 {
		t := fitted(heads, cells, o.Width)
		status := slices.Index(t.Head, "status")
		t.Paint = func(row, column int, cell string) string {
			if column != status {
				return cell
			}
			return l.Style.Paint(statusCodes[l.Rows[row].Status], cell)
		}
		text = t.Text(o.Width) + "\n" + text
	}
	d.Add(render.Part{Table: table, Preformatted: text})
	return d.Write(w, o)
}

// Columns that a narrow terminal does without, and the width from which it has them.
var wideColumns = map[string]int{"cost": 72, "lost at": 64, "cause": 110, "turns": 50, "tokens": 56}

// fitted leaves out the columns for which the terminal is too narrow.
func fitted(heads []string, cells [][]string, width int) terminal.Table {
	keep := make([]int, 0, len(heads))
	for i, name := range heads {
		if width == 0 || width >= wideColumns[name] {
			keep = append(keep, i)
		}
	}
	pick := func(row []string) []string {
		picked := make([]string, len(keep))
		for k, i := range keep {
			picked[k] = row[i]
		}
		return picked
	}
	t := terminal.Table{Head: pick(heads)}
	for _, row := range cells {
		t.Rows = append(t.Rows, pick(row))
	}
	return t
}

// summary distinguishes an empty run from a filter that selects nothing.
func (l EpisodeList) summary() string {
	switch {
	case l.Of == 0:
		return "no episodes yet"
	case l.Total == 0 && l.NoScores:
		return fmt.Sprintf("0 of %s: no episode matches, and no answer has a score (airqa score)", terminal.Plural(l.Of, "episode"))
	case l.Total == 0:
		return fmt.Sprintf("0 of %s: no episode matches", terminal.Plural(l.Of, "episode"))
	case len(l.Rows) < l.Total:
		return fmt.Sprintf("%d shown, %d of %s match", len(l.Rows), l.Total, terminal.Plural(l.Of, "episode"))
	}
	return fmt.Sprintf("%d of %s", l.Total, terminal.Plural(l.Of, "episode"))
}

// cells are the head and the texts of all columns. side is the maximum width of an answer and of a gold answer.
func (l EpisodeList) cells(side int) (heads []string, rows [][]string) {
	heads = []string{"id", "status", "turns", "tokens", "cost", "answer → gold", "lost at", "cause", "question"}
	dirs := make(map[string]string)
	run := filepath.Base
	for _, r := range l.Rows {
		base := filepath.Base(r.Run)
		if dir, ok := dirs[base]; ok && dir != r.Run { // two runs have the same name
			run = func(path string) string { return path }
		}
		dirs[base] = r.Run
	}
	for _, r := range l.Rows {
		id, question := terminal.Line(r.Short), terminal.Line(r.Question)
		if r.Repeat > 0 {
			id += fmt.Sprintf("#%d", r.Repeat)
		}
		if r.CutReplies > 0 {
			question = fmt.Sprintf("(%d of %d replies cut off) ", r.CutReplies, r.Turns) + question
		}
		row := []string{
			id, string(r.Status), strconv.Itoa(r.Turns), terminal.Compact(float64(r.Tokens())), terminal.Cost(r.CostUSD, "-"),
			answerGold(r, side), r.LostAt.Label(r.LostAtWeak), l.cause(r), question,
		}
		if l.Runs > 1 {
			row = append([]string{terminal.Line(run(r.Run))}, row...)
		}
		rows = append(rows, row)
	}
	if l.Runs > 1 {
		heads = append([]string{"run"}, heads...)
	}
	return heads, rows
}

// cause is the decision of a person, marked, or else the cause that the rules found.
func (l EpisodeList) cause(r trace.Row) string {
	if n, ok := l.Decided[r.Key()]; ok {
		return string(n.Cause) + " ✓"
	}
	return string(r.Cause)
}

func answerGold(r trace.Row, side int) string {
	answer := terminal.Line(r.Answer)
	switch {
	case r.Status == trace.Damaged:
		return terminal.Line(r.Reason)
	case !r.Given && r.Outcome != "":
		answer = "(" + string(r.Outcome) + ")"
	case !r.Given:
		answer = "-"
	}
	if r.Status == trace.Right || r.Gold == "" {
		return terminal.Clip(answer, 2*side)
	}
	return terminal.Clip(answer, side) + " → " + terminal.Clip(terminal.Line(r.Gold), side)
}

var statusCodes = map[trace.Status]string{
	trace.Right: "32", trace.Wrong: "31", trace.Unscored: "33", trace.Failed: "35",
	trace.Damaged: "35", trace.Unfinished: "36",
}
