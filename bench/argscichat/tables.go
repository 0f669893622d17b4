package argscichat

import (
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
		Methods: bench.Methods(Methods()), Load: Load, Stats: countData, Score: score, Headline: messageF1, Method: rows, Tables: tables,
		Predictions: bench.Format{
			ID: "pair_id", Document: "article_id", Text: "predicted_answer", Evidence: "predicted_evidence", Units: evidence,
		},
	}
}

// paperScores are Table 5 of the paper: Rationale-F1.
var paperScores = map[string]float64{"tfidf": 16.22, minilm: 13.65}

// addPaper adds the paper's score of a method to its Rationale-F1.
func addPaper(m bench.Measure, method string) bench.Measure {
	if p, ok := paperScores[method]; ok && m.Column == rationaleF1 {
		return m.Paper(p)
	}
	return m
}

// tables has the mean of the folds, which the paper reports, or with fixed rules that of all test turns, and the folds of
// systems that were named.
func tables(data *bench.Dataset, systems []bench.System, r bench.Request) (list []bench.Table, notes []string) {
	scores := bench.Table{Name: "scores", Title: "Mean of the folds, as the paper reports it, %; n is the number of test turns", Label: "system", Decimals: 2}
	if r.Fixed {
		scores.Title = "Mean over all test turns, %"
	}
	folds := Folds(data)
	for _, s := range systems {
		for _, measure := range measures {
			m := s.Mean(measure, inTest)
			if r.Fixed {
				scores.Add(addPaper(m.Score(s.Name, measure, r), s.Name))
			} else {
				scores.Add(addPaper(ofFolds(s, measure, folds).Measure(s.Name, measure).Over(m.N()), s.Name))
			}
		}
		if s.Chosen {
			list = append(list, foldTable(s, folds, r))
		}
	}
	return append([]bench.Table{scores}, list...), append(aboutScores(data),
		"echo replies with the question, gold with the annotated rationales: a system below them says little about the paper.")
}

// foldTable has a row for each fold and each mean of a system.
func foldTable(s bench.System, folds []int, r bench.Request) bench.Table {
	t := bench.Table{Name: "folds of " + s.Name, Title: s.Name + " by fold, %", Label: "turns of", Decimals: 2}
	for _, fold := range folds {
		for _, measure := range measures {
			t.Add(s.Mean(measure, inFold(fold)).Percent(fmt.Sprintf("fold %d, test", fold), measure))
		}
	}
	for _, measure := range measures {
		t.Add(addPaper(ofFolds(s, measure, folds).Measure("mean of the folds", measure), s.Name))
	}
	for _, measure := range measures {
		t.Add(s.Mean(measure, inTest).Score("all test turns", measure, r))
	}
	for _, measure := range measures {
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
	if r.Similarity == minilm {
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
	result.Tables = slices.Concat(s.tables(data), []bench.Table{diversityTable(groups, r.Similarity), foldSizeTable(data)})
	result.Note(
		"Table 2: sentences end at . ! or ? before whitespace. The paper's 38.2 tokens include the rationales, against its caption.",
		"Table 3: rationales count as the expert selected them, which the history of the next turn has; for last turns, one sentence is one "+
			"rationale and more are two. The boundary of abstract and introduction is not in the data: tenths of the paper take its place.",
		"Table 7: n is the number of papers with several dialogues and such pairs. The paper's columns are those of its S-BERT, "+
			"all-mpnet-base-v2. Pairs below the threshold of similarity count as diverse.",
	)
	if intents != nil {
		result.Tables = slices.Insert(result.Tables, 3, intentTable(intents))
	} else {
		result.Note("Table 4 needs intents.csv beside the folds.")
	}
	return result, nil
}

// tables are Table 2 and Table 3, and the places of gold sentences, which stand for the shares of abstract and introduction.
func (s *stats) tables(data *bench.Dataset) []bench.Table {
	count := func(row string, n int) bench.Measure { return bench.Value(row, "value", float64(n)).Over(n) }
	one, two := s.rationales[0], s.rationales[1]
	places, all := bench.Table{Name: "places", Title: "Gold sentences by their place in the paper", Label: "tenth", Decimals: 1}, 0
	for _, n := range s.deciles {
		all += n
	}
	for i, n := range s.deciles {
		places.Add(share(strconv.Itoa(i+1), "%", n, all))
	}
	return []bench.Table{
		{Name: "dialogues", Title: "Dialogues (Table 2)", Label: "number", Decimals: 2, Measures: []bench.Measure{
			count("papers", len(data.Documents)),
			count("sentences of papers", s.sentences),
			count("dialogues", s.dialogues).Paper(41),
			bench.Value("turns per dialogue", "value", float64(len(data.Items))/float64(s.dialogues)).Over(s.dialogues).Paper(6.3),
			s.Row("messages of several sentences, %").Paper(50.8),
			s.Row("those of P, %"),
			s.Row("those of E, %"),
			s.Row("words per message"),
			s.Row("words and marks per message"),
			s.Row("words and marks of P"),
			s.Row("words and marks of E"),
			s.Row("Treebank tokens with rationales").Paper(38.2),
		}},
		{Name: "rationales", Title: "Rationales (Table 3)", Label: "number", Decimals: 2, Measures: []bench.Measure{
			share("answers with one rationale, %", "value", one, one+two).Paper(61.1),
			share("answers with two, %", "value", two, one+two).Paper(38.9),
			s.Row("distance of two, sentences").Paper(5.8),
		}},
		places,
	}
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
			m := share(row, column, n, all[role])
			if p := paperIntents[i][role]; math.Abs(*m.Value-p) > 0.05+1e-9 {
				m = m.Paper(p)
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

// paperIntents is Table 4 of the paper: P, E and total.
var paperIntents = [][3]float64{
	{63.3, 1, 29.5},
	{1.2, 7.6, 4.7},
	{7.6, 72.7, 42.9},
	{21.9, 11.8, 16.4},
	{6.1, 6.9, 6.5},
	{72, 81.3, 77.1},
	{28, 18.7, 22.9},
}

// paperDiversity is Table 7 of the paper for its S-BERT: G1, G2, G3 by threshold.
var paperDiversity = [3][5]float64{{.77, .87, .92, .96, .98}, {.43, .48, .63, .73, .68}, {.18, .28, .43, .60, .81}}

// diversityTable is Table 7.
func diversityTable(groups [3][]bench.Mean, similarity string) bench.Table {
	t := bench.Table{
		Name: "diversity", Title: fmt.Sprintf("Share of diverse pairs of messages about a paper, by %s (Table 7)", similarity),
		Label: "threshold", Decimals: 2,
	}
	for n, threshold := range Thresholds {
		for g, group := range groups {
			row, column := strconv.FormatFloat(threshold, 'f', 1, 64), "G"+strconv.Itoa(g+1)
			t.Add(group[n].Measure(row, column).Paper(paperDiversity[g][n]))
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
