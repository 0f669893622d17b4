package dorismae

import (
	"context"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"airqa/bench"
)

// countData counts the data as the tables of the paper do.
func countData(_ context.Context, r bench.Request) (*bench.Result, error) {
	if filepath.Ext(r.Dataset) == ".txt" {
		return countTrees(r)
	}
	d, err := Load(r.Dataset, LoadOptions{SkipUnparsed: r.Fixed, Corpus: r.Pools})
	if err != nil {
		return nil, err
	}
	result := bench.NewResult(d.Name, "DORIS-MAE: data", r.Dataset, d.Faults)
	two := d.Subqueries(2)
	result.Tables = []bench.Table{
		{Name: "sizes", Title: "Sizes", Label: "what", Measures: []bench.Measure{
			bench.Count("queries", len(d.Queries)).Paper(100),
			bench.Count("distinct aspects and sub-aspects", d.Aspects),
			bench.Count("annotations", d.Annotated).Paper(165144),
			bench.Count("two-aspect sub-queries", len(two)).Paper(1003),
		}},
		spread("pool", "Abstracts of a pool", d.Items, sizeOfPool, nil),
		spread("relevant", "Relevant abstracts of a query (Table 9)", d.Items, relevant, []float64{0, 84, 16.42, 15.49}),
		spread("relevant-2", "Relevant abstracts of a two-aspect sub-query (Table 9)", two, relevant, []float64{0, 105, 28.14, 21.07}),
		spread("scores", "Normalized scores (Table 10)", d.Items, normalized, []float64{0, 1.909, 0.578, 0.356}),
	}
	if r.Pools {
		result.Tables = append(result.Tables, rebuilt(d))
	}
	result.Note(
		"An abstract is relevant if its normalized score, the sum over the set of aspects and sub-aspects "+
			"divided by their number, is at least 1.",
		"std is the population standard deviation. The paper's numbers are those of all types.",
	)
	return result, nil
}

// rebuilt compares pools built by TF-IDF, BM25 and citations with those of the benchmark, which have 20 abstracts by
// vectors of ada-002, too.
func rebuilt(d *Dataset) bench.Table {
	builder := NewPools(d.Corpus)
	var size, found, share bench.Tally
	for _, q := range d.Queries {
		pool := builder.Pool(q)
		same := 0
		for _, id := range pool {
			if slices.Contains(q.Pool, id) {
				same++
			}
		}
		size.Add(float64(len(pool)))
		found.Add(float64(same))
		share.Add(100 * float64(same) / float64(len(q.Pool)))
	}
	t := bench.Table{Name: "pools", Title: "Pools built again, without vectors", Label: "mean of queries", Decimals: 2}
	t.Add(size.Measure("abstracts", 1), found.Measure("in the released pool", 1), share.Measure("share of the released pool, %", 1))
	return t
}

// spread has minimum, maximum, mean and standard deviation by type of query, and those that the paper prints of all.
func spread(name, title string, items []bench.Item, values func(bench.Item) []float64, printed []float64) bench.Table {
	t := bench.Table{Name: name, Title: title, Label: "type", Decimals: 3}
	for _, kind := range []string{"ML", "NLP", "CV", "AI", "Composite", "all"} {
		var list []float64
		for _, it := range items {
			if kind == "all" || it.HasTag(kind) {
				list = append(list, values(it)...)
			}
		}
		if len(list) == 0 {
			continue
		}
		mean, deviation := moments(list)
		for i, m := range []bench.Measure{
			bench.Value(kind, "min", slices.Min(list)), bench.Value(kind, "max", slices.Max(list)),
			bench.Value(kind, "mean", mean).Over(len(list)), bench.Value(kind, "std", deviation),
		} {
			t.Add(m)
			if kind == "all" && printed != nil {
				t.Add(bench.Value("all (paper)", m.Column, printed[i]))
			}
		}
	}
	return t
}

// moments are the mean and the population standard deviation.
func moments(list []float64) (center, deviation float64) {
	center = mean(list)
	squares := 0.0
	for _, v := range list {
		squares += (v - center) * (v - center)
	}
	return center, math.Sqrt(squares / float64(len(list)))
}

func sizeOfPool(it bench.Item) []float64 { return []float64{float64(len(it.Pool))} }

func relevant(it bench.Item) []float64 {
	n := 0.0
	for _, score := range normalized(it) {
		if score >= 1 {
			n++
		}
	}
	return []float64{n}
}

func normalized(it bench.Item) []float64 {
	var list []float64
	for _, g := range it.Gold.Grades {
		list = append(list, g/it.Gold.Top)
	}
	return list
}

// countTrees counts queries.txt.
func countTrees(r bench.Request) (*bench.Result, error) {
	trees, err := LoadTrees(r.Dataset)
	if err != nil {
		return nil, err
	}
	aspects, subs := make(map[int]int), make(map[int]int)
	var sentences, nAspects, nSubs, sum, repeating int
	texts := make(map[string]bool)
	for _, t := range trees {
		subsOfTree := 0
		for _, a := range t.Aspects {
			subs[len(a.Sub)]++
			subsOfTree += len(a.Sub)
		}
		distinct := t.Distinct()
		aspects[len(t.Aspects)]++
		sentences += len(t.Sentences)
		nAspects += len(t.Aspects)
		nSubs += subsOfTree
		sum += len(distinct)
		if len(distinct) < len(t.Aspects)+subsOfTree {
			repeating++
		}
		for _, text := range distinct {
			texts[text] = true
		}
	}
	numbers := bench.Table{Name: "trees", Title: "Queries by number of aspects, aspects by number of sub-aspects", Label: "number"}
	for n := range max(slices.Max(slices.Collect(maps.Keys(aspects))), slices.Max(slices.Collect(maps.Keys(subs)))) + 1 {
		row := strconv.Itoa(n)
		numbers.Add(bench.Value(row, "queries", float64(aspects[n])), bench.Value(row, "aspects", float64(subs[n])))
	}
	result := bench.NewResult("doris-mae", "DORIS-MAE: queries and aspects", r.Dataset, nil)
	result.Tables = []bench.Table{
		{Name: "sizes", Title: "Sizes", Label: "what", Measures: []bench.Measure{
			bench.Count("queries", len(trees)),
			bench.Count("sentences", sentences),
			bench.Count("aspects", nAspects),
			bench.Count("sub-aspects", nSubs),
			bench.Count("distinct texts per query, summed", sum),
			bench.Count("distinct texts", len(texts)),
			bench.Count("queries that repeat a text", repeating),
		}},
		numbers,
	}
	return result, nil
}
