package dorismae_test

import (
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"airqa/bench/dorismae"
	"airqa/internal/testkit/benchtest"
	"airqa/qa"

	"github.com/google/go-cmp/cmp"
)

const dorisFixture = "../../fixtures/doris-mae/dataset.json"

func loadDORIS(t *testing.T, path string, o dorismae.LoadOptions) *dorismae.Dataset {
	t.Helper()
	d, err := dorismae.Load(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDORIS(t *testing.T) {
	d := loadDORIS(t, dorisFixture, dorismae.LoadOptions{})
	if len(d.Faults) > 0 || len(d.Items) != 3 || len(d.Corpus) != 16 || d.Aspects != 10 || d.Annotated != 111 {
		t.Fatalf("%v; %d items, %d abstracts, %d aspects, %d annotations", d.Faults, len(d.Items), len(d.Corpus), d.Aspects, d.Annotated)
	}
	q := d.Items[0]
	if diff := cmp.Diff([]float64{4, 4, 2, 1, 0, 0, 0, 0, 0, 0, 1, 0}, q.Gold.Grades); diff != "" || q.Gold.Top != 4 || !slices.Equal(q.Tags, []string{"CV", "train"}) || q.UUID != "q0" {
		t.Errorf("%s %v of %g (-want +got)\n%s", q.UUID, q.Tags, q.Gold.Top, diff)
	}
	if got, want := d.ByAspects()[1].Question, "The paper recognizes speech. The paper collects a corpus."; got != want || d.Items[1].Question == want {
		t.Errorf("aspects: %q, want %q", got, want)
	}
	var got []string
	for _, it := range append(d.Subqueries(1), d.Subqueries(2)...) {
		got = append(got, fmt.Sprintf("%s %g %.24s", it.UUID, it.Gold.Top, it.Question))
	}
	want := []string{ // the second sentence of q1 is about two aspects, those of q2 about 7 and 9 or 7 and 8
		"q0-1 3 I want to detect shoreli", "q0-2 1 The system should predic", "q0-1-2 4 I want to detect shoreli", "q1-1-2 3 My ship reports are spok",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sub-queries (-want +got)\n%s", diff)
	}
}

// doris is a file with a query about aspects 1 (with sub-aspect 2) and 3 (with sub-aspect 2, too).
func doris(annotations string) string {
	return `{"Corpus":[{"original_abstract":"zero"},{"original_abstract":"one","abstract_id":7,"categories":"cs.CL cs.IR","outgoing_citations":[0]},{"original_abstract":5}],
"Annotation":[` + annotations + `],"Query":[{"query_text":"Q","query_type":"AI","candidate_pool":[1,0],"idea_from":[],
"sent2aspect_id":{"Q":["3",1]},"aspect_id2sent":{},"aspects":{"3":["2"],"1":["2"]}}],"aspect_id2aspect":{"1":"a","2":"b","3":"c"}}`
}

func TestDORISScores(t *testing.T) {
	row := func(aspect, abstract, score int) string {
		return fmt.Sprintf(`{"aspect_id":"%d","abstract_id":%d,"score":%d}`, aspect, abstract, score)
	}
	rows := []string{row(1, 0, 2), row(2, 0, 1), row(3, 0, 1), row(1, 1, 0), row(2, 1, -1), row(3, 1, 2), row(3, 1, 2), `{"aspect_id":"1","abstract_id":0,"score":3}`}
	path := benchtest.File(t, "in.json", doris(strings.Join(rows, ",")))
	for _, options := range []dorismae.LoadOptions{{}, {Corpus: true}} {
		d := loadDORIS(t, path, options)
		gold := d.Items[0].Gold
		if diff := cmp.Diff([]float64{3, 4}, gold.Grades); diff != "" || gold.Top != 3 {
			t.Errorf("as the authors: top %g, (-want +got)\n%s", gold.Top, diff)
		}
		if diff := cmp.Diff([]float64{4, 4}, gold.Fixed); diff != "" {
			t.Errorf("unparsed left out: (-want +got)\n%s", diff)
		}
		if d.Items[0].Parts[0] != "c" || len(d.Corpus) != 2 || (d.Corpus[1].Linked != nil) != options.Corpus {
			t.Errorf("aspects %v, corpus %v", d.Items[0].Parts, d.Corpus)
		}
		faults := fmt.Sprint(d.Faults)
		for _, want := range []string{
			"Annotation[7].score is not", "Corpus[1].abstract_id is 7", "1 annotations repeat a pair", "1 annotations are -1", "added as -1", "but not in fixed scoring",
		} {
			if !strings.Contains(faults, want) {
				t.Errorf("no fault %q in %s", want, faults)
			}
		}
	}
	// With fixed rules both abstracts have the same score, so that each order is ideal. The authors' code divides by zero.
	d, ranking := loadDORIS(t, path, dorismae.LoadOptions{}), map[string][]string{"q0": {"0", "1"}}
	if s := scored(d.Items, ranking, true).Scores[0]; s.Value != 1 {
		t.Errorf("fixed: %+v", s)
	}
	if s := scored(d.Items, ranking, false).Scores[0]; s.Verdict != qa.Unscored || s.Measures["RP"] != 1 {
		t.Errorf("reference: %+v", s)
	}
}

func TestDORISFaults(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no queries", `{"Corpus":[]}`, "no queries"},
		{"cut off", doris("")[:80], "ends in the middle"},
		{"a list", `[]`, "begins with"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := dorismae.Load(benchtest.File(t, "in.json", tt.text), dorismae.LoadOptions{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
	faults := fmt.Sprint(loadDORIS(t, benchtest.File(t, "in.json", strings.Replace(doris(""), `[1,0]`, `[1,1,9]`, 1)), dorismae.LoadOptions{}).Faults)
	for _, want := range []string{"abstract 1 twice", "1 abstracts of Query[0].candidate_pool are not in the corpus and are ranked as empty texts; the first is 9", "9 of 9 pairs of aspect and abstract have no annotation"} {
		if !strings.Contains(faults, want) {
			t.Errorf("no fault %q in %s", want, faults)
		}
	}
}

// A value of a wrong type costs itself, and is named.
func TestDORISTypes(t *testing.T) {
	text := `{"aspect_id2aspect":{"1":"a","2":"b","3":7},
"Query":[{"query_text":"Q","query_type":5,"candidate_pool":["0",1,0,null],"idea_from":[1],"sent2aspect_id":{"Q":["1",{}]},"aspect_id2sent":{"1":["Q",2]},"aspects":{"1":["2",[]]}},
{"query_text":["R"],"candidate_pool":[0],"aspects":{"1":[]}},
{"query_text":"S","candidate_pool":[0],"aspects":["1"]}, 4],
"Corpus":[{"original_abstract":"zero","title":3,"abstract_id":"0"},{"original_abstract":["one"]}],
"Annotation":[{"aspect_id":"1","abstract_id":0,"score":2},{"aspect_id":"1","abstract_id":1,"score":"2"},{"aspect_id":[],"abstract_id":1,"score":2},{"aspect_id":"2","abstract_id":9,"score":1},
{"aspect_id":"8","abstract_id":0,"score":1}],
"Test_set":[{"aspect_id":"1","abstract_id":0,"human_annotation":{"x":1,"y":"2","z":5}},{"aspect_id":"1","abstract_id":"0","human_annotation":{"x":1}}]}`
	d := loadDORIS(t, benchtest.File(t, "in.json", text), dorismae.LoadOptions{Test: true})
	faults := fmt.Sprint(d.Faults)
	for _, want := range []string{
		"aspect_id2aspect.3 is a number (7), not a string; it is left out",
		"Query[0].query_type is a number (5), not a string; it is left out",
		"Query[0].candidate_pool[0] is a string, not a whole number; it is left out", "Query[0].candidate_pool[3] is null, not a whole number; it is left out",
		"Query[0].sent2aspect_id.Q[1] is an object, not a number or a string; it is left out", "Query[0].aspect_id2sent.1[1] is a number (2), not a string",
		"Query[0].aspects.1[1] is a list, not a number or a string; it is left out",
		"Query[1].query_text is a list, not a string; the query is skipped", "Query[2].aspects is a list, not an object; the query is skipped",
		"Query[3] is a number (4), not an object; the query is skipped",
		"Corpus[0].title is a number (3), not a string; it is left out", "Corpus[0].abstract_id is a string, not a whole number",
		"Corpus[1].original_abstract is a list, not a string; the abstract is skipped",
		"Annotation[1].score is a string, not a whole number; the annotation is skipped", "Annotation[2].aspect_id is a list, not a number or a string; the annotation is skipped",
		"2 annotations are about an aspect or an abstract that the file does not have: they count for nothing; the first is Annotation[3] of aspect 2 and abstract 9",
		"Test_set[0].human_annotation.y is a string, not a whole number; it is left out", "Test_set[0].human_annotation.z is 5, not 0, 1 or 2; it is left out",
		"Test_set[1].abstract_id is a string, not a whole number; the annotation is skipped",
	} {
		if !strings.Contains(faults, want) {
			t.Errorf("no fault %q in %s", want, strings.ReplaceAll(faults, path.Dir(d.Faults[0].File), "\n"))
		}
	}
	if len(d.Queries) != 1 || fmt.Sprint(d.Queries[0].Pool) != "[1 0]" || fmt.Sprint(d.Items[0].Gold.Grades) != "[0 2]" || len(d.Corpus) != 1 {
		t.Errorf("queries %+v, corpus %+v, grades %v", d.Queries, d.Corpus, d.Items[0].Gold.Grades)
	}
	if len(d.Judged) != 1 || len(d.Judged[0].Scores) != 1 || d.Judged[0].Scores["x"] != 1 {
		t.Errorf("test set %+v", d.Judged)
	}
	for text, want := range map[string]string{
		`{"Query":{}}`:                          `Query: this begins with "{" instead of "["`,
		`{"Query":[],"aspect_id2aspect":["a"]}`: `aspect_id2aspect: this begins with "[" instead of "{"`,
	} {
		if _, err := dorismae.Load(benchtest.File(t, "in.json", text), dorismae.LoadOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The structure of the released text files (spec 3.1 and 3.2).
func TestReleasedDORIS(t *testing.T) {
	const folder = "../../../shared/data/dorismae/"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the released questions are not beside the checkout")
	}
	trees, err := dorismae.LoadTrees(folder + "queries.txt")
	if err != nil {
		t.Fatal(err)
	}
	best, err := dorismae.LoadBest(folder + "best_candidates.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := countTrees(trees)
	want := treeCounts{
		Queries: 100, Sentences: 701, Aspects: 566, Sub: 1149, Sum: 1501, SumOf50: 771, Texts: 1496, Repeating: 77,
		ByAspects: map[int]int{3: 2, 4: 15, 5: 30, 6: 30, 7: 17, 8: 3, 9: 3},
		BySub:     map[int]int{0: 133, 1: 3, 2: 202, 3: 179, 4: 41, 5: 7, 6: 1},
	}
	if diff := cmp.Diff(want, n); diff != "" {
		t.Errorf("trees (-want +got)\n%s", diff)
	}
	abstracts, sum := make(map[string]bool), 0.0
	for _, b := range best {
		abstracts[b.Abstract] = true
		sum += b.Score
		if total := b.Score * float64(len(trees[b.Query].Distinct())); math.Abs(total-math.Round(total)) > 0.0005*float64(len(trees[b.Query].Distinct()))+1e-9 {
			t.Errorf("query %d: score %g is no sum over %d aspects", b.Query, b.Score, len(trees[b.Query].Distinct()))
		}
		if strings.Join(trees[b.Query].Sentences, "\n") != b.Text {
			t.Errorf("query %d has two texts", b.Query)
		}
	}
	if len(best) != 100 || len(abstracts) != 99 || math.Abs(sum/100-1.34289) > 1e-9 || best[0].Score != 1.909 || best[99].Score != 0.667 {
		t.Errorf("%d blocks, %d abstracts, mean %g, %g to %g", len(best), len(abstracts), sum/100, best[0].Score, best[99].Score)
	}
}

type treeCounts struct {
	Queries, Sentences, Aspects, Sub, Sum, SumOf50, Texts, Repeating int
	ByAspects, BySub                                                 map[int]int
}

func countTrees(trees []dorismae.Tree) treeCounts {
	n := treeCounts{Queries: len(trees), ByAspects: make(map[int]int), BySub: make(map[int]int)}
	texts := make(map[string]bool)
	for _, tree := range trees {
		sub := 0
		for _, a := range tree.Aspects {
			n.BySub[len(a.Sub)]++
			sub += len(a.Sub)
		}
		n.ByAspects[len(tree.Aspects)]++
		n.Sentences, n.Aspects, n.Sub = n.Sentences+len(tree.Sentences), n.Aspects+len(tree.Aspects), n.Sub+sub
		for _, text := range tree.Distinct() {
			texts[text] = true
		}
		if n.Sum += len(tree.Distinct()); tree.Number < 50 {
			n.SumOf50 += len(tree.Distinct())
		}
		if len(tree.Distinct()) < len(tree.Aspects)+sub {
			n.Repeating++
		}
	}
	n.Texts = len(texts)
	return n
}
