package viewer

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"airqa/internal/web"
	"airqa/trace"
	"airqa/trace/cause"
)

// chart is a bar chart whose bars lead to their questions. With a filter, the whole bar counts all episodes, and its
// darker part those that match.
type chart struct {
	ID, Title, Note string
	Filtered        bool
	Bars            []bar
	// Height and the widths are in the units of the SVG's viewBox, which is chartWidth wide.
	Width, Height float64
}

// bar is one bar with its geometry.
type bar struct {
	Label, Explain, Href string
	N, All               int
	Y, Part, Rest, TextX float64
}

// Geometry of charts.
const (
	chartWidth = 420.0
	labelWidth = 158.0
	barRoom    = 150.0
	barStep    = 30.0
)

// place computes the geometry. top is the count of a bar of full width.
func (c *chart) place(top int) {
	c.Width, c.Height = chartWidth, barStep*float64(len(c.Bars))
	for i := range c.Bars {
		b := &c.Bars[i]
		scale := barRoom / float64(max(top, 1))
		b.Y, b.Part, b.Rest = barStep*float64(i), scale*float64(b.N), scale*float64(b.All)
		b.TextX = labelWidth + b.Rest + 8
	}
}

// charts are the charts of the overview; match counts the rows that match the filter.
func charts(sel selection, match, all tallies) []chart {
	list := []chart{funnel(sel, match, all)}
	for _, f := range [][2]string{{"cause", "Causes of wrong answers"}, {"outcome", "How episodes ended"}, {"error", "Episodes with errors"}} {
		name, top := f[0], 0
		c := chart{ID: "chart-" + name, Title: f[1], Filtered: !sel.Empty()}
		for _, v := range all[name].values() {
			c.Bars = append(c.Bars, bar{
				Label: web.Words(v.Name), Href: sel.with(name, v.Name), N: sum(match[name].count[v.Name]), All: v.N,
			})
			top = max(top, v.N)
		}
		c.place(top)
		list = append(list, c)
	}
	return slices.DeleteFunc(list, func(c chart) bool { return len(c.Bars) == 0 })
}

// rungs are the steps of the ladder from the top, with the level at which evidence is lost that does not get there.
var rungs = []struct {
	label, explain string
	lost           cause.Level
}{
	{"in the database", "", cause.LevelDB},
	{"in the scope of Retrieve", "", cause.LevelScope},
	{"in a result", "", cause.LevelHits},
	{"inside the limit", "", cause.LevelLimit},
	{"in the part shown", "", cause.LevelCut},
	{"in the last request", "", cause.LevelWindow},
}

// funnel counts the answers whose evidence got at least to each rung of the ladder. Right answers got all the way.
func funnel(sel selection, match, all tallies) chart {
	c := chart{ID: "chart-lost-at", Title: "Where the evidence was lost", Filtered: !sel.Empty()}
	left, every := match.verdicts(), all.verdicts()
	total := sum(every)
	if total == 0 {
		return c
	}
	n, of := sum(left)-left[cause.LevelUnknown], total-every[cause.LevelUnknown]
	for _, r := range rungs {
		n, of = n-left[r.lost], of-every[r.lost]
		c.Bars = append(c.Bars, bar{
			Label: r.label, Explain: lostText(every[r.lost], r.lost), Href: sel.with("lost-at", string(r.lost)), N: n, All: of,
		})
	}
	c.Bars = append(c.Bars, bar{
		Label: "answer agrees", Explain: lostText(every[cause.LevelAnswer], cause.LevelAnswer), Href: sel.with("lost-at", string(cause.LevelAnswer)),
		N: left[""], All: every[""],
	})
	if every[cause.LevelUnknown] > 0 {
		c.Bars = append(c.Bars, bar{
			Label: "not known", Href: sel.with("lost-at", string(cause.LevelUnknown)), N: left[cause.LevelUnknown], All: every[cause.LevelUnknown],
		})
	}
	c.Note = "Scored answers whose evidence got at least this far. Each bar links to the answers whose evidence was lost there."
	c.place(total)
	return c
}

func lostText(n int, level cause.Level) string {
	if n == 0 {
		return ""
	}
	return "−" + web.Grouped(n) + " at " + string(level)
}

// crossTable counts statuses by the values of a field.
type crossTable struct {
	Title    string
	Statuses []trace.Status
	Lines    []crossLine
}

type crossLine struct {
	Name, Href string
	Cells      []crossCell
}

// crossCell is a count of matching episodes and of all.
type crossCell struct {
	N, All int
	Href   string
}

// crossTables are status by tag and status by function.
func crossTables(sel selection, match, all tallies) []crossTable {
	var list []crossTable
	for _, name := range []string{"tag", "function"} {
		t := crossTable{Title: "Status by " + name}
		for _, v := range all["status"].values() {
			t.Statuses = append(t.Statuses, trace.Status(v.Name))
		}
		for _, v := range all[name].values() {
			line := crossLine{Name: v.Name, Href: sel.with(name, v.Name)}
			for _, s := range t.Statuses {
				both := sel
				both.Status = []string{string(s)}
				line.Cells = append(line.Cells, crossCell{match[name].count[v.Name][s], all[name].count[v.Name][s], both.with(name, v.Name)})
			}
			t.Lines = append(t.Lines, line)
		}
		if len(t.Lines) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// tallies count rows by the name of a field.
type tallies map[string]*tally

// tally counts rows by the values of a field and by status.
type tally struct {
	field trace.Field
	count map[string]statusCount
}

type statusCount map[trace.Status]int

// tallyRows counts the values of all fields, on all cores.
func tallyRows(rows []trace.Row) tallies {
	list := make(tallies)
	var fields sync.WaitGroup
	for _, f := range trace.Fields() {
		t := &tally{f, make(map[string]statusCount)}
		list[f.Name] = t
		fields.Go(func() {
			for i := range rows {
				t.add(&rows[i])
			}
		})
	}
	fields.Wait()
	return list
}

func (t *tally) add(w *trace.Row) {
	for _, value := range t.field.Of(w) {
		if t.count[value] == nil {
			t.count[value] = make(statusCount)
		}
		t.count[value][w.Status]++
	}
}

// sum adds the counts.
func sum[K comparable](counts map[K]int) int {
	n := 0
	for _, v := range counts {
		n += v
	}
	return n
}

// values are the values with their counts, in the order of the field or by number.
func (t *tally) values() []count {
	var list []count
	for name, c := range t.count {
		if name != "" {
			list = append(list, count{Name: name, N: sum(c)})
		}
	}
	slices.SortFunc(list, func(a, b count) int {
		if t.field.Values != nil {
			return slices.Index(t.field.Values, a.Name) - slices.Index(t.field.Values, b.Name)
		}
		return cmp.Or(b.N-a.N, strings.Compare(a.Name, b.Name))
	})
	return list
}

// levels counts answers with a verdict by the level where their evidence was lost; "" are the right ones.
type levels map[cause.Level]int

func (t tallies) verdicts() levels {
	l := make(levels)
	for level, c := range t["lost-at"].count {
		l[""] += c[trace.Right]
		if n := c[trace.Wrong]; n > 0 && level != "" { // a pending answer has no level yet
			l[cause.Level(level)] += n
		}
	}
	return l
}
