package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/terminal"
	"airqa/report"
)

// Formats are the names that [Write], [WritePairs] and [WriteNeed] know.
func Formats() []string { return []string{"text", "md", "json"} }

// Layout says how a comparison is printed.
type Layout struct {
	// Format is one of [Formats].
	Format string
	// Width is that of the terminal in characters, 0 for no bound. Lines that one copies are never broken.
	Width int
	// Flips is how many questions of either kind are listed; JSON has all of them.
	Flips int
}

// Write prints the comparison of two runs.
func Write(w io.Writer, r Result, l Layout) error {
	if l.Format == "json" {
		return writeJSON(w, r)
	}
	p := page{layout: l}
	p.systems([]string{"A", "B"}, []System{r.A, r.B})
	p.summary(r)
	p.warnings(r.Warnings)
	if len(r.Groups) > 0 {
		p.block(p.tables(groupGrid(r)))
		p.para("Intervals of 95%%, p of %s; neither is corrected for looking at %s.", r.test(), count(len(r.Groups), "group"))
		p.few(append(r.Groups[:len(r.Groups):len(r.Groups)], r.All))
	}
	p.flips(r)
	return p.print(w)
}

// WritePairs prints what [Pairs] found, a line a comparison.
func WritePairs(w io.Writer, sides []Side, results []Result, l Layout) error {
	if l.Format == "json" {
		for _, r := range results {
			if err := writeJSON(w, r); err != nil {
				return err
			}
		}
		return nil
	}
	p := page{layout: l}
	numbers, systems := make([]string, len(sides)), make([]System, len(sides))
	for i, s := range sides {
		numbers[i], systems[i] = strconv.Itoa(i+1), s.System
	}
	p.systems(numbers, systems)
	grid := [][]any{{"pair", "questions", "difference", "interval", "p", "p (Holm)"}}
	for i, a := range numbers {
		for _, b := range numbers[i+1:] {
			r := results[len(grid)-1]
			grid = append(grid, []any{
				b + " - " + a, r.All.Questions, points(r.All.Difference), interval(r.All), pValue(r.All.P), pValue(*r.PHolm),
			})
			p.note(fmt.Sprintf("A = %s, B = %s: ", a, b), r.Warnings, results)
		}
	}
	p.block(p.tables(grid))
	p.para("Differences in percentage points with 95%% intervals (paired bootstrap by paper, %d rounds, seed %d); p of "+
		"%s, and adjusted for %d comparisons.", results[0].Rounds, results[0].Seed, testOf(results), len(results))
	var all []Group
	for _, r := range results {
		all = append(all, r.All)
	}
	p.few(all)
	p.warnings(p.notes)
	return p.print(w)
}

// few explains the stars in a table.
func (p *page) few(groups []Group) {
	if slices.ContainsFunc(groups, Group.few) {
		p.para("* Fewer than %d clusters (papers): the interval is narrower than it should be.", report.MinClusters)
	}
}

// WriteNeed prints how many questions a difference needs.
func WriteNeed(w io.Writer, n Need, l Layout) error {
	if l.Format == "json" {
		return writeJSON(w, n)
	}
	p := page{layout: l}
	test, reckoned := McNemarTest, "between systems that disagree on "+number(100*n.Discordant)+"% of them"
	if n.Spread > 0 {
		test, reckoned = "a paired test", "where the differences by question have a standard deviation of "+score(n.Spread)+" points"
	}
	if n.Questions == nil {
		p.para("No number of questions shows a difference of %s points %s: it cannot be larger than that.", number(n.Difference), reckoned)
		return p.print(w)
	}
	p.para("%s show a difference of %s points %s, with a power of %s%% (%s, two-sided, p < %s).",
		count(*n.Questions, "question"), number(n.Difference), reckoned, number(100*n.Power), test, number(n.Alpha))
	p.para("Several questions on one paper count for fewer.")
	return p.print(w)
}

// test is the test in a sentence.
func (r Result) test() string {
	if r.Test == SignTest {
		return "the " + SignTest
	}
	return r.Test
}

// testOf names the tests of several comparisons.
func testOf(results []Result) string {
	names := make([]string, len(results))
	for i, r := range results {
		names[i] = r.test()
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " and ")
}

// few reports whether an interval is of too few clusters.
func (g Group) few() bool { return g.Interval != nil && g.Clusters < report.MinClusters }

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// page collects paragraphs.
type page struct {
	layout Layout
	parts  []string
	notes  []string
}

// print writes the paragraphs with an empty line between them.
func (p *page) print(w io.Writer) error {
	_, err := fmt.Fprintln(w, strings.Join(p.parts, "\n\n"))
	return err
}

// block adds lines as they are.
func (p *page) block(lines string) { p.parts = append(p.parts, strings.TrimRight(lines, "\n")) }

// para adds a paragraph, broken at the width.
func (p *page) para(format string, args ...any) { p.block(p.wrap(fmt.Sprintf(format, args...), 0)) }

// wrap breaks a text at blanks, as far as it has any; lines after the first are indented. In Markdown it is a line whose
// marks mean themselves.
func (p *page) wrap(s string, indent int) string {
	if p.layout.Format == "md" {
		return markdown(s)
	}
	lines := terminal.Wrap(s, max(terminal.ProseWidth(p.layout.Width)-indent, 10))
	return strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}

// note keeps the warnings of a pair: once what is said of all, with the name of the pair what is not.
func (p *page) note(pair string, warnings []string, all []Result) {
	for _, w := range warnings {
		if slices.ContainsFunc(all, func(r Result) bool { return !slices.Contains(r.Warnings, w) }) {
			w = pair + w
		}
		if !slices.Contains(p.notes, w) {
			p.notes = append(p.notes, w)
		}
	}
}

func (p *page) warnings(list []string) {
	var lines []string
	for _, w := range list {
		lines = append(lines, p.item("note: "+terminal.Line(w)))
	}
	if len(lines) > 0 {
		p.block(strings.Join(lines, "\n"))
	}
}

// item is a line of a list.
func (p *page) item(s string) string {
	if p.layout.Format == "md" {
		return "- " + p.wrap(s, 0)
	}
	return p.wrap(s, 2)
}

func (p *page) systems(names []string, systems []System) {
	var lines []string
	for i, s := range systems {
		line := names[i] + ": " + terminal.Line(s.label())
		if s.Baseline != "" {
			line += " (" + terminal.Line(s.Path) + ")"
		}
		lines = append(lines, p.item(line))
	}
	p.block(strings.Join(lines, "\n"))
	p.block(p.scoring(names, systems))
}

// scoring says by what rules the scores came about: once, or for each run.
func (p *page) scoring(names []string, systems []System) string {
	var lines []string
	same := true
	for i, s := range systems {
		lines = append(lines, p.item(names[i]+": scoring "+terminal.Line(s.Scoring)+", judge "+terminal.Line(s.Judge)))
		same = same && s.Scoring == systems[0].Scoring && s.Judge == systems[0].Judge
	}
	if same {
		return p.wrap("Scoring: "+terminal.Line(systems[0].Scoring)+"; judge: "+terminal.Line(systems[0].Judge)+".", 0)
	}
	return strings.Join(lines, "\n")
}

// number prints without digits that say nothing.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

func score(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// points is a difference with its sign.
func points(x float64) string {
	s := fmt.Sprintf("%+.2f", x)
	if s == "-0.00" {
		return "+0.00"
	}
	return s
}

func interval(g Group) string {
	if g.Interval == nil {
		return "-"
	}
	text := points(g.Interval.Low) + " " + points(g.Interval.High)
	if g.few() {
		text += "*"
	}
	return text
}

func pValue(p float64) string {
	if p < 0.0001 {
		return "<0.0001"
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}

// pText is a p after the letter.
func pText(p float64) string {
	if s := pValue(p); s[0] == '<' {
		return "< " + s[1:]
	}
	return "= " + pValue(p)
}
