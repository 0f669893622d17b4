package qasper

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
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
		Methods: append(bench.Methods(methods(ScriptSeed)), bound), Load: Load, Stats: countData,
		Score: score, Headline: answerF1, Method: rows, Tables: tables, ContextTokens: wholePapers,
		Predictions: bench.Format{ID: "question_id", Text: "predicted_answer", Evidence: "predicted_evidence"},
	}
}

// wholePapers is more tokens than any paper has: the paper's models read whole papers (section 4.2).
const wholePapers = 1_000_000

// paper is the paper's numbers.
var paper = bench.ReadPaper("qasper")

// scoreTables are the tables of the paper about the split that a file is named for, which is test for all other names.
func scoreTables(path string) []string {
	if strings.Contains(filepath.Base(path), "dev") {
		return []string{"2, dev", "3, dev"}
	}
	return []string{"2, test", "3, test", "4, test"}
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
	paper.Below(&scores, scoreTables(r.Dataset)...)
	paper.Below(&matched, scoreTables(r.Dataset)...)
	notes = append(notes,
		"Each question counts the annotation that it matches best. The human lower bound scores each annotation against the others, "+
			"for questions with three or more; n counts annotations.",
		fmt.Sprintf("random draws as Python does, with seed %d. The script's rule is 0 as soon as an annotation shares nothing with "+
			"the paragraph, and its precision is always 1: its values are not comparable to Evidence-F1.", ScriptSeed))
	notes = append(notes, r.AboutBootstrap()...)
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

// countData counts the data as section 3 and the tables of the paper do.
func countData(_ context.Context, r bench.Request) (*bench.Result, error) {
	data, err := load(r.Dataset)
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
		for i, g := range it.Gold.Answers {
			addAnswer(&answers, g, it.Gold.Answers[:i])
		}
	}
	for _, d := range data.Documents {
		sizes.Of("questions per paper").Add(float64(perPaper[d.ID]))
		mostQuestions = max(mostQuestions, perPaper[d.ID])
	}
	data.addWriters(&sizes)
	result := bench.NewResult(data.Name, "QASPER: data", r.Dataset, data.Faults)
	result.Note(splitNotes(r.Dataset)...)
	result.Note(
		"n of a share is what it is a share of. Evidence of both kinds counts twice, so that these shares add up to more than 100 %.",
		"Agreement is of pairs of annotations; of the evidence, on text, figures and tables, or both, if both annotations have any.",
	)
	result.Tables = []bench.Table{
		{Name: "sizes", Title: "Papers and questions", Label: "what", Measures: []bench.Measure{
			bench.Count("papers", len(data.Documents)).Paper(1585),
			bench.Count("questions", len(data.Items)).Paper(5049),
			bench.Count("most questions of a paper", mostQuestions).Paper(12),
			bench.Count("most annotations of a question", mostAnnotations).Paper(6),
		}},
		{Name: "means", Title: "Questions and annotations", Label: "what", Decimals: 2, Measures: paper.Rows(sizes, "of questions")},
		{
			Name: "answers", Title: "Annotations: share by type of answer and of evidence, %; words", Label: "what", Decimals: 2,
			Measures: paper.Rows(answers, "1"),
		},
		data.sectionTable(),
	}
	return result, nil
}

// evidenceCounts counts the evidence that the evaluator sees.
func evidenceCounts(g bench.GoldAnswer) (inText, inFloat int) {
	for _, e := range goldEvidence(g) {
		if strings.HasPrefix(e, FloatEvidence) {
			inFloat++
		} else {
			inText++
		}
	}
	return inText, inFloat
}

// addAnswer counts an annotation, and its agreement with earlier ones of the question.
func addAnswer(answers *bench.Means, g bench.GoldAnswer, earlier []bench.GoldAnswer) {
	for _, name := range types {
		answers.Of(name).Count(g.Type == name)
	}
	answers.Of("words of " + g.Type + " answers").Add(float64(len(strings.Fields(g.Text))))
	inText, inFloat := evidenceCounts(g)
	answers.Of("evidence in the text").Count(inText > 0)
	answers.Of("in figures and tables").Count(inFloat > 0)
	answers.Of("no evidence").Count(inText+inFloat == 0)
	if g.Type != Unanswerable {
		answers.Of("No without evidence, of the answerable").Count(inText+inFloat == 0 && g.Type == Boolean && g.Text == "No")
	}
	if inText > 0 && inFloat == 0 {
		answers.Of("several paragraphs, of those with text only").Count(inText > 1)
	}
	for _, e := range earlier {
		answers.Of("agreement on answerability").Count((e.Type == Unanswerable) == (g.Type == Unanswerable))
		if text, float := evidenceCounts(e); inText+inFloat > 0 && text+float > 0 {
			answers.Of("agreement on the type of evidence").Count((text > 0) == (inText > 0) && (float > 0) == (inFloat > 0))
		}
	}
}

// addWriters counts what writers stated about themselves, once for each writer, and about their questions.
func (r *loader) addWriters(sizes *bench.Means) {
	count := func(row string, stated, yes bool) {
		if stated {
			sizes.Of(row).Count(yes)
		}
	}
	known := make(map[string]bool)
	for _, s := range r.stated {
		first := s.NLP != "" && !known[s.Writer]
		known[s.Writer] = known[s.Writer] || first
		count("writers with experience in NLP, %", first, s.NLP != "zero")
		count("writers with more than five years, %", first, s.NLP == "infinity")
		count("abstract seen for the first time, %", s.Read != "", s.Read == "no")
		count("topic known to the writer, %", s.Topic != "", s.Topic != "unfamiliar")
		count("found by a search query, %", s.Query != nil, s.Query != nil && *s.Query != "")
	}
}

// splitNotes name the files of a dataset, and the splits that are not among them.
func splitNotes(path string) []string {
	list := splitFiles(path)
	for i := range list {
		list[i] = filepath.Base(list[i])
	}
	notes := []string{"Data of " + strings.Join(list, ", ") + "."}
	missing := slices.DeleteFunc([]string{"train", "dev", "test"}, func(split string) bool {
		return slices.ContainsFunc(list, func(name string) bool { return strings.Contains(name, split) })
	})
	if len(missing) > 0 {
		notes = append(notes, "The paper's numbers are about all three splits together; not in these data: "+strings.Join(missing, ", ")+".")
	}
	return notes
}

// sectionTable is the share of the ten top-level sections with most evidence in the text, under their names in small letters.
func (r *loader) sectionTable() bench.Table {
	papers, counts, all := r.Papers(), make(map[string]int), 0
	for _, it := range r.Items {
		for _, g := range it.Gold.Answers {
			for _, u := range papers[it.Document].Units {
				if g.Type != Unanswerable && strings.HasPrefix(u.ID, "p") && slices.Contains(g.Units, u.ID) {
					top, _, _ := strings.Cut(u.Section, ":::")
					counts[cmp.Or(strings.ToLower(strings.TrimSpace(top)), "(no heading)")]++
					all++
				}
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	t := bench.Table{Name: "sections", Title: "Evidence in the text by section: the ten sections with most", Label: "section", Decimals: 2}
	for _, name := range names[:min(10, len(names))] {
		t.Add(bench.Value(name, "%", 100*float64(counts[name])/float64(all)).Over(counts[name]))
	}
	return t
}
