package questions

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/eval/author"
	"airqa/internal/stats"
	"airqa/internal/terminal"
	"airqa/internal/tokens"
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
	// Venues counts the papers that questions name, each once (Figure 5); empty before [Stats.CountVenues].
	// Shares are of these papers.
	Venues []Count `json:"venues,omitempty"`
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
func Collect(f author.File) Stats {
	s := Stats{Format: 1, Source: f.Path, Questions: len(f.Questions), Unread: f.Unread()}
	s.Types = s.count(f.Questions, qa.TypeTags, tagsOf(qa.TypeTags))
	s.Elements = s.count(f.Questions, qa.ElementTags, Elements)
	s.Evaluation = s.count(f.Questions, qa.EvaluationTags, tagsOf(qa.EvaluationTags))
	s.evaluators(f.Questions)
	s.Lengths = lengths(f.Questions)
	s.papers(f.Questions)
	s.Conferences = s.count(f.Questions, nil, func(ex qa.Example) []string { return unique(ex.Conference) })
	s.Tags = s.count(f.Questions, nil, func(ex qa.Example) []string { return unique(ex.Tags) })
	s.Combinations = s.count(f.Questions, nil, func(ex qa.Example) []string {
		has := having(ex, qa.ElementTags)
		slices.Sort(has)
		return []string{cmp.Or(strings.Join(has, " + "), none)}
	})
	s.Annotators = s.count(f.Questions, nil, func(ex qa.Example) []string { return []string{cmp.Or(ex.Annotator, none)} })
	return s
}

// count counts the questions of each kind: first the fixed kinds in order, even if there are none, then the others by
// descending frequency.
func (s *Stats) count(items []author.Question, fixed []string, kinds func(qa.Example) []string) []Count {
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

func unique(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// Length is the distribution of the lengths of a text.
type Length struct {
	// Of is "question" or "answer format"; Unit is "words" (separated by whitespace), "characters" or "tokens"
	// (cl100k_base).
	Of   string `json:"of"`
	Unit string `json:"unit"`
	Summary
	// Values are the lengths in file order.
	Values []int `json:"values"`
}

// Summary summarizes numbers, with interpolated quartiles. It is zero for none.
type Summary struct {
	N      int     `json:"n"`
	Mean   float64 `json:"mean"`
	Min    int     `json:"min"`
	Q1     float64 `json:"q1"`
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
	Max    int     `json:"max"`
}

// texts are the measured texts, units the measures.
var (
	texts = []struct {
		of   string
		text func(author.Question) string
	}{
		{"question", func(it author.Question) string { return it.Question }},
		{"answer format", func(it author.Question) string { return it.AnswerFormat }},
	}
	units = []struct {
		unit   string
		length func(string) int
	}{
		{"words", func(s string) int { return len(strings.Fields(s)) }},
		{"characters", utf8.RuneCountInString},
		{"tokens", tokens.Count},
	}
)

func lengths(items []author.Question) []Length {
	var list []Length
	for _, t := range texts {
		for _, u := range units {
			l := Length{Of: t.of, Unit: u.unit, Values: make([]int, 0, len(items))}
			for _, it := range items {
				l.Values = append(l.Values, u.length(t.text(it)))
			}
			l.Summary = summary(l.Values)
			list = append(list, l)
		}
	}
	return list
}

func summary(values []int) Summary {
	if len(values) == 0 {
		return Summary{}
	}
	sorted := slices.Sorted(slices.Values(values))
	sum := 0
	for _, v := range sorted {
		sum += v
	}
	return Summary{
		N: len(sorted), Mean: float64(sum) / float64(len(sorted)), Min: sorted[0], Max: sorted[len(sorted)-1],
		Q1: stats.Quantile(sorted, 0.25), Median: stats.Quantile(sorted, 0.5), Q3: stats.Quantile(sorted, 0.75),
	}
}

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
func (s *Stats) papers(items []author.Question) {
	distinct := make(map[string]bool)
	for _, it := range items {
		for _, id := range it.Papers() {
			distinct[id] = true
		}
	}
	s.DistinctPapers = len(distinct)
	for _, g := range groups {
		for _, r := range roles {
			p, sum, questions := Papers{Type: g.name, Of: r.name}, 0, 0
			for _, it := range items {
				if g.tags == nil || slices.ContainsFunc(g.tags, it.HasTag) {
					n := r.count(it.Example)
					for len(p.N) <= n {
						p.N = append(p.N, 0)
					}
					p.N[n]++
					sum += n
					questions++
				}
			}
			if len(p.N) > 0 {
				p.Max, p.Mean = len(p.N)-1, float64(sum)/float64(questions)
				s.Papers = append(s.Papers, p)
			}
		}
	}
}

// CountVenues counts the papers of the questions by the venues of a data directory, such as acl2023; absent is the name of a venue
// for the papers that it lacks.
func (s *Stats) CountVenues(f author.File, held map[string][]string, absent string) {
	venues := make(map[string]string)
	for name, ids := range held {
		for _, id := range ids {
			venues[id] = name
		}
	}
	seen := make(map[string]bool)
	of := Stats{Questions: s.DistinctPapers}
	s.Venues = of.count(f.Questions, nil, func(ex qa.Example) (names []string) {
		for _, id := range ex.Papers() {
			if !seen[id] {
				seen[id] = true
				names = append(names, cmp.Or(venues[strings.ToLower(id)], absent))
			}
		}
		return names
	})
}

func (s Stats) find(kind, role string) (Papers, bool) {
	for _, p := range s.Papers {
		if p.Type == kind && p.Of == role {
			return p, true
		}
	}
	return Papers{}, false
}
