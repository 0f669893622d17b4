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

// metrics are the means of one ranking, whose ids are characters; "-" for a query that is left out, "0/0" for a
// division by zero.
func metrics(it bench.Item, ranking string, o bench.Rules) string {
	var list []string
	for _, m := range dorismae.Score([]bench.Item{it}, map[string][]string{"q0": strings.Split(ranking, "")}, o, nil).Metrics {
		text := fmt.Sprintf("%.4f", 100*m.Value())
		if m.N() == 0 {
			text = []string{"-", "0/0"}[m.Undefined]
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// The first case is computed by hand: m = 1, L = {a, c}; NDCG of b in front is 1/4, the exponential one 2/16.
func TestMetrics(t *testing.T) {
	pool := query(2, 4, 1, 2, 0, 0, 0, 0, 0, 0, 0)
	tests := []struct {
		name          string
		item          bench.Item
		ranking       string
		compat, fixed string
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
			if got := metrics(tt.item, tt.ranking, bench.Rules{}); got != tt.compat {
				t.Errorf("compat\n got %s\nwant %s", got, tt.compat)
			}
			if got := metrics(tt.item, tt.ranking, bench.Rules{Fixed: true}); got != tt.fixed {
				t.Errorf("fixed\n got %s\nwant %s", got, tt.fixed)
			}
		})
	}
}

// The removed abstract is the best one: in the authors' code it is in the ideal ranking and is the target of the MRR.
func TestRemoved(t *testing.T) {
	it := query(1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0)
	it.Pool[0] = "28674"
	rankings := map[string][]string{"q0": {"b", "c", "d", "e", "f", "g", "h", "i", "j"}}
	for fixed, want := range map[bool]string{false: "100 0/0 0", true: "100 100 100"} {
		s := dorismae.Score([]bench.Item{it}, rankings, bench.Rules{Fixed: fixed}, nil)
		ndcg := fmt.Sprintf("%.0f", 100*s.Metrics[3].Value())
		if s.Metrics[3].Undefined > 0 {
			ndcg = "0/0"
		}
		if got := fmt.Sprintf("%.0f %s %.0f", 100*s.Metrics[2].Value(), ndcg, 100*s.Metrics[5].Value()); got != want || s.Appended > 0 {
			t.Errorf("fixed %t: RP, NDCG, MRR = %s, want %s; %d appended", fixed, got, want, s.Appended)
		}
	}
	rankings["q0"] = append([]string{"28674"}, rankings["q0"]...)
	if s := dorismae.Score([]bench.Item{it}, rankings, bench.Rules{}, nil); s.Metrics[3].Value() != 1 || s.Metrics[5].Value() != 1 || s.Metrics[2].Value() != 0 {
		t.Errorf("a ranking that keeps it: %v", s.Metrics)
	}
}

func TestIncompleteRankings(t *testing.T) {
	d := load(t)
	rankings, _, err := dorismae.ReadRankings(folder + "rankings.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	rest := func(it bench.Item) []string { asked++; return it.Pool }
	s := dorismae.Score(d.Items, rankings, bench.Rules{}, rest)
	if s.Missing != 0 || s.Unknown != 1 || s.Repeated != 1 || s.Appended != 7 || asked != 2 {
		t.Errorf("%d missing, %d unknown, %d repeated, %d appended, %d asked", s.Missing, s.Unknown, s.Repeated, s.Appended, asked)
	}
	delete(rankings, "q2")
	rankings["q9"] = []string{"1"}
	s = dorismae.Score(d.Items, rankings, bench.Rules{}, nil)
	if all := strings.Join(s.Notes, "\n"); s.Missing != 1 || !strings.Contains(all, "queries without a ranking, which score 0: 1") || !strings.Contains(all, "rankings that are empty or for unknown queries, which are ignored: 1") {
		t.Errorf("notes %q", s.Notes)
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
	o := bench.Rules{Seed: 1}
	a, b := dorismae.Score(items, good, o, nil), dorismae.Score(items, bad, o, nil)
	if m := b.Metrics[0]; m.Value() != 0.5 || math.Abs(m.Deviation(1000, 1)-0.5/math.Sqrt(40)) > 0.006 || a.Metrics[0].Deviation(1000, 1) != 0 {
		t.Errorf("R@5 %v and %v: the deviation is that of a mean of 40 values of 0 or 100", a.Metrics[0], m)
	}
	m := dorismae.Compare(items, a, b)[0]
	if d := m.Interval(0, 1); m.Value() != 50 || m.N() != 40 || d.Low < 30 || d.Low > 40 || d.High < 60 || d.High > 70 {
		t.Errorf("difference %+v", d)
	}
}

// The expectation of R@5 is 5 of the pool's abstracts, that of the reciprocal rank of one best abstract the mean of 1/k.
func TestRandom(t *testing.T) {
	it := query(1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	s := dorismae.Random([]bench.Item{it}, 20000, bench.Rules{})
	want, harmonic := []float64{25, 100}, 0.0
	for k := 1; k <= 10; k++ {
		harmonic += 100.0 / 20 / float64(k)
	}
	for i, v := range map[int]float64{0: want[0], 1: want[1], 5: harmonic} {
		if math.Abs(100*s.Metrics[i].Value()-v) > 1 {
			t.Errorf("%s = %g, want %g", s.Metrics[i].Name, 100*s.Metrics[i].Value(), v)
		}
	}
}

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	for text, want := range map[string]string{
		"\n" + `{"query_id":"q0","index_rank":[3,"12"]}`: "",
		`{"index_rank":[3]}`:                             ":1: a line needs query_id",
		`{"query_id":"q0","index_rank":3}`:               ":1: example q0: not a ranking: index_rank is a number, not a list",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, _, err := dorismae.ReadRankings(path)
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
		if want == "" {
			var out strings.Builder
			if diff := cmp.Diff(map[string][]string{"q0": {"3", "12"}}, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
			it := query(1)
			if err := dorismae.WriteRankings(&out, []bench.Item{it, {}}, got); err != nil || out.String() != `{"query_id":"q0","index_rank":[3,12]}`+"\n" {
				t.Errorf("%v: %s", err, &out)
			}
		}
	}
}

// A faulty line or id is named, and the others count.
func TestReadFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	text := `{"query_id":"q0","index_rank":[3]}` + "\n" + `{"query_id":7,"index_rank":[3]}` + "\n" + `{"query_id":"q1","index_rank":[1,null,{},"2"]}` + "\n" + `{"query_id":"q0","index_rank":[4]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, faults, err := dorismae.ReadRankings(path)
	if diff := cmp.Diff(map[string][]string{"q0": {"4"}, "q1": {"1", "2"}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	all := fmt.Sprint(faults)
	for _, want := range []string{
		":2: not a ranking: query_id is a number, not a string", ":3: example q1: index_rank[1] is null, not a number or a string; it is left out",
		"index_rank[2] is an object", ":4: example q0: the query has a ranking already; this one counts",
	} {
		if !strings.Contains(all, want) || len(faults) != 4 {
			t.Errorf("no %q in %s", want, all)
		}
	}
}
