package report

import (
	"cmp"
	"slices"
	"strconv"
)

// leaderboard lists the runs by score, the best first.
func leaderboard(rows []Row, o Options) (*Table, error) {
	t := byModel("Leaderboard")
	t.Flat = true
	average := func(text func(Value) string) func(Row) Value {
		return func(r Row) Value { return plain(orDash(text(scored(r.Cell(Average))))) }
	}
	columns := []column{
		{Head{Name: "rank"}, "", func(Row) Value { return plain("-") }},
		{Head{Name: "AVG", Scored: true}, Average, func(r Row) Value { return scored(r.Cell(Average)) }},
		{Head{Name: "SE", Repeats: true}, "", average(Value.Error)},
		{Head{Name: "SE by paper", Repeats: true}, "", average(Value.ClusteredError)},
		{Head{Name: "95 %", Repeats: true}, "", average(Value.Span)},
		{Head{Name: "n", Repeats: true}, "", average(Value.Count)},
		{Head{Name: "turns"}, "", mean(2, func(e Effort) float64 { return e.Turns })},
		{Head{Name: "tokens"}, "", mean(0, func(e Effort) float64 { return e.Prompt + e.Completion })},
		{Head{Name: "cost ($)"}, "", func(r Row) Value { return optional(r.Effort.Cost, 4) }},
	}
	t.addRuns(rows, columns)
	cells := func(r Row) []Cell { return []Cell{r.Cell(Average)} }
	t.Notes = append([]string{"Sorted by AVG in percent; equal scores share a rank. SE: standard error, by paper: clustered. " +
		"Turns, tokens and cost are means per example."}, o.cellNotes(rows, cells)...)
	if o.WithPaper {
		if err := t.addPaper("4", columns); err != nil {
			return nil, err
		}
	}
	t.rank()
	return &t, nil
}

// rank sorts the lines by the score in the second column and writes the ranks to the first.
func (t *Table) rank() {
	score := func(l Line) float64 {
		v, err := strconv.ParseFloat(l.Values[1].Text, 64)
		if err != nil {
			return -1
		}
		return v
	}
	slices.SortStableFunc(t.Lines, func(a, b Line) int { return cmp.Compare(score(b), score(a)) })
	place, last := 0, -1.0
	ranked := 0
	for i, l := range t.Lines {
		if l.Paper || score(l) < 0 {
			continue
		}
		ranked++
		if score(l) != last {
			place, last = ranked, score(l)
		}
		t.Lines[i].Values[0] = number(place)
	}
}
