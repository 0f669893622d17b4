package compare

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"airqa/internal/terminal"
)

// summary is the comparison over all questions in sentences.
func (p *page) summary(r Result) {
	g := r.All
	p.para("%s", compared(r))
	what := "Right"
	if r.Repeats {
		what = "Better, by the mean of the repeats"
	}
	p.block(strings.Join([]string{
		p.item(fmt.Sprintf("Score: A %s%%, B %s%%.", score(g.A), score(g.B))),
		p.item(difference(r)),
		p.item(fmt.Sprintf("%s: both %d, only A %d, only B %d, neither %d.", what, g.Both, g.OnlyA, g.OnlyB, g.Neither)),
		p.item(fmt.Sprintf("%s: p %s. %s", capital(r.Test), pText(g.P), verdict(r))),
		p.item(detectable(r)),
	}, "\n"))
}

func difference(r Result) string {
	s := "B - A: " + points(r.All.Difference) + " points"
	if i := r.All.Interval; i != nil {
		s += fmt.Sprintf(", 95%% interval %s to %s (paired bootstrap by paper, %s, %d rounds, seed %d)",
			points(i.Low), points(i.High), count(r.All.Clusters, "cluster"), r.Rounds, r.Seed)
	}
	return s + "."
}

func compared(r Result) string {
	out := r.LeftOut
	s := count(r.All.Questions, "question") + " with a score in both."
	if out.OnlyA+out.OnlyB+out.Neither > 0 {
		s += fmt.Sprintf(" Left out: %d with a score in A only, %d in B only, %d in neither.", out.OnlyA, out.OnlyB, out.Neither)
	}
	if out.Partly > 0 {
		s += fmt.Sprintf(" Left out because only some of their repeats are scored: %d (--include-partial compares them by those).", out.Partly)
	}
	return s
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// verdict reads the test for whoever does not, and says why where the interval tells otherwise.
func verdict(r Result) string {
	apart := r.All.Interval != nil && (r.All.Interval.Low > 0 || r.All.Interval.High < 0)
	switch {
	case r.All.P < r.Alpha && (apart || r.All.Interval == nil):
		return better(r)
	case r.All.P < r.Alpha:
		return better(r) + " The interval does not leave out 0, so that this may be chance."
	case !apart:
		return "These questions do not tell A and B apart."
	case r.Repeats:
		return "The test does not tell A and B apart, the interval does: it knows by how much a run did better, the test on how many questions."
	}
	return "The test does not tell A and B apart, although the interval leaves out 0: near 5% the two may disagree."
}

func better(r Result) string {
	better, other := "A", "B"
	if r.All.OnlyB > r.All.OnlyA {
		better, other = other, better
	}
	if r.Repeats {
		return fmt.Sprintf("%s does better than %s on more questions than the other way round.", better, other)
	}
	return fmt.Sprintf("%s is right more often than %s.", better, other)
}

func detectable(r Result) string {
	g := r.All
	disagree := fmt.Sprintf("The runs disagree on %.1f%% of the questions", 100*g.Discordant)
	switch {
	case g.Discordant == 0:
		return "The runs never disagree, so that there is nothing to test."
	case g.Detectable == nil:
		return disagree + ": too few to show any difference."
	}
	return fmt.Sprintf("%s: %s can show a difference of %s points or more (power %s%%, p < %s).",
		disagree, count(g.Questions, "question"), score(*g.Detectable), number(100*r.Power), number(r.Alpha))
}

// groupGrid is the table by column of the paper, its head first.
func groupGrid(r Result) [][]any {
	grid := [][]any{{"group", "n", "A", "B", "B - A", "interval", "p", "only A/B"}}
	for _, g := range append(r.Groups[:len(r.Groups):len(r.Groups)], r.All) {
		grid = append(grid, []any{
			g.Name, g.Questions, score(g.A), score(g.B), points(g.Difference), interval(g), pValue(g.P),
			fmt.Sprintf("%d/%d", g.OnlyA, g.OnlyB),
		})
	}
	return grid
}

// tables prints a grid, as several tables with the first column in each where the terminal is too narrow for one.
func (p *page) tables(grid [][]any) string {
	if p.layout.Format == "md" {
		return tableOf(grid, 1, len(grid[0])).RenderMarkdown()
	}
	var parts []string
	for from := 1; from < len(grid[0]); {
		to := len(grid[0])
		for to > from+1 && p.tooWide(plain(tableOf(grid, from, to))) {
			to--
		}
		parts = append(parts, plain(tableOf(grid, from, to)))
		from = to
	}
	return strings.Join(parts, "\n\n")
}

func (p *page) tooWide(s string) bool {
	return p.layout.Width > 0 && text.LongestLineLen(s) > p.layout.Width
}

// tableOf is the first column of a grid and those from one up to another. It has no lines between its cells, so that more
// of it fits; all but the first column are numbers.
func tableOf(grid [][]any, from, to int) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	style := t.Style()
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	var configs []table.ColumnConfig
	for i := 2; i <= to-from+1; i++ {
		configs = append(configs, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(configs)
	for i, line := range grid {
		row := append(table.Row{line[0]}, line[from:to]...)
		if i == 0 {
			t.AppendHeader(row)
			continue
		}
		t.AppendRow(row)
	}
	return t
}

// plain is a table without blanks at the ends of its lines.
func plain(t table.Writer) string {
	lines := strings.Split(t.Render(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// flips lists some of the questions on which the runs differ.
func (p *page) flips(r Result) {
	if p.layout.Flips == 0 {
		return
	}
	for _, kind := range []struct {
		name string
		a    bool
	}{{"A", true}, {"B", false}} {
		var some []Flip
		for _, f := range r.Flips {
			if f.BetterA() == kind.a {
				some = append(some, f)
			}
		}
		p.flipped(r, kind.name, some)
	}
}

func (p *page) flipped(r Result, name string, all []Flip) {
	if len(all) == 0 {
		return
	}
	head := fmt.Sprintf("Only %s right: %s", name, count(len(all), "question"))
	if r.Repeats {
		head = fmt.Sprintf("%s better: %s", name, count(len(all), "question"))
	}
	some := all[:min(len(all), p.layout.Flips)]
	if len(some) < len(all) {
		head += fmt.Sprintf(", %d shown (--flips %d shows all)", len(some), len(all))
	}
	lines := []string{p.wrap(head, 0)}
	for _, f := range some {
		lines = append(lines, p.flip(r, f))
	}
	sep := "\n"
	if p.layout.Format == "md" {
		sep = "\n\n"
	}
	p.block(lines[0] + sep + strings.Join(lines[1:], "\n"))
}

// questionWidth is what is shown of a question where the terminal sets no bound.
const questionWidth = 100

func (p *page) flip(r Result, f Flip) string {
	question := f.Question
	if question == "" {
		question = f.UUID
	}
	if r.Repeats {
		question = fmt.Sprintf("A %.2f, B %.2f  %s", f.A, f.B, question)
	}
	width := questionWidth
	if p.layout.Format == "text" && p.layout.Width > 12 {
		width = p.layout.Width - 2
	}
	question = terminal.Clip(question, width)
	if p.layout.Format == "md" {
		return "- " + markdown(question) + codes(f.Traces(r))
	}
	lines := []string{"  " + question}
	for _, line := range f.Traces(r) {
		lines = append(lines, "    "+terminal.Line(line))
	}
	return strings.Join(lines, "\n")
}

// codes are commands as Markdown, each on a line of its own inside a list item.
func codes(commands []string) string {
	var b strings.Builder
	for _, c := range commands {
		b.WriteString("\\\n  `" + strings.ReplaceAll(terminal.Line(c), "`", "'") + "`")
	}
	return b.String()
}

var markdownMarks = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, ">", `\>`, "[", `\[`, "]", `\]`, "|", `\|`, "#", `\#`, "$", `\$`,
)

// markdown makes a stranger's text mean nothing but itself.
func markdown(s string) string { return markdownMarks.Replace(s) }

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
