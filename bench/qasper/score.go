// Package qasper is the benchmark QASPER (Dasigi et al. 2021) in airqa bench. [Load] reads its questions. Answers have the
// scores of the authors' evaluator, or corrected ones. [Benchmark] has the methods without a model and the tables.
package qasper

import (
	"slices"
	"strings"

	"airqa/bench"
	"airqa/internal/lazyregexp"
	"airqa/internal/words"
	"airqa/qa"
)

// corrections are the differences between fixed rules and the authors' evaluator.
var corrections = []string{
	"fixed: evidence is compared as sets: duplicates do not change precision or recall",
	"fixed: answers are grouped by the type of the first annotation, and missing predictions count 0 in their group",
	"fixed: text evidence only: figures and tables are dropped from predictions, too, and annotations with only such evidence are excluded",
}

// The measures. That of text compares without figures and tables: the authors' flag drops them from gold evidence only.
const (
	answerF1     = "Answer-F1"
	evidenceF1   = "Evidence-F1"
	textEvidence = "Evidence-F1, text"
	// scriptF1 is of the authors' script of heuristics.
	scriptF1 = "Evidence-F1, script"
)

// types are the types of answers in the order of the evaluator's output.
var types = []string{Extractive, Abstractive, Boolean, Unanswerable}

// score compares an answer with the annotations of a question: the best match counts, and its type is the type of the first
// annotation with this Answer-F1. Evidence in the text is left out if no annotation can be answered from it, with fixed
// rules.
func score(it bench.Item, a qa.Answer, fixed bool) (measures map[string]float64, match string) {
	measures = map[string]float64{answerF1: 0}
	best, evidence := -1.0, verbatim(it.Gold.Texts, a.Evidence)
	for _, g := range it.Gold.Answers {
		if f := words.SQuADF1(a.Text, g.Text); f > best {
			best, match = f, g.Type
		}
	}
	for name, textOnly := range map[string]bool{evidenceF1: false, textEvidence: true} {
		f, counts := bestEvidence(evidence, it.Gold.Answers, rules{fixed, textOnly})
		if !a.Given {
			f = 0
		}
		if counts {
			measures[name] = f
		}
	}
	if !a.Given {
		return measures, ""
	}
	measures[answerF1] = best
	return measures, match
}

// verbatim replaces the ids of units by their texts. No annotation names the unit of an id without a text.
func verbatim(texts map[string]string, evidence []string) []string {
	list := slices.Clone(evidence)
	for i, e := range list {
		if text, known := texts[e]; known {
			list[i] = text
		} else if floatID.MatchString(e) {
			list[i] = FloatEvidence + e
		}
	}
	return list
}

var floatID = lazyregexp.New(`^f\d+$`)

// complete keeps the texts that ids of units stand for: where an annotation names the text, and where units share it.
func complete(data *bench.Dataset) {
	papers := data.Papers()
	for i := range data.Items {
		gold := &data.Items[i].Gold
		named := make(map[string]int)
		for _, a := range gold.Answers {
			for _, text := range a.Evidence {
				named[text]++
			}
		}
		units := papers[data.Items[i].Document].Units
		for _, u := range units {
			named[u.Text]++
		}
		gold.Texts = make(map[string]string)
		for _, u := range units {
			if named[u.Text] > 1 {
				gold.Texts[u.ID] = u.Text
			}
		}
	}
}

type rules struct{ fixed, textOnly bool }

// bestEvidence is the maximum over the annotations. counts is false if no annotation can be answered from the text,
// which excludes a question in fixed mode.
func bestEvidence(predicted []string, gold []bench.GoldAnswer, o rules) (best float64, counts bool) {
	for _, g := range gold {
		want := goldEvidence(g)
		if o.textOnly {
			all := want
			want = withoutFloats(want)
			if o.fixed && len(want) == 0 && len(all) > 0 {
				continue
			}
		}
		got := predicted
		if o.fixed {
			if o.textOnly {
				got = withoutFloats(got)
			}
			got, want = bench.Distinct(got), bench.Distinct(want)
		}
		best, counts = max(best, setF1(got, want)), true
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

// setF1 divides the number of distinct common texts by the lengths of the lists, with duplicates.
func setF1(predicted, gold []string) float64 {
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

// human is the lower bound of human performance (section 5.1): each annotation of the questions with three or more is an
// answer that is compared with the others.
func human(data *bench.Dataset, fixed bool) bench.System {
	var items []bench.Item
	var answers []qa.Answer
	for _, it := range data.Items {
		gold := it.Gold.Answers
		if len(gold) < 3 {
			continue
		}
		for i, g := range gold {
			it.Gold.Answers = slices.Delete(slices.Clone(gold), i, i+1)
			items, answers = append(items, it), append(answers, qa.Answer{Given: true, Text: g.Text, Evidence: goldEvidence(g)})
		}
	}
	return Benchmark().Scored("human lower bound", items, answers, fixed)
}
