package typeset

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"airqa/internal/terminal"
	"airqa/report"
)

// latexDocument prints tables for a document that uses the package booktabs.
func latexDocument(tables []report.Table, notes []string, o Options) string {
	var b strings.Builder
	b.WriteString("% needs \\usepackage{booktabs} and \\usepackage{adjustbox}\n")
	for _, table := range tables {
		t := sheet(table)
		b.WriteString(latexTable(t.shown(o), notes))
	}
	return b.String()
}

func latexTable(t sheet, notes []string) string {
	var b strings.Builder
	flat := t.flat()
	b.WriteString("\\begin{table}[t]\n\\centering\n")
	fmt.Fprintf(&b, "\\caption{%s.}\n\\label{tab:airqa-%s}\n", latex(t.heading()), latex(t.Name))
	b.WriteString("\\begin{adjustbox}{max width=\\linewidth,max totalheight=.8\\textheight}\n\\begin{tabular}{" + t.alignment(flat) + "}\n\\toprule\n")
	b.WriteString(t.latexHead(flat))
	b.WriteString("\\midrule\n")
	first := true
	t.eachSection(func(name string, lines []report.Line) {
		if !flat {
			if !first {
				b.WriteString("\\midrule\n")
			}
			first = false
			fmt.Fprintf(&b, "\\multicolumn{%d}{l}{\\textit{%s}} \\\\\n", len(t.Heads)+1, latex(name))
		}
		for _, l := range lines {
			b.WriteString(t.latexLine(l, flat))
		}
	})
	b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{adjustbox}\n")
	b.WriteString("\\par\\vspace{2pt}\n\\begin{minipage}{\\linewidth}\\scriptsize\\raggedright\n")
	for _, note := range slices.Concat(t.Notes, notes) {
		b.WriteString(latexFlags.ReplaceAllString(latex(note), `\texttt{$0}`) + "\\par\n")
	}
	b.WriteString("\\end{minipage}\n\\end{table}\n")
	return b.String()
}

func (t sheet) alignment(flat bool) string {
	words := 1
	if flat {
		words = 2
	}
	return strings.Repeat("l", words) + strings.Repeat("r", len(t.Heads))
}

// latexHead has a line of groups with their rules, where there are groups, and one of names.
func (t sheet) latexHead(flat bool) string {
	names := []string{latex(t.Label)}
	if flat {
		names = append(names, latex(t.Section))
	}
	before := len(names)
	groups := make([]string, before)
	rules := ""
	for at := 0; at < len(t.Heads); {
		end := t.groupEnd(at)
		group := ""
		if t.Heads[at].Group != "" {
			group = fmt.Sprintf("\\multicolumn{%d}{c}{%s}", end-at, latex(t.Heads[at].Group))
			rules += fmt.Sprintf("\\cmidrule(lr){%d-%d}", before+at+1, before+end)
		}
		groups = append(groups, group)
		at = end
	}
	for _, h := range t.Heads {
		names = append(names, latex(h.Name))
	}
	line := strings.Join(names, " & ") + " \\\\\n"
	if rules == "" {
		return line
	}
	return strings.Join(groups, " & ") + " \\\\\n" + rules + "\n" + line
}

func (t sheet) latexLine(l report.Line, flat bool) string {
	cells := []string{latex(l.Label)}
	if l.Minor {
		cells[0] = "\\quad " + cells[0]
	}
	if flat {
		cells = append(cells, latex(l.Section))
	}
	for _, v := range l.Values {
		cells = append(cells, latex(v.Marked()))
	}
	return strings.Join(cells, " & ") + " \\\\\n"
}

// latexFlags are the flags of commands in an escaped note: in a typewriter font, which has no ligature for two hyphens.
var latexFlags = regexp.MustCompile(`-\{\}-[a-z][a-z-]*`)

// latex escapes a text of strangers. A bracket or a star at the beginning of a line of a table would be taken for an
// argument of the line break before it.
func latex(s string) string { return latexEscapes.Replace(terminal.Line(s)) }

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `^`, `\textasciicircum{}`,
	`_`, `\_`, `~`, `\textasciitilde{}`, `%`, `\%`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`,
	`"`, `\char34{}`, // babel takes it for a command in some languages
	`[`, `{[}`, `]`, `{]}`, `*`, `{*}`, "`", `\textasciigrave{}`,
	`--`, `-{}-`, `–`, `--`, `…`, `\ldots{}`, `†`, `\textdagger{}`,
)
