package qasper

import (
	"context"
	"strings"

	"airqa/bench"
)

// countData counts the data as the tables of the paper do.
func countData(_ context.Context, r bench.Request) (*bench.Result, error) {
	data, err := Load(r.Dataset)
	if err != nil {
		return nil, err
	}
	result := bench.NewResult(data.Name, "QASPER: data", r.Dataset, data.Faults)
	result.Tables = append(sizes(data), answers(data))
	result.Note(
		"The paper's numbers are about all three splits together.",
		"n of a share is what it is a share of. Evidence of both kinds counts twice, so that these shares add up to more than 100 %.",
	)
	return result, nil
}

func sizes(data *bench.Dataset) []bench.Table {
	var questions, annotations, several, three bench.Tally
	perPaper := make(map[string]int)
	mostQuestions, mostAnnotations := 0, 0
	for _, it := range data.Items {
		perPaper[it.Document]++
		n := len(it.Gold.Answers)
		annotations.Add(float64(n))
		several.Count(n > 1)
		three.Count(n > 2)
		mostAnnotations = max(mostAnnotations, n)
	}
	for _, d := range data.Documents {
		questions.Add(float64(perPaper[d.ID]))
		mostQuestions = max(mostQuestions, perPaper[d.ID])
	}
	return []bench.Table{
		{Name: "sizes", Title: "Papers and questions", Label: "what", Measures: []bench.Measure{
			bench.Count("papers", len(data.Documents)).Paper(1585),
			bench.Count("questions", len(data.Items)).Paper(5049),
			bench.Count("most questions of a paper", mostQuestions).Paper(12),
			bench.Count("most annotations of a question", mostAnnotations).Paper(6),
		}},
		{Name: "means", Title: "Questions and annotations", Label: "what", Decimals: 2, Measures: []bench.Measure{
			questions.Measure("questions per paper", 1).Paper(3.2),
			annotations.Measure("annotations per question", 1).Paper(1.6),
			several.Measure("with several annotations, %", 100).Paper(44),
			three.Measure("with three or more, %", 100),
		}},
	}
}

func answers(data *bench.Dataset) bench.Table {
	types, words := make(map[string]*bench.Tally), make(map[string]*bench.Tally)
	for _, name := range Types() {
		types[name], words[name] = new(bench.Tally), new(bench.Tally)
	}
	var text, float, none, paragraphs bench.Tally
	for _, it := range data.Items {
		for _, g := range it.Gold.Answers {
			for name, share := range types {
				share.Count(g.Type == name)
			}
			words[g.Type].Add(float64(len(strings.Fields(g.Text))))
			inText, inFloat := evidenceKinds(g)
			text.Count(inText > 0)
			float.Count(inFloat > 0)
			none.Count(inText+inFloat == 0)
			if inText > 0 && inFloat == 0 {
				paragraphs.Count(inText > 1)
			}
		}
	}
	return bench.Table{
		Name: "answers", Title: "Annotations: share by type of answer and of evidence, %; words", Label: "what", Decimals: 2,
		Measures: []bench.Measure{
			types[Extractive].Measure(Extractive, 100).Paper(51.8),
			types[Abstractive].Measure(Abstractive, 100).Paper(24.2),
			types[Boolean].Measure(Boolean, 100).Paper(13.9),
			types[Unanswerable].Measure(Unanswerable, 100).Paper(10.2),
			text.Measure("evidence in the text", 100).Paper(81.6),
			float.Measure("in figures and tables", 100).Paper(11.6),
			none.Measure("no evidence", 100).Paper(12.8),
			paragraphs.Measure("several paragraphs, of those with text only", 100).Paper(55.5),
			words[Extractive].Measure("words of extractive answers", 1).Paper(14.4),
			words[Abstractive].Measure("words of abstractive answers", 1).Paper(15.6),
		},
	}
}

// evidenceKinds counts the evidence of an annotation that the evaluator sees.
func evidenceKinds(g bench.GoldAnswer) (inText, inFloat int) {
	for _, e := range goldEvidence(g) {
		if strings.HasPrefix(e, FloatEvidence) {
			inFloat++
		} else {
			inText++
		}
	}
	return inText, inFloat
}
