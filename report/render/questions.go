package render

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/terminal"
	"airqa/report"
	"airqa/report/questions"
)

// Statistics prints the statistics of a question file. CSV has a line per number; JSON is the whole of s.
func Statistics(w io.Writer, s questions.Stats, o Options) error {
	return Write(w, statistics(s, o), o)
}

func statistics(s questions.Stats, o Options) Document {
	d := Document{Title: "Questions of " + filepath.Base(s.Source), Data: []any{s}}
	d.add(Part{Text: []string{s.Summary()}})
	figures := make(map[string][]Figure)
	if o.Format == "html" {
		figures = statisticsFigures(s, o.WithPaper)
	}
	for _, t := range questions.Tables(s, o.WithPaper) {
		d.add(Part{Title: t.Title, Table: &t, Figures: figures[t.Name]})
	}
	return d
}

// Findings prints the faults of a question file: text like a compiler, JSON as an object per line, and HTML as the
// first part of the page of its statistics s.
func Findings(w io.Writer, list []questions.Finding, s questions.Stats, o Options) error {
	d := Document{Title: "Questions of " + filepath.Base(s.Source)}
	if o.Format == "html" { // errors first
		d = statistics(s, o)
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b questions.Finding) int { return cmp.Compare(a.Severity, b.Severity) })
	}
	t := report.NewTable("findings", "Findings", "severity", "file", "line", "uuid", "rule", "mode", "text")
	for i := range t.Heads {
		t.Heads[i].Left = t.Heads[i].Name != "line"
	}
	d.Data = nil
	for _, f := range list {
		t.Add("", string(f.Severity), f.File, strconv.Itoa(f.Line), f.UUID, string(f.Rule), string(f.Mode), f.Text)
		d.Data = append(d.Data, f)
	}
	summary := Part{Title: t.Title, Text: []string{questions.FindingsSummary(list, s)}}
	switch {
	case o.Format == "text" || o.Format == "":
		return print(w, findingLines(list)+terminal.Line(questions.FindingsSummary(list, s)))
	case len(list) > 0 || o.Format == "csv":
		summary.Table = t
	}
	d.Parts = append([]Part{summary}, d.Parts...)
	return Write(w, d, o)
}

func findingLines(list []questions.Finding) string {
	var lines strings.Builder
	for _, f := range list {
		uuid := ""
		if f.UUID != "" {
			uuid = " " + terminal.Line(f.UUID) + ":"
		}
		fmt.Fprintf(&lines, "%s:%d:%s %s: %s (%s)\n", terminal.Line(f.File), f.Line, uuid, f.Severity, terminal.Line(f.Text), f.Rule)
	}
	return lines.String()
}

// statisticsFigures are the charts by the name of the table with their numbers.
func statisticsFigures(s questions.Stats, withPaper bool) map[string][]Figure {
	figures := map[string][]Figure{
		"evaluators":   functionFigures(s),
		"conferences":  {countFigure("conference", "conferences", "Conferences that questions are about", s.Conferences, nil)},
		"annotators":   {countFigure("annotator", "annotators", "Annotators", s.Annotators, nil)},
		"combinations": {countFigure("tags", "combinations", "Element tags as combined", s.Combinations, nil)},
		"papers":       paperFigures(s),
		"lengths":      lengthFigures(s),
	}
	types, elements := []questions.Count(nil), []questions.Count(nil)
	if withPaper {
		types, elements = questions.PaperCounts(s.Types), questions.PaperCounts(s.Elements)
	}
	figures["overview"] = []Figure{
		countFigure("type", "types", "Question types", s.Types, types),
		countFigure("category", "elements", "Element categories", s.Elements, elements),
		countFigure("tag", "evaluation", "Evaluation by tag", s.Evaluation, nil),
		countFigure("kind", "kinds", "Evaluation by function", s.Kinds, nil),
	}
	for i := range figures["overview"] {
		figures["overview"][i].X.Max = 100 // one scale for the shares of all questions
	}
	for name := range figures {
		figures[name] = drawable(figures[name])
	}
	return figures
}

// countFigure shows counts as shares, next to the paper's if available.
func countFigure(kind, name, title string, list, paper []questions.Count) Figure {
	f := Figure{Name: name, Title: title, X: Axis{Label: "share, %"}, Y: Axis{Label: kind}}
	for i, counts := range [][]questions.Count{list, paper} {
		if len(counts) == 0 {
			continue
		}
		s := Series{Colour: i}
		if len(paper) > 0 {
			s.Name = []string{"this file", "the paper (Table 2)"}[i]
		}
		for _, c := range counts {
			s.Points = append(s.Points, Point{X: float64(place(&f.Categories, c.Name)), Y: c.Share, Label: fmt.Sprintf("%d (%.1f %%)", c.N, c.Share)})
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// functionFigures show the functions used (Figure 2) and the categories of the paper's Table 8.
func functionFigures(s questions.Stats) []Figure {
	uses := Figure{Name: "functions", Title: "Uses of evaluation functions (Figure 2)", X: Axis{Label: "uses", Whole: true}, Y: Axis{Label: "function"}, Series: []Series{
		{Name: "top level"}, {Name: "inside logical functions", Colour: 1},
	}}
	categories := make(map[string]int)
	var order []string
	all := 0
	for _, f := range s.Evaluators {
		if f.Uses() == 0 {
			continue
		}
		x := float64(place(&uses.Categories, f.Short()))
		for i, n := range []int{f.Top, f.Nested} {
			if n > 0 {
				uses.Series[i].Points = append(uses.Series[i].Points, Point{X: x, Y: float64(n), Label: strconv.Itoa(n)})
			}
		}
		if f.Category != "" {
			name := f.Genre + ": " + f.Category
			place(&order, name)
			categories[name] += f.Uses()
			all += f.Uses()
		}
	}
	var list []questions.Count
	for _, name := range order {
		list = append(list, questions.Count{Name: name, N: categories[name], Share: 100 * float64(categories[name]) / float64(all)})
	}
	return []Figure{uses, countFigure("category", "categories", "Categories of functions, without logical ones", list, nil)}
}

// lengthFigures show Figure 6 in tokens, and the same in words.
func lengthFigures(s questions.Stats) []Figure {
	var list []Figure
	for _, l := range s.Lengths {
		if l.Unit == "characters" {
			continue
		}
		f := Figure{
			Name: "lengths-" + strconv.Itoa(len(list)+1), Title: fmt.Sprintf("Length of the %s, %s (median %s)", l.Of, l.Unit, number(l.Median)),
			Kind: Histogram, X: Axis{Label: l.Unit, Whole: true}, Y: Axis{Label: "questions", Whole: true}, Series: []Series{{}},
		}
		for _, v := range l.Values {
			f.Series[0].Points = append(f.Series[0].Points, Point{X: float64(v)})
		}
		list = append(list, f)
	}
	return list
}

// paperFigures show papers per question for the types that name papers.
func paperFigures(s questions.Stats) []Figure {
	var list []Figure
	for _, kind := range []string{"single", "multiple", "comprehensive"} {
		f := Figure{Name: "papers-" + kind, Kind: Columns, X: Axis{Label: "papers"}, Y: Axis{Label: "questions", Whole: true}}
		for _, p := range s.Papers {
			if p.Type != kind || len(p.N) == 0 {
				continue
			}
			series := Series{Name: p.Of, Colour: len(f.Series)}
			if p.Of == "papers" {
				series.Name = "both"
				f.Title = fmt.Sprintf("Papers per %s question (mean %.2f)", kind, p.Mean)
				f.X.Max = float64(p.Max)
			}
			for k, n := range p.N {
				series.Points = append(series.Points, Point{X: float64(place(&f.Categories, strconv.Itoa(k))), Y: float64(n)})
			}
			f.Series = append(f.Series, series)
		}
		if f.X.Max > 0 {
			list = append(list, f)
		}
	}
	return list
}
