package argscichat

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"airqa/bench"
	"airqa/qa/dataset"
)

// intentFiles are the names of the labelled sentences, ours and upstream's.
var intentFiles = []string{"intents.csv", "dataset.csv"}

// findIntents reads the labelled sentences beside the folds; none if there is no such file.
func findIntents(dir string) ([]Intent, []*dataset.Fault, error) {
	for _, name := range intentFiles {
		list, faults, err := LoadIntents(filepath.Join(dir, name))
		if !errors.Is(err, fs.ErrNotExist) {
			return list, faults, err
		}
	}
	return nil, nil, os.ErrNotExist
}

// countData counts the data as the tables of the paper do.
func countData(ctx context.Context, r bench.Request) (*bench.Result, error) {
	data, err := Load(r.Dataset)
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
	intents, faults, err := findIntents(r.Dataset)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	result := bench.NewResult(data.Name, "ArgSciChat: the data", r.Dataset, slices.Concat(data.Faults, faults))
	s := Collect(data)
	result.Tables = []bench.Table{
		dialogueTable(s), rationaleTable(s), placeTable(s), diversityTable(groups, r.Similarity), foldSizeTable(data),
	}
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

// dialogueTable is Table 2.
func dialogueTable(s Stats) bench.Table {
	value := func(row string, value float64, n int) bench.Measure { return bench.Value(row, "value", value).Over(n) }
	several := func(l Lengths) float64 { return 100 * float64(l.Several) / float64(l.N) }
	all, p, e := s.Messages, s.Proponent, s.Expert
	return bench.Table{Name: "dialogues", Title: "Dialogues (Table 2)", Label: "number", Decimals: 2, Measures: []bench.Measure{
		value("papers", float64(s.Papers), s.Papers),
		value("sentences of papers", float64(s.Sentences), s.Sentences),
		value("dialogues", float64(s.Dialogues), s.Dialogues).Paper(41),
		value("turns per dialogue", float64(s.Turns)/float64(s.Dialogues), s.Dialogues).Paper(6.3),
		value("messages of several sentences, %", several(all), all.N).Paper(50.8),
		value("those of P, %", several(p), p.N),
		value("those of E, %", several(e), e.N),
		value("words per message", all.Words, all.N),
		value("words and marks per message", all.Marks, all.N),
		value("words and marks of P", p.Marks, p.N),
		value("words and marks of E", e.Marks, e.N),
		value("Treebank tokens with rationales", all.Treebank, all.N).Paper(38.2),
	}}
}

// rationaleTable is Table 3.
func rationaleTable(s Stats) bench.Table {
	share := func(row string, n int) bench.Measure {
		return bench.Value(row, "value", 100*float64(n)/float64(s.One+s.Two)).Over(n)
	}
	return bench.Table{Name: "rationales", Title: "Rationales (Table 3)", Label: "number", Decimals: 2, Measures: []bench.Measure{
		share("answers with one rationale, %", s.One).Paper(61.1),
		share("answers with two, %", s.Two).Paper(38.9),
		bench.Value("distance of two, sentences", "value", s.Distance).Over(s.Distances).Paper(5.8),
	}}
}

// placeTable takes the place of the shares of abstract and introduction in Table 3.
func placeTable(s Stats) bench.Table {
	t := bench.Table{Name: "places", Title: "Gold sentences by their place in the paper", Label: "tenth", Decimals: 1}
	all := 0
	for _, n := range s.Deciles {
		all += n
	}
	for i, n := range s.Deciles {
		t.Add(bench.Value(strconv.Itoa(i+1), "%", 100*float64(n)/float64(all)).Over(n))
	}
	return t
}

// intentTable is Table 4. EXP are the first three tags, ARG the next two; Intro and Outro do not count.
func intentTable(list []Intent) bench.Table {
	counts := CountIntents(list)[:5]
	var exp, arg, all IntentCount
	for i, c := range counts {
		for role, n := range c {
			all[role] += n
			if i < 3 {
				exp[role] += n
			} else {
				arg[role] += n
			}
		}
	}
	counts = append(counts, exp, arg)
	t := bench.Table{Name: "intents", Title: "Intents of sentences, % (Table 4)", Label: "intent", Decimals: 1}
	for i, row := range []string{"AI", "ST", "GI", "GO", "AO", "EXP", "ARG"} {
		for role, column := range []string{"P", "E", "total"} {
			n := counts[i][role]
			m := bench.Value(row, column, 100*float64(n)/float64(all[role])).Over(n)
			if p := paperIntents[i][role]; math.Abs(*m.Value-p) > 0.05+1e-9 {
				m = m.Paper(p)
			}
			t.Add(m)
		}
	}
	return t
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
func diversityTable(groups [3]Diversity, similarity string) bench.Table {
	t := bench.Table{
		Name: "diversity", Title: fmt.Sprintf("Share of diverse pairs of messages about a paper, by %s (Table 7)", similarity),
		Label: "threshold", Decimals: 2,
	}
	for n, threshold := range Thresholds {
		for g, group := range groups {
			row, column := strconv.FormatFloat(threshold, 'f', 1, 64), "G"+strconv.Itoa(g+1)
			t.Add(bench.Value(row, column, group.Shares[n]).Over(group.N[n]).Paper(paperDiversity[g][n]))
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
