package companion

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

	"airqa/bench/argscichat"
	"airqa/qa/dataset"
)

// intentFiles are the names of the labelled sentences, ours and upstream's.
var intentFiles = []string{"intents.csv", "dataset.csv"}

// chatIntents reads the labelled sentences beside the folds; none if there is no such file.
func chatIntents(dir string) ([]dataset.Intent, []*dataset.Fault, error) {
	for _, name := range intentFiles {
		list, faults, err := dataset.Intents(filepath.Join(dir, name))
		if !errors.Is(err, fs.ErrNotExist) {
			return list, faults, err
		}
	}
	return nil, nil, os.ErrNotExist
}

func chatStats(ctx context.Context, r Request) (*Result, error) {
	c, err := dataset.ArgSciChat(r.Dataset)
	if err != nil {
		return nil, err
	}
	sim := argscichat.Similarity(argscichat.ByTFIDF)
	if r.Similarity == "minilm" {
		e, err := r.Embedder()
		if err != nil {
			return nil, err
		}
		sim = argscichat.ByVector(e)
	}
	groups, err := argscichat.Diverse(ctx, c, sim)
	if err != nil {
		return nil, err
	}
	intents, faults, err := chatIntents(r.Dataset)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	result := newResult(c.Name, "ArgSciChat: the data", r, slices.Concat(c.Faults, faults))
	s := argscichat.Collect(c)
	result.Tables = []Table{dialogueTable(s), rationaleTable(s), placeTable(s), diversityTable(groups, r.Similarity), chatFoldTable(c)}
	result.Notes = append(result.Notes,
		"Table 2: sentences end at . ! or ? before whitespace. The paper's 38.2 tokens include the rationales, against its caption.",
		"Table 3: rationales count as the expert selected them, which the history of the next turn has; for last turns, one sentence is one rationale and more are two. The boundary of abstract and introduction is not in the data: tenths of the paper take its place.",
		"Table 7: n is the number of papers with several dialogues and such pairs. The paper's columns are those of its S-BERT, all-mpnet-base-v2. Pairs below the threshold of similarity count as diverse.",
	)
	if intents != nil {
		result.Tables = slices.Insert(result.Tables, 3, intentTable(intents))
	} else {
		result.Notes = append(result.Notes, "Table 4 needs intents.csv beside the folds.")
	}
	return result, nil
}

// dialogueTable is Table 2.
func dialogueTable(s argscichat.Stats) Table {
	t := Table{Name: "dialogues", Title: "Dialogues (Table 2)", Label: "number", Decimals: 2}
	add := func(row string, value float64, n int) *Measure {
		t.Measures = append(t.Measures, measure(row, "value", value, n))
		return &t.Measures[len(t.Measures)-1]
	}
	paper := func(v float64) *float64 { return &v }
	add("papers", float64(s.Papers), s.Papers)
	add("sentences of papers", float64(s.Sentences), s.Sentences)
	add("dialogues", float64(s.Dialogues), s.Dialogues).Printed = paper(41)
	add("turns per dialogue", float64(s.Turns)/float64(s.Dialogues), s.Dialogues).Printed = paper(6.3)
	m := s.Messages
	add("messages of several sentences, %", 100*float64(m.Several)/float64(m.N), m.N).Printed = paper(50.8)
	add("those of P, %", 100*float64(s.Proponent.Several)/float64(s.Proponent.N), s.Proponent.N)
	add("those of E, %", 100*float64(s.Expert.Several)/float64(s.Expert.N), s.Expert.N)
	add("words per message", m.Words, m.N)
	add("words and marks per message", m.Marks, m.N)
	add("words and marks of P", s.Proponent.Marks, s.Proponent.N)
	add("words and marks of E", s.Expert.Marks, s.Expert.N)
	add("Treebank tokens with rationales", m.Treebank, m.N).Printed = paper(38.2)
	return t
}

// rationaleTable is Table 3.
func rationaleTable(s argscichat.Stats) Table {
	all := s.One + s.Two
	share := func(n int) float64 { return 100 * float64(n) / float64(all) }
	return Table{Name: "rationales", Title: "Rationales (Table 3)", Label: "number", Decimals: 2, Measures: []Measure{
		measure("answers with one rationale, %", "value", share(s.One), s.One).printed(61.1),
		measure("answers with two, %", "value", share(s.Two), s.Two).printed(38.9),
		measure("distance of two, sentences", "value", s.Distance, s.Distances).printed(5.8),
	}}
}

// placeTable takes the place of the shares of abstract and introduction in Table 3.
func placeTable(s argscichat.Stats) Table {
	t := Table{Name: "places", Title: "Gold sentences by their place in the paper", Label: "tenth", Decimals: 1}
	all := 0
	for _, n := range s.Deciles {
		all += n
	}
	for i, n := range s.Deciles {
		t.Measures = append(t.Measures, measure(strconv.Itoa(i+1), "%", 100*float64(n)/float64(all), n))
	}
	return t
}

// intentTable is Table 4. EXP are the first three tags, ARG the next two; Intro and Outro do not count.
func intentTable(list []dataset.Intent) Table {
	counts := argscichat.CountIntents(list)[:5]
	var exp, arg, all argscichat.IntentCount
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
	t := Table{Name: "intents", Title: "Intents of sentences, % (Table 4)", Label: "intent", Decimals: 1}
	for i, row := range []string{"AI", "ST", "GI", "GO", "AO", "EXP", "ARG"} {
		for role, column := range []string{"P", "E", "total"} {
			n := append(slices.Clone(counts), exp, arg)[i][role]
			m := measure(row, column, 100*float64(n)/float64(all[role]), n)
			if p := paperIntents[i][role]; math.Abs(*m.Value-p) > 0.05+1e-9 {
				m = m.printed(p)
			}
			t.Measures = append(t.Measures, m)
		}
	}
	return t
}

// paperIntents is Table 4 of the paper: P, E and total.
var paperIntents = [][3]float64{{63.3, 1, 29.5}, {1.2, 7.6, 4.7}, {7.6, 72.7, 42.9}, {21.9, 11.8, 16.4}, {6.1, 6.9, 6.5}, {72, 81.3, 77.1}, {28, 18.7, 22.9}}

// paperDiversity is Table 7 of the paper for its S-BERT: G1, G2, G3 by threshold.
var paperDiversity = [3][5]float64{{.77, .87, .92, .96, .98}, {.43, .48, .63, .73, .68}, {.18, .28, .43, .60, .81}}

// diversityTable is Table 7.
func diversityTable(groups [3]argscichat.Diversity, similarity string) Table {
	t := Table{
		Name: "diversity", Title: fmt.Sprintf("Share of diverse pairs of messages about a paper, by %s (Table 7)", similarity),
		Label: "threshold", Decimals: 2,
	}
	for n, threshold := range argscichat.Thresholds {
		for g, group := range groups {
			m := measure(strconv.FormatFloat(threshold, 'f', 1, 64), "G"+strconv.Itoa(g+1), group.Shares[n], group.N[n])
			t.Measures = append(t.Measures, m.printed(paperDiversity[g][n]))
		}
	}
	return t
}

// chatFoldTable is Table 8, with the turns that Rationale-F1 is over.
func chatFoldTable(c *dataset.Companion) Table {
	t := Table{Name: "folds", Title: "Turns by fold (Table 8)", Label: "fold"}
	for _, fold := range argscichat.Folds(c) {
		counts := make(map[string]float64)
		for _, it := range c.Items {
			for _, split := range []string{"train", "val", "test"} {
				if it.HasTag(dataset.FoldTag(fold, split)) {
					counts[split]++
				}
			}
			if g := it.Gold.Answers[0]; it.HasTag(dataset.FoldTag(fold, "test")) && len(g.Evidence) > 0 {
				counts["test with rationale"]++
				counts["with gold sentence"] += float64(min(1, len(g.Units)))
			}
		}
		for _, column := range []string{"train", "val", "test", "test with rationale", "with gold sentence"} {
			n := counts[column]
			t.Measures = append(t.Measures, Measure{Row: strconv.Itoa(fold), Column: column, Value: &n})
		}
	}
	return t
}
