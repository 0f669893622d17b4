package companion

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"airqa/bench/agreement"
	"airqa/internal/exit"
	"airqa/internal/stats"
	"airqa/qa/dataset"
)

// AgreeRequest is a call of [Agree].
type AgreeRequest struct {
	// File is a table of ratings (docs/bench.md), or the file of DORIS-MAE, of which the test set is read.
	File string
	// Annotations are used as those of the model, instead of the dataset's; empty for none.
	Annotations string
	// Model is the rater to compare to the others; empty is [ModelRater] of a dataset, and none of a CSV file.
	Model string
	// Measure is one of [agreement.Betweens], or "all".
	Measure string
	// Margin is the difference up to which the model is not worse.
	Margin float64
	Rounds int
	Seed   uint64
}

// ModelRater is the name of the rater whose scores are the annotations of a dataset.
const ModelRater = "model"

func (r *AgreeRequest) read() (ratings, error) {
	if !strings.EqualFold(extension(r.File), "json") {
		if r.Annotations != "" {
			return ratings{}, exit.Misuse("--annotations needs the file of doris-mae, whose test set has the people's scores")
		}
		t, err := readRatings(r.File)
		if err != nil {
			return t, fmt.Errorf("read ratings: %s: %w", r.File, err)
		}
		return t, nil
	}
	d, err := dataset.DORIS(r.File, dataset.DORISOptions{Annotations: r.Annotations, Test: true})
	if err != nil {
		return ratings{}, err
	}
	if len(d.Judged) == 0 {
		return ratings{}, fmt.Errorf("%s has no Test_set, the pairs that people annotated", r.File)
	}
	r.Model = cmp.Or(r.Model, ModelRater)
	t := testSet(d)
	// Faults of pools do not matter here.
	t.faults = slices.DeleteFunc(d.Faults, func(f *dataset.Fault) bool { return !strings.HasPrefix(f.Text, "Test_set") })
	return t, nil
}

func extension(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// testSet are the scores of people and of the model.
func testSet(d dataset.DORISMAE) ratings {
	names := make(map[string]bool)
	for _, j := range d.Judged {
		for name := range j.Scores {
			names[name] = true
		}
	}
	t := ratings{raters: append(slices.Sorted(maps.Keys(names)), ModelRater)}
	for _, j := range d.Judged {
		unit := make([]string, len(t.raters))
		for i, name := range t.raters {
			if score, ok := j.Scores[name]; ok {
				unit[i] = strconv.Itoa(score)
			}
		}
		if score, ok := d.Annotation(j.AspectID, j.Abstract); ok {
			unit[len(unit)-1] = strconv.Itoa(score)
		}
		t.units = append(t.units, unit)
	}
	return t
}

// shared are the values of units that two raters have.
func shared(a, b []float64) (x, y []float64) {
	for i := range a {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	return x, y
}

// pairs has a row for each pair of raters.
func (t ratings) pairs(numbers [][]float64, numeric bool) Table {
	table := Table{Name: "pairs", Title: "Pairs of raters; macro precision and recall take the second as true", Label: "raters", Decimals: 4}
	for i := range t.raters {
		for j := i + 1; j < len(t.raters); j++ {
			a, b := shared(numbers[i], numbers[j])
			row, macro := t.raters[i]+", "+t.raters[j], agreement.Macro(a, b)
			add := func(column string, value float64) {
				m := measure(row, column, value, len(a))
				m.N = nil
				table.Measures = append(table.Measures, m)
			}
			if len(a) == 0 {
				macro = agreement.Means{Precision: math.NaN(), Recall: math.NaN(), F1: math.NaN()}
			}
			table.Measures = append(table.Measures, measure(row, "exact", agreement.Exact(a, b), len(a)))
			add("kappa", stats.CohenKappa(a, b))
			add("prec.", macro.Precision)
			add("recall", macro.Recall)
			add("F1", macro.F1)
			if numeric {
				add("rho", agreement.Spearman(a, b))
			}
		}
	}
	return table
}

// labels has the share of each value for each rater.
func (t ratings) labels(categories []string) Table {
	table := Table{Name: "labels", Title: "Labels: their shares", Label: "rater", Decimals: 2}
	for r, rater := range t.raters {
		counts, n := make(map[string]int), 0
		for _, unit := range t.units {
			if unit[r] != "" {
				counts[unit[r]]++
				n++
			}
		}
		for i, c := range categories {
			m := measure(rater, c, float64(counts[c])/float64(n), n)
			if i > 0 {
				m.N = nil
			}
			table.Measures = append(table.Measures, m)
		}
	}
	return table
}

// model is the column of the rater to compare to the others.
func (t ratings) model(r AgreeRequest) (int, error) {
	at := slices.Index(t.raters, r.Model)
	switch {
	case at < 0:
		return 0, exit.Misuse("no rater is named %q; the raters are %s", r.Model, strings.Join(t.raters, ", "))
	case len(t.raters) < 3:
		return 0, exit.Misuse("%d raters: comparing %q to the others needs two others, whose agreement is the standard", len(t.raters), r.Model)
	case r.Margin < 0 || math.IsNaN(r.Margin) || r.Rounds < 1:
		return 0, exit.Misuse("--margin must not be negative, and --bootstrap must be at least 1")
	}
	return at, nil
}

// parity compares the model to the others.
func (t ratings) parity(numbers [][]float64, numeric bool, r AgreeRequest) (Table, []string, error) {
	at, err := t.model(r)
	if err != nil {
		return Table{}, nil, err
	}
	humans := slices.Concat(numbers[:at], numbers[at+1:])
	table := Table{
		Name: "parity", Title: fmt.Sprintf("%s with the others, and the others among themselves", r.Model), Label: "measure", Decimals: 4,
	}
	undefined := 0
	for _, m := range agreement.Betweens() {
		if r.Measure != "all" && r.Measure != m.Name || m.Numeric && !numeric {
			continue
		}
		p := agreement.CompareToHumans(numbers[at], humans, agreement.ParityConfig{Measure: m, Margin: r.Margin, Rounds: r.Rounds, Seed: r.Seed})
		undefined += p.Undefined
		add := func(column string, value float64) {
			v := measure(m.Name, column, value, 0)
			v.N = nil
			table.Measures = append(table.Measures, v)
		}
		add(r.Model, p.Model)
		add("others", p.Humans)
		table.Measures = append(table.Measures, measure(m.Name, "difference", p.Difference, p.Units))
		add("low", p.Interval.Low)
		add("high", p.Interval.High)
		add("p", p.P)
	}
	if len(table.Measures) == 0 {
		return table, nil, exit.Misuse("--measure %s needs numbers, but some values are not", r.Measure)
	}
	notes := []string{fmt.Sprintf("low, high: 95 %% interval of the difference. p: one-sided, for the hypothesis that %s is worse by %s or more; a small p means that it is not. Paired bootstrap of the units that all rated, %d resamples, seed %d.",
		r.Model, strconv.FormatFloat(r.Margin, 'f', -1, 64), r.Rounds, r.Seed)}
	if undefined > 0 {
		notes = append(notes, fmt.Sprintf("Resamples without a value, which are left out: %d.", undefined))
	}
	return table, notes, nil
}
