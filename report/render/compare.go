package render

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/terminal"
	"airqa/report"
	"airqa/report/compare"
)

// Comparison prints the comparison of two runs.
func Comparison(w io.Writer, r compare.Result, o Options) error {
	d := Document{Title: "Comparison of two runs", Data: []any{r}}
	d.systems([]string{"A", "B"}, []compare.System{r.A, r.B})
	d.add(Part{Text: []string{compared(r)}, Items: items(summary(r))})
	d.warnings(r.Warnings)
	if len(r.Groups) > 0 {
		groups := append(slices.Clone(r.Groups), r.All)
		t := report.NewTable("groups", "Groups of questions", "group", "n", "A", "B", "B - A", "interval", "p", "only A/B")
		for _, g := range groups {
			t.Add("", g.Name, strconv.Itoa(g.Questions), fixed(g.A), fixed(g.B), points(g.Difference), interval(g), pValue(g.P),
				fmt.Sprintf("%d/%d", g.OnlyA, g.OnlyB))
		}
		t.Notes = append([]string{fmt.Sprintf("Intervals of 95%%, p of %s; neither is corrected for looking at %s.",
			test(r), terminal.Plural(len(r.Groups), "group"))}, few(groups)...)
		f := Figure{Name: "groups", Title: "Difference by group of questions", Kind: Dots, X: Axis{Label: "B - A, percentage points"}, Y: Axis{Label: "group"}}
		for _, g := range groups {
			f.put("", g.Name, Point{Y: g.Difference, Interval: &g.Interval})
		}
		d.add(Part{Title: t.Title, Table: t, Figures: []Figure{f}})
	}
	d.flips(r, o.Flips)
	return Write(w, d, o)
}

// Comparisons prints the result of [compare.Pairs], one line per pair.
func Comparisons(w io.Writer, sides []compare.Side, results []compare.Result, o Options) error {
	d := Document{Title: "Comparison of runs in pairs"}
	numbers, systems := make([]string, len(sides)), make([]compare.System, len(sides))
	for i, s := range sides {
		numbers[i], systems[i] = strconv.Itoa(i+1), s.System
	}
	d.systems(numbers, systems)
	t := report.NewTable("pairs", "Pairs of runs", "pair", "questions", "difference", "interval", "p", "p (Holm)")
	var notes, tests []string
	var all []compare.Group
	for i, a := range numbers {
		for _, b := range numbers[i+1:] {
			r := results[len(all)]
			all, tests = append(all, r.All), append(tests, test(r))
			t.Add("", b+" - "+a, strconv.Itoa(r.All.Questions), points(r.All.Difference), interval(r.All), pValue(r.All.P), pValue(*r.PHolm))
			d.Data = append(d.Data, r)
			notes = append(notes, pairWarnings(fmt.Sprintf("A = %s, B = %s: ", a, b), r.Warnings, results)...)
		}
	}
	slices.Sort(tests)
	t.Notes = append([]string{fmt.Sprintf("Differences in percentage points with 95%% intervals (paired bootstrap by paper, %d rounds, seed %d); "+
		"p of %s, and adjusted for %d comparisons.", results[0].Rounds, results[0].Seed, strings.Join(slices.Compact(tests), " and "), len(results))},
		few(all)...)
	d.add(Part{Table: t})
	d.warnings(notes)
	return Write(w, d, o)
}

// Need prints the number of questions needed for a difference.
func Need(w io.Writer, n compare.Need, o Options) error {
	d := Document{Title: "Questions that a difference needs", Data: []any{n}}
	test, between := compare.McNemarTest, "between systems that disagree on "+number(100*n.Discordant)+"% of them"
	if n.Spread > 0 {
		test, between = "a paired test", "where the differences by question have a standard deviation of "+fixed(n.Spread)+" points"
	}
	if n.Questions == nil {
		d.add(Part{Text: []string{fmt.Sprintf("No number of questions shows a difference of %s points %s: it cannot be that large.",
			number(n.Difference), between)}})
		return Write(w, d, o)
	}
	d.add(Part{Text: []string{
		fmt.Sprintf("%s show a difference of %s points %s, with a power of %s%% (%s, two-sided, p < %s).",
			terminal.Plural(*n.Questions, "question"), number(n.Difference), between, number(100*n.Power), test, number(n.Alpha)),
		"Questions on the same paper count less.",
	}})
	return Write(w, d, o)
}

func (d *Document) add(p Part) { d.Parts = append(d.Parts, p) }

// systems lists the runs and their scoring rules, once if they are equal.
func (d *Document) systems(names []string, systems []compare.System) {
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
	d.add(Part{Items: items(list)})
	if same {
		d.add(Part{Text: []string{"Scoring: " + systems[0].Scoring + "; judge: " + systems[0].Judge + "."}})
		return
	}
	d.add(Part{Items: items(rules)})
}

func (d *Document) warnings(list []string) {
	var notes []string
	for _, w := range list {
		if note := "note: " + w; !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	d.add(Part{Items: items(notes)})
}

// pairWarnings prefixes warnings that do not apply to all pairs with the pair.
func pairWarnings(pair string, warnings []string, all []compare.Result) []string {
	list := slices.Clone(warnings)
	for i, w := range list {
		if slices.ContainsFunc(all, func(r compare.Result) bool { return !slices.Contains(r.Warnings, w) }) {
			list[i] = pair + w
		}
	}
	return list
}

// few explains the stars in a table.
func few(groups []compare.Group) []string {
	if slices.ContainsFunc(groups, compare.Group.Few) {
		return []string{fmt.Sprintf("* Too few clusters (papers) for a bootstrap (below %d, or all with the same difference): from the Wilson intervals of both scores, with each cluster as one trial.", report.MinClusters)}
	}
	return nil
}

// summary describes the comparison over all questions in sentences.
func summary(r compare.Result) []string {
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
		fmt.Sprintf("Score: A %s%%, B %s%%.", fixed(g.A), fixed(g.B)),
		difference + ".",
		fmt.Sprintf("%s: both %d, only A %d, only B %d, neither %d.", better, g.Both, g.OnlyA, g.OnlyB, g.Neither),
		fmt.Sprintf("%s: p %s. %s", strings.ToUpper(r.Test[:1])+r.Test[1:], p, verdict(r)),
		detectable(r),
	}
}

func compared(r compare.Result) string {
	out := r.LeftOut
	s := terminal.Plural(r.All.Questions, "question") + " with a score in both."
	if out.OnlyA+out.OnlyB+out.Neither > 0 {
		s += fmt.Sprintf(" Left out: %d with a score in A only, %d in B only, %d in neither.", out.OnlyA, out.OnlyB, out.Neither)
	}
	if out.Partly > 0 {
		s += fmt.Sprintf(" Excluded as only partly scored: %d (--include-partial compares their scored repeats).", out.Partly)
	}
	return s
}

// verdict interprets the test, and explains why the interval may disagree.
func verdict(r compare.Result) string {
	excludes0 := r.All.Interval.Low > 0 || r.All.Interval.High < 0
	switch {
	case r.All.P < r.Alpha && excludes0:
		return better(r)
	case r.All.P < r.Alpha:
		return better(r) + " The interval includes 0, so this may be chance."
	case !excludes0:
		return "These questions do not separate A from B."
	case r.Repeats:
		return "The test does not separate A from B, but the interval does: the interval uses the size of the differences, the test only their number."
	}
	return "The test does not separate A from B, although the interval excludes 0: near 5% the two may disagree."
}

func better(r compare.Result) string {
	better, other := "A", "B"
	if r.All.OnlyB > r.All.OnlyA {
		better, other = other, better
	}
	if r.Repeats {
		return fmt.Sprintf("%s does better than %s on more questions than the reverse.", better, other)
	}
	return fmt.Sprintf("%s is right more often than %s.", better, other)
}

func detectable(r compare.Result) string {
	g := r.All
	disagree := fmt.Sprintf("The runs disagree on %.1f%% of the questions", 100*g.Discordant)
	switch {
	case g.Discordant == 0:
		return "The runs never disagree, so there is nothing to test."
	case g.Detectable == nil:
		return disagree + ": too few to show any difference."
	}
	return fmt.Sprintf("%s: %s can show a difference of %s points or more (power %s%%, p < %s).",
		disagree, terminal.Plural(g.Questions, "question"), fixed(*g.Detectable), number(100*r.Power), number(r.Alpha))
}

// flips lists up to n questions per kind on which the runs differ.
func (d *Document) flips(r compare.Result, n int) {
	for _, kind := range []struct {
		name string
		a    bool
	}{{"A", true}, {"B", false}} {
		all := slices.DeleteFunc(slices.Clone(r.Flips), func(f compare.Flip) bool { return f.BetterA() != kind.a })
		if len(all) == 0 || n == 0 {
			continue
		}
		p := Part{Title: fmt.Sprintf("Only %s right: %s", kind.name, terminal.Plural(len(all), "question"))}
		if r.Repeats {
			p.Title = fmt.Sprintf("%s better: %s", kind.name, terminal.Plural(len(all), "question"))
		}
		if n < len(all) {
			p.Title += fmt.Sprintf(", %d shown (--flips %d shows all)", n, len(all))
		}
		for _, f := range all[:min(len(all), n)] {
			question := f.Question
			if question == "" {
				question = f.UUID
			}
			if r.Repeats {
				question = fmt.Sprintf("A %.2f, B %.2f  %s", f.A, f.B, question)
			}
			p.Items = append(p.Items, Item{Text: question, Commands: f.Traces(r)})
		}
		d.add(p)
	}
}

func test(r compare.Result) string {
	if r.Test == compare.SignTest {
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

func interval(g compare.Group) string {
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
