package companion

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/bench/dorismae"
	"airqa/internal/atomicfile"
	"airqa/internal/exit"
	"airqa/qa/dataset"
)

func dorisMAE() Benchmark {
	b := Benchmark{
		Name: "doris-mae", About: "complex queries: a pool of abstracts, best first",
		Load: loadDORIS, Stats: dorisStats, Baseline: dorisBaseline, Score: dorisScore, predict: predictDORIS,
	}
	about := map[string]string{
		"tfidf":          "TF-IDF of scikit-learn, fitted on each pool",
		"tfidf-sentence": "the mean of tfidf for each sentence of the query",
		"bm25":           "BM25Okapi with NLTK's tokens: case and punctuation count",
		"bm25-sentence":  "the mean of bm25 for each sentence of the query",
		"bm25-words":     "BM25Okapi with runs of word characters and single other characters; case counts",
		"bm25-lower":     "BM25Okapi with the tokens of tfidf",
		"vectors":        "cosine of sentence vectors of the query and the abstract (minilm)",
		"maxsim":         "Equation 4: the mean over the query's sentences of the nearest sentence of the abstract",
		"maxsim-aspects": "Equation 4 with the query's aspects",
		"maxmax":         "the nearest pair of sentences",
		shuffled:         "the mean of 100 shuffles of each pool",
	}
	lexical, dense := dorismae.Methods()
	for _, name := range slices.Concat(lexical, dense, []string{shuffled}) {
		b.Methods = append(b.Methods, Method{name, about[name]})
	}
	return b
}

// shuffled is the method without a ranker.
const shuffled = "random"

func loadDORIS(path string) (*dataset.Companion, error) {
	d, err := dataset.DORIS(path, dataset.DORISOptions{})
	return &d.Companion, err
}

// dorisTask is a setting of the benchmark.
type dorisTask struct {
	items     []dataset.Item
	documents []dataset.Document
	faults    []*dataset.Fault
	printed   map[string][]float64 // by method
	r         Request
	embed     dorismae.Embed
}

// The paper's numbers by setting and method: R@5, R@20, RP, NDCG10%, NDCG10%exp, MRR@10, MAP (Tables 11, 13, 14, 15).
var dorisPrinted = map[string]map[string][]float64{
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

// openTask loads the queries of a setting.
func openTask(r Request) (*dorisTask, error) {
	d, err := dataset.DORIS(r.Dataset, dataset.DORISOptions{SkipUnparsed: r.Fixed, Annotations: r.Annotations})
	if err != nil {
		return nil, err
	}
	if r.Setting == "" {
		r.Setting = "query"
	}
	t := &dorisTask{items: d.Items, documents: d.Documents, faults: d.Faults, r: r}
	if r.Annotations == "" {
		t.printed = dorisPrinted[r.Setting]
	}
	k, parts := strings.CutPrefix(r.Setting, "subquery-")
	switch n, err := strconv.Atoi(k); {
	case r.Setting == "query":
	case r.Setting == "aspect":
		t.items = d.ByAspects()
	case r.Setting == "test":
		t.items = slices.DeleteFunc(t.items, func(it dataset.Item) bool { return !it.HasTag("test") })
	case parts && err == nil && n > 0:
		t.items = d.Subqueries(n)
	default:
		return nil, exit.Misuse("unknown setting %q; the settings are query, aspect, test, and subquery-2 (or another number of aspects)", r.Setting)
	}
	if len(t.items) == 0 {
		return nil, fmt.Errorf("%s has no query for the setting %s", r.Dataset, r.Setting)
	}
	return t, nil
}

func (t *dorisTask) options() dorismae.Options {
	o := dorismae.Options{Fixed: t.r.Fixed, Rounds: t.r.Bootstrap, Seed: t.r.Seed}
	ranker, _ := dorismae.NewRanker("tfidf", t.documents, nil) // a known method without vectors
	o.Rest = func(it dataset.Item) []string {
		ids, _ := dorismae.Rank(context.Background(), ranker, it) // lexical rankers do not fail
		return ids
	}
	return o
}

// rankings ranks all pools.
func (t *dorisTask) rankings(ctx context.Context, method string) (map[string][]string, error) {
	if _, dense := dorismae.Methods(); slices.Contains(dense, method) && t.embed == nil {
		e, err := t.r.Embedder()
		if err != nil {
			return nil, err
		}
		t.embed = e.Embed
	}
	ranker, err := dorismae.NewRanker(method, t.documents, t.embed)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	list := make(map[string][]string)
	for _, it := range t.items {
		if list[it.UUID], err = dorismae.Rank(ctx, ranker, it); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func dorisBaseline(ctx context.Context, r Request) (*Result, error) {
	if filepath.Ext(r.Dataset) == ".txt" {
		return knownItem(ctx, r)
	}
	t, err := openTask(r)
	if err != nil {
		return nil, err
	}
	lexical, _ := dorismae.Methods()
	methods := append(lexical, shuffled)
	if r.Method != "" {
		methods = []string{r.Method}
	}
	if r.Export != "" && (r.Method == "" || r.Method == shuffled) {
		return nil, exit.Misuse("--export needs --method, and one that ranks: a file has the rankings of one method")
	}
	result := newResult("doris-mae", "DORIS-MAE: baselines, setting "+t.r.Setting, r, t.faults)
	all := Table{Name: "methods", Title: "Means, %", Label: "method", Decimals: 2}
	for _, m := range methods {
		s, err := t.baseline(ctx, m)
		if err != nil {
			return nil, err
		}
		if err := t.export(s); err != nil {
			return nil, err
		}
		if r.Method != "" {
			result.Tables = []Table{t.metrics(m, "Means, %, with the standard deviation of the bootstrap", s)}
		}
		all.row(m, s)
		result.Notes = append(result.Notes, s.Notes...)
	}
	if r.Method == "" {
		result.Tables = []Table{all}
	}
	result.Notes = append(result.Notes, t.notes()...)
	return result, nil
}

func (t *dorisTask) baseline(ctx context.Context, method string) (dorismae.Scores, error) {
	if method == shuffled {
		return dorismae.Random(t.items, 100, t.options()), nil
	}
	rankings, err := t.rankings(ctx, method)
	if err != nil {
		return dorismae.Scores{}, err
	}
	return dorismae.Score(t.items, rankings, t.options()), nil
}

// export writes rankings as they were scored.
func (t *dorisTask) export(s dorismae.Scores) error {
	if t.r.Export == "" {
		return nil
	}
	return atomicfile.Write(t.r.Export, func(w io.Writer) error { return dorismae.Write(w, t.items, s.Rankings) })
}

// metrics has a row for each metric.
func (t *dorisTask) metrics(name, title string, s dorismae.Scores) Table {
	table := Table{Name: name, Title: title, Label: "metric", Decimals: 2}
	for i, m := range s.Metrics {
		v := rankMeasure(m, m.Name, name)
		if p := t.printed[name]; i < len(p) {
			v = v.printed(p[i])
		}
		d := m.Deviation
		table.Measures = append(table.Measures, v, Measure{Row: m.Name, Column: "±", Value: &d})
	}
	return table
}

// rankMeasure is a measure without a value if no query has one.
func rankMeasure(m dorismae.Metric, row, column string) Measure {
	v := measure(row, column, m.Mean, m.N)
	if m.N == 0 {
		v.Value = nil
	}
	return v
}

// row adds a method with all its metrics.
func (t *Table) row(method string, s dorismae.Scores) {
	for _, m := range s.Metrics {
		t.Measures = append(t.Measures, rankMeasure(m, method, m.Name))
	}
}

func (t *dorisTask) notes() []string {
	notes := []string{
		"R@5, R@20, RP and MAP leave out queries without a relevant abstract. MRR@10(best) is about the abstracts with the highest score, not about the relevant ones.",
		fmt.Sprintf("±: standard deviation of the means of %d resamples of the queries, seed %d. Random: 100 shuffles.", t.options().Resamples(), t.r.Seed),
	}
	if !t.r.Fixed {
		return append(notes, "Scored as the authors' code does.")
	}
	for _, c := range dorismae.Corrections() {
		notes = append(notes, "fixed: "+c)
	}
	return notes
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

func dorisScore(ctx context.Context, r Request) (*Result, error) {
	t, err := openTask(r)
	if err != nil {
		return nil, err
	}
	rankings, faults, err := dorismae.Read(r.Predictions)
	if err != nil {
		return nil, err
	}
	o := t.options()
	s := dorismae.Score(t.items, rankings, o)
	if err := t.export(s); err != nil {
		return nil, err
	}
	result := newResult("doris-mae", "DORIS-MAE: "+filepath.Base(r.Predictions)+", setting "+t.r.Setting, r, slices.Concat(faults, t.faults))
	result.Tables = []Table{t.metrics("rankings", "Means, %, with the standard deviation of the bootstrap", s)}
	beside := Table{Name: "methods", Title: "Baselines beside them, %", Label: "method", Decimals: 2}
	for _, m := range []string{"tfidf", "bm25", shuffled} {
		b, err := t.baseline(ctx, m)
		if err != nil {
			return nil, err
		}
		beside.row(m, b)
		if m == "tfidf" {
			result.Tables = append(result.Tables, differences(dorismae.Compare(s, b, o)))
		}
		if m == shuffled {
			continue
		}
		if own, err := t.rankings(ctx, m); err == nil && maps.EqualFunc(own, rankings, slices.Equal[[]string]) {
			result.Notes = append(result.Notes, "The rankings are identical to those of "+m+".")
		}
	}
	result.Tables = append(result.Tables, beside)
	result.Notes = slices.Concat(result.Notes, s.Notes, t.notes())
	return result, nil
}

func differences(list []dorismae.Difference) Table {
	t := Table{Name: "difference", Title: "Difference to tfidf, with the 95 % interval of a paired bootstrap of queries", Label: "metric", Decimals: 2}
	for _, d := range list {
		v := measure(d.Name, "difference", d.Mean, d.N)
		if d.N == 0 {
			v.Value = nil
		} else {
			v.Interval = &d.Interval
		}
		t.Measures = append(t.Measures, v)
	}
	return t
}

// knownItem retrieves the best abstracts of best_candidates.txt.
func knownItem(ctx context.Context, r Request) (*Result, error) {
	best, err := dataset.DORISBestCandidates(r.Dataset)
	if err != nil {
		return nil, err
	}
	methods, dense := dorismae.Methods()
	var embed dorismae.Embed
	if r.Method != "" {
		methods = []string{r.Method}
	}
	if slices.Contains(dense, r.Method) {
		e, err := r.Embedder()
		if err != nil {
			return nil, err
		}
		embed = e.Embed
	}
	known, err := dorismae.KnownItem(ctx, best, methods, embed)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	result := newResult("doris-mae", "DORIS-MAE: known-item retrieval", r, nil)
	t := Table{Name: "known", Title: "The best abstract of each query among those of all queries, %", Label: "method", Decimals: 2}
	for _, k := range known {
		t.Measures = append(t.Measures, measure(k.Method, "R@1", 100*k.First, k.N), measure(k.Method, "MRR@10", 100*k.MRR, k.N))
	}
	result.Tables = []Table{t}
	return result, nil
}
