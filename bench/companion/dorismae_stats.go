package companion

import (
	"context"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"airqa/bench/dorismae"
	"airqa/qa/dataset"
)

func dorisStats(_ context.Context, r Request) (*Result, error) {
	if filepath.Ext(r.Dataset) == ".txt" {
		return treeStats(r)
	}
	d, err := dataset.DORIS(r.Dataset, dataset.DORISOptions{SkipUnparsed: r.Fixed, Corpus: r.Pools})
	if err != nil {
		return nil, err
	}
	result := newResult("doris-mae", "DORIS-MAE: data", r, d.Faults)
	two := d.Subqueries(2)
	sizes := Table{Name: "sizes", Title: "Sizes", Label: "what"}
	for _, c := range []struct {
		row      string
		n, paper float64
	}{
		{"queries", float64(len(d.Queries)), 100},
		{"distinct aspects and sub-aspects", float64(d.Aspects), math.NaN()},
		{"annotations", float64(d.Annotated), 165144},
		{"two-aspect sub-queries", float64(len(two)), 1003},
	} {
		m := Measure{Row: c.row, Column: "number", Value: &c.n}
		if !math.IsNaN(c.paper) {
			m = m.printed(c.paper)
		}
		sizes.Measures = append(sizes.Measures, m)
	}
	result.Tables = []Table{
		sizes, dorisSpread("pool", "Abstracts of a pool", d.Items, poolSize, nil),
		dorisSpread("relevant", "Relevant abstracts of a query (Table 9)", d.Items, relevant, []float64{0, 84, 16.42, 15.49}),
		dorisSpread("relevant-2", "Relevant abstracts of a two-aspect sub-query (Table 9)", two, relevant, []float64{0, 105, 28.14, 21.07}),
		dorisSpread("scores", "Normalized scores (Table 10)", d.Items, normalized, []float64{0, 1.909, 0.578, 0.356}),
	}
	if r.Pools {
		result.Tables = append(result.Tables, rebuilt(d))
	}
	result.Notes = append(result.Notes, "An abstract is relevant if its normalized score, the sum over the set of aspects and sub-aspects divided by their number, is at least 1.", "std is the population standard deviation. The paper's numbers are those of all types.")
	return result, nil
}

// rebuilt compares pools built by TF-IDF, BM25 and citations with those of the benchmark, which have 20 abstracts by
// vectors of ada-002, too.
func rebuilt(d dataset.DORISMAE) Table {
	t := Table{Name: "pools", Title: "Pools built again, without vectors", Label: "mean of queries", Decimals: 2}
	builder := dorismae.NewPools(d.Corpus)
	var size, found, share tally
	for _, q := range d.Queries {
		of := dorismae.PoolQuery{Text: q.Text, IdeaFrom: q.IdeaFrom}
		for _, a := range q.Aspects {
			of.Aspects = append(of.Aspects, a.Text)
		}
		pool := builder.Pool(of)
		size.add(float64(len(pool)))
		same := 0
		for _, id := range pool {
			same += boolean(slices.Contains(q.Pool, id))
		}
		found.add(float64(same))
		share.add(100 * float64(same) / float64(len(q.Pool)))
	}
	for _, row := range []struct {
		name string
		of   tally
	}{{"abstracts", size}, {"in the released pool", found}, {"share of the released pool, %", share}} {
		t.Measures = append(t.Measures, measure(row.name, "value", row.of.sum/row.of.n, int(row.of.n)))
	}
	return t
}

// dorisSpread has minimum, maximum, mean and standard deviation by type of query.
func dorisSpread(name, title string, items []dataset.Item, of func(dataset.Item) []float64, printed []float64) Table {
	t := Table{Name: name, Title: title, Label: "type", Decimals: 3}
	for _, kind := range []string{"ML", "NLP", "CV", "AI", "Composite", "all"} {
		var values []float64
		for _, it := range items {
			if kind == "all" || it.HasTag(kind) {
				values = append(values, of(it)...)
			}
		}
		if len(values) > 0 {
			t.spread(kind, values, kind == "all", printed)
		}
	}
	return t
}

func (t *Table) spread(row string, values []float64, all bool, printed []float64) {
	var sum, squares tally
	for _, v := range values {
		sum.add(v)
	}
	mean := sum.sum / sum.n
	for _, v := range values {
		squares.add((v - mean) * (v - mean))
	}
	numbers := []float64{slices.Min(values), slices.Max(values), mean, math.Sqrt(squares.sum / squares.n)}
	for i, column := range []string{"min", "max", "mean", "std"} {
		m := Measure{Row: row, Column: column, Value: &numbers[i]}
		if n := len(values); column == "mean" {
			m.N = &n
		}
		t.Measures = append(t.Measures, m)
		if all && printed != nil {
			t.Measures = append(t.Measures, Measure{Row: "all (paper)", Column: column, Value: &printed[i]})
		}
	}
}

func poolSize(it dataset.Item) []float64 { return []float64{float64(len(it.Pool))} }

func relevant(it dataset.Item) []float64 {
	n := 0.0
	for _, g := range it.Gold.Grades {
		if g/it.Gold.Top >= 1 {
			n++
		}
	}
	return []float64{n}
}

func normalized(it dataset.Item) []float64 {
	var list []float64
	for _, g := range it.Gold.Grades {
		list = append(list, g/it.Gold.Top)
	}
	return list
}

// treeStats counts queries.txt.
func treeStats(r Request) (*Result, error) {
	trees, err := dataset.DORISTrees(r.Dataset)
	if err != nil {
		return nil, err
	}
	result := newResult("doris-mae", "DORIS-MAE: queries and aspects", r, nil)
	result.Tables = treeTables(trees)
	return result, nil
}

func treeTables(trees []dataset.DORISTree) []Table {
	aspects, subs := make(map[int]int), make(map[int]int)
	var sentences, nAspects, nSubs, sum, repeating int
	texts := make(map[string]bool)
	for _, t := range trees {
		of := 0
		for _, a := range t.Aspects {
			subs[len(a.Sub)]++
			of += len(a.Sub)
		}
		aspects[len(t.Aspects)]++
		sentences, nAspects, nSubs, sum = sentences+len(t.Sentences), nAspects+len(t.Aspects), nSubs+of, sum+len(t.Distinct())
		repeating += boolean(len(t.Distinct()) < len(t.Aspects)+of)
		for _, text := range t.Distinct() {
			texts[text] = true
		}
	}
	count := Table{Name: "sizes", Title: "Sizes", Label: "what"}
	for _, c := range []struct {
		row string
		n   int
	}{
		{"queries", len(trees)},
		{"sentences", sentences},
		{"aspects", nAspects},
		{"sub-aspects", nSubs},
		{"distinct texts per query, summed", sum},
		{"distinct texts", len(texts)},
		{"queries that repeat a text", repeating},
	} {
		count.add(c.row, "number", c.n)
	}
	spread := Table{Name: "trees", Title: "Queries by number of aspects, aspects by number of sub-aspects", Label: "number"}
	for n := range max(slices.Max(slices.Collect(maps.Keys(aspects))), slices.Max(slices.Collect(maps.Keys(subs)))) + 1 {
		spread.add(strconv.Itoa(n), "queries", aspects[n])
		spread.add(strconv.Itoa(n), "aspects", subs[n])
	}
	return []Table{count, spread}
}

func (t *Table) add(row, column string, n int) {
	v := float64(n)
	t.Measures = append(t.Measures, Measure{Row: row, Column: column, Value: &v})
}
