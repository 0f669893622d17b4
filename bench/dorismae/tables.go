package dorismae

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/bench"
	"airqa/qa"
	"airqa/qa/dataset"
)

// Benchmark returns DORIS-MAE with its commands.
func Benchmark() bench.Benchmark {
	shuffles := bench.About(shuffled, "the mean of 100 shuffles of each pool")
	return bench.Benchmark{
		Name: "doris-mae", About: "complex queries: a pool of abstracts, best first",
		Methods: append(bench.Methods(methods()), shuffles),
		Load: func(path string) (*bench.Dataset, error) {
			d, err := Load(path, LoadOptions{})
			if err != nil {
				return nil, err
			}
			return &d.Dataset, nil
		},
		Stats: countData, Baseline: baselines, Score: scoreFile, Ratings: ratings,
		Prediction: func(it bench.Item, a qa.Answer) any {
			return map[string]any{"query_id": it.UUID, "index_rank": append([]string{}, a.Ranking...)}
		},
	}
}

// shuffled is the method without a ranker.
const shuffled = "random"

// The paper's numbers by setting and method: R@5, R@20, RP, NDCG10%, NDCG10%exp, MRR@10, MAP (Tables 11, 13, 14, 15).
var printed = map[string]map[string][]float64{
	"query": {
		"random": {4.41, 18.48, 16.29, 48.71, 7.31, 3.59, 19.63}, "tfidf": {10.71, 29.22, 24.79, 58.31, 18.25, 12.41, 28.77},
		"bm25": {8.47, 30.50, 21.94, 51.46, 13.23, 9.19, 25.99},
	},
	"aspect": {
		"random": {4.60, 18.30, 16.48, 48.79, 7.41, 3.65, 19.73}, "tfidf": {7.62, 23.16, 20.14, 50.73, 12.55, 7.72, 24.25},
		"bm25": {6.25, 25.11, 20.51, 49.65, 10.33, 5.72, 23.74},
	},
	"test": {
		"random": {4.58, 17.91, 17.34, 50.22, 7.36, 3.32, 20.69}, "tfidf": {9.53, 26.77, 25.27, 58.14, 17.03, 11.59, 28.56},
		"bm25": {6.86, 26.43, 22.45, 51.55, 12.29, 8.65, 26.00},
	},
	"subquery-2": {
		"random": {4.60, 18.76, 21.55, 41.10, 15.06, 5.92, 24.71}, "tfidf": {9.69, 32.56, 33.32, 56.58, 28.79, 19.57, 36.41},
		"bm25": {9.14, 31.68, 31.22, 51.05, 25.52, 14.74, 33.94},
	},
}

// task is a setting of the benchmark with its queries.
type task struct {
	items     []bench.Item
	documents []bench.Document
	request   bench.Request
	// rest is the order of abstracts that a ranking lacks.
	rest func(bench.Item) []string
}

// openTask loads the queries of a setting, and begins the result, with the faults of predictions first.
func openTask(r bench.Request, title string, faults ...*dataset.Fault) (*task, *bench.Result, error) {
	d, err := Load(r.Dataset, LoadOptions{SkipUnparsed: r.Fixed, Annotations: r.Annotations})
	if err != nil {
		return nil, nil, err
	}
	r.Setting = cmp.Or(r.Setting, "query")
	t := &task{items: d.Items, documents: d.Documents, request: r}
	number, isPart := strings.CutPrefix(r.Setting, "subquery-")
	switch n, err := strconv.Atoi(number); {
	case r.Setting == "query":
	case r.Setting == "aspect":
		t.items = d.ByAspects()
	case r.Setting == "test":
		t.items = slices.DeleteFunc(t.items, func(it bench.Item) bool { return !it.HasTag("test") })
	case isPart && err == nil && n > 0:
		t.items = d.Subqueries(n)
	default:
		return nil, nil, qa.Usagef("unknown setting %q; the settings are query, aspect, test, and subquery-2 (or another number of aspects)",
			r.Setting)
	}
	if len(t.items) == 0 {
		return nil, nil, fmt.Errorf("%s has no query for the setting %s", r.Dataset, r.Setting)
	}
	ranker, _ := NewRanker("tfidf", t.documents, nil) // a known method without vectors
	t.rest = func(it bench.Item) []string {
		ids, _ := Rank(context.Background(), ranker, it) // lexical rankers do not fail
		return ids
	}
	return t, bench.NewResult("doris-mae", "DORIS-MAE: "+title+", setting "+r.Setting, r.Dataset, append(faults, d.Faults...)), nil
}

// baseline scores a method. It returns the rankings, too; shuffled has none.
func (t *task) baseline(ctx context.Context, method string) (Scores, map[string][]string, error) {
	if method == shuffled {
		return Random(t.items, 100, t.request.Rules), nil, nil
	}
	ranker, err := NewRanker(method, t.documents, t.request.Embedder)
	if err != nil {
		return Scores{}, nil, err
	}
	rankings := make(map[string][]string)
	for _, it := range t.items {
		if rankings[it.UUID], err = Rank(ctx, ranker, it); err != nil {
			return Scores{}, nil, err
		}
	}
	return Score(t.items, rankings, t.request.Rules, t.rest), rankings, nil
}

func baselines(ctx context.Context, r bench.Request) (*bench.Result, error) {
	if filepath.Ext(r.Dataset) == ".txt" {
		return knownItems(ctx, r)
	}
	t, result, err := openTask(r, "baselines")
	if err != nil {
		return nil, err
	}
	if r.Export != "" && r.Method == shuffled {
		return nil, qa.Usagef("the method %s has no ranking to export; choose one that ranks", shuffled)
	}
	table := bench.Table{Name: "methods", Title: "Means, %", Label: "method", Decimals: 2}
	for _, m := range r.Chosen(append(lexicalMethods(), bench.Method{Name: shuffled})) {
		s, _, err := t.baseline(ctx, m)
		if err != nil {
			return nil, err
		}
		if err := t.export(s); err != nil {
			return nil, err
		}
		if r.Method != "" {
			table = t.metrics(m, "Means, %, with the standard deviation of the bootstrap", s)
		} else {
			addRow(&table, m, s)
		}
		result.Note(s.Notes...)
	}
	result.Tables = []bench.Table{table}
	result.Note(t.notes()...)
	return result, nil
}

// export writes rankings as they were scored, if a file is given.
func (t *task) export(s Scores) error {
	return t.request.WriteExport(func(w io.Writer) error { return WriteRankings(w, t.items, s.Rankings) })
}

// resamples is the number of resamples of the bootstrap; the authors' are 1,000.
func (t *task) resamples() int { return cmp.Or(t.request.Bootstrap, 1000) }

// metrics has a row for each metric of a method, with the paper's numbers for the annotations of the dataset.
func (t *task) metrics(name, title string, s Scores) bench.Table {
	table := bench.Table{Name: name, Title: title, Label: "metric", Decimals: 2}
	for i, m := range s.Metrics {
		v := m.Percent(m.Name, name)
		if p := printed[t.request.Setting][name]; i < len(p) && t.request.Annotations == "" {
			v = v.Paper(p[i])
		}
		table.Add(v, bench.Value(m.Name, "±", 100*m.Deviation(t.resamples(), t.request.Seed)))
	}
	return table
}

// addRow adds a method with all its metrics.
func addRow(t *bench.Table, method string, s Scores) {
	for _, m := range s.Metrics {
		t.Add(m.Percent(method, m.Name))
	}
}

func (t *task) notes() []string {
	notes := []string{
		"R@5, R@20, RP and MAP leave out queries without a relevant abstract. MRR@10(best) is about the abstracts with the highest score, " +
			"not about the relevant ones.",
		fmt.Sprintf("±: standard deviation of the means of %d resamples of the queries, seed %d. Random: 100 shuffles.",
			t.resamples(), t.request.Seed),
	}
	if t.request.Fixed {
		return append(notes, corrections...)
	}
	return append(notes, "Scored as the authors' code does.")
}

func scoreFile(ctx context.Context, r bench.Request) (*bench.Result, error) {
	rankings, faults, err := ReadRankings(r.Predictions)
	if err != nil {
		return nil, err
	}
	t, result, err := openTask(r, filepath.Base(r.Predictions), faults...)
	if err != nil {
		return nil, err
	}
	s := Score(t.items, rankings, t.request.Rules, t.rest)
	if err := t.export(s); err != nil {
		return nil, err
	}
	beside := bench.Table{Name: "methods", Title: "Baselines beside them, %", Label: "method", Decimals: 2}
	difference := bench.Table{
		Name: "difference", Title: "Difference to tfidf, with the 95 % interval of a paired bootstrap of queries", Label: "metric", Decimals: 2,
	}
	for _, m := range []string{"tfidf", "bm25", shuffled} {
		b, own, err := t.baseline(ctx, m)
		if err != nil {
			return nil, err
		}
		addRow(&beside, m, b)
		if m == "tfidf" {
			for _, d := range Compare(t.items, s, b) {
				v := d.Measure(d.Name, "difference")
				if d.N() > 0 {
					v = v.Within(d.Interval(t.request.Bootstrap, t.request.Seed))
				}
				difference.Add(v)
			}
		}
		if m != shuffled && maps.EqualFunc(own, rankings, slices.Equal[[]string]) {
			result.Note("The rankings are identical to those of " + m + ".")
		}
	}
	result.Tables = []bench.Table{t.metrics("rankings", "Means, %, with the standard deviation of the bootstrap", s), difference, beside}
	result.Note(s.Notes...)
	result.Note(t.notes()...)
	return result, nil
}

// ratings are the scores of people and of the model for the pairs of the test set.
func ratings(path, annotations string) (bench.Ratings, error) {
	d, err := Load(path, LoadOptions{Annotations: annotations, Test: true})
	if err != nil {
		return bench.Ratings{}, err
	}
	if len(d.Judged) == 0 {
		return bench.Ratings{}, fmt.Errorf("%s has no Test_set, the pairs that people annotated", path)
	}
	names := make(map[string]int)
	for _, j := range d.Judged {
		maps.Copy(names, j.Scores)
	}
	t := bench.Ratings{Raters: append(slices.Sorted(maps.Keys(names)), bench.ModelRater)}
	for _, j := range d.Judged {
		unit := make([]string, len(t.Raters))
		for i, name := range t.Raters {
			if score, ok := j.Scores[name]; ok {
				unit[i] = strconv.Itoa(score)
			}
		}
		if score, ok := d.Annotation(j.AspectID, j.Abstract); ok {
			unit[len(unit)-1] = strconv.Itoa(score)
		}
		t.Units = append(t.Units, unit)
	}
	// Faults of pools do not matter here.
	t.Faults = slices.DeleteFunc(d.Faults, func(f *dataset.Fault) bool { return !strings.HasPrefix(f.Text, "Test_set") })
	return t, nil
}

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
		spread("pool", "Abstracts of a pool", d.Items, func(it bench.Item) []float64 { return []float64{float64(len(it.Pool))} }, nil),
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
	var m bench.Means
	for _, q := range d.Queries {
		pool := builder.Pool(q)
		same := 0
		for _, id := range pool {
			if slices.Contains(q.Pool, id) {
				same++
			}
		}
		m.Of("abstracts").Add(float64(len(pool)))
		m.Of("in the released pool").Add(float64(same))
		m.Of("share of the released pool, %").Add(100 * float64(same) / float64(len(q.Pool)))
	}
	return bench.Table{
		Name: "pools", Title: "Pools built again, without vectors", Label: "mean of queries", Decimals: 2,
		Measures: []bench.Measure{m.Row("abstracts"), m.Row("in the released pool"), m.Row("share of the released pool, %")},
	}
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
		for i, m := range []bench.Measure{
			bench.Value(kind, "min", slices.Min(list)), bench.Value(kind, "max", slices.Max(list)),
			bench.Mean{Values: list}.Measure(kind, "mean"), bench.Value(kind, "std", deviation(list)),
		} {
			t.Add(m)
			if kind == "all" && printed != nil {
				t.Add(bench.Value("all (paper)", m.Column, printed[i]))
			}
		}
	}
	return t
}

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
