package questions

import (
	"fmt"
	"strconv"
)

// Table is a part of the statistics as text: what every format but JSON is made of.
type Table struct {
	// Key names it in a CSV file, Title above it.
	Key, Title string
	// Head has the columns after the name of a row.
	Head []string
	Rows []Row
	Note string
}

// Row is a line of a [Table].
type Row struct {
	// Section is what the rows that follow each other under one heading have in common; empty for none.
	Section, Name string
	// Cells are numbers without units; "" where there is none.
	Cells []string
}

// Tables lays the statistics out; withPaper puts the paper's own Table 2 beside.
func Tables(s Stats, withPaper bool) []Table {
	return []Table{
		s.overview(withPaper), s.functions(), s.lengths(), s.papersTable(),
		counts("conferences", "Conferences that questions are about", s.Conferences),
		s.combinations(),
		counts("tags", "Tags as written", s.Tags),
		counts("annotators", "Annotators", s.Annotators),
	}
}

func (s Stats) overview(withPaper bool) Table {
	t := Table{
		Key: "overview", Title: "Questions (Table 2)", Head: []string{"n", "%"},
		Note: "A question counts as text only when it has no other element tag; it may count for several of the others. " +
			"Papers are anchors and references.",
	}
	t.count("question type", s.Types)
	t.count("element category", s.Elements)
	t.count("evaluation by tag", s.Evaluation)
	t.count("evaluation by function", s.Kinds)
	t.count("overall", []Count{{Name: "questions", N: s.Questions, Share: share(s.Questions, s.Questions)}})
	t.add("overall", "distinct papers", strconv.Itoa(s.DistinctPapers), "")
	for _, l := range s.Lengths {
		if l.Of == "question" && l.Unit != "characters" {
			t.add("question length", "mean, "+l.Unit, two(l.Mean), "")
			t.add("question length", "max, "+l.Unit, strconv.Itoa(l.Max), "")
		}
	}
	if p, ok := s.find(singleOrMultiple, "papers"); ok {
		t.add("papers per single or multiple question", "mean", two(p.Mean), "")
		t.add("papers per single or multiple question", "max", strconv.Itoa(p.Max), "")
	}
	if withPaper {
		t.beside(paperTable2)
	}
	return t
}

func (t *Table) add(section, name string, cells ...string) {
	t.Rows = append(t.Rows, Row{Section: section, Name: name, Cells: cells})
}

func (t *Table) count(section string, list []Count) {
	for _, c := range list {
		t.add(section, c.Name, strconv.Itoa(c.N), two(c.Share))
	}
}

// beside adds the paper's columns.
func (t *Table) beside(p paperTable) {
	t.Head = append(t.Head, "paper n", "paper %")
	t.Note += " The paper's columns are its Table 2, of 1,246 questions; its lengths have no unit there and stand beside tokens, the unit of its Figure 6."
	given := map[string]string{
		"question length/mean, tokens":                two(p.meanLength),
		"question length/max, tokens":                 strconv.FormatFloat(p.maxLength, 'f', -1, 64),
		"papers per single or multiple question/mean": two(p.meanPapers),
		"papers per single or multiple question/max":  strconv.FormatFloat(p.maxPapers, 'f', -1, 64),
	}
	for i, r := range t.Rows {
		n, percent := given[r.Section+"/"+r.Name], ""
		if r.Name == "questions" {
			n, percent = strconv.Itoa(p.questions), two(100)
		}
		if c, ok := p.counts[r.Name]; ok {
			n, percent = strconv.Itoa(c), two(share(c, p.questions))
		}
		t.Rows[i].Cells = append(r.Cells, n, percent)
	}
}

// functions leaves out functions that are not used.
func (s Stats) functions() Table {
	t := Table{
		Key: "evaluators", Title: "Evaluation functions (Figure 2)", Head: []string{"uses", "%", "top", "nested"},
		Note: "Uses are top-level and nested ones, those inside logical functions; shares are of all uses.",
	}
	for _, f := range s.Evaluators {
		if f.Uses() == 0 {
			continue
		}
		section := f.Genre
		if f.Category != "" {
			section += ", " + f.Category
		}
		t.add(section, f.Name, strconv.Itoa(f.Uses()), two(f.Share), strconv.Itoa(f.Top), strconv.Itoa(f.Nested))
	}
	return t
}

func (s Stats) lengths() Table {
	t := Table{
		Key: "lengths", Title: "Lengths (Figure 6)", Head: []string{"mean", "min", "q1", "median", "q3", "max"},
		Note: "Words stand between blanks; tokens are those of cl100k_base.",
	}
	for _, l := range s.Lengths {
		t.add(l.Of, l.Unit, two(l.Mean), strconv.Itoa(l.Min), short(l.Q1), short(l.Median), short(l.Q3), strconv.Itoa(l.Max))
	}
	return t
}

// papersTable has a row for each number of papers that occurs.
func (s Stats) papersTable() Table {
	t := Table{
		Key: "papers", Title: "Papers per question", Head: []string{"anchors", "references", "both"},
		Note: "How many questions name so many papers.",
	}
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
			t.add(g.name, fmt.Sprintf("%d", k), cells...)
		}
		t.add(g.name, "mean", two(by[0].Mean), two(by[1].Mean), two(by[2].Mean))
	}
	return t
}

// combinations names the tag that it leaves out.
func (s Stats) combinations() Table {
	t := counts("combinations", "Element tags as combined", s.Combinations)
	for _, c := range s.Tags {
		if c.Name == strayImage {
			t.Note = fmt.Sprintf("Left out: the tag %q (%s), which is not an element; the overview counts it as image.", strayImage, plural(c.N, "question"))
		}
	}
	return t
}

func counts(key, title string, list []Count) Table {
	t := Table{Key: key, Title: title, Head: []string{"n", "%"}}
	t.count("", list)
	return t
}

func two(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// short prints a quartile, which is a whole number or lies a quarter between two.
func short(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
