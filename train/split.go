package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"airqa/qa"
)

// Splitter divides questions among the splits of a data set. Questions that share a paper, directly or through others,
// form a group, and a group is never divided.
type Splitter struct {
	parent map[string]string // of union-find, over questions and papers
	weight map[string]int    // by question
}

// Split is one part of the data set.
type Split struct {
	Name string
	// Share is the desired share of the rows. The shares of all splits add up to 1.
	Share float64
}

// Shares returns the splits of up to three shares: train, validation and test. Without shares, everything is for training.
func Shares(shares []float64) ([]Split, error) {
	names := []string{"train", "validation", "test"}
	if len(shares) == 0 {
		return []Split{{Name: names[0], Share: 1}}, nil
	}
	if len(shares) > len(names) {
		return nil, qa.Usagef("%d split shares; want at most three, for train, validation and test", len(shares))
	}
	var list []Split
	sum := 0.0
	for i, share := range shares {
		if !(share > 0) {
			return nil, qa.Usagef("share %v of the split %s is not positive", share, names[i])
		}
		list = append(list, Split{Name: names[i], Share: share})
		sum += share
	}
	if math.Abs(sum-1) > 1e-9 {
		return nil, qa.Usagef("split: the shares add up to %v, not 1", sum)
	}
	return list, nil
}

// Part is a split of questions.
type Part struct {
	Name string
	// Indexes are those of its questions, ascending.
	Indexes []int
}

// SplitOptions divide questions. Without shares there is one split.
type SplitOptions struct {
	Split     []float64 `placeholder:"SHARE" help:"Shares of train, validation and test, such as 0.9,0.1. No question, and no known paper of a question, is in two splits."`
	SplitSeed uint64    `default:"1" help:"Seed of --split, and of --episodes of an export."`
}

// DivideQuestions assigns questions to splits, by paper. Splits without questions are left out.
func DivideQuestions(questions []qa.Example, o SplitOptions) (parts []Part, err error) {
	splits, err := Shares(o.Split)
	if err != nil {
		return nil, err
	}
	s := NewSplitter()
	for _, ex := range questions {
		s.Add(ex.UUID, ex.Papers(), 1)
	}
	d := s.Divide(splits, o.SplitSeed)
	for _, split := range splits {
		part := Part{Name: split.Name}
		for i, ex := range questions {
			if d.Of[ex.UUID] == split.Name {
				part.Indexes = append(part.Indexes, i)
			}
		}
		if len(part.Indexes) > 0 {
			parts = append(parts, part)
		}
	}
	return parts, nil
}

// Division is the result of a [Splitter].
type Division struct {
	// Of maps questions to the names of splits, Rows the splits to their numbers of rows.
	Of   map[string]string
	Rows map[string]int
	// Groups is the number of groups, Largest the number of rows of the largest one: no split is finer.
	Groups, Largest, Total int
}

// String describes the division for the card.
func (d Division) String() string {
	return fmt.Sprintf("%d groups of papers and questions; the largest has %d of %d rows", d.Groups, d.Largest, d.Total)
}

// NewSplitter makes a splitter without questions.
func NewSplitter() *Splitter {
	return &Splitter{make(map[string]string), make(map[string]int)}
}

// Add adds rows of a question on its papers. It may be called again with more rows.
func (s *Splitter) Add(question string, papers []string, rows int) {
	s.weight[question] += rows
	root := s.find("question " + question)
	for _, paper := range papers {
		other := s.find("paper " + paper)
		low, high := min(root, other), max(root, other)
		s.parent[high] = low
		root = low
	}
}

// find returns the representative of a group, its least name.
func (s *Splitter) find(name string) string {
	up, ok := s.parent[name]
	if !ok {
		s.parent[name] = name
		return name
	}
	if up == name {
		return name
	}
	root := s.find(up)
	s.parent[name] = root
	return root
}

type group struct {
	order     uint64
	questions []string
	rows      int
}

// Divide assigns whole groups to splits, the largest first, each to the split that lacks the most rows. Groups of the
// same size are shuffled with the seed. The splits are those of [Shares]. The same questions, papers and seed have the same division, in any order of
// Add.
func (s *Splitter) Divide(splits []Split, seed uint64) Division {
	d := Division{Of: make(map[string]string), Rows: make(map[string]int)}
	groups := s.groups(seed)
	for _, g := range groups {
		d.Total += g.rows
		d.Largest = max(d.Largest, g.rows)
	}
	d.Groups = len(groups)
	for _, g := range groups {
		to := slices.MaxFunc(splits, func(a, b Split) int { return cmp.Compare(d.lack(a), d.lack(b)) })
		d.Rows[to.Name] += g.rows
		for _, q := range g.questions {
			d.Of[q] = to.Name
		}
	}
	return d
}

func (d Division) lack(s Split) float64 { return s.Share*float64(d.Total) - float64(d.Rows[s.Name]) }

// groups returns the groups in the order of their assignment.
func (s *Splitter) groups(seed uint64) []group {
	byRoot := make(map[string]*group)
	for question, rows := range s.weight {
		root := s.find("question " + question)
		g, ok := byRoot[root]
		if !ok {
			g = &group{order: hash(strconv.FormatUint(seed, 10), root)}
			byRoot[root] = g
		}
		g.questions = append(g.questions, question)
		g.rows += rows
	}
	var list []group
	for _, g := range byRoot {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(a.order, b.order))
	})
	return list
}
