package render

import (
	"fmt"
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/terminal"
	"airqa/report"
)

// latex prints a document fragment that needs the package booktabs. Notes are below each table, as tables float.
func (d Document) latex() string {
	var b strings.Builder
	b.WriteString("% needs \\usepackage{booktabs} and \\usepackage{adjustbox}\n")
	parts := d.printable()
	if len(d.tables()) > 0 && len(d.Notes) > 0 {
		parts = parts[:len(parts)-1]
	}
	for _, p := range parts {
		if p.Title != "" && p.Table == nil {
			b.WriteString("\\paragraph{" + latexProse(p.Title) + "}\n")
		}
		for _, s := range p.Text {
			b.WriteString(latexProse(s) + "\n\n")
		}
		if len(p.Items) > 0 {
			b.WriteString("\\begin{itemize}\n")
			for _, it := range p.Items {
				b.WriteString("\\item " + latexProse(it.Text) + "\n")
				for _, c := range it.Commands {
					b.WriteString("\\\\ \\texttt{" + latexText(c) + "}\n")
				}
			}
			b.WriteString("\\end{itemize}\n")
		}
		if p.Table != nil {
			b.WriteString(sheet(*p.Table).latex(d.Notes))
		}
	}
	return b.String()
}

func (t sheet) latex(notes []string) string {
	var b strings.Builder
	flat := t.flat() && t.sectioned()
	names, left := t.names(flat)
	caption := ""
	if heading := t.heading(); heading != "" {
		caption = fmt.Sprintf("\\caption{%s.}\n\\label{tab:airqa-%s}\n", latexText(heading), latexText(t.Name))
	}
	b.WriteString("\\begin{table}[t]\n\\centering\n" + caption + "\\begin{adjustbox}{max width=\\linewidth,max totalheight=.8\\textheight}\n")
	b.WriteString("\\begin{tabular}{" + t.alignment(left, "l", "r") + "}\n\\toprule\n" + t.latexGroups(left) + latexRow(names) + "\\midrule\n")
	first := true
	t.eachSection(func(name string, lines []report.Line) {
		if name != "" && !flat {
			if !first {
				b.WriteString("\\midrule\n")
			}
			first = false
			fmt.Fprintf(&b, "\\multicolumn{%d}{l}{\\textit{%s}} \\\\\n", len(names), latexText(name))
		}
		for _, l := range lines {
			if l.Minor {
				b.WriteString("\\quad ")
			}
			b.WriteString(latexRow(cells(l, flat)))
		}
	})
	b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{adjustbox}\n")
	b.WriteString("\\par\\vspace{2pt}\n\\begin{minipage}{\\linewidth}\\scriptsize\\raggedright\n")
	for _, note := range slices.Concat(t.Notes, notes) {
		b.WriteString(latexProse(note) + "\\par\n")
	}
	b.WriteString("\\end{minipage}\n\\end{table}\n")
	return b.String()
}

// latexGroups is the upper head line, with a rule below each group; empty without groups.
func (t sheet) latexGroups(left int) string {
	if !t.grouped() {
		return ""
	}
	line, rules := strings.Repeat(" & ", left-1), ""
	for at := 0; at < len(t.Heads); at = t.groupEnd(at) {
		end := t.groupEnd(at)
		line += " & "
		if t.Heads[at].Group != "" {
			line += fmt.Sprintf("\\multicolumn{%d}{c}{%s}", end-at, latexText(t.Heads[at].Group))
			rules += fmt.Sprintf("\\cmidrule(lr){%d-%d}", left+at+1, left+end)
		}
	}
	return line + " \\\\\n" + rules + "\n"
}

func latexRow(cells []string) string {
	list := make([]string, len(cells))
	for i, c := range cells {
		list[i] = latexText(c)
	}
	return strings.Join(list, " & ") + " \\\\\n"
}

// latexProse escapes prose and sets flags in a typewriter font, which has no ligature for two hyphens.
func latexProse(s string) string { return latexFlags.ReplaceAllString(latexText(s), `\texttt{$0}`) }

var latexFlags = lazyregexp.New(`-\{\}-[a-z][a-z-]*`)

// latexText escapes untrusted text. LaTeX would take a bracket or a star at the start of a table line for an argument of
// the line break before it.
func latexText(s string) string { return latexEscapes.Replace(terminal.Line(s)) }

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `^`, `\textasciicircum{}`,
	`_`, `\_`, `~`, `\textasciitilde{}`, `%`, `\%`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`,
	`"`, `\char34{}`, // babel takes it for a command in some languages
	`[`, `{[}`, `]`, `{]}`, `*`, `{*}`, "`", `\textasciigrave{}`,
	`--`, `-{}-`, `–`, `--`, `…`, `\ldots{}`, `†`, `\textdagger{}`,
)
