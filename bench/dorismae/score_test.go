package dorismae_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/bench/dorismae"
	"airqa/internal/testkit/benchtest"
	"airqa/qa"
)

const folder = "../../fixtures/doris-mae/"

func load(t *testing.T) *dorismae.Dataset {
	t.Helper()
	d, err := dorismae.Load(folder+"dataset.json", dorismae.LoadOptions{Corpus: true})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// query has abstracts "a", "b", … with these scores, of n aspects.
func query(n float64, grades ...float64) bench.Item {
	it := bench.Item{Example: qa.Example{UUID: "q0"}, Gold: bench.Gold{Grades: grades, Top: n}}
	for i := range grades {
		it.Pool = append(it.Pool, string(rune('a'+i)))
	}
	return it
}

// measures are the names of the metrics in the order of the authors' tables. The last one exists with fixed rules only.
var measures = []string{"R@5", "R@20", "RP", "NDCG10%", "NDCG10%exp", "MRR@10(best)", "MAP", "MRR@10"}

// metrics are the metrics of one ranking, whose ids are characters; "-" for a query that is left out, "0/0" for a
// division by zero.
func metrics(it bench.Item, ranking string, fixed bool) string {
	values, _ := dorismae.Benchmark().Score(it, qa.Answer{Given: true, Ranking: strings.Split(ranking, "")}, fixed)
	var list []string
	for _, name := range measures[:len(values)] {
		text := fmt.Sprintf("%.4f", 100*values[name])
		switch v, ok := values[name]; {
		case !ok:
			text = "missing"
		case math.IsNaN(v):
			text = "-"
		case math.IsInf(v, 0):
			text = "0/0"
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// scored are rankings by the id of their item, or none, with their scores.
func scored(items []bench.Item, rankings map[string][]string, fixed bool) bench.System {
	var answers []qa.Answer
	for _, it := range items {
		r, given := rankings[it.UUID]
		answers = append(answers, qa.Answer{Given: given, Ranking: r})
	}
	s := dorismae.Benchmark().Scored("predictions", items, answers, fixed)
	s.Chosen = true
	return s
}

// notes are the remarks of the tables of a system.
func notes(s bench.System, fixed bool) string {
	_, list := dorismae.Benchmark().Tables(&bench.Dataset{Items: s.Items}, []bench.System{s}, bench.Request{Fixed: fixed})
	return strings.Join(list, "\n")
}

// The first case is computed by hand: m = 1, L = {a, c}; NDCG of b in front is 1/4, the exponential one 2/16.
func TestMetrics(t *testing.T) {
	pool := query(2, 4, 1, 2, 0, 0, 0, 0, 0, 0, 0)
	tests := []struct {
		name             string
		item             bench.Item
		ranking          string
		reference, fixed string
	}{
		{"ten abstracts", pool, "badefcghij", "50.0000 100.0000 50.0000 25.0000 12.5000 50.0000 41.6667", "50.0000 100.0000 50.0000 25.0000 13.8071 50.0000 41.6667 50.0000"},
		{"perfect", pool, "acbdefghij", "100.0000 100.0000 100.0000 100.0000 100.0000 100.0000 100.0000", "100.0000 100.0000 100.0000 100.0000 100.0000 100.0000 100.0000 100.0000"},
		{"fewer than ten", query(2, 2, 0, 0), "bac", "100.0000 100.0000 0.0000 0/0 0/0 50.0000 50.0000", "100.0000 100.0000 0.0000 0.0000 0.0000 50.0000 50.0000 50.0000"},
		{"all zero", query(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), "jihgfedcba", "- - - 0/0 100.0000 50.0000 -", "- - - 0.0000 0.0000 100.0000 - -"},
		{"three equal, third first", query(2, 1, 1, 1), "cab", "- - - 0/0 0/0 50.0000 -", "- - - 100.0000 100.0000 100.0000 - -"},
		{"one abstract", query(2, 2), "a", "100.0000 100.0000 100.0000 0/0 0/0 0.0000 100.0000", "100.0000 100.0000 100.0000 100.0000 100.0000 100.0000 100.0000 100.0000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := metrics(tt.item, tt.ranking, false); got != tt.reference {
				t.Errorf("reference\n got %s\nwant %s", got, tt.reference)
			}
			if got := metrics(tt.item, tt.ranking, true); got != tt.fixed {
				t.Errorf("fixed\n got %s\nwant %s", got, tt.fixed)
			}
		})
	}
}

// Each query has its own score: right from 0.10 of NDCG10%, unscored where the authors' code divides by zero. A measure that
// leaves the query out is absent, and a missing ranking is 0 in the others.
func TestEachScore(t *testing.T) {
	items := []bench.Item{
		query(2, 4, 1, 2, 0, 0, 0, 0, 0, 0, 0), query(2, 4, 1, 2, 0, 0, 0, 0, 0, 0, 0), query(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
		query(2, 4, 1, 2, 0, 0, 0, 0, 0, 0, 0), query(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
	}
	rankings := make(map[string][]string)
	for i, ranking := range []string{"badefcghij", "dabcefghij", "jihgfedcba", "", ""} {
		items[i].UUID = fmt.Sprintf("q%d", i)
		if ranking != "" {
			rankings[items[i].UUID] = strings.Split(ranking, "")
		}
	}
	for fixed, want := range map[bool]string{
		false: `q0 right 0.25 7 ""|q1 wrong 0.00 7 ""|q2 unscored 0.00 2 "NDCG10% is not defined for this question"|q3 wrong 0.00 7 ""|q4 wrong 0.00 3 ""`,
		true:  `q0 right 0.25 8 ""|q1 wrong 0.00 8 ""|q2 wrong 0.00 3 ""|q3 wrong 0.00 8 ""|q4 wrong 0.00 3 ""`,
	} {
		var got []string
		for _, x := range scored(items, rankings, fixed).Scores {
			got = append(got, fmt.Sprintf("%s %s %.2f %d %q", x.UUID, x.Verdict, x.Value, len(x.Measures), x.Reason))
			if x.Value != x.Measures["NDCG10%"] || x.Match != "" || x.Func != "bench_doris-mae" {
				t.Errorf("%+v", x)
			}
		}
		if all := strings.Join(got, "|"); all != want {
			t.Errorf("fixed %t\n got %s\nwant %s", fixed, all, want)
		}
	}
}

// The removed abstract is the best one: in the authors' code it is in the ideal ranking and is the target of the MRR.
func TestRemoved(t *testing.T) {
	it := query(1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0)
	it.Pool[0] = "28674"
	ranking := []string{"b", "c", "d", "e", "f", "g", "h", "i", "j"}
	score := func(ranking []string, fixed bool) string {
		m, _ := dorismae.Benchmark().Score(it, qa.Answer{Given: true, Ranking: ranking}, fixed)
		return strings.ReplaceAll(fmt.Sprintf("%.0f %.0f %.0f", 100*m["RP"], 100*m["NDCG10%"], 100*m["MRR@10(best)"]), "+Inf", "0/0")
	}
	for fixed, want := range map[bool]string{false: "100 0/0 0", true: "100 100 100"} {
		all := notes(scored([]bench.Item{it}, map[string][]string{"q0": ranking}, fixed), fixed)
		if got := score(ranking, fixed); got != want || strings.Contains(all, "which follow in lexical order") {
			t.Errorf("fixed %t: RP, NDCG, MRR = %s, want %s; %s", fixed, got, want, all)
		}
	}
	if got := score(append([]string{"28674"}, ranking...), false); got != "0 100 100" {
		t.Errorf("a ranking that keeps it: %v", got)
	}
}

func TestIncompleteRankings(t *testing.T) {
	rankings, err := os.ReadFile(folder + "rankings.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	compare := func(path string) string {
		r := bench.Request{Dataset: folder + "dataset.json"}
		dir, _, err := benchtest.Run(t, dorismae.Benchmark(), path, r)
		if err != nil {
			t.Fatal(err)
		}
		r.Runs = []string{dir}
		_, all, err := benchtest.Call(t, dorismae.Benchmark(), "compare", r)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := compare(folder + "rankings.jsonl")
	for _, want := range []string{"not in the pool, which are ignored: 1", "that a ranking repeats, of which the first place counts: 1", "which follow in lexical order: 7"} {
		if !strings.Contains(all, want) || strings.Contains(all, "without an answer") {
			t.Errorf("no %q in %s", want, all)
		}
	}
	lines := strings.Split(string(rankings), "\n")
	path := benchtest.File(t, "r.jsonl", lines[0]+"\n"+lines[1]+"\n"+`{"query_id":"q9","index_rank":[1]}`)
	if all := compare(path); !strings.Contains(all, "items of 3 without an answer, which score 0: 1") {
		t.Errorf("notes %q", all)
	}
	_, faults, err := dorismae.Benchmark().Predictions.Read(path, &load(t).Dataset)
	if want := path + `:3: example q9: field "query_id": no item has this id`; err != nil || len(faults) != 1 || faults[0].Error() != want {
		t.Errorf("faults %v, %v", faults, err)
	}
}

func TestBootstrap(t *testing.T) {
	items, good, bad := []bench.Item(nil), map[string][]string{}, map[string][]string{}
	for i := range 40 {
		it := query(1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		it.UUID = fmt.Sprintf("q%d", i)
		r := slices.Clone(it.Pool)
		slices.Reverse(r)
		items, good[it.UUID], bad[it.UUID] = append(items, it), it.Pool, it.Pool
		if i%2 == 0 {
			bad[it.UUID] = r
		}
	}
	a, b := scored(items, good, false), scored(items, bad, false)
	b.Name = "tfidf"
	if m := b.Mean("R@5", nil); m.Value() != 0.5 {
		t.Errorf("R@5 of half of the rankings: %v", m.Value())
	}
	tables, _ := dorismae.Benchmark().Tables(&bench.Dataset{Items: items}, []bench.System{a, b}, bench.Request{Seed: 1, Runs: []string{"predictions"}})
	find := func(table, row, column string) bench.Measure {
		for _, tab := range tables {
			for _, m := range tab.Measures {
				if tab.Name == table && m.Row == row && m.Column == column {
					return m
				}
			}
		}
		t.Fatalf("no %s %s %s", table, row, column)
		return bench.Measure{}
	}
	bootstrap := 100 * 0.5 / math.Sqrt(40)
	if s := *find("tfidf", "R@5", "±").Value; math.Abs(s-bootstrap) > 0.6 || *find("predictions", "R@5", "±").Value != 0 {
		t.Errorf("the deviation of R@5 is %g, want %g: a mean of 40 values of 0 or 100", s, bootstrap)
	}
	m := find("difference of predictions", "R@5", "difference")
	if d := m.Interval; *m.Value != 50 || *m.N != 40 || d.Low < 30 || d.Low > 40 || d.High < 60 || d.High > 70 {
		t.Errorf("difference %g of %d, %+v", *m.Value, *m.N, d)
	}
}

// The expectation of R@5 is 5 of the pool's abstracts, that of the reciprocal rank of one best abstract the mean of 1/k.
func TestRandom(t *testing.T) {
	it := query(1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	harmonic := 0.0
	for k := 1; k <= 10; k++ {
		harmonic += 100.0 / 20 / float64(k)
	}
	sums := make(map[string]float64)
	const seeds = 200 // with 100 shuffles each
	for seed := range uint64(seeds) {
		list, err := dorismae.Benchmark().Method(t.Context(), &bench.Dataset{Items: []bench.Item{it}}, "random", bench.Request{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range list[0].Scores[0].Measures {
			sums[name] += 100 * v / seeds
		}
	}
	for name, v := range map[string]float64{"R@5": 25, "R@20": 100, "MRR@10(best)": harmonic} {
		if math.Abs(sums[name]-v) > 1 {
			t.Errorf("%s = %g, want %g", name, sums[name], v)
		}
	}
}

// Rankings are read as they are, and written whole: without unknown and repeated ids, with those that were missing.
func TestFiles(t *testing.T) {
	format, it, path := dorismae.Benchmark().Predictions, query(1, 1, 0, 0, 0, 0, 0), filepath.Join(t.TempDir(), "r.jsonl")
	it.Pool = []string{"12", "true", "ab", "007", "3", "last"}
	c := &bench.Dataset{Items: []bench.Item{it, {}}}
	for text, want := range map[string]string{
		"\n" + `{"query_id":"q0","index_rank":[3,"12","true","a\u0062","007"]}`: "",
		`{"index_rank":[3]}`:               `:1: field "query_id", the id of an item, is missing`,
		`{"query_id":"q0","index_rank":3}`: `:1: example q0: field "index_rank" is a number (3), not a list of ids`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, _, err := format.Read(path, c)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
			continue
		}
		read := []string{"3", "12", "true", "ab", "007"}
		if diff := cmp.Diff(map[string]qa.Answer{"q0": {Given: true, Ranking: read}}, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
		if err := format.Write(path, c, scored(c.Items, map[string][]string{"q0": append(read, "3", "unknown")}, false)); err != nil {
			t.Fatal(err)
		}
		out, err := os.ReadFile(path)
		if want := `{"index_rank":[3,12,"true","ab","007","last"],"query_id":"q0"}` + "\n"; err != nil || string(out) != want {
			t.Errorf("%v: %s, want %s", err, out, want)
		}
	}
}

// A faulty line or id is named, and the others count.
func TestReadFaults(t *testing.T) {
	path := benchtest.File(t, "r.jsonl", `{"query_id":"q0","index_rank":[3]}`+"\n"+`{"query_id":7,"index_rank":[3]}`+"\n"+
		`{"query_id":"q1","index_rank":[1,null,{},"2"]}`+"\n"+`{"query_id":"q0","index_rank":[4]}`)
	c := &bench.Dataset{Items: []bench.Item{query(1), {Example: qa.Example{UUID: "q1"}}}}
	got, faults, err := dorismae.Benchmark().Predictions.Read(path, c)
	want := map[string]qa.Answer{"q0": {Given: true, Ranking: []string{"4"}}, "q1": {Given: true, Ranking: []string{"1", "2"}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	all := fmt.Sprint(faults)
	for _, want := range []string{
		`:2: field "query_id", the id of an item, is missing or not a string`, ":3: example q1: index_rank[1] is null, not a number or a string; it is left out",
		"index_rank[2] is an object", ":4: example q0: the item has a prediction already; this one counts",
	} {
		if !strings.Contains(all, want) || len(faults) != 4 {
			t.Errorf("no %q in %s", want, all)
		}
	}
}

// Gold survives a run directory, with the order of the abstracts that a ranking lacks.
func TestRoundTrip(t *testing.T) {
	var answers []qa.Answer
	for _, ids := range []string{"0 4 8 99 0", "", "10 9 8 7 6 5", "12"} {
		answers = append(answers, qa.Answer{Given: true, Ranking: strings.Fields(ids)})
	}
	benchtest.RoundTrip(t, dorismae.Benchmark(), folder+"dataset.json", answers...)
}
