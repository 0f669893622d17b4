package questions

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
	"airqa/report/render"
)

// Write prints the statistics. CSV has a line per number; JSON is the whole of s.
func (s Stats) Write(w io.Writer, o render.Options) error { return s.document(o).Write(w, o) }

func (s Stats) document(o render.Options) render.Document {
	d := render.Document{Title: "Questions of " + filepath.Base(s.Source), Data: []any{s}}
	d.Add(render.Part{Text: []string{s.Summary()}})
	figures := make(map[string][]render.Figure)
	if o.Format == "html" {
		figures = map[string][]render.Figure{
			"evaluators":   functionFigures(s),
			"conferences":  {countFigure("conference", "conferences", "Conferences that questions are about", s.Conferences, nil)},
			"venues":       {countFigure("venue", "venues", "Venues of the papers used (Figure 5)", s.Venues, nil)},
			"annotators":   {countFigure("annotator", "annotators", "Annotators", s.Annotators, nil)},
			"combinations": {countFigure("tags", "combinations", "Element tags as combined", s.Combinations, nil)},
			"papers":       paperFigures(s),
			"lengths":      lengthFigures(s),
		}
		var types, elements []Count
		if o.WithPaper {
			types, elements = PaperCounts(s.Types), PaperCounts(s.Elements)
		}
		figures["overview"] = []render.Figure{
			countFigure("type", "types", "Question types", s.Types, types),
			countFigure("category", "elements", "Element categories", s.Elements, elements),
			countFigure("tag", "evaluation", "Evaluation by tag", s.Evaluation, nil),
			countFigure("kind", "kinds", "Evaluation by function", s.Kinds, nil),
		}
		for i := range figures["overview"] {
			figures["overview"][i].X.Max = 100 // one scale for the shares of all questions
		}
	}
	for _, t := range Tables(s, o.WithPaper) {
		d.Add(render.Part{Title: t.Title, Table: &t, Figures: figures[t.Name]})
	}
	return d
}

// WriteFindings prints the faults of a question file: text like a compiler, JSON as an object per line, and HTML as the
// first part of the page of its statistics s.
func WriteFindings(w io.Writer, list []Finding, s Stats, o render.Options) error {
	d := render.Document{Title: "Questions of " + filepath.Base(s.Source)}
	if o.Format == "html" { // errors first
		d = s.document(o)
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(a.Severity, b.Severity) })
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
	summary := FindingsSummary(list, s)
	var lines strings.Builder
	for _, f := range list {
		uuid := ""
		if f.UUID != "" {
			uuid = " " + terminal.Line(f.UUID) + ":"
		}
		fmt.Fprintf(&lines, "%s:%d:%s %s: %s (%s)\n", terminal.Line(f.File), f.Line, uuid, f.Severity, terminal.Line(f.Text), f.Rule)
	}
	part := render.Part{Title: t.Title, Text: []string{summary}, Preformatted: lines.String() + terminal.Line(summary)}
	if len(list) > 0 || o.Format == "csv" {
		part.Table = t
	}
	d.Parts = append([]render.Part{part}, d.Parts...)
	return d.Write(w, o)
}

// countFigure shows counts as shares, next to the paper's if available.
func countFigure(kind, name, title string, list, paper []Count) render.Figure {
	f := render.Figure{Name: name, Title: title, X: render.Axis{Label: "share, %"}, Y: render.Axis{Label: kind}}
	for i, counts := range [][]Count{list, paper} {
		if len(counts) == 0 {
			continue
		}
		s := render.Series{Colour: i}
		if len(paper) > 0 {
			s.Name = []string{"this file", "the paper (Table 2)"}[i]
		}
		for _, c := range counts {
			s.Points = append(s.Points, render.Point{X: f.Category(c.Name), Y: c.Share, Label: fmt.Sprintf("%d (%.1f %%)", c.N, c.Share)})
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// functionFigures show the functions used (Figure 2) and the categories of the paper's Table 8.
func functionFigures(s Stats) []render.Figure {
	uses := render.Figure{
		Name: "functions", Title: "Uses of evaluation functions (Figure 2)",
		X: render.Axis{Label: "uses", Whole: true}, Y: render.Axis{Label: "function"},
		Series: []render.Series{{Name: "top level"}, {Name: "inside logical functions", Colour: 1}},
	}
	var categories []Count // contiguous, as functions are in the order of Table 8
	all := 0
	for _, f := range s.Evaluators {
		if f.Uses() == 0 {
			continue
		}
		x := uses.Category(f.Short())
		for i, n := range []int{f.Top, f.Nested} {
			if n > 0 {
				uses.Series[i].Points = append(uses.Series[i].Points, render.Point{X: x, Y: float64(n), Label: strconv.Itoa(n)})
			}
		}
		if f.Category != "" {
			name := f.Genre + ": " + f.Category
			if n := len(categories); n == 0 || categories[n-1].Name != name {
				categories = append(categories, Count{Name: name})
			}
			categories[len(categories)-1].N += f.Uses()
			all += f.Uses()
		}
	}
	for i, c := range categories {
		categories[i].Share = share(c.N, all)
	}
	return []render.Figure{uses, countFigure("category", "categories", "Categories of functions, without logical ones", categories, nil)}
}

// lengthFigures show Figure 6 in tokens, and the same in words.
func lengthFigures(s Stats) []render.Figure {
	var list []render.Figure
	for _, l := range s.Lengths {
		if l.Unit == "characters" {
			continue
		}
		f := render.Figure{
			Name: "lengths-" + strconv.Itoa(len(list)+1), Title: fmt.Sprintf("Length of the %s, %s (median %.6g)", l.Of, l.Unit, l.Median),
			Kind: render.Histogram, X: render.Axis{Label: l.Unit, Whole: true}, Y: render.Axis{Label: "questions", Whole: true},
			Series: []render.Series{{}},
		}
		for _, v := range l.Values {
			f.Series[0].Points = append(f.Series[0].Points, render.Point{X: float64(v)})
		}
		list = append(list, f)
	}
	return list
}

// paperFigures show papers per question for the types that name papers.
func paperFigures(s Stats) []render.Figure {
	var list []render.Figure
	for _, kind := range []string{"single", "multiple", "comprehensive"} {
		f := render.Figure{
			Name: "papers-" + kind, Kind: render.Columns, X: render.Axis{Label: "papers"}, Y: render.Axis{Label: "questions", Whole: true},
		}
		for _, p := range s.Papers {
			if p.Type != kind || len(p.N) == 0 {
				continue
			}
			series := render.Series{Name: p.Of, Colour: len(f.Series)}
			if p.Of == "papers" {
				series.Name = "both"
				f.Title = fmt.Sprintf("Papers per %s question (mean %.2f)", kind, p.Mean)
				f.X.Max = float64(p.Max)
			}
			for k, n := range p.N {
				series.Points = append(series.Points, render.Point{X: f.Category(strconv.Itoa(k)), Y: float64(n)})
			}
			f.Series = append(f.Series, series)
		}
		if f.X.Max > 0 {
			list = append(list, f)
		}
	}
	return list
}
