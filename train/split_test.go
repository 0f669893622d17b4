package train_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/train"
)

var halves = []train.Split{{Name: "train", Share: 0.8}, {Name: "validation", Share: 0.2}, {Name: "none"}}

// TestSplits draws questions with papers: no paper is on two sides, every question has a side, and the order of adding
// makes no difference.
func TestSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		papers := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 12), 0, 3), 1, 30).Draw(t, "papers")
		add := func(order []int) train.Division {
			s := train.NewSplitter()
			for _, q := range order {
				var names []string
				for _, p := range papers[q] {
					names = append(names, fmt.Sprint("p", p))
				}
				s.Add(fmt.Sprint("q", q), names, 1+q%3)
			}
			d := s.Divide(halves, 7)
			return d
		}
		order := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0)).Perm(len(papers))
		d := add(order)
		side := make(map[int]string)
		for q, list := range papers {
			name := d.Of[fmt.Sprint("q", q)]
			if name != "train" && name != "validation" {
				t.Fatalf("q%d is in split %q", q, name)
			}
			for _, p := range list {
				if side[p] != "" && side[p] != name {
					t.Fatalf("paper %d is in two splits", p)
				}
				side[p] = name
			}
		}
		if over := float64(d.Rows["validation"]) - 0.2*float64(d.Total); over > float64(d.Largest) {
			t.Fatalf("validation has %v rows too many; the largest group has %d", over, d.Largest)
		}
		sorted := make([]int, len(papers))
		for i := range sorted {
			sorted[i] = i
		}
		if diff := cmp.Diff(d, add(sorted)); diff != "" {
			t.Fatalf("another order of questions:\n%s", diff)
		}
	})
}

func TestSplitReport(t *testing.T) {
	s := train.NewSplitter()
	s.Add("q1", []string{"a", "b"}, 2)
	s.Add("q2", []string{"b", "c"}, 3)
	s.Add("q3", []string{"d"}, 1)
	s.Add("q1", nil, 4)
	d := s.Divide(halves, 0)
	if got, want := d.String(), "2 groups of papers and questions; the largest has 9 of 10 rows"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if diff := cmp.Diff(map[string]string{"q1": "train", "q2": "train", "q3": "validation"}, d.Of); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSplitSeed(t *testing.T) {
	s := train.NewSplitter()
	for q := range 100 {
		s.Add(fmt.Sprint(q), []string{fmt.Sprint("p", q)}, 1)
	}
	a := s.Divide(halves, 1)
	b := s.Divide(halves, 2)
	if cmp.Equal(a.Of, b.Of) {
		t.Error("two seeds have the same division")
	}
	if a.Rows["train"] != 80 {
		t.Errorf("train has %d rows, want 80", a.Rows["train"])
	}
}
