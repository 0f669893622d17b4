package questions

import (
	"slices"

	"airqa/qa"
)

// Papers is the distribution of the number of papers named by questions of a type; a paper named twice counts twice.
type Papers struct {
	// Type is a question type, "single and multiple" (as in the paper's Table 2), or "all".
	Type string `json:"type"`
	// Of is "anchors", "references" or "papers" (both together).
	Of string `json:"of"`
	// N[k] is the number of questions that name k papers.
	N []int `json:"n"`
	// Mean and Max are in papers per question.
	Mean float64 `json:"mean"`
	Max  int     `json:"max"`
}

// Questions returns the number of questions of the type.
func (p Papers) Questions() int {
	sum := 0
	for _, n := range p.N {
		sum += n
	}
	return sum
}

// groups are the types for which papers are counted.
var groups = []struct {
	name string
	tags []string // any of them; nil for all questions
}{
	{"all", nil},
	{singleOrMultiple, []string{"single", "multiple"}},
	{"single", []string{"single"}},
	{"multiple", []string{"multiple"}},
	{"retrieval", []string{"retrieval"}},
	{"comprehensive", []string{"comprehensive"}},
}

const singleOrMultiple = "single and multiple"

var roles = []struct {
	name  string
	count func(qa.Example) int
}{
	{"anchors", func(ex qa.Example) int { return len(ex.AnchorPDF) }},
	{"references", func(ex qa.Example) int { return len(ex.ReferencePDF) }},
	{"papers", func(ex qa.Example) int { return len(ex.AnchorPDF) + len(ex.ReferencePDF) }},
}

// papers counts papers by type and role; types without questions are omitted.
func (s *Stats) papers(items []Item) {
	distinct := make(map[string]bool)
	for _, it := range items {
		for _, id := range it.Papers() {
			distinct[id] = true
		}
	}
	s.DistinctPapers = len(distinct)
	for _, g := range groups {
		for _, r := range roles {
			p, sum := Papers{Type: g.name, Of: r.name}, 0
			for _, it := range items {
				if g.tags == nil || slices.ContainsFunc(g.tags, it.HasTag) {
					n := r.count(it.Example)
					for len(p.N) <= n {
						p.N = append(p.N, 0)
					}
					p.N[n]++
					sum += n
				}
			}
			if len(p.N) > 0 {
				p.Max, p.Mean = len(p.N)-1, float64(sum)/float64(p.Questions())
				s.Papers = append(s.Papers, p)
			}
		}
	}
}

func (s Stats) find(kind, role string) (Papers, bool) {
	for _, p := range s.Papers {
		if p.Type == kind && p.Of == role {
			return p, true
		}
	}
	return Papers{}, false
}
