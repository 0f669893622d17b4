package dorismae

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/bench"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
)

// Benchmark returns DORIS-MAE with its commands.
func Benchmark() bench.Benchmark {
	random := bench.Beside(shuffled, "the mean of 100 shuffles of each pool")
	return bench.Benchmark{
		Name: "doris-mae", About: "complex queries: a pool of abstracts, best first",
		Methods: append(bench.Methods(methods()), random), Load: load, Stats: countData,
		Score: score, Headline: headline, Method: rows, Tables: tables, Ratings: ratings,
		Predictions: bench.Format{ID: "query_id", Ranking: "index_rank", Whole: func(it bench.Item, ranking []string) []string {
			return grade(it, false).complete(it, ranking).ranking
		}},
	}
}

// headline is the metric that is the score of a query.
const headline = "NDCG10%"

// shuffled is the method without a ranker.
const shuffled = "random"

// paper is the paper's numbers.
var paper = bench.ReadPaper("dorismae")

// names are the names of methods in the paper.
var names = map[string]string{shuffled: shuffled, "tfidf": "TF-IDF", "bm25": "BM25"}

// printed are the tables of the paper about the items; none with other annotations. Table 16 has pools of 150 abstracts.
func printed(data *bench.Dataset, c bench.Choice) []string {
	tables := map[string][]string{"": {"11", "12"}, "query": {"11", "12"}, "aspect": {"13"}, "test": {"14"}, "subquery-2": {"15"}}
	switch {
	case c.Annotations != "":
		return nil
	case (c.Setting == "" || c.Setting == "query") && len(data.Items[0].Pool) == 150:
		return []string{"16"}
	}
	return tables[c.Setting]
}

// load reads the items of a setting, or of known-item retrieval.
func load(path string, c bench.Choice) (*bench.Dataset, error) {
	if filepath.Ext(path) == ".txt" {
		return knownItems(path)
	}
	d, err := Load(path, LoadOptions{Annotations: c.Annotations, Pools: c.PoolsFrom})
	if err != nil {
		return nil, err
	}
	setting := cmp.Or(c.Setting, "query")
	d.Title += ", setting " + setting
	number, isPart := strings.CutPrefix(setting, "subquery-")
	switch n, err := strconv.Atoi(number); {
	case setting == "query":
	case setting == "aspect":
		d.Items = d.ByAspects()
	case setting == "test":
		d.Items = slices.DeleteFunc(d.Items, func(it bench.Item) bool { return !it.HasTag("test") })
	case isPart && err == nil && n > 0:
		d.Items = d.Subqueries(n)
	default:
		return nil, qa.Usagef("unknown setting %q; the settings are query, aspect, test, and subquery-2 (or another number of aspects)", setting)
	}
	if len(d.Items) == 0 {
		return nil, fmt.Errorf("%s has no query for the setting %s", path, setting)
	}
	complete(&d.Dataset)
	return &d.Dataset, nil
}

// complete keeps the lexical order of each pool, in which abstracts follow that a ranking lacks, and the relevant abstracts.
func complete(data *bench.Dataset) {
	ranker, _ := NewRanker("tfidf", data.Documents, nil) // a known method without vectors
	for i := range data.Items {
		it := &data.Items[i]
		it.Gold.Rest, _ = Rank(context.Background(), ranker, *it) // lexical rankers do not fail
		gold := grade(*it, false)
		relevant := slices.DeleteFunc(slices.Clone(it.Pool), func(id string) bool { return !gold.relevant[id] })
		it.Gold.Text = strings.Join(relevant, ", ")
	}
}

// rows makes the row of a method.
func rows(ctx context.Context, data *bench.Dataset, method string, r bench.Request) ([]bench.System, error) {
	if method == shuffled {
		return []bench.System{bench.Expected(method, data.Items, func(it bench.Item) map[string]float64 { return expected(it, r) })}, nil
	}
	ranker, err := NewRanker(method, data.Documents, r.Embedder)
	if err != nil {
		return nil, err
	}
	answers := make([]qa.Answer, len(data.Items))
	stage := r.Progress.Stage("rank", len(data.Items))
	defer stage.Close(method)
	for i, it := range data.Items {
		stage.Set(i, "")
		answers[i].Given = true
		if answers[i].Ranking, err = Rank(ctx, ranker, it); err != nil {
			return nil, err
		}
	}
	return []bench.System{Benchmark().Scored(label(r, method), data.Items, answers, r.Fixed)}, nil
}

// tables has the means of systems, and of those that were named their deviations and the difference to tfidf.
func tables(data *bench.Dataset, systems []bench.System, r bench.Request) (list []bench.Table, _ []string) {
	rounds := cmp.Or(r.Bootstrap, 1000) // as many as the authors'
	scores := bench.Table{Name: "scores", Title: "Means, %", Label: "system", Decimals: 2}
	lexical := slices.IndexFunc(systems, func(s bench.System) bool { return s.Name == "tfidf" })
	numbers := printed(data, r.Choice)
	var notes bench.Notes
	for _, s := range systems {
		detail := bench.Table{Name: s.Name, Title: s.Name + ": means, %, with the standard deviation of the bootstrap", Label: "metric", Decimals: 2}
		beside := bench.Table{
			Name: "difference of " + s.Name, Label: "metric", Decimals: 2,
			Title: s.Name + ": difference to tfidf, with the 95 % interval of a paired bootstrap of queries",
		}
		for _, measure := range measures(r.Fixed) {
			m := s.Mean(measure.name, nil)
			v := m.Percent(s.Name, measure.name)
			scores.Add(v)
			if len(numbers) > 0 {
				v = paper.Beside(v, numbers[0], names[s.Name])
			}
			v.Row, v.Column = measure.name, s.Name
			detail.Add(v, bench.Value(measure.name, "±", 100*resampled(m, rounds, r.Seed)))
			if !measure.ofRelevant {
				notes.Count(len(s.Items)-m.N()-s.Failed(), s.Name+": queries for which "+measure.name+
					" divides by zero, which are left out (--scoring fixed defines it)")
			}
			if s.Chosen && lexical >= 0 && len(r.Runs) > 0 {
				d := difference(s, systems[lexical], measure.name)
				v := d.Measure(measure.name, "difference")
				if d.N() > 0 {
					v = v.Within(d.Interval(r.Bootstrap, r.Seed))
				}
				beside.Add(v)
			}
		}
		if s.Chosen {
			list = append(list, detail, beside)
			notes = append(notes, remarks(s, systems, r)...)
		}
	}
	paper.Below(&scores, numbers...)
	return append([]bench.Table{scores}, list...), append(notes, rulesOf(r, rounds)...)
}

// remarks count what is odd about the rankings of a system.
func remarks(s bench.System, systems []bench.System, r bench.Request) (notes bench.Notes) {
	var all completed
	for i, a := range s.Answers {
		c := grade(s.Items[i], r.Fixed).complete(s.Items[i], a.Ranking)
		all.unknown, all.repeated, all.appended = all.unknown+c.unknown, all.repeated+c.repeated, all.appended+c.appended
	}
	notes.Count(all.unknown, "ids of rankings that are not in the pool, which are ignored")
	notes.Count(all.repeated, "ids that a ranking repeats, of which the first place counts")
	notes.Count(all.appended, "abstracts of a pool that its ranking lacks, which follow in lexical order")
	same := func(a, b qa.Answer) bool { return slices.Equal(a.Ranking, b.Ranking) }
	for _, other := range systems {
		if other.Name != s.Name && len(s.Answers) > 0 && slices.EqualFunc(s.Answers, other.Answers, same) {
			notes = append(notes, "The rankings are identical to those of "+other.Name+".")
		}
	}
	return notes
}

func rulesOf(r bench.Request, rounds int) []string {
	notes := []string{
		"R@5, R@20, RP and MAP leave out queries without a relevant abstract. MRR@10(best) is about the abstracts with the highest score, " +
			"not about the relevant ones.",
		fmt.Sprintf("±: standard deviation of the means of %d resamples of the queries, seed %d. Random: %d shuffles.", rounds, r.Seed, shuffles),
	}
	if r.Fixed {
		return append(notes, corrections...)
	}
	return append(notes, "Scored as the authors' code does.")
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
	abstracts := d.Papers()
	for i, j := range d.Judged {
		a := abstracts[strconv.Itoa(j.Abstract)]
		t.Names = append(t.Names, fmt.Sprintf("%d: aspect %s, abstract %d: %s | %s", i+1, j.AspectID, j.Abstract,
			terminal.Clip(d.names[j.AspectID], 60), terminal.Clip(cmp.Or(a.Title, a.Abstract), 40)))
		unit := make([]string, len(t.Raters))
		for k, name := range t.Raters {
			if score, ok := j.Scores[name]; ok {
				unit[k] = strconv.Itoa(score)
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
func countData(ctx context.Context, r bench.Request) (*bench.Result, error) {
	if filepath.Ext(r.Dataset) == ".txt" {
		return countTrees(r)
	}
	o := LoadOptions{Annotations: r.Annotations, Corpus: r.Pools || r.PoolsOut != ""}
	if r.PoolsOut == "" {
		o.Pools = r.PoolsFrom
	}
	d, err := Load(r.Dataset, o)
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
		spread("pool", "Abstracts of a pool", d.Items, func(it bench.Item) []float64 { return []float64{float64(len(it.Pool))} }, "of pools"),
		spread("relevant", "Relevant abstracts of a query (Table 9)", d.Items, relevant, "9 queries"),
		spread("relevant-2", "Relevant abstracts of a two-aspect sub-query (Table 9)", two, relevant, "9 sub-queries"),
		spread("scores", "Normalized scores (Table 10)", d.Items, normalized, "10 queries"),
		spread("scores-2", "Normalized scores of a two-aspect sub-query (Table 10)", two, normalized, "10 sub-queries"),
	}
	var built map[int][]int
	if r.Pools || r.PoolsOut != "" && r.Model == "" {
		var table bench.Table
		table, built = rebuilt(d)
		result.Tables = append(result.Tables, table)
	}
	switch {
	case r.PoolsOut != "":
		err = writePools(ctx, r, d, built)
	case r.PoolsFrom != "" && d.Annotated > 0:
		err = comparePools(r, d, result)
	}
	if err != nil {
		return nil, err
	}
	result.Note(
		"An abstract is relevant if its normalized score, the sum over the set of aspects and sub-aspects "+
			"divided by their number, is at least 1.",
		"std is the population standard deviation.",
	)
	return result, nil
}

// rebuilt compares pools built by TF-IDF, BM25 and citations with those of the benchmark, which have 20 abstracts by
// vectors of ada-002, too.
func rebuilt(d *Dataset) (bench.Table, map[int][]int) {
	builder, pools := NewPools(d.Corpus), make(map[int][]int)
	var m bench.Means
	for _, q := range d.Queries {
		pool := builder.Pool(q)
		pools[q.Number] = pool
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
	}, pools
}

// spread has minimum, maximum, mean and standard deviation by type of query, above a table of the paper.
func spread(name, title string, items []bench.Item, values func(bench.Item) []float64, printed string) bench.Table {
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
		t.Add(
			bench.Value(kind, "min", slices.Min(list)), bench.Value(kind, "max", slices.Max(list)),
			bench.Mean{Values: list}.Measure(kind, "mean"), bench.Value(kind, "std", deviation(list)),
		)
	}
	paper.Below(&t, printed)
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
