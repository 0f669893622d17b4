package questions

import (
	"fmt"
	"html/template"
	"path/filepath"
	"strconv"

	"airqa/internal/chart"
)

// page is the statistics with charts, in one file.
func page(s Stats, withPaper bool) chart.Page {
	tables := make(map[string]template.HTML)
	for _, t := range Tables(s, withPaper) {
		tables[t.Key] = t.html()
	}
	section := func(title string, charts []template.HTML, keys ...string) chart.Section {
		part := chart.Section{Title: title, Charts: charts}
		for _, k := range keys {
			part.Tables = append(part.Tables, tables[k])
		}
		return part
	}
	return chart.Page{
		Title: "Questions of " + filepath.Base(s.Source), Lead: []string{s.summary() + "."},
		Sections: []chart.Section{
			section("Questions", s.classCharts(withPaper), "overview"),
			section("Evaluation", s.evaluationCharts(), "evaluators"),
			section("Lengths", s.lengthCharts(), "lengths"),
			section("Papers", s.paperCharts(), "papers"),
			section("Conferences", []template.HTML{countChart("Conferences that questions are about", s.Conferences)}, "conferences"),
			section("Tags and annotators", []template.HTML{
				countChart("Element tags as combined", s.Combinations), countChart("Annotators", s.Annotators),
			}, "combinations", "tags", "annotators"),
		},
	}
}

// html is the table with its sections as rows.
func (t Table) html() template.HTML {
	c := chart.Table{Caption: t.Title, Head: append([]string{""}, t.Head...)}
	section := ""
	for _, r := range t.Rows {
		if r.Section != section {
			section = r.Section
			c.Rows = append(c.Rows, []string{section})
		}
		c.Rows = append(c.Rows, append([]string{r.Name}, r.Cells...))
	}
	c.Note = t.Note
	return c.HTML()
}

func bars(list []Count) (names []string, b []chart.Bar) {
	for _, c := range list {
		names = append(names, c.Name)
		b = append(b, chart.Bar{Value: c.Share, Text: fmt.Sprintf("%d (%.1f %%)", c.N, c.Share)})
	}
	return names, b
}

// countChart shows counts with shares.
func countChart(title string, list []Count) template.HTML {
	names, b := bars(list)
	return chart.Bars(chart.BarsConfig{Title: title, Groups: names, Series: []chart.BarSeries{{Bars: b}}, Unit: " %"})
}

// classCharts are Table 2, beside the paper's numbers if they are wanted.
func (s Stats) classCharts(withPaper bool) []template.HTML {
	var list []template.HTML
	for _, c := range []struct {
		title  string
		counts []Count
		paper  bool
	}{{"Question types", s.Types, true}, {"Element categories", s.Elements, true}, {"Evaluation by tag", s.Evaluation, false}, {"Evaluation by function", s.Kinds, false}} {
		if !withPaper || !c.paper {
			list = append(list, countChart(c.title, c.counts))
			continue
		}
		names, ours := bars(c.counts)
		var theirs []Count
		for _, name := range names {
			n := paperTable2.counts[name]
			theirs = append(theirs, Count{Name: name, N: n, Share: share(n, paperTable2.questions)})
		}
		_, paper := bars(theirs)
		list = append(list, chart.Bars(chart.BarsConfig{
			Title: c.title, Groups: names, Unit: " %",
			Series: []chart.BarSeries{{Name: "this file", Bars: ours}, {Name: "the paper (Table 2)", Bars: paper}},
		}))
	}
	return list
}

// evaluationCharts are Figure 2: functions that are used, and the categories of the paper's Table 8.
func (s Stats) evaluationCharts() []template.HTML {
	var names []string
	top, nested := chart.BarSeries{Name: "top level"}, chart.BarSeries{Name: "inside logical functions"}
	categories := make(map[string]int)
	var order []string
	all := 0
	for _, f := range s.Evaluators {
		if f.Uses() == 0 {
			continue
		}
		names = append(names, f.Short())
		top.Bars = append(top.Bars, chart.Bar{Value: float64(f.Top)})
		nested.Bars = append(nested.Bars, chart.Bar{Value: float64(f.Nested)})
		if f.Category == "" {
			continue
		}
		name := f.Genre + ": " + f.Category
		if categories[name] == 0 {
			order = append(order, name)
		}
		categories[name] += f.Uses()
		all += f.Uses()
	}
	var list []Count
	for _, name := range order {
		list = append(list, Count{Name: name, N: categories[name], Share: share(categories[name], all)})
	}
	return []template.HTML{
		chart.Bars(chart.BarsConfig{Title: "Uses of evaluation functions (Figure 2)", Groups: names, Series: []chart.BarSeries{top, nested}}),
		countChart("Categories of functions, logical ones left aside", list),
	}
}

// lengthCharts are Figure 6 in tokens, and the same in words.
func (s Stats) lengthCharts() []template.HTML {
	var list []template.HTML
	for _, unit := range []string{"tokens", "words"} {
		for _, l := range s.Lengths {
			if l.Unit != unit {
				continue
			}
			values := make([]float64, len(l.Values))
			for i, v := range l.Values {
				values[i] = float64(v)
			}
			list = append(list, chart.Histogram(chart.HistogramConfig{
				Title: "Length of the " + l.Of + ", " + l.Unit, X: chart.Axis{Label: l.Unit, Decimals: 1}, Values: values, Bins: 25,
			}))
		}
	}
	return list
}

// paperCharts show papers per question for the types that name papers.
func (s Stats) paperCharts() []template.HTML {
	var list []template.HTML
	for _, kind := range []string{"single", "multiple", "comprehensive"} {
		both, ok := s.find(kind, "papers")
		if !ok || both.Max == 0 {
			continue
		}
		var names []string
		var series []chart.BarSeries
		for _, r := range roles {
			p, _ := s.find(kind, r.name)
			b := chart.BarSeries{Name: map[string]string{"papers": "both"}[r.name]}
			if b.Name == "" {
				b.Name = r.name
			}
			for k := range both.N {
				n := 0
				if k < len(p.N) {
					n = p.N[k]
				}
				b.Bars = append(b.Bars, chart.Bar{Value: float64(n)})
			}
			series = append(series, b)
		}
		for k := range both.N {
			names = append(names, strconv.Itoa(k))
		}
		list = append(list, chart.Bars(chart.BarsConfig{
			Title: fmt.Sprintf("Papers per %s question (mean %.2f)", kind, both.Mean), Groups: names, Series: series, Vertical: true,
		}))
	}
	return list
}
