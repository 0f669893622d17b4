package companion

import (
	"context"
	"strings"

	"airqa/qa/dataset"
)

func qasperStats(_ context.Context, r Request) (*Result, error) {
	c, err := loadQASPER(r.Dataset)
	if err != nil {
		return nil, err
	}
	result := newResult(c.Name, "QASPER: data", r, c.Faults)
	result.Tables = append(qasperSizes(c), qasperAnswers(c))
	result.Notes = append(result.Notes,
		"The paper's numbers are about all three splits together.",
		"n of a share is what it is a share of. Evidence of both kinds counts twice, so that these shares add up to more than 100 %.",
	)
	return result, nil
}

// tally is a share or a mean in the making.
type tally struct{ sum, n float64 }

func (t *tally) add(v float64) { t.sum, t.n = t.sum+v, t.n+1 }

func (t *tally) count(yes bool) {
	t.n++
	if yes {
		t.sum++
	}
}

func (t tally) measure(row string, scale, paper float64) Measure {
	m := measure(row, "value", scale*t.sum/t.n, int(t.n)) // NaN without any
	return m.printed(paper)
}

func qasperSizes(c *dataset.Companion) []Table {
	var questions, annotations, several, three tally
	perPaper := make(map[string]int)
	mostQuestions, mostAnnotations := 0, 0
	for _, it := range c.Items {
		perPaper[it.Document]++
		n := len(it.Gold.Answers)
		annotations.add(float64(n))
		several.count(n > 1)
		three.count(n > 2)
		mostAnnotations = max(mostAnnotations, n)
	}
	for _, d := range c.Documents {
		questions.add(float64(perPaper[d.ID]))
		mostQuestions = max(mostQuestions, perPaper[d.ID])
	}
	sizes := Table{Name: "sizes", Title: "Papers and questions", Label: "what"}
	number := func(row string, n int, paper float64) {
		v := float64(n)
		sizes.Measures = append(sizes.Measures, Measure{Row: row, Column: "number", Value: &v, Printed: &paper})
	}
	number("papers", len(c.Documents), 1585)
	number("questions", len(c.Items), 5049)
	number("most questions of a paper", mostQuestions, 12)
	number("most annotations of a question", mostAnnotations, 6)
	means := Table{Name: "means", Title: "Questions and annotations", Label: "what", Decimals: 2}
	means.Measures = append(means.Measures, questions.measure("questions per paper", 1, 3.2), annotations.measure("annotations per question", 1, 1.6),
		several.measure("with several annotations, %", 100, 44), measure("with three or more, %", "value", 100*three.sum/three.n, int(three.n)))
	return []Table{sizes, means}
}

func qasperAnswers(c *dataset.Companion) Table {
	paper := map[string]float64{dataset.Extractive: 51.8, dataset.Abstractive: 24.2, dataset.Boolean: 13.9, dataset.Unanswerable: 10.2}
	types := make(map[string]*tally)
	words := map[string]*tally{dataset.Extractive: {}, dataset.Abstractive: {}}
	var text, float, none, paragraphs tally
	for _, it := range c.Items {
		for _, g := range it.Gold.Answers {
			for name := range paper {
				if types[name] == nil {
					types[name] = &tally{}
				}
				types[name].count(g.Type == name)
			}
			if w := words[g.Type]; w != nil {
				w.add(float64(len(strings.Fields(g.Text))))
			}
			inText, inFloat := evidenceKinds(g)
			text.count(inText > 0)
			float.count(inFloat > 0)
			none.count(inText+inFloat == 0)
			if inText > 0 && inFloat == 0 {
				paragraphs.count(inText > 1)
			}
		}
	}
	t := Table{Name: "answers", Title: "Annotations: share by type of answer and of evidence, %; words", Label: "what", Decimals: 2}
	for _, name := range []string{dataset.Extractive, dataset.Abstractive, dataset.Boolean, dataset.Unanswerable} {
		t.Measures = append(t.Measures, types[name].measure(name, 100, paper[name]))
	}
	t.Measures = append(t.Measures,
		text.measure("evidence in the text", 100, 81.6), float.measure("in figures and tables", 100, 11.6), none.measure("no evidence", 100, 12.8),
		paragraphs.measure("several paragraphs, of those with text only", 100, 55.5),
		words[dataset.Extractive].measure("words of extractive answers", 1, 14.4), words[dataset.Abstractive].measure("words of abstractive answers", 1, 15.6))
	return t
}

// evidenceKinds counts the evidence of an annotation that the evaluator sees.
func evidenceKinds(g dataset.GoldAnswer) (inText, inFloat int) {
	if g.Type == dataset.Unanswerable {
		return 0, 0
	}
	for _, e := range g.Evidence {
		if strings.HasPrefix(e, dataset.FloatEvidence) {
			inFloat++
		} else {
			inText++
		}
	}
	return inText, inFloat
}
