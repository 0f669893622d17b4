package questions

import (
	"cmp"
	"slices"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
)

// Stats are the statistics of a file. Shares are percentages of the questions unless noted.
type Stats struct {
	Format    int    `json:"format"` // 1
	Source    string `json:"source"`
	Questions int    `json:"questions"`
	// Unread counts unreadable records; no other number includes them.
	Unread int `json:"unread"`
	// Types, Elements and Evaluation are the paper's classes (Table 2). A question counts as text only if it has no
	// other element tag, and may count as several of the others.
	Types      []Count `json:"types"`
	Elements   []Count `json:"elements"`
	Evaluation []Count `json:"evaluation"`
	// Evaluators lists each function (Figure 2); Kinds counts questions by whether their evaluator asks a judge.
	Evaluators []Function `json:"evaluators"`
	Kinds      []Count    `json:"kinds"`
	// Lengths are of questions and answer formats (Figure 6 uses tokens).
	Lengths []Length `json:"lengths"`
	// Papers are anchors and references by type; DistinctPapers is the number of different papers.
	Papers         []Papers `json:"papers"`
	DistinctPapers int      `json:"distinct_papers"`
	// Conferences are the venues that questions name; a question may name several.
	Conferences []Count `json:"conferences"`
	// Tags are as written; Combinations are the sets of element tags that occur.
	Tags         []Count `json:"tags"`
	Combinations []Count `json:"combinations"`
	Annotators   []Count `json:"annotators"`
}

// Count is the number of questions of a kind.
type Count struct {
	Name  string  `json:"name"`
	N     int     `json:"n"`
	Share float64 `json:"share"` // percent
}

// Summary is the size of the file in one sentence.
func (s Stats) Summary() string {
	text := s.Source + ": " + terminal.Plural(s.Questions, "question") + " over " + terminal.Plural(s.DistinctPapers, "paper")
	if s.Unread > 0 {
		text += "; " + terminal.Plural(s.Unread, "record") + " could not be read"
	}
	return text
}

// none is the name of a missing value.
const none = "(none)"

// Collect computes the statistics of a file.
func Collect(f File) Stats {
	s := Stats{Format: 1, Source: f.Path, Questions: len(f.Items), Unread: f.Unread()}
	s.Types = s.count(f.Items, qa.TypeTags, tagsOf(qa.TypeTags))
	s.Elements = s.count(f.Items, qa.ElementTags, Elements)
	s.Evaluation = s.count(f.Items, qa.EvaluationTags, tagsOf(qa.EvaluationTags))
	s.evaluators(f.Items)
	s.Lengths = lengths(f.Items)
	s.papers(f.Items)
	s.Conferences = s.count(f.Items, nil, func(ex qa.Example) []string { return unique(ex.Conference) })
	s.Tags = s.count(f.Items, nil, func(ex qa.Example) []string { return unique(ex.Tags) })
	s.Combinations = s.count(f.Items, nil, func(ex qa.Example) []string {
		has := having(ex, qa.ElementTags)
		slices.Sort(has)
		return []string{cmp.Or(strings.Join(has, " + "), none)}
	})
	s.Annotators = s.count(f.Items, nil, func(ex qa.Example) []string { return []string{cmp.Or(ex.Annotator, none)} })
	return s
}

// count counts the questions of each kind: first the fixed kinds in order, even if there are none, then the others by
// descending frequency.
func (s *Stats) count(items []Item, fixed []string, kinds func(qa.Example) []string) []Count {
	n := make(map[string]int)
	for _, it := range items {
		for _, k := range kinds(it.Example) {
			n[k]++
		}
	}
	list := make([]Count, 0, len(n)+len(fixed))
	for _, k := range fixed {
		list = append(list, Count{Name: k, N: n[k], Share: share(n[k], s.Questions)})
		delete(n, k)
	}
	rest := make([]Count, 0, len(n))
	for k, v := range n {
		rest = append(rest, Count{Name: k, N: v, Share: share(v, s.Questions)})
	}
	slices.SortFunc(rest, func(a, b Count) int { return cmp.Or(b.N-a.N, strings.Compare(a.Name, b.Name)) })
	return append(list, rest...)
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

// tagsOf returns a question's tags of a family, or a marker for none.
func tagsOf(family []string) func(qa.Example) []string {
	return func(ex qa.Example) []string {
		if has := having(ex, family); len(has) > 0 {
			return has
		}
		return []string{none}
	}
}

// having returns the tags of a family that a question has.
func having(ex qa.Example, family []string) []string {
	return slices.DeleteFunc(slices.Clone(family), func(tag string) bool { return !ex.HasTag(tag) })
}

// Elements returns a question's element categories in the paper's tables: text if it has no other.
func Elements(ex qa.Example) []string {
	var has []string
	for _, tag := range qa.ElementTags[1:] {
		if ex.HasTag(tag) || tag == "image" && ex.HasTag(strayImage) {
			has = append(has, tag)
		}
	}
	if len(has) == 0 {
		return []string{"text"}
	}
	return has
}

// strayImage is a tag of two released questions that means image.
const strayImage = "figure"

func unique(list []string) []string {
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
