package argscichat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"airqa/bench"
	"airqa/internal/terminal"
	"airqa/qa/dataset"
)

// Benchmark returns ArgSciChat with its commands.
func Benchmark() bench.Benchmark {
	return bench.Benchmark{
		Name: "argscichat", About: "dialogues about papers: the next message, and up to two sentences that support it",
		Methods: bench.Methods(Methods()), Load: Load, Stats: countData, Score: score, Headline: messageF1, Method: rows, Measure: addBERTScore, Tables: tables,
		Predictions: bench.Format{
			ID: "pair_id", Document: "article_id", Text: "predicted_answer", Evidence: "predicted_evidence", Units: evidence,
		},
	}
}

// printed is the paper's numbers. Its Table 5 has scores.
var printed = bench.ReadPaper("argscichat")

// names are the names of methods in the paper.
var names = map[string]string{"tfidf": "TF-IDF", minilm: "S-BERT"}

// tables has the mean of the folds, which the paper reports, or with fixed rules the mean of all test turns, and the folds of
// systems that were named.
func tables(data *bench.Dataset, systems []bench.System, r bench.Request) (list []bench.Table, notes []string) {
	scores := bench.Table{Name: "scores", Title: "Mean of the folds, as the paper reports it, %; n is the number of test turns", Label: "system", Decimals: 2}
	if r.Fixed {
		scores.Title = "Mean over all test turns, %"
	}
	folds := Folds(data)
	for _, s := range systems {
		for _, measure := range measuresOf(s) {
			m := s.Mean(measure, inTest)
			if r.Fixed {
				scores.Add(printed.Beside(m.Score(s.Name, measure, r), "5", names[s.Name]))
			} else {
				scores.Add(printed.Beside(ofFolds(s, measure, folds).Measure(s.Name, measure).Over(m.N()), "5", names[s.Name]))
			}
		}
		if s.Chosen {
			list = append(list, foldTable(s, folds, r))
			notes = append(notes, spanNotes(data, s.Answers)...)
		}
	}
	printed.Below(&scores, "5")
	notes = append(append(notes, aboutScores(data)...), r.AboutBootstrap()...)
	return append([]bench.Table{scores}, list...), append(notes,
		"echo replies with the question, gold with the annotated rationales: a system below them says little about the paper.")
}

// measuresOf are the measures of a system, in the order of columns.
func measuresOf(s bench.System) []string {
	if s.Has(bertScore + minilm) {
		return append(slices.Clone(measures), bertScore+minilm)
	}
	return measures
}

// foldTable has a row for each fold and each mean of a system.
func foldTable(s bench.System, folds []int, r bench.Request) bench.Table {
	t := bench.Table{Name: "folds of " + s.Name, Title: s.Name + " by fold, %", Label: "turns of", Decimals: 2}
	for _, fold := range folds {
		for _, measure := range measuresOf(s) {
			t.Add(s.Mean(measure, inFold(fold)).Percent(fmt.Sprintf("fold %d, test", fold), measure))
		}
	}
	for _, measure := range measuresOf(s) {
		t.Add(printed.Beside(ofFolds(s, measure, folds).Measure("mean of the folds", measure), "5", names[s.Name]))
	}
	for _, measure := range measuresOf(s) {
		t.Add(s.Mean(measure, inTest).Score("all test turns", measure, r))
	}
	answered := len(s.Answers) == 0 // a turn outside the tests
	for i, a := range s.Answers {
		answered = answered || a.Given && !tested(s.Items[i])
	}
	if !answered {
		return t
	}
	for _, measure := range measuresOf(s) {
		t.Add(s.Mean(measure, nil).Score("all turns", measure, r))
	}
	return t
}

func aboutScores(data *bench.Dataset) []string {
	papers := make(map[string]bool)
	for _, it := range data.Items {
		if tested(it) {
			papers[it.Document] = true
		}
	}
	return []string{
		"Rationale-F1 is over turns with a gold sentence, Message-F1 over all turns. The paper reports the unweighted mean of the folds, " +
			"to which a short fold counts as much as a long one.",
		fmt.Sprintf("The test parts of the folds have %d of %s.", len(papers), terminal.Plural(len(data.Documents), "paper")),
		"Of sentences with equal scores, the last is chosen first.",
	}
}

// countData counts the data as the tables of the paper do.
func countData(ctx context.Context, r bench.Request) (*bench.Result, error) {
	data, err := Load(r.Dataset, r.Choice)
	if err != nil {
		return nil, err
	}
	similarity := Similarity(ByTFIDF)
	if r.Similarity == minilm || r.Model != "" {
		r.Similarity = cmp.Or(r.Model, minilm)
		e, err := r.Embedder()
		if err != nil {
			return nil, err
		}
		similarity = ByVector(e)
	}
	groups, err := Diverse(ctx, data, similarity)
	if err != nil {
		return nil, err
	}
	var intents []Intent
	var faults []*dataset.Fault
	for _, name := range []string{"intents.csv", "dataset.csv"} { // our name and upstream's
		if intents, faults, err = LoadIntents(filepath.Join(r.Dataset, name)); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	result := bench.NewResult(data.Name, "ArgSciChat: the data", r.Dataset, slices.Concat(data.Faults, faults))
	s := collect(data)
	result.Tables = s.tables(data)
	if intents != nil {
		result.Tables = append(result.Tables, intentTable(intents))
	} else {
		result.Note("Table 4 needs intents.csv beside the folds.")
	}
	result.Tables = append(result.Tables, diversityTable(groups, r.Similarity), foldSizeTable(data))
	unmarked := ""
	if !slices.ContainsFunc(data.Documents, func(d bench.Document) bool { return d.AbstractUnits > 0 }) {
		unmarked = " The boundary of abstract and introduction is not in the data: tenths of the paper take its place."
	}
	result.Note(spanNotes(data, nil)...)
	result.Note(
		"Table 2: sentences end at . ! or ? before whitespace. The paper's 38.2 tokens include the rationales, against its caption.",
		"Table 3: rationales count as the expert selected them, which the history of the next turn has; for last turns, one sentence is one "+
			"rationale and more are two."+unmarked,
		"Table 7: n is the number of papers with several dialogues and such pairs. The paper's columns are those of its S-BERT, "+
			"all-mpnet-base-v2. Pairs below the threshold of similarity count as diverse.",
	)
	return result, nil
}

// tables are Table 2 and Table 3, the places of gold sentences, and Figure 2 if the boundary of any paper is known.
func (s *stats) tables(data *bench.Dataset) []bench.Table {
	count := func(row string, n int) bench.Measure { return bench.Value(row, "value", float64(n)).Over(n) }
	one, two := s.rationales[0], s.rationales[1]
	tables := []bench.Table{
		{Name: "dialogues", Title: "Dialogues (Table 2)", Label: "number", Decimals: 2, Measures: append([]bench.Measure{
			count("papers", len(data.Documents)).Paper(20),
			count("sentences of papers", s.sentences),
			count("dialogues", s.dialogues).Paper(41),
			bench.Value("turns per dialogue", "value", float64(len(data.Items))/float64(s.dialogues)).Over(s.dialogues).Paper(6.3),
		}, printed.Rows(s.Means, "2")...)},
		{Name: "rationales", Title: "Rationales (Table 3)", Label: "number", Decimals: 2, Measures: append([]bench.Measure{
			share("answers with one rationale, %", "value", one, one+two).Paper(61.1),
			share("answers with two, %", "value", two, one+two).Paper(38.9),
		}, printed.Rows(s.Means, "3")...)},
		tenths("places", "Gold sentences by their place in the paper", s.deciles),
	}
	if s.introduction != [10]int{} {
		tables = append(tables, tenths("introduction", "Gold sentences by their place in the introduction (Figure 2)", s.introduction))
	}
	return tables
}

// tenths is the distribution of sentences over the tenths of a text.
func tenths(name, title string, counts [10]int) bench.Table {
	t, all := bench.Table{Name: name, Title: title, Label: "tenth", Decimals: 1}, 0
	for _, n := range counts {
		all += n
	}
	for i, n := range counts {
		t.Add(share(strconv.Itoa(i+1), "%", n, all))
	}
	return t
}

// share is n of all in %.
func share(row, column string, n, all int) bench.Measure {
	return bench.Value(row, column, 100*float64(n)/float64(all)).Over(n)
}

// intentTable is Table 4. EXP are the first three tags, ARG the next two; Intro and Outro do not count.
func intentTable(list []Intent) bench.Table {
	counts := CountIntents(list)[:5]
	exp, arg, all := sum(counts[:3]), sum(counts[3:]), sum(counts)
	counts = append(counts, exp, arg)
	t := bench.Table{Name: "intents", Title: "Intents of sentences, % (Table 4)", Label: "intent", Decimals: 1}
	for i, row := range []string{"AI", "ST", "GI", "GO", "AO", "EXP", "ARG"} {
		for role, column := range []string{"P", "E", "total"} {
			n := counts[i][role]
			m := printed.Beside(share(row, column, n, all[role]), "4", row)
			if m.Value != nil && math.Abs(*m.Value-*m.Printed) <= 0.05+1e-9 {
				m.Printed = nil
			}
			t.Add(m)
		}
	}
	return t
}

func sum(counts []IntentCount) (all IntentCount) {
	for _, c := range counts {
		for role, n := range c {
			all[role] += n
		}
	}
	return all
}

// diversityTable is Table 7.
func diversityTable(groups [3][]bench.Mean, similarity string) bench.Table {
	t := bench.Table{
		Name: "diversity", Title: fmt.Sprintf("Share of diverse pairs of messages about a paper, by %s (Table 7)", similarity),
		Label: "threshold", Decimals: 2,
	}
	for n, threshold := range Thresholds {
		for g, group := range groups {
			row, column := strconv.FormatFloat(threshold, 'f', 1, 64), "G"+strconv.Itoa(g+1)
			t.Add(printed.Beside(group[n].Measure(row, column), "7", row))
		}
	}
	return t
}

// foldSizeTable is Table 8, with the turns that Rationale-F1 is over.
func foldSizeTable(data *bench.Dataset) bench.Table {
	t := bench.Table{Name: "folds", Title: "Turns by fold (Table 8)", Label: "fold"}
	for _, fold := range Folds(data) {
		counts := make(map[string]float64)
		for _, it := range data.Items {
			for _, split := range foldSplits {
				if it.HasTag(FoldTag(fold, split)) {
					counts[split]++
				}
			}
			if g := gold(it); it.HasTag(FoldTag(fold, "test")) && len(g.Evidence) > 0 {
				counts["test with rationale"]++
				counts["with gold sentence"] += float64(min(1, len(g.Units)))
			}
		}
		for _, column := range []string{"train", "val", "test", "test with rationale", "with gold sentence"} {
			t.Add(bench.Value(strconv.Itoa(fold), column, counts[column]))
		}
	}
	return t
}
