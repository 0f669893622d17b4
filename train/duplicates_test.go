package train_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"airqa/train"
)

// vocabulary has invented words, so that tests need no text.
func vocabulary(n int, random *rand.Rand) []string {
	list := make([]string, n)
	for i := range list {
		var w strings.Builder
		for range 1 + random.IntN(4) {
			w.WriteByte("bcdfghklmnprst"[random.IntN(14)])
			w.WriteByte("aeiou"[random.IntN(5)])
		}
		list[i] = w.String()
	}
	return list
}

// sentence has words of a vocabulary, common ones more often.
func sentence(words []string, n int, random *rand.Rand) []string {
	list := make([]string, n)
	for i := range list {
		f := random.Float64()
		list[i] = words[int(f*f*float64(len(words)))]
	}
	return list
}

// gramSet is the set of 5-grams of a text, made in the plainest way, with numbers for grams.
func gramSet(text string, numbers map[string]int) []int {
	list := strings.Fields(text)
	set := map[int]bool{-1: true} // the answer type
	for i := 0; i == 0 || i+5 <= len(list); i++ {
		gram := strings.Join(list[i:min(i+5, len(list))], " ")
		if _, ok := numbers[gram]; !ok {
			numbers[gram] = len(numbers)
		}
		set[numbers[gram]] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// similarity is the Jaccard similarity of sorted sets.
func similarity(a, b []int) float64 {
	both := 0
	for _, g := range a {
		if _, ok := slices.BinarySearch(b, g); ok {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// edited changes a few words of a question, or none.
func edited(question []string, words []string, random *rand.Rand) []string {
	list := append([]string{}, question...)
	for range random.IntN(4) {
		switch at := random.IntN(len(list)); random.IntN(3) {
		case 0:
			list[at] = words[random.IntN(len(words))]
		case 1:
			list = append(list, words[random.IntN(len(words))])
		default:
			list = append(list[:at:at], list[at+1:]...)
		}
	}
	return list
}

// TestNoDuplicateIsLeft draws 5,000 questions, half of them edits of earlier ones, and compares every pair that is kept.
// A dropped question must really have a similar one.
func TestNoDuplicateIsLeft(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := vocabulary(2000, random)
	d := train.NewDuplicates()
	var asked [][]string
	var kept [][]int
	numbers, sets := map[string]int{}, map[string][]int{}
	dropped := map[train.Reason]int{}
	for i := range 5000 {
		q := sentence(words, 5+random.IntN(45), random)
		if i > 0 && random.IntN(2) == 0 {
			q = edited(asked[random.IntN(len(asked))], words, random)
		}
		asked = append(asked, q)
		id, text := fmt.Sprint("q", i), strings.Join(q, " ")
		m := d.Add(id, strings.ToUpper(text[:1])+text[1:]+"?", "eval_int_exact_match")
		sets[id] = gramSet(text, numbers)
		if m.Reason == "" {
			kept = append(kept, sets[id])
			continue
		}
		dropped[m.Reason]++
		if j := similarity(sets[id], sets[m.ID]); j < train.NearJaccard || j != m.Jaccard {
			t.Fatalf("%q is dropped for %s: similarity %v, reported as %v", text, m.ID, j, m.Jaccard)
		}
	}
	left := 0
	for i, a := range kept {
		for _, b := range kept[:i] {
			if 5*min(len(a), len(b)) >= 4*max(len(a), len(b)) && similarity(a, b) >= train.NearJaccard {
				left++
			}
		}
	}
	t.Logf("kept %d of 5000, dropped %v, pairs left %d", len(kept), dropped, left)
	if left > 0 {
		t.Errorf("%d pairs of near duplicates are left", left)
	}
	if dropped[train.Duplicate] < 100 || dropped[train.NearDuplicate] < 100 {
		t.Errorf("dropped %v: the test proves too little", dropped)
	}
}

func TestDuplicates(t *testing.T) {
	d := train.NewDuplicates()
	for _, c := range []struct{ id, question, kind, want string }{
		{"a", "Which data set has the most questions in Table 2 of the paper?", "int", ""},
		{"b", "which  data-set has\nthe most “questions” in table 2 of the paper", "int", ""},
		{"c", "Which data set has the MOST questions, in Table 2 of the paper", "int", "a 1.00"},
		{"d", "Which data set has the most questions in Table 2 of the paper now?", "int", "a 0.91"},
		{"a", "an id that was added before", "int", ""},
		{"c", "an id that was dropped before", "int", "a 1.00"},
		{"e", "Which data set has the fewest questions in Table 2 of the paper?", "int", ""},
		{"f", "Why?", "int", ""},
		{"g", "WHY", "int", "f 1.00"},
		{"h", "Why?", "list", ""},
		{"i", "哪个模型在表二中的准确率最高", "int", ""},
		{"j", "哪个模型在表二中的准确率最高？", "int", "i 1.00"},
		{"k", "", "int", ""},
		{"l", "?!", "int", ""},
	} {
		m := d.Add(c.id, c.question, c.kind)
		got := ""
		if m.Reason != "" {
			got = fmt.Sprintf("%s %.2f", m.ID, m.Jaccard)
		}
		if got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.id, c.question, got, c.want)
		}
	}
}

func BenchmarkDuplicates(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	words := vocabulary(5000, random)
	questions := make([]string, 20000)
	bytes := 0
	for i := range questions {
		questions[i] = strings.Join(sentence(words, 20+random.IntN(20), random), " ")
		bytes += len(questions[i])
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		d := train.NewDuplicates()
		for i, q := range questions {
			d.Add(fmt.Sprint(i), q, "")
		}
	}
}
