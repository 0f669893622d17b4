package qasper

import (
	"context"
	"fmt"
	"strings"

	"airqa/bench"
	"airqa/qa"
)

// humanBound is the method that compares the annotations of a question with each other.
const humanBound = "human"

// Benchmark returns QASPER with its commands.
func Benchmark() bench.Benchmark {
	bound := bench.Beside(humanBound, "each annotation against the others, for questions with three or more: a lower bound of human performance")
	return bench.Benchmark{
		Name: "qasper", About: "questions about a paper: an answer, and the paragraphs that support it",
		Methods: append(bench.Methods(methods(ScriptSeed)), bound), Load: Load, Complete: complete, Stats: countData,
		Score: score, Headline: answerF1, Method: rows, Tables: tables,
		Predictions: bench.Format{ID: "question_id", Text: "predicted_answer", Evidence: "predicted_evidence"},
	}
}

// tables has the scores of systems, and their answers by type.
func tables(data *bench.Dataset, systems []bench.System, r bench.Request) (list []bench.Table, notes []string) {
	table := func(name, title string) bench.Table {
		return bench.Table{Name: name, Title: title, Label: "system", Decimals: 2}
	}
	scores := table("scores", "Scores, %")
	matched := table("types", "Answer-F1 by the type of the annotation matched best, without missing predictions, %")
	first := table("first", "Answer-F1 by the type of the first annotation, with missing predictions, %")
	for _, s := range systems {
		for _, measure := range []string{answerF1, evidenceF1, textEvidence, scriptF1} {
			if s.Has(measure) {
				scores.Add(s.Mean(measure, nil).Score(s.Name, measure, r))
			}
		}
		for _, kind := range types {
			if !s.Has(answerF1) {
				continue
			}
			first.Add(s.Mean(answerF1, func(it bench.Item, _ qa.Score) bool { return it.Gold.Answers[0].Type == kind }).Percent(s.Name, kind))
			if !r.Fixed {
				matched.Add(s.Mean(answerF1, func(_ bench.Item, score qa.Score) bool { return score.Match == kind }).Percent(s.Name, kind))
			}
		}
		notes = append(notes, remarks(data, s)...)
	}
	notes = append(notes,
		"Each question counts the annotation that it matches best. The human lower bound scores each annotation against the others, "+
			"for questions with three or more; n counts annotations.",
		fmt.Sprintf("random draws as Python does, with seed %d. The script's rule is 0 as soon as an annotation shares nothing with "+
			"the paragraph, and its precision is always 1: its values are not comparable to Evidence-F1.", ScriptSeed))
	if r.Fixed {
		notes = append(notes, corrections...)
	} else {
		notes = append(notes, "Scored as the official evaluator does.")
	}
	return []bench.Table{scores, matched, first}, notes
}

// remarks count the evidence of a run that is repeated or not in the paper.
func remarks(data *bench.Dataset, s bench.System) (notes bench.Notes) {
	if !s.Chosen {
		return nil
	}
	papers := make(map[string]map[string]bool)
	for _, d := range data.Documents {
		papers[d.ID] = make(map[string]bool)
		for _, u := range d.Units {
			papers[d.ID][u.ID], papers[d.ID][u.Text] = true, true
		}
	}
	repeating, unknown := 0, 0
	for i, a := range s.Answers {
		if len(bench.Distinct(a.Evidence)) < len(a.Evidence) {
			repeating++
		}
		for _, e := range a.Evidence {
			if !papers[s.Items[i].Document][e] {
				unknown++
			}
		}
	}
	notes.Count(repeating, "predictions with the same evidence twice, which lowers their precision in reference mode")
	notes.Count(unknown, "evidence that is not in the paper")
	return notes
}

// countData counts the data as the tables of the paper do.
func countData(_ context.Context, r bench.Request) (*bench.Result, error) {
	data, err := Load(r.Dataset, r.Choice)
	if err != nil {
		return nil, err
	}
	var sizes, answers bench.Means
	perPaper := make(map[string]int)
	mostQuestions, mostAnnotations := 0, 0
	for _, it := range data.Items {
		perPaper[it.Document]++
		n := len(it.Gold.Answers)
		sizes.Of("annotations per question").Add(float64(n))
		sizes.Of("with several annotations, %").Count(n > 1)
		sizes.Of("with three or more, %").Count(n > 2)
		mostAnnotations = max(mostAnnotations, n)
		for _, g := range it.Gold.Answers {
			addAnswer(&answers, g)
		}
	}
	for _, d := range data.Documents {
		sizes.Of("questions per paper").Add(float64(perPaper[d.ID]))
		mostQuestions = max(mostQuestions, perPaper[d.ID])
	}
	result := bench.NewResult(data.Name, "QASPER: data", r.Dataset, data.Faults)
	result.Note(
		"The paper's numbers are about all three splits together.",
		"n of a share is what it is a share of. Evidence of both kinds counts twice, so that these shares add up to more than 100 %.",
	)
	result.Tables = []bench.Table{
		{Name: "sizes", Title: "Papers and questions", Label: "what", Measures: []bench.Measure{
			bench.Count("papers", len(data.Documents)).Paper(1585),
			bench.Count("questions", len(data.Items)).Paper(5049),
			bench.Count("most questions of a paper", mostQuestions).Paper(12),
			bench.Count("most annotations of a question", mostAnnotations).Paper(6),
		}},
		{Name: "means", Title: "Questions and annotations", Label: "what", Decimals: 2, Measures: []bench.Measure{
			sizes.Row("questions per paper").Paper(3.2),
			sizes.Row("annotations per question").Paper(1.6),
			sizes.Row("with several annotations, %").Paper(44),
			sizes.Row("with three or more, %"),
		}},
		{
			Name: "answers", Title: "Annotations: share by type of answer and of evidence, %; words", Label: "what", Decimals: 2,
			Measures: []bench.Measure{
				answers.Row(Extractive).Paper(51.8),
				answers.Row(Abstractive).Paper(24.2),
				answers.Row(Boolean).Paper(13.9),
				answers.Row(Unanswerable).Paper(10.2),
				answers.Row("evidence in the text").Paper(81.6),
				answers.Row("in figures and tables").Paper(11.6),
				answers.Row("no evidence").Paper(12.8),
				answers.Row("several paragraphs, of those with text only").Paper(55.5),
				answers.Row("words of extractive answers").Paper(14.4),
				answers.Row("words of abstractive answers").Paper(15.6),
			},
		},
	}
	return result, nil
}

// addAnswer counts an annotation, with the evidence that the evaluator sees.
func addAnswer(answers *bench.Means, g bench.GoldAnswer) {
	for _, name := range types {
		answers.Of(name).Count(g.Type == name)
	}
	answers.Of("words of " + g.Type + " answers").Add(float64(len(strings.Fields(g.Text))))
	inText, inFloat := 0, 0
	for _, e := range goldEvidence(g) {
		if strings.HasPrefix(e, FloatEvidence) {
			inFloat++
		} else {
			inText++
		}
	}
	answers.Of("evidence in the text").Count(inText > 0)
	answers.Of("in figures and tables").Count(inFloat > 0)
	answers.Of("no evidence").Count(inText+inFloat == 0)
	if inText > 0 && inFloat == 0 {
		answers.Of("several paragraphs, of those with text only").Count(inText > 1)
	}
}
