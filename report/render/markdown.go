package render

import (
	"strings"

	"airqa/internal/terminal"
)

func (d Document) markdown() string {
	var blocks []string
	for _, p := range d.printable() {
		if p.Title != "" {
			blocks = append(blocks, "## "+MarkdownText(p.Title))
		}
		for _, s := range p.Text {
			blocks = append(blocks, MarkdownText(s))
		}
		var list []string
		for _, it := range p.Items {
			list = append(list, it.markdown())
		}
		if p.Table != nil {
			blocks = append(blocks, sheet(*p.Table).markdown())
			for _, n := range p.Table.Notes {
				list = append(list, Item{Text: n}.markdown())
			}
		}
		if len(list) > 0 {
			blocks = append(blocks, strings.Join(list, "\n"))
		}
	}
	return strings.Join(blocks, "\n\n")
}

// markdown puts each command on a line of its own.
func (it Item) markdown() string {
	var s strings.Builder
	s.WriteString("- " + MarkdownText(it.Text))
	for _, c := range it.Commands {
		s.WriteString("\\\n  `" + strings.ReplaceAll(terminal.Line(c), "`", "'") + "`")
	}
	return s.String()
}

// markdown has one head line and repeats every name, because Markdown has neither column groups nor sections.
func (t sheet) markdown() string {
	if len(t.Lines) == 0 {
		return "none"
	}
	section := t.sectioned()
	names, left := t.names(section)
	row := func(cells []string) string {
		for i := range cells {
			cells[i] = strings.ReplaceAll(MarkdownText(cells[i]), "|", `\|`)
		}
		return "| " + strings.Join(cells, " | ") + " |"
	}
	lines := []string{row(names), "|" + t.alignment(left, " --- |", " ---: |")}
	for _, l := range t.Lines {
		lines = append(lines, row(cells(l, section)))
	}
	return strings.Join(lines, "\n")
}

// MarkdownText returns a text on one line in which Markdown has no effect.
func MarkdownText(s string) string { return markdownEscapes.Replace(terminal.Line(s)) }

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, `*`, `\*`, "`", "\\`", `[`, `\[`, `]`, `\]`, `&`, `&amp;`, `<`, `&lt;`, `>`, `&gt;`, `#`, `\#`,
	`$`, `\$`, `~`, `\~`, // formulas and strikethrough on GitHub
)
