package chart

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

// Page is a whole page in one file: it refers to no other and runs no script.
type Page struct {
	Title string
	// Lead are paragraphs under the title, Foot small print at the end.
	Lead, Foot []string
	Sections   []Section
}

// Section is a part of a page; what is empty is left out.
type Section struct {
	Title string
	// Text are paragraphs.
	Text []string
	// Charts stand side by side where the window is wide.
	Charts []template.HTML
	// Tables stand one under the other; see [Table.HTML].
	Tables []template.HTML
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Write writes the page to w.
func (p Page) Write(w io.Writer) error {
	type section struct {
		Section
		ID string
	}
	view := struct {
		Page
		CSS      template.CSS
		Sections []section
	}{Page: p, CSS: template.CSS(CSS)}
	for i, s := range p.Sections {
		view.Sections = append(view.Sections, section{s, fmt.Sprintf("s%d", i+1)})
	}
	if err := pageTemplate.Execute(w, view); err != nil {
		return fmt.Errorf("write page %q: %w", p.Title, err)
	}
	return nil
}

// Table is a table of texts.
type Table struct {
	Caption string
	Head    []string
	// Rows have as many cells as Head; a row of one cell is a heading over those that follow.
	Rows [][]string
	// Texts is how many columns from the left hold text, at least 1; the last of them is broken where it is too long. The
	// others hold numbers and stand at the right.
	Texts int
	// Note is small print below.
	Note string
}

// HTML is the table as part of a page; it scrolls by itself where it is wider than the window.
func (t Table) HTML() template.HTML {
	var b strings.Builder
	label := t.Caption
	if label == "" {
		label = "table"
	}
	_, _ = fmt.Fprintf(&b, `<div class="scroll" tabindex="0" role="group" aria-label="%s"><table>`, escaped(label))
	if t.Caption != "" {
		_, _ = fmt.Fprintf(&b, `<caption>%s</caption>`, escaped(t.Caption))
	}
	b.WriteString("<thead>")
	t.row(&b, t.Head, "th scope=\"col\"")
	b.WriteString("</thead><tbody>")
	for _, r := range t.Rows {
		if len(r) == 1 && len(t.Head) > 1 {
			_, _ = fmt.Fprintf(&b, `<tr><th colspan="%d" scope="rowgroup">%s</th></tr>`, len(t.Head), escaped(r[0]))
			continue
		}
		t.row(&b, r, "td")
	}
	b.WriteString("</tbody></table></div>")
	if t.Note != "" {
		_, _ = fmt.Fprintf(&b, `<p class="note">%s</p>`, escaped(t.Note))
	}
	return template.HTML(b.String()) // every text in it went through escaped
}

func (t Table) row(b *strings.Builder, cells []string, tag string) {
	b.WriteString("<tr>")
	for i, c := range cells {
		class := ""
		switch {
		case i >= max(t.Texts, 1):
			class = ` class="n"`
		case i < t.Texts-1:
			class = ` class="k"`
		}
		_, _ = fmt.Fprintf(b, "<%s%s>%s</%s>", tag, class, escaped(c), tag[:2])
	}
	b.WriteString("</tr>")
}
