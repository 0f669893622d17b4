package report

import (
	"cmp"
	"slices"
	"strconv"
)

// leaderboard lists the runs by score, the best first.
func leaderboard(rows []Row, o Options) (*Table, error) {
	t := Table{
		Title: "Leaderboard", Label: baselineHead, Section: modelHead, Flat: true,
		Heads: []Head{
			{Name: "rank"},
			{Name: "AVG", Scored: true},
			{Name: "SE", Repeats: true},
			{Name: "SE by paper", Repeats: true},
			{Name: "95 %", Repeats: true},
			{Name: "n", Repeats: true},
			{Name: "turns"},
			{Name: "tokens"},
			{Name: "cost ($)"},
		},
	}
	for i, r := range rows {
		l, avg, e := t.of(&rows[i]), scored(r.Cell(Average)), r.Effort
		l.Values = []Value{
			plain("-"), avg, plain(orDash(avg.Error())), plain(orDash(avg.ClusteredError())), plain(span(*avg.Cell)),
			number(avg.Cell.N), plain(decimals(e.Turns, 2)), plain(decimals(e.Prompt+e.Completion, 0)), maybe(e.Cost, 4),
		}
		if e.Episodes == 0 {
			l.Values[6], l.Values[7] = plain("-"), plain("-")
		}
		t.Lines = append(t.Lines, l)
	}
	cells := func(r Row) []Cell { return []Cell{r.Cell(Average)} }
	t.Notes = append([]string{"Sorted by AVG in percent; equal scores share a rank. SE: standard error, by paper: clustered. Turns, tokens and cost are means per example."},
		o.cellNotes(rows, cells)...)
	if o.WithPaper {
		if err := t.addPaper("4", []string{"", Average, "", "", "", "", "", "", ""}); err != nil {
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
