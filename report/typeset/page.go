package typeset

import (
	_ "embed"
	"html/template"
	"io"
	"strconv"

	"airqa/internal/chart"
	"airqa/internal/terminal"
	"airqa/report"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page is what page.html shows.
type page struct {
	Title, Lead string
	CSS         template.CSS
	Notes       []string
	Charts      []template.HTML
	Tables      []pageTable
}

type pageTable struct {
	report.Table
	Heading string
	Flat    bool
	// Width counts all columns; Groups are empty without any.
	Width  int
	Groups []pageGroup
	Lines  []pageLine
}

type pageGroup struct {
	Name string
	Span int
}

type pageLine struct {
	report.Line
	// Opens tells that the name of the section stands above.
	Opens  bool
	Values []pageValue
}

// pageValue is a value with what stands under it and what is told when it is pointed at.
type pageValue struct{ Text, Under, Tip string }

// writePage writes one page that refers to no other file and runs no script.
func writePage(w io.Writer, rows []report.Row, tables []report.Table, notes []string, o Options) error {
	charts, err := charts(rows, o)
	if err != nil {
		return err
	}
	p := page{Title: "AirQA report", CSS: template.CSS(chart.CSS), Lead: lead(rows, o), Charts: charts, Notes: notes}
	for _, t := range tables {
		p.Tables = append(p.Tables, pageTableOf(sheet(t)))
	}
	return pageTemplate.Execute(w, p)
}

func lead(rows []report.Row, o Options) string {
	text := "1 run"
	if len(rows) != 1 {
		text = strconv.Itoa(len(rows)) + " runs"
	}
	text += ". Scores are in percent; hover over one for n."
	if o.Intervals != "" && o.Intervals != report.NoIntervals {
		text += " Small figures under scores, and lines across bars and points, are 95 % intervals."
	}
	return text
}

func pageTableOf(t sheet) pageTable {
	t = t.without(func(h report.Head) bool { return h.Repeats })
	v := pageTable{Table: report.Table(t), Heading: t.heading(), Flat: t.flat(), Width: len(t.Heads) + 1}
	if v.Flat {
		v.Width++
	}
	for at := 0; t.grouped() && at < len(t.Heads); at = t.groupEnd(at) {
		v.Groups = append(v.Groups, pageGroup{Name: t.Heads[at].Group, Span: t.groupEnd(at) - at})
	}
	t.eachSection(func(_ string, lines []report.Line) {
		for i, l := range lines {
			l.Label, l.Section = terminal.Line(l.Label), terminal.Line(l.Section)
			v.Lines = append(v.Lines, pageLine{Line: l, Opens: i == 0 && !v.Flat, Values: pageValues(l)})
		}
	})
	return v
}

func pageValues(l report.Line) []pageValue {
	list := make([]pageValue, len(l.Values))
	for i, v := range l.Values {
		list[i] = pageValue{Text: v.Marked(), Under: v.Span()}
		if v.Cell != nil {
			list[i].Tip = "n = " + v.Count()
		}
	}
	return list
}
