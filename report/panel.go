package report

import (
	"slices"

	"airqa/internal/stats"
	"airqa/qa"
)

// Panel is the agreement of several judges.
type Panel struct {
	// Judges are in the order of the panel.
	Judges []string `json:"judges"`
	// Items counts the questions to the panel. Failed counts each judge's missing verdicts and Right its positive ones,
	// both in the order of Judges.
	Items  int   `json:"items"`
	Failed []int `json:"failed"`
	Right  []int `json:"right"`
	// Kappa is Fleiss' kappa over all items with at least two verdicts; nil if undefined, for example if all verdicts
	// are equal.
	Kappa *float64 `json:"fleiss_kappa"`
	Pairs []Pair   `json:"pairs"`
}

// Pair is the agreement of two judges on the Items with a verdict of both.
type Pair struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Items int    `json:"items"`
	// Agreement is the percentage of equal verdicts, Kappa is Cohen's; nil if undefined.
	Agreement *float64 `json:"agreement"`
	Kappa     *float64 `json:"cohen_kappa"`
}

// item has the votes of a panel on one question of the evaluator.
type item map[string]qa.Vote

// panel is nil for scores without votes.
func panel(scores []qa.Score) *Panel {
	var p Panel
	var items []item
	for _, s := range scores {
		items = append(items, itemsOf(s.Votes)...)
		for _, v := range s.Votes {
			if !slices.Contains(p.Judges, v.Judge) {
				p.Judges = append(p.Judges, v.Judge)
			}
		}
	}
	if len(items) == 0 {
		return nil
	}
	p.Items, p.Failed, p.Right = len(items), make([]int, len(p.Judges)), make([]int, len(p.Judges))
	votes := make([][]bool, len(items))
	for i, it := range items {
		for j, judge := range p.Judges {
			v, asked := it[judge]
			switch {
			case !asked:
				continue
			case v.Failed != "":
				p.Failed[j]++
				continue
			case v.Right:
				p.Right[j]++
			}
			votes[i] = append(votes[i], v.Right)
		}
	}
	p.Kappa = known(stats.FleissKappa(votes))
	for i, a := range p.Judges {
		for _, b := range p.Judges[i+1:] {
			p.Pairs = append(p.Pairs, pair(items, a, b))
		}
	}
	return &p
}

// itemsOf splits the votes of one evaluation by question: the n-th vote of each judge belongs to the n-th question.
func itemsOf(votes []qa.Vote) []item {
	var items []item
	asked := make(map[string]int)
	for _, v := range votes {
		n := asked[v.Judge]
		asked[v.Judge]++
		if n == len(items) {
			items = append(items, make(item))
		}
		items[n][v.Judge] = v
	}
	return items
}

func pair(items []item, a, b string) Pair {
	p := Pair{A: a, B: b}
	var ofA, ofB []bool
	equal := 0.0
	for _, it := range items {
		x, y := it[a], it[b]
		if x.Judge == "" || y.Judge == "" || x.Failed != "" || y.Failed != "" {
			continue
		}
		ofA, ofB = append(ofA, x.Right), append(ofB, y.Right)
		if x.Right == y.Right {
			equal++
		}
	}
	p.Items = len(ofA)
	p.Agreement = known(100 * equal / float64(p.Items))
	p.Kappa = known(stats.CohenKappa(ofA, ofB))
	return p
}
