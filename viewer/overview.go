package viewer

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"

	"airqa/internal/terminal"
	"airqa/report"
	"airqa/trace"
	"airqa/trace/cause"
)

// chunk is the number of rows in a list that are sent at once.
const chunk = 500

// overview is the data of overview.html.
type overview struct {
	Runs []runSummary
	// Notes are those of the report.
	Notes []string
	// Notices are what could not be read.
	Notices []string
	Filter  *filterForm
	// Shown counts the selected episodes, Total all.
	Shown, Total int
	Filtered     bool
	Charts       []chart
	Tables       []crossTable
	List         list
	// Silence is the reason why there is nothing to list.
	Silence string
}

// runSummary is one line of the table of runs.
type runSummary struct {
	Name, Href string
	Baseline   string
	Model      string
	Writing    bool
	// Pending means that the numbers are being computed; Problem that there are none.
	Pending  bool
	Problem  string
	Score    string
	Span     string
	Numbers  report.Row
	Statuses []count
	Tokens   int
	Cost     string
}

// count is a number that leads to its questions.
type count struct {
	Name string
	N    int
	Href string
}

// list is a list of episodes, in chunks.
type list struct {
	Rows []listRow
	Sort []column
	Runs bool
	// Later are the chunks after the rows, Next the address of the next chunk for browsers without scripts.
	Later []later
	Next  string
	From  int
}

// later is a chunk that a script reads when it comes into view.
type later struct {
	Href   string
	Height int
}

type column struct {
	Key, Title, Class, Href, Sorted string
}

type listRow struct {
	trace.Row
	Run  string
	Href string
}

// Overview writes the first page: the runs, charts and the list of episodes.
func (s *Site) Overview(ctx context.Context, w io.Writer, q url.Values) error {
	sel, err := s.selection(q)
	if err != nil {
		return err
	}
	rows, err := s.rows(ctx, sel)
	if err != nil {
		return err
	}
	all := sel.all()
	o := overview{Shown: len(rows), Total: len(all), Filtered: !sel.Empty()}
	every := tallyRows(all)
	match := every
	if len(rows) < len(all) {
		match = tallyRows(rows)
	}
	o.Filter = s.form(sel, every)
	o.Charts = charts(sel, match, every)
	o.Tables = crossTables(sel, match, every)
	for _, r := range s.Library.Runs {
		o.add(s, sel, r)
	}
	// Statuses that no episode has are left out, but for right and wrong.
	found := map[string]bool{string(trace.Right): true, string(trace.Wrong): true}
	for _, r := range o.Runs {
		for _, c := range r.Statuses {
			found[c.Name] = found[c.Name] || c.N > 0
		}
	}
	for i := range o.Runs {
		o.Runs[i].Statuses = slices.DeleteFunc(o.Runs[i].Statuses, func(c count) bool { return !found[c.Name] })
	}
	if n := s.Library.Pending(); n > 0 {
		o.Notices = append(o.Notices, fmt.Sprintf("The causes of %d wrong answers are being computed; until then, counts lack them.", n))
	}
	o.Notes = s.notes()
	from, _ := strconv.Atoi(q.Get("offset"))
	if o.List, err = s.list(ctx, sel, rows, from); err != nil {
		return err
	}
	o.Silence = silence(sel, o)
	args := append([]string{"trace"}, s.paths(sel.runs)...)
	return s.write(w, frame{
		Title: title(sel), Section: "overview", Content: "overview", Command: command(append(args, sel.Flags()...)...), Body: o,
	})
}

func title(sel selection) string {
	name := terminal.Plural(len(sel.runs), "run")
	if len(sel.runs) == 1 {
		name = sel.runs[0].Log.Config.Shape.Baseline + ", " + sel.runs[0].Log.Config.Shape.ModelName()
	}
	return "Episodes of " + name
}

// silence tells three empty lists apart: nothing was recorded, nothing matches, nothing can be read.
func silence(sel selection, o overview) string {
	switch {
	case o.Shown > 0:
		return ""
	case o.Total > 0 && o.Filtered:
		return fmt.Sprintf("No episode matches this filter: 0 of %d.", o.Total)
	}
	for _, r := range sel.runs {
		if len(r.Log.BadLines) > 0 {
			return "No episode could be read."
		}
		if r.Writing {
			return "No episode has been recorded yet. The run is in progress; this page updates itself."
		}
	}
	return "No episode has been recorded yet, and no program is writing to the run."
}

// add adds the summary of a run, and what could not be read of it.
func (o *overview) add(s *Site, sel selection, r *trace.Run) {
	name := s.names[r]
	shape := r.Log.Config.Shape
	sum := runSummary{Name: name, Href: sel.with("run", name), Baseline: shape.Baseline, Model: shape.ModelName(), Writing: r.Writing}
	statuses := make(map[trace.Status]int)
	cost, known := 0.0, len(r.Rows) > 0
	for i := range r.Rows {
		w := &r.Rows[i]
		statuses[w.Status]++
		sum.Tokens += w.Tokens()
		if w.CostUSD == nil {
			known = false
			continue
		}
		cost += *w.CostUSD
	}
	for _, st := range trace.Statuses() {
		q := url.Values{"run": {name}, "status": {string(st)}}
		sum.Statuses = append(sum.Statuses, count{string(st), statuses[st], address("/", q)})
	}
	if sum.Cost = "–"; known {
		sum.Cost = terminal.USD(cost)
	}
	sum.score(s, r)
	o.Runs = append(o.Runs, sum)
	if slices.Contains(sel.runs, r) {
		for _, n := range r.Notices {
			o.Notices = append(o.Notices, name+": "+n)
		}
	}
}

// score adds the accuracy as in the report.
func (sum *runSummary) score(s *Site, r *trace.Run) {
	if r.Scoring == nil {
		sum.Problem = "not scored yet"
		return
	}
	row, ok, err := s.Numbers(r)
	switch {
	case err != nil:
		sum.Problem = err.Error()
	case !ok:
		sum.Pending = true
	default:
		sum.Numbers = row
		cell := row.Cell(report.Average)
		if sum.Score = "–"; cell.Shown() {
			sum.Score = strconv.FormatFloat(cell.Score, 'f', 2, 64)
		}
		if cell.Interval != nil {
			sum.Span = fmt.Sprintf("%.1f–%.1f", cell.Interval.Low, cell.Interval.High)
		}
	}
}

// notes are those of the report about the runs with numbers.
func (s *Site) notes() []string {
	var rows []report.Row
	for _, r := range s.Library.Runs {
		if r.Scoring == nil {
			continue
		}
		if row, ok, err := s.Numbers(r); ok && err == nil {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return report.Notes(rows)
}

// list makes the first chunk from a row, and the addresses of the others.
func (s *Site) list(ctx context.Context, sel selection, rows []trace.Row, from int) (list, error) {
	from = min(max(from, 0), len(rows))
	l := list{Runs: len(sel.runs) > 1, From: from, Sort: columns(sel)}
	end := min(from+chunk, len(rows))
	in := sel.query()
	shown := slices.Clone(rows[from:end])
	if err := s.Library.Explain(ctx, shown); err != nil {
		return l, err
	}
	for _, w := range shown {
		l.Rows = append(l.Rows, listRow{Row: w, Run: s.run(w), Href: s.href(w, in)})
	}
	const rowHeight = 37.6 // the height of a row in CSS pixels at the browser's default size (--row in style.css)
	for at := end; at < len(rows); at += chunk {
		q := sel.query()
		q.Set("offset", strconv.Itoa(at))
		l.Later = append(l.Later, later{address("/", q), int(rowHeight * float64(min(chunk, len(rows)-at)))})
	}
	if len(l.Later) > 0 {
		l.Next = l.Later[0].Href + "#episodes"
	}
	return l, nil
}

// href is the address of a question's page, with the list that it was opened from.
func (s *Site) href(w trace.Row, in url.Values) string {
	return address(Address(s.run(w), w.Episode), in)
}

// columns are the heads of the list. A click sorts, and a second one sorts downwards.
func columns(sel selection) []column {
	list := []column{
		{Key: "status", Title: "Status", Class: "c-status"},
		{Key: "question", Title: "Question", Class: "c-question"},
		{Key: "score", Title: "Score", Class: "c-score n"},
		{Key: "turns", Title: "Turns", Class: "c-turns n"},
		{Key: "tokens", Title: "Tokens", Class: "c-tokens n"},
		{Key: "lost-at", Title: "Lost at", Class: "c-lost"},
		{Key: "cause", Title: "Cause", Class: "c-cause"},
	}
	for i := range list {
		c := &list[i]
		next := c.Key
		switch sel.Sort {
		case c.Key:
			c.Sorted, next = "ascending", "-"+c.Key
		case "-" + c.Key:
			c.Sorted, next = "descending", ""
		}
		c.Href = sel.with("sort", next)
	}
	return list
}

// filterForm is the form of the overview.
type filterForm struct {
	Menus []menu
	Grep  string
	Sort  string
	// Clear is the address without a filter, "" if there is none.
	Clear string
}

// menu is a list of values to choose from.
type menu struct {
	Name, Title string
	Set         int
	Choices     []choice
}

type choice struct {
	Value   string
	Chosen  bool
	N       int
	Explain string
}

// titles are the names of the menus.
var titles = map[string]string{
	"status": "Status", "lost-at": "Lost at", "cause": "Cause", "outcome": "Outcome", "error": "Errors", "tag": "Tag", "function": "Function",
}

// explanations of values, by field.
var explanations = map[string]map[cause.Level]string{"lost-at": {
	cause.LevelDB: "not in the database", cause.LevelScope: "in a paper that Retrieve did not search",
	cause.LevelHits: "in no result", cause.LevelLimit: "beyond the limit of a retrieval",
	cause.LevelCut: "in the part of a result that was cut off", cause.LevelWindow: "shown, but not in the last request",
	cause.LevelAnswer: "in the last request", cause.LevelUnknown: "not known, or no verdict",
}}

func (s *Site) form(sel selection, all tallies) *filterForm {
	form := &filterForm{Grep: sel.Grep, Sort: sel.Sort}
	if len(s.Library.Runs) > 1 {
		runs := menu{Name: "run", Title: "Run", Set: len(sel.named)}
		for _, r := range s.Library.Runs {
			runs.Choices = append(runs.Choices, choice{Value: s.names[r], Chosen: slices.Contains(sel.named, s.names[r]), N: len(r.Rows)})
		}
		form.Menus = append(form.Menus, runs)
	}
	for _, f := range trace.Fields() {
		chosen := f.Chosen(sel.Filter)
		m := menu{Name: f.Name, Title: titles[f.Name], Set: len(chosen)}
		for _, v := range all[f.Name].values() {
			m.Choices = append(m.Choices, choice{
				Value: v.Name, Chosen: slices.Contains(chosen, v.Name), N: v.N, Explain: explanations[f.Name][cause.Level(v.Name)],
			})
		}
		for _, v := range chosen { // a value that no row has
			if !slices.ContainsFunc(m.Choices, func(c choice) bool { return c.Value == v }) {
				m.Choices = append(m.Choices, choice{Value: v, Chosen: true})
			}
		}
		if len(m.Choices) > 0 {
			form.Menus = append(form.Menus, m)
		}
	}
	if !sel.Empty() || sel.named != nil {
		form.Clear = "/"
	}
	return form
}
