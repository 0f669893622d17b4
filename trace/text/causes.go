package text

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/report"
	"airqa/report/render"
	"airqa/trace/cause"
)

// Causes prints why the answers of runs are wrong: a table of the causes, as the paper's Tables 14 and 15, and the most
// answers whose cause is surest; 0 means all. CSV and JSON contain all answers and no table.
func Causes(w io.Writer, runs []cause.Run, most int, o render.Options) error {
	d := render.Document{Title: "Causes of wrong answers", Columns: []string{
		"run", "uuid", "repeat", "cause", "rule", "lost_at", "lost_at_weak", "outcome", "verdict", "answer", "gold", "why", "decided",
		"question",
	}}
	for _, r := range runs {
		for _, row := range r.Rows {
			d.Data = append(d.Data, row)
		}
		d.Notes = append(d.Notes, runNotes(r)...)
		if len(r.Rows) > 0 && r.Rows[0].Sample != "" && !slices.Contains(d.Columns, "sample") {
			d.Columns = append(d.Columns, "sample")
		}
	}
	counts, err := countsTable(runs, o.WithPaper)
	if err != nil {
		return err
	}
	d.Add(render.Part{Table: counts})
	if len(runs) == 2 {
		d.Add(render.Part{Title: "Difference", Table: differenceTable(runs[0], runs[1])})
	}
	shown, left := surest(runs, most)
	if answers := answersTable(shown); len(answers.Lines) > 0 {
		d.Add(render.Part{Title: answers.Title, Table: answers})
	}
	if left > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d more wrong answers; --all lists them.", left))
	}
	d.Notes = append(d.Notes, "Causes are found by rules; docs/why.md says how often they are right. "+
		"“?” marks evidence matched by text alone.")
	return d.Write(w, o)
}

// runNotes say what the numbers of a run count.
func runNotes(r cause.Run) []string {
	if r.Answers == 0 {
		return []string{fmt.Sprintf("%s: no answer has a score, so none is wrong (%s scoring, judge %s).", r.Dir, r.Scoring.Mode, r.Scoring.Judge)}
	}
	notes := []string{fmt.Sprintf("%s: %d of %s wrong (%s scoring, judge %s).",
		r.Dir, r.Answers-r.Right, terminal.Plural(r.Answers, "answer"), r.Scoring.Mode, r.Scoring.Judge)}
	if len(r.Rows) > 0 && r.Rows[0].Sample != "" {
		n, seed, _ := strings.Cut(r.Rows[0].Sample, ":")
		notes = append(notes, fmt.Sprintf("%s: a random sample of %d of these, at most %s of each question type, seed %s.", r.Dir, len(r.Rows), n, seed))
	}
	if text := r.Agreement(); text != "" {
		n := len(slices.DeleteFunc(slices.Clone(r.Rows), func(row cause.Row) bool { return row.Decided == "" }))
		notes = append(notes, fmt.Sprintf("%s: people decided on %d of %s, and these count instead of the rules'; %s.",
			r.Dir, n, terminal.Plural(len(r.Rows), "cause"), text))
	}
	return notes
}

// sureness orders causes: those that people decided on come first, then those by rules with their confidence.
func sureness(row cause.Row) float64 {
	if row.Decided != "" {
		return 1 + row.Confidence
	}
	return row.Confidence
}

// surest reduces runs to the most answers whose cause is surest, and returns how many are left out.
func surest(runs []cause.Run, most int) (shown []cause.Run, left int) {
	type place struct{ run, row int }
	var all []place
	for i, r := range runs {
		for j := range r.Rows {
			all = append(all, place{i, j})
		}
	}
	if most == 0 || len(all) <= most {
		return runs, 0
	}
	slices.SortStableFunc(all, func(a, b place) int {
		return cmp.Compare(sureness(runs[b.run].Rows[b.row]), sureness(runs[a.run].Rows[a.row]))
	})
	for i, r := range runs {
		var rows []cause.Row
		for j, row := range r.Rows {
			if slices.Contains(all[:most], place{i, j}) {
				rows = append(rows, row)
			}
		}
		r.Rows = rows
		shown = append(shown, r)
	}
	return shown, len(all) - most
}

// countsTable has a line for each cause of each run, and then the paper's lines if withPaper is true.
func countsTable(runs []cause.Run, withPaper bool) (*report.Table, error) {
	t := report.NewTable("causes", "Causes of wrong answers", "cause", "sgl.", "multi.", "retr.", "comp.", "total", "share")
	t.Section = "run"
	people := anyDecided(runs)
	if people {
		t.Heads = append(t.Heads, report.Head{Name: "by people"})
	}
	for _, r := range runs {
		for _, n := range r.Counts() {
			cells := make([]string, 0, len(t.Heads))
			for _, name := range qa.TypeTags {
				cells = append(cells, strconv.Itoa(n.ByType[name]))
			}
			cells = append(cells, strconv.Itoa(n.Total), share(n.Total, len(r.Rows)))
			if people {
				cells = append(cells, strconv.Itoa(n.People))
			}
			t.Add(r.Dir, n.Code.Title(), cells...)
		}
	}
	if withPaper {
		return t, addPaper(t, people)
	}
	return t, nil
}

// addPaper adds the paper's Tables 14 and 15. People found all of their causes.
func addPaper(t *report.Table, people bool) error {
	const answers = 60 // in each table
	for _, number := range []string{"14", "15"} {
		p, err := report.Paper(number)
		if err != nil {
			return err
		}
		for _, row := range p.Rows {
			total := row.Cells[len(row.Cells)-1]
			n, err := strconv.Atoi(total)
			if err != nil {
				return err
			}
			cells := append(slices.Clone(row.Cells[1:]), share(n, answers))
			if people {
				cells = append(cells, total)
			}
			t.Add(fmt.Sprintf("%s, %s%s", row.Model, row.Baseline, report.PaperMark), row.Cells[0], cells...)
			t.Lines[len(t.Lines)-1].Paper = true
		}
	}
	t.Notes = []string{"Rows marked" + report.PaperMark + " are from Tables 14 and 15 of the AirQA paper: 60 wrong answers each, 15 of each question type, " +
		"and the causes that its authors found in them."}
	return nil
}

func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(of))
}

func anyDecided(runs []cause.Run) bool {
	return slices.ContainsFunc(runs, func(r cause.Run) bool {
		return slices.ContainsFunc(r.Rows, func(row cause.Row) bool { return row.Decided != "" })
	})
}

func differenceTable(a, b cause.Run) *report.Table {
	t := report.NewTable("difference", "Difference", "cause", "A", "B", "B - A")
	t.Notes = []string{"A = " + a.Dir, "B = " + b.Dir}
	count := func(r cause.Run, code cause.Code) (n int) {
		for _, row := range r.Rows {
			if row.Final() == code {
				n++
			}
		}
		return n
	}
	for _, code := range cause.Codes() {
		if x, y := count(a, code), count(b, code); x+y > 0 {
			t.Add("", code.Title(), strconv.Itoa(x), strconv.Itoa(y), fmt.Sprintf("%+d", y-x))
		}
	}
	t.Add("", "Wrong answers", strconv.Itoa(len(a.Rows)), strconv.Itoa(len(b.Rows)), fmt.Sprintf("%+d", len(b.Rows)-len(a.Rows)))
	return t
}

// answersTable has a line for each wrong answer, with the causes that people decided on if there are any.
func answersTable(runs []cause.Run) *report.Table {
	decided := anyDecided(runs)
	heads := []string{"cause", "lost at", "answer", "gold", "why"}
	if decided {
		heads = append(heads, "decided")
	}
	t := report.NewTable("answers", "Wrong answers", "uuid", heads...)
	t.Section = "run"
	for i := range t.Heads {
		t.Heads[i].Left = true
	}
	const uuidShown = 8 // the number of characters of a uuid in a table
	for _, r := range runs {
		for _, row := range r.Rows {
			label := row.UUID[:min(len(row.UUID), uuidShown)]
			if row.Repeat > 0 {
				label += fmt.Sprintf("#%d", row.Repeat)
			}
			cells := []string{
				string(row.Code), row.LostAt.Label(row.LostAtWeakly), terminal.Clip(row.Answer, maxCell), terminal.Clip(row.Gold, maxCell), row.Why,
			}
			if decided {
				cells = append(cells, string(row.Decided))
			}
			t.Add(r.Dir, label, cells...)
		}
	}
	return t
}

// maxCell is the maximum width of an answer in a table.
const maxCell = 60

// Cause prints the cause of one wrong answer with its evidence.
func Cause(w io.Writer, row cause.Row, o render.Options) error {
	if !o.IsText() {
		return Causes(w, []cause.Run{{Dir: row.Run, Rows: []cause.Row{row}}}, 0, o)
	}
	var b strings.Builder
	line := func(name, text string) { fmt.Fprintf(&b, "%-9s %s\n", name, terminal.Line(text)) }
	line("Question", row.Question)
	line("Run", filepath.Clean(row.Run))
	line("Answer", row.Answer)
	line("Gold", row.Gold)
	line("Cause", row.Code.Title()+" ("+row.By()+")")
	line("Why", row.Why)
	line("Lost at", row.LostAt.Label(row.LostAtWeakly))
	if row.Decided != "" {
		line("Decided", row.Decided.Title())
	}
	b.WriteString("Evidence\n")
	for _, ref := range row.Evidence {
		where := ref.Field
		if ref.Step > 0 {
			where = fmt.Sprintf("step %d %s", ref.Step, where)
		}
		if ref.End > 0 {
			where += fmt.Sprintf(" [%d:%d]", ref.First, ref.End)
		}
		if ref.Quote != "" {
			where += ": " + terminal.Line(ref.Quote)
		}
		b.WriteString("  " + where + "\n")
	}
	return render.Document{Parts: []render.Part{{Preformatted: b.String()}}}.Write(w, o)
}
