package compare

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/terminal"
	"airqa/report"
	"airqa/report/render"
)

// Write prints the comparison of two runs.
func (r Result) Write(w io.Writer, o render.Options) error {
	d := render.Document{Title: "Comparison of two runs", Data: []any{r}}
	addSystems(&d, []string{"A", "B"}, []System{r.A, r.B})
	out := r.LeftOut
	compared := terminal.Plural(r.All.Questions, "question") + " with a score in both."
	if out.OnlyA+out.OnlyB+out.Neither > 0 {
		compared += fmt.Sprintf(" Left out: %d with a score in A only, %d in B only, %d in neither.", out.OnlyA, out.OnlyB, out.Neither)
	}
	if out.Partly > 0 {
		compared += fmt.Sprintf(" Excluded as only partly scored: %d (--include-partial compares their scored repeats).", out.Partly)
	}
	d.Add(render.Part{Text: []string{compared}, Items: render.Items(summary(r)...)})
	d.Warn(r.Warnings)
	if len(r.Groups) > 0 {
		groups := append(slices.Clone(r.Groups), r.All)
		t := report.NewTable("groups", "Groups of questions", "group", "n", "A", "B", "B - A", "interval", "p", "only A/B")
		for _, g := range groups {
			t.Add("", g.Name, strconv.Itoa(g.Questions), fmt.Sprintf("%.2f", g.A), fmt.Sprintf("%.2f", g.B), points(g.Difference),
				intervalText(g), pValue(g.P), fmt.Sprintf("%d/%d", g.OnlyA, g.OnlyB))
		}
		t.Notes = append([]string{fmt.Sprintf("Intervals of 95%%, p of %s; neither is corrected for looking at %s.",
			test(r), terminal.Plural(len(r.Groups), "group"))}, few(groups)...)
		f := render.Figure{
			Name: "groups", Title: "Difference by group of questions", Kind: render.Dots,
			X: render.Axis{Label: "B - A, percentage points"}, Y: render.Axis{Label: "group"},
		}
		for _, g := range groups {
			f.AddBar("", g.Name, render.Point{Y: g.Difference, Interval: &g.Interval})
		}
		d.Add(render.Part{Title: t.Title, Table: t, Figures: []render.Figure{f}})
	}
	addFlips(&d, r, o.Flips)
	return d.Write(w, o)
}

// WritePairs prints the result of [Pairs], one line per pair.
func WritePairs(w io.Writer, sides []Side, results []Result, o render.Options) error {
	d := render.Document{Title: "Comparison of runs in pairs"}
	numbers, systems := make([]string, len(sides)), make([]System, len(sides))
	for i, s := range sides {
		numbers[i], systems[i] = strconv.Itoa(i+1), s.System
	}
	addSystems(&d, numbers, systems)
	t := report.NewTable("pairs", "Pairs of runs", "pair", "questions", "difference", "interval", "p", "p (Holm)")
	var notes, tests []string
	var all []Group
	for i, a := range numbers {
		for _, b := range numbers[i+1:] {
			r := results[len(all)]
			all, tests = append(all, r.All), append(tests, test(r))
			t.Add("", b+" - "+a, strconv.Itoa(r.All.Questions), points(r.All.Difference), intervalText(r.All), pValue(r.All.P), pValue(*r.PHolm))
			d.Data = append(d.Data, r)
			for _, w := range r.Warnings {
				if slices.ContainsFunc(results, func(r Result) bool { return !slices.Contains(r.Warnings, w) }) { // not of all pairs
					w = fmt.Sprintf("A = %s, B = %s: %s", a, b, w)
				}
				notes = append(notes, w)
			}
		}
	}
	slices.Sort(tests)
	how := fmt.Sprintf("paired bootstrap by paper, %d rounds, seed %d", results[0].Rounds, results[0].Seed)
	t.Notes = append([]string{fmt.Sprintf("Differences in percentage points with 95%% intervals (%s); p of %s, and adjusted for %d comparisons.",
		how, strings.Join(slices.Compact(tests), " and "), len(results))}, few(all)...)
	d.Add(render.Part{Table: t})
	d.Warn(notes)
	return d.Write(w, o)
}

// Write prints the number of questions needed for a difference.
func (n Need) Write(w io.Writer, o render.Options) error {
	d := render.Document{Title: "Questions that a difference needs", Data: []any{n}}
	test, between := McNemarTest, fmt.Sprintf("between systems that disagree on %.6g%% of them", 100*n.Discordant)
	if n.Spread > 0 {
		test, between = "a paired test", fmt.Sprintf("where the differences by question have a standard deviation of %.2f points", n.Spread)
	}
	if n.Questions == nil {
		d.Add(render.Part{Text: []string{fmt.Sprintf("No number of questions shows a difference of %.6g points %s: it cannot be that large.",
			n.Difference, between)}})
		return d.Write(w, o)
	}
	d.Add(render.Part{Text: []string{
		fmt.Sprintf("%s show a difference of %.6g points %s, with a power of %.6g%% (%s, two-sided, p < %.6g).",
			terminal.Plural(*n.Questions, "question"), n.Difference, between, 100*n.Power, test, n.Alpha),
		"Questions on the same paper count less.",
	}})
	return d.Write(w, o)
}

// addSystems lists the runs and their scoring rules, once if they are equal.
func addSystems(d *render.Document, names []string, systems []System) {
	var list, rules []string
	same := true
	for i, s := range systems {
		line := names[i] + ": " + s.Label()
		if s.Baseline != "" {
			line += " (" + s.Path + ")"
		}
		list = append(list, line)
		rules = append(rules, names[i]+": scoring "+s.Scoring+", judge "+s.Judge)
		same = same && s.Scoring == systems[0].Scoring && s.Judge == systems[0].Judge
	}
	d.Add(render.Part{Items: render.Items(list...)})
	if same {
		d.Add(render.Part{Text: []string{"Scoring: " + systems[0].Scoring + "; judge: " + systems[0].Judge + "."}})
		return
	}
	d.Add(render.Part{Items: render.Items(rules...)})
}

// few explains the stars in a table.
func few(groups []Group) []string {
	if slices.ContainsFunc(groups, Group.Few) {
		return []string{fmt.Sprintf("* Too few clusters (papers) for a bootstrap (below %d, or all with the same difference): "+
			"from the Wilson intervals of both scores, with each cluster as one trial.", report.MinClusters)}
	}
	return nil
}

// summary describes the comparison over all questions in sentences.
func summary(r Result) []string {
	g, better := r.All, "Right"
	if r.Repeats {
		better = "Better, by the mean of the repeats"
	}
	difference := "B - A: " + points(g.Difference) + " points"
	how := fmt.Sprintf("paired bootstrap by paper, %s, %d rounds, seed %d", terminal.Plural(g.Clusters, "cluster"), r.Rounds, r.Seed)
	if g.Few() {
		how = fmt.Sprintf("from the Wilson intervals of both scores, with each paper as one trial; %s", terminal.Plural(g.Clusters, "cluster"))
	}
	difference += fmt.Sprintf(", 95%% interval %s to %s (%s)", points(g.Interval.Low), points(g.Interval.High), how)
	p := "= " + pValue(g.P)
	if s, small := strings.CutPrefix(pValue(g.P), "<"); small {
		p = "< " + s
	}
	return []string{
		fmt.Sprintf("Score: A %.2f%%, B %.2f%%.", g.A, g.B),
		difference + ".",
		fmt.Sprintf("%s: both %d, only A %d, only B %d, neither %d.", better, g.Both, g.OnlyA, g.OnlyB, g.Neither),
		fmt.Sprintf("%s: p %s. %s", strings.ToUpper(r.Test[:1])+r.Test[1:], p, verdict(r)),
		detectable(r),
	}
}

// verdict interprets the test, and explains why the interval may disagree.
func verdict(r Result) string {
	excludes0 := r.All.Interval.Low > 0 || r.All.Interval.High < 0
	switch {
	case r.All.P < r.Alpha && excludes0:
		return better(r)
	case r.All.P < r.Alpha:
		return better(r) + " The interval includes 0, so this may be chance."
	case !excludes0:
		return "These questions do not separate A from B."
	case r.Repeats:
		return "The test does not separate A from B, but the interval does: " +
			"the interval uses the size of the differences, the test only their number."
	}
	return "The test does not separate A from B, although the interval excludes 0: near 5% the two may disagree."
}

func better(r Result) string {
	better, other := "A", "B"
	if r.All.OnlyB > r.All.OnlyA {
		better, other = other, better
	}
	if r.Repeats {
		return fmt.Sprintf("%s does better than %s on more questions than the reverse.", better, other)
	}
	return fmt.Sprintf("%s is right more often than %s.", better, other)
}

func detectable(r Result) string {
	g := r.All
	disagree := fmt.Sprintf("The runs disagree on %.1f%% of the questions", 100*g.Discordant)
	switch {
	case g.Discordant == 0:
		return "The runs never disagree, so there is nothing to test."
	case g.Detectable == nil:
		return disagree + ": too few to show any difference."
	}
	return fmt.Sprintf("%s: %s can show a difference of %.2f points or more (power %.6g%%, p < %.6g).",
		disagree, terminal.Plural(g.Questions, "question"), *g.Detectable, 100*r.Power, r.Alpha)
}

// addFlips lists up to n questions per kind on which the runs differ.
func addFlips(d *render.Document, r Result, n int) {
	for _, kind := range []struct {
		name string
		a    bool
	}{{"A", true}, {"B", false}} {
		all := slices.DeleteFunc(slices.Clone(r.Flips), func(f Flip) bool { return (f.A > f.B) != kind.a })
		if len(all) == 0 || n == 0 {
			continue
		}
		p := render.Part{Title: fmt.Sprintf("Only %s right: %s", kind.name, terminal.Plural(len(all), "question"))}
		if r.Repeats {
			p.Title = fmt.Sprintf("%s better: %s", kind.name, terminal.Plural(len(all), "question"))
		}
		if n < len(all) {
			p.Title += fmt.Sprintf(", %d shown (--flips %d shows all)", n, len(all))
		}
		for _, f := range all[:min(len(all), n)] {
			question := cmp.Or(f.Question, f.UUID)
			if r.Repeats {
				question = fmt.Sprintf("A %.2f, B %.2f  %s", f.A, f.B, question)
			}
			p.Items = append(p.Items, render.Item{Text: question, Commands: f.Traces(r)})
		}
		d.Add(p)
	}
}

func test(r Result) string {
	if r.Test == SignTest {
		return "the " + r.Test
	}
	return r.Test
}

// points is a difference with its sign.
func points(x float64) string {
	s := fmt.Sprintf("%+.2f", x)
	if s == "-0.00" {
		return "+0.00"
	}
	return s
}

func intervalText(g Group) string {
	text := points(g.Interval.Low) + " " + points(g.Interval.High)
	if g.Few() {
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
