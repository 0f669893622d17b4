package render

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"airqa/internal/terminal"
	"airqa/report"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"line": terminal.Line}).Parse(pageText))

// page is the data of page.html.
type page struct {
	Document
	Parts []pagePart
	// Scored reports whether a table has scores.
	Scored bool
}

type pagePart struct {
	Part
	ID     string
	Charts []template.HTML
	Table  *pageTable
}

// pageTable is a table without the columns that repeat the contents of a cell.
type pageTable struct {
	sheet
	// Names are the heads of the text columns, Groups the heads above the value columns.
	Names    []string
	Groups   []pageGroup
	Sections []pageSection
	Width    int
}

type pageGroup struct {
	Name string
	Span int
}

// pageSection is a group of lines, with its name unless that is a column.
type pageSection struct {
	Name  string
	Lines []pageLine
}

type pageLine struct {
	Paper bool
	Words []string
	Cells []pageCell
}

// pageCell is a value with its interval, and n as a tooltip.
type pageCell struct {
	Text, Under, Tip string
	Left             bool
}

// writePage writes a self-contained page without scripts.
func (d Document) writePage(w io.Writer) error {
	p := page{Document: d}
	for i, part := range d.Parts {
		shown := pagePart{Part: part, ID: fmt.Sprintf("part-%d", i+1)}
		for _, f := range part.Figures {
			if f.empty() {
				continue
			}
			svg, err := f.SVG()
			if err != nil {
				return err
			}
			shown.Charts = append(shown.Charts, svg)
		}
		if t := part.Table; t != nil {
			if t.Name != "" {
				shown.ID = "table-" + t.Name
			}
			shown.Table = sheet(*t).unrepeated().page()
			p.Scored = p.Scored || slices.ContainsFunc(t.Heads, func(h report.Head) bool { return h.Scored })
		}
		p.Parts = append(p.Parts, shown)
	}
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("write page %q: %w", d.Title, err)
	}
	return nil
}

func (t sheet) page() *pageTable {
	flat := t.flat() && t.sectioned()
	names, left := t.names(flat)
	v := &pageTable{sheet: t, Names: names[:left], Width: len(names)}
	for at := 0; t.grouped() && at < len(t.Heads); at = t.groupEnd(at) {
		v.Groups = append(v.Groups, pageGroup{Name: t.Heads[at].Group, Span: t.groupEnd(at) - at})
	}
	t.eachSection(func(name string, lines []report.Line) {
		s := pageSection{Name: terminal.Line(name)}
		if flat {
			s.Name = ""
		}
		for _, l := range lines {
			line := pageLine{Paper: l.Paper, Words: cells(l, flat)[:left]}
			for i, value := range l.Values {
				c := pageCell{Text: terminal.Line(value.Marked()), Under: value.Span(), Left: t.Heads[i].Left}
				if value.Cell != nil {
					c.Tip = "n = " + value.Count()
				}
				line.Cells = append(line.Cells, c)
			}
			s.Lines = append(s.Lines, line)
		}
		v.Sections = append(v.Sections, s)
	})
	return v
}
