// Package qasper is the benchmark QASPER (Dasigi et al. 2021) in airqa bench. [Load] reads its questions, [Score] gives
// the numbers of the authors' evaluator, or corrected ones, [Baseline] makes predictions without a model, and
// [ReadPredictions] and [WritePredictions] handle the official format. [Benchmark] has the tables made of these.
package qasper

import (
	"fmt"
	"slices"
	"strings"

	"airqa/bench"
	"airqa/internal/words"
)

// corrections are the differences between fixed rules and the authors' evaluator.
var corrections = []string{
	"fixed: evidence is compared as sets: duplicates do not change precision or recall",
	"fixed: answers are grouped by the type of the first annotation, and missing predictions count 0 in their group",
	"fixed: a question id that occurs twice is an error",
}

// Scores are the results of a file of predictions. A missing prediction scores 0 in both means. Values are from 0 to 1,
// and papers are the clusters.
type Scores struct {
	Answer   bench.Mean
	Evidence bench.Mean
	// ByType has answers by the type of the annotation that they match best, without missing predictions.
	ByType bench.Means
	// ByFirst has answers by the type of the first annotation, with missing predictions.
	ByFirst bench.Means
	Missing int
	// Notes are remarks about the predictions and the rules.
	Notes bench.Notes
}

// types are the types of answers in the order of the evaluator's output.
var types = []string{Extractive, Abstractive, Boolean, Unanswerable}

// Score compares predictions with questions, by the rules of the authors' evaluator or with corrections. Rules for text
// only drop gold evidence in figures and tables; the authors' flag leaves predictions and the other questions as they are.
// Of several predictions for a question, or several questions of an id, the last one counts.
func Score(items []bench.Item, predictions []Prediction, o bench.Rules) (Scores, error) {
	var s Scores
	questions := lastByID(items)
	if len(questions) < len(items) && o.Fixed {
		return s, fmt.Errorf("score QASPER: %d of %d questions share an id with another: predictions cannot name them; "+
			"the compat mode takes the last one",
			len(items)-len(questions), len(items))
	}
	byID := make(map[string]Prediction)
	for _, p := range predictions {
		byID[p.ID] = p
	}
	for _, it := range questions {
		p, ok := byID[it.UUID]
		s.add(it, p, ok, o)
		delete(byID, it.UUID)
	}
	if o.Fixed {
		s.Notes = append(s.Notes, corrections...)
	}
	if o.Fixed && o.TextOnly {
		s.Notes = append(s.Notes, "fixed: text evidence only: figures and tables are dropped from predictions, too, "+
			"and annotations with only such evidence are excluded")
	}
	s.Notes.Count(len(items)-len(questions), "questions with the id of another, of which the last one counts")
	s.Notes.Count(len(predictions)-(len(questions)-s.Missing)-len(byID), "predictions for a question that has another, of which the last one counts")
	s.Notes.Count(len(byID), "predictions for unknown questions, which are ignored")
	repeating := 0
	for _, p := range predictions {
		if len(bench.Distinct(p.Evidence)) < len(p.Evidence) {
			repeating++
		}
	}
	s.Notes.Count(repeating, "predictions with the same evidence twice, which lowers their precision without --fixed")
	return s, nil
}

// lastByID keeps the last question of each id, at the place of the first.
func lastByID(items []bench.Item) []bench.Item {
	at := make(map[string]int)
	var list []bench.Item
	for _, it := range items {
		if i, twice := at[it.UUID]; twice {
			list[i] = it
			continue
		}
		at[it.UUID] = len(list)
		list = append(list, it)
	}
	return list
}

// add scores the prediction for one question.
func (s *Scores) add(it bench.Item, p Prediction, predicted bool, o bench.Rules) {
	answer, kind, gold := 0.0, "", it.Gold.Answers
	if predicted {
		answer = -1
		for _, g := range gold {
			if f := words.SQuADF1(p.Answer, g.Text); f > answer {
				answer, kind = f, g.Type // of several with this F1, the first
			}
		}
		s.ByType.Of(kind).AddFrom(it.Document, answer)
	} else {
		s.Missing++
	}
	s.Answer.AddFrom(it.Document, answer)
	s.ByFirst.Of(gold[0].Type).AddFrom(it.Document, answer)
	evidence, counts := bestEvidence(p.Evidence, gold, o)
	if !predicted {
		evidence = 0
	}
	if counts {
		s.Evidence.AddFrom(it.Document, evidence)
	}
}

// bestEvidence is the maximum over the annotations. counts is false if no annotation can be answered from the text,
// which excludes a question in fixed mode.
func bestEvidence(predicted []string, gold []bench.GoldAnswer, o bench.Rules) (best float64, counts bool) {
	for _, g := range gold {
		want := goldEvidence(g)
		if o.TextOnly {
			all := want
			want = withoutFloats(want)
			if o.Fixed && len(want) == 0 && len(all) > 0 {
				continue
			}
		}
		got := predicted
		if o.Fixed {
			if o.TextOnly {
				got = withoutFloats(got)
			}
			got, want = bench.Distinct(got), bench.Distinct(want)
		}
		best, counts = max(best, evidenceF1(got, want)), true
	}
	return best, counts
}

// goldEvidence is empty for an unanswerable question, whatever was annotated.
func goldEvidence(g bench.GoldAnswer) []string {
	if g.Type == Unanswerable {
		return nil
	}
	return g.Evidence
}

// withoutFloats drops figures and tables, wherever the mark is, as the evaluator does.
func withoutFloats(evidence []string) []string {
	return slices.DeleteFunc(slices.Clone(evidence), func(e string) bool { return strings.Contains(e, "FLOAT SELECTED") })
}

// evidenceF1 divides the number of distinct common texts by the lengths of the lists, with duplicates.
func evidenceF1(predicted, gold []string) float64 {
	if len(predicted) == 0 && len(gold) == 0 {
		return 1
	}
	common := bench.Common(predicted, gold)
	if common == 0 {
		return 0
	}
	precision, recall := float64(common)/float64(len(predicted)), float64(common)/float64(len(gold))
	return 2 * precision * recall / (precision + recall)
}

// Human scores each annotation of the questions with at least three against the others, which the paper calls a lower
// bound of human performance: every annotation counts as one prediction.
func Human(items []bench.Item, o bench.Rules) Scores {
	var s Scores
	for _, it := range lastByID(items) {
		gold := it.Gold.Answers
		if len(gold) < 3 {
			continue
		}
		for i, g := range gold {
			it.Gold.Answers = slices.Delete(slices.Clone(gold), i, i+1)
			s.add(it, Prediction{Answer: g.Text, Evidence: goldEvidence(g)}, true, o)
		}
	}
	return s
}
