package questions

import (
	"fmt"
	"strconv"

	"airqa/internal/terminal"
	"airqa/report"
)

// Tables lays out the statistics; withPaper adds the numbers of the paper's Table 2. An empty text means no number.
func Tables(s Stats, withPaper bool) []report.Table {
	var list []report.Table
	for _, t := range []*report.Table{
		s.overview(withPaper), s.functions(), s.lengths(), s.papersTable(),
		counts("conferences", "Conferences that questions are about", s.Conferences),
		counts("venues", "Venues of the papers used (Figure 5)", s.Venues),
		s.combinations(),
		counts("tags", "Tags as written", s.Tags),
		counts("annotators", "Annotators", s.Annotators),
	} {
		if t.Name == "venues" && len(s.Venues) == 0 {
			continue // no data directory
		}
		t.Section = "section"
		list = append(list, *t)
	}
	return list
}

func (s Stats) overview(withPaper bool) *report.Table {
	t := report.NewTable("overview", "Questions (Table 2)", "name", "n", "%")
	t.Notes = []string{"A question counts as text only when it has no other element tag; it may count for several of the others. " +
		"Papers are anchors and references."}
	count(t, "question type", s.Types)
	count(t, "element category", s.Elements)
	count(t, "evaluation by tag", s.Evaluation)
	count(t, "evaluation by function", s.Kinds)
	count(t, "overall", []Count{{Name: "questions", N: s.Questions, Share: share(s.Questions, s.Questions)}})
	t.Add("overall", "distinct papers", strconv.Itoa(s.DistinctPapers), "")
	for _, l := range s.Lengths {
		if l.Of == "question" && l.Unit != "characters" {
			t.Add("question length", "mean, "+l.Unit, two(l.Mean), "")
			t.Add("question length", "max, "+l.Unit, strconv.Itoa(l.Max), "")
		}
	}
	if p, ok := s.find(singleOrMultiple, "papers"); ok {
		t.Add("papers per single or multiple question", "mean", two(p.Mean), "")
		t.Add("papers per single or multiple question", "max", strconv.Itoa(p.Max), "")
	}
	if withPaper {
		t.Heads = append(t.Heads, report.Head{Name: "paper n"}, report.Head{Name: "paper %"})
		t.Notes = append(t.Notes, "The paper's columns are its Table 2, of 1,246 questions. Its lengths have no unit there; they are "+
			"shown with tokens, the unit of its Figure 6.")
		given := map[string]string{
			"question length/mean, tokens":                two(paperTable2.meanLength),
			"question length/max, tokens":                 strconv.FormatFloat(paperTable2.maxLength, 'f', -1, 64),
			"papers per single or multiple question/mean": two(paperTable2.meanPapers),
			"papers per single or multiple question/max":  strconv.FormatFloat(paperTable2.maxPapers, 'f', -1, 64),
		}
		for i, l := range t.Lines {
			n, percent := given[l.Section+"/"+l.Label], ""
			if l.Label == "questions" {
				n, percent = strconv.Itoa(paperTable2.questions), two(100)
			}
			if c, ok := paperTable2.counts[l.Label]; ok {
				n, percent = strconv.Itoa(c), two(share(c, paperTable2.questions))
			}
			t.Lines[i].Values = append(l.Values, report.Value{Text: n}, report.Value{Text: percent})
		}
	}
	return t
}

func count(t *report.Table, section string, list []Count) {
	for _, c := range list {
		t.Add(section, c.Name, strconv.Itoa(c.N), two(c.Share))
	}
}

// functions omits functions that are not used.
func (s Stats) functions() *report.Table {
	t := report.NewTable("evaluators", "Evaluation functions (Figure 2)", "name", "uses", "%", "top", "nested")
	t.Notes = []string{"Uses are at the top level or nested in logical functions; shares are of all uses."}
	for _, f := range s.Evaluators {
		if f.Uses() == 0 {
			continue
		}
		section := f.Genre
		if f.Category != "" {
			section += ", " + f.Category
		}
		t.Add(section, f.Name, strconv.Itoa(f.Uses()), two(f.Share), strconv.Itoa(f.Top), strconv.Itoa(f.Nested))
	}
	return t
}

func (s Stats) lengths() *report.Table {
	t := report.NewTable("lengths", "Lengths (Figure 6)", "name", "mean", "min", "q1", "median", "q3", "max")
	t.Notes = []string{"Words are separated by whitespace; tokens are those of cl100k_base."}
	for _, l := range s.Lengths {
		t.Add(l.Of, l.Unit, two(l.Mean), strconv.Itoa(l.Min), short(l.Q1), short(l.Median), short(l.Q3), strconv.Itoa(l.Max))
	}
	return t
}

// papersTable has a row for each number of papers that occurs.
func (s Stats) papersTable() *report.Table {
	t := report.NewTable("papers", "Papers per question", "name", "anchors", "references", "both")
	t.Notes = []string{"The number of questions that name each number of papers."}
	for _, g := range groups {
		by := make([]Papers, len(roles))
		most := -1
		for i, r := range roles {
			by[i], _ = s.find(g.name, r.name)
			most = max(most, len(by[i].N)-1)
		}
		if most < 0 {
			continue
		}
		for k := range most + 1 {
			cells := make([]string, len(roles))
			for i, p := range by {
				cells[i] = "0"
				if k < len(p.N) {
					cells[i] = strconv.Itoa(p.N[k])
				}
			}
			t.Add(g.name, strconv.Itoa(k), cells...)
		}
		t.Add(g.name, "mean", two(by[0].Mean), two(by[1].Mean), two(by[2].Mean))
	}
	return t
}

// combinations mentions the tag that it omits.
func (s Stats) combinations() *report.Table {
	t := counts("combinations", "Element tags as combined", s.Combinations)
	for _, c := range s.Tags {
		if c.Name == strayImage {
			t.Notes = []string{fmt.Sprintf("Left out: the tag %q (%s), which is not an element; the overview counts it as image.",
				strayImage, terminal.Plural(c.N, "question"))}
		}
	}
	return t
}

func counts(key, title string, list []Count) *report.Table {
	t := report.NewTable(key, title, "name", "n", "%")
	count(t, "", list)
	return t
}

func two(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// short prints a quartile without trailing zeros.
func short(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// paperTable2 is Table 2 of the AirQA paper. It lacks counts of objective and subjective questions, which the paper shows
// only in Figure 2, without numbers. Its lengths have no unit; Figure 6 uses tokens.
var paperTable2 = struct {
	questions             int
	counts                map[string]int
	meanLength, maxLength float64
	meanPapers, maxPapers float64
}{
	questions: 1246,
	counts: map[string]int{
		"single": 351, "multiple": 323, "retrieval": 288, "comprehensive": 284,
		"text": 621, "table": 213, "image": 207, "formula": 127, "metadata": 122,
	},
	meanLength: 34.84, maxLength: 118, meanPapers: 1.63, maxPapers: 7,
}

// PaperCounts returns the paper's counts (Table 2) for the kinds in a list.
func PaperCounts(list []Count) []Count {
	paper := make([]Count, len(list))
	for i, c := range list {
		n := paperTable2.counts[c.Name]
		paper[i] = Count{Name: c.Name, N: n, Share: share(n, paperTable2.questions)}
	}
	return paper
}
