package bench

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/stats"
	"airqa/qa"
)

// AgreementConfig configures [Agree], as flags of a command.
type AgreementConfig struct {
	File  string `arg:"" name:"file" help:"CSV with a header of rater names and one row per unit; or the doris-mae dataset, for its test set."`
	Model string `name:"rater" placeholder:"NAME" help:"Compare this rater, a model, to the others. Default: model, for doris-mae."`
	// Measure is the name of one of [stats.PairMeasures], or "all".
	Measure string `default:"macro-f1" enum:"exact,macro-f1,kappa,rho,alpha,all" help:"Measure of the comparison: exact, macro-f1, kappa, rho, alpha (ordinal) or all."`
	List    bool   `help:"Also list the units on which --rater and others differ, those with the most others first."`
	stats.ParityConfig
}

// ratingTable is ratings with their values as numbers, by rater. NaN is a missing value.
type ratingTable struct {
	Ratings
	// categories are the distinct values, sorted.
	categories []string
	// numbers are the values by rater, or their positions in categories if some are not numbers.
	numbers [][]float64
	numeric bool
}

func newRatingTable(r Ratings) ratingTable {
	t := ratingTable{Ratings: r, numeric: true}
	for _, unit := range r.Units {
		t.categories = append(t.categories, unit...)
	}
	slices.Sort(t.categories)
	t.categories = slices.DeleteFunc(slices.Compact(t.categories), func(c string) bool { return c == "" })
	value := map[string]float64{"": math.NaN()}
	for _, c := range t.categories {
		x, ok := parseNumber(c)
		t.numeric = t.numeric && ok
		value[c] = x
	}
	if !t.numeric {
		for i, c := range t.categories {
			value[c] = float64(i)
		}
	}
	for rater := range r.Raters {
		t.numbers = append(t.numbers, qa.Map(r.Units, func(unit []string) float64 { return value[unit[rater]] }))
	}
	return t
}

// Agree measures the agreement of raters, and compares one of them, a model, to the others.
func Agree(r Ratings, c AgreementConfig) (*Result, error) {
	t := newRatingTable(r)
	result := NewResult("", "Agreement of "+filepath.Base(c.File), c.File, r.Faults)
	result.Tables = []Table{t.measures()}
	result.Note(r.Notes...)
	notes := []string{
		"n is the number of units with two values or more; the others are left out. A measure without value is undefined: " +
			"there is no such unit, or all values are equal.",
	}
	if slices.ContainsFunc(t.Units, func(unit []string) bool { return slices.Contains(unit, "") }) {
		notes = append(notes, "With missing values, Fleiss' kappa gives each unit the same weight, however many values it has (Gwet 2014).")
	}
	alpha := func(l stats.Level) float64 { return stats.KrippendorffAlpha(t.numbers, l) }
	switch {
	case !t.numeric:
		notes = append(notes, "Some values are not numbers, so that there is no ordinal, interval or ratio measure.")
	case math.IsNaN(alpha(stats.RatioLevel)) && !math.IsNaN(alpha(stats.IntervalLevel)):
		notes = append(notes, "The ratio alpha is undefined for a number and its negative: it divides by the sum of two values.")
	}
	result.Note(notes...)
	if len(r.Raters) > 2 {
		result.Tables = append(result.Tables, t.pairs())
	}
	result.Tables = append(result.Tables, t.labels())
	switch {
	case c.List && (c.Model == "" || !t.numeric):
		return nil, qa.Usagef("--list needs --rater NAME, and numbers as values")
	case c.Model == "":
		return result, nil
	}
	parity, notes, err := t.parity(c)
	if err != nil {
		return nil, err
	}
	result.Tables = append(result.Tables, parity)
	if c.List {
		result.Tables = append(result.Tables, t.differences(slices.Index(t.Raters, c.Model)))
	}
	result.Note(notes...)
	return result, nil
}

// measures returns the agreement of all raters, and the pairwise measures of two.
func (t ratingTable) measures() Table {
	title := fmt.Sprintf("%d raters, %d units", len(t.Raters), len(t.Units))
	list := Table{Name: "agreement", Title: title, Label: "measure", Decimals: 6}
	add := func(row string, value float64, n int) { list.Add(Value(row, "value", value).Over(n)) }
	pairable := 0
	var votes [][]string
	for _, unit := range t.Units {
		given := slices.DeleteFunc(slices.Clone(unit), func(v string) bool { return v == "" })
		if len(given) > 1 {
			pairable++
		}
		votes = append(votes, given)
	}
	add("Fleiss' kappa", stats.FleissKappa(votes), pairable)
	for _, l := range stats.Levels() {
		if t.numeric || l == stats.NominalLevel {
			add("Krippendorff's alpha, "+string(l), stats.KrippendorffAlpha(t.numbers, l), pairable)
		}
	}
	if len(t.Raters) != 2 {
		return list
	}
	var a, b []string // the labels of units that both have
	for _, unit := range votes {
		if len(unit) > 1 {
			a, b = append(a, unit[0]), append(b, unit[1])
		}
	}
	macro := stats.MacroScores(a, b)
	add("Cohen's kappa", stats.CohenKappa(a, b), len(a))
	add("exact agreement", stats.ExactAgreement(a, b), len(a))
	add("macro precision, the second being true", macro.Precision, len(a))
	add("macro recall", macro.Recall, len(a))
	add("macro F1", macro.F1, len(a))
	if t.numeric {
		add("Spearman's rho", stats.Spearman(shared(t.numbers[0], t.numbers[1])), len(a))
	}
	return list
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
func (t ratingTable) pairs() Table {
	const title = "Pairs of raters; macro precision and recall take the second as true"
	list := Table{Name: "pairs", Title: title, Label: "raters", Decimals: 4}
	for i := range t.Raters {
		for j := i + 1; j < len(t.Raters); j++ {
			a, b := shared(t.numbers[i], t.numbers[j])
			row, macro := t.Raters[i]+", "+t.Raters[j], stats.MacroScores(a, b)
			if len(a) == 0 {
				macro = stats.Macro{Precision: math.NaN(), Recall: math.NaN(), F1: math.NaN()}
			}
			list.Add(
				Value(row, "exact", stats.ExactAgreement(a, b)).Over(len(a)), Value(row, "kappa", stats.CohenKappa(a, b)),
				Value(row, "prec.", macro.Precision), Value(row, "recall", macro.Recall), Value(row, "F1", macro.F1),
			)
			if t.numeric {
				list.Add(Value(row, "rho", stats.Spearman(a, b)))
			}
		}
	}
	return list
}

// labels has the share of each value for each rater.
func (t ratingTable) labels() Table {
	list := Table{Name: "labels", Title: "Labels: their shares", Label: "rater", Decimals: 2}
	for r, rater := range t.Raters {
		counts, n := make(map[string]int), 0
		for _, unit := range t.Units {
			if unit[r] != "" {
				counts[unit[r]]++
				n++
			}
		}
		for i, c := range t.categories {
			m := Value(rater, c, float64(counts[c])/float64(n))
			if i == 0 {
				m = m.Over(n)
			}
			list.Add(m)
		}
	}
	return list
}

func (t ratingTable) parity(c AgreementConfig) (Table, []string, error) {
	at := slices.Index(t.Raters, c.Model)
	switch {
	case at < 0:
		return Table{}, nil, qa.Usagef("no rater is named %q; the raters are %s", c.Model, strings.Join(t.Raters, ", "))
	case len(t.Raters) < 3:
		return Table{}, nil, qa.Usagef("%d raters: comparing %q to the others needs two others, whose agreement is the standard",
			len(t.Raters), c.Model)
	}
	humans := slices.Concat(t.numbers[:at], t.numbers[at+1:])
	list := Table{
		Name: "parity", Title: fmt.Sprintf("%s with the others, and the others among themselves", c.Model), Label: "measure", Decimals: 4,
	}
	undefined := 0
	for _, m := range stats.PairMeasures() {
		if c.Measure != "all" && c.Measure != m.Name || m.Numeric && !t.numeric {
			continue
		}
		p := stats.CompareToHumans(t.numbers[at], humans, m, c.ParityConfig)
		undefined += p.Undefined
		list.Add(
			Value(m.Name, c.Model, p.Model), Value(m.Name, "others", p.Humans),
			Value(m.Name, "difference", p.Difference).Over(p.Units),
			Value(m.Name, "low", p.Interval.Low), Value(m.Name, "high", p.Interval.High), Value(m.Name, "p", p.P),
		)
	}
	if len(list.Measures) == 0 {
		return list, nil, qa.Usagef("the measure %s needs numbers, but some values are not", c.Measure)
	}
	notes := []string{fmt.Sprintf("low, high: 95 %% interval of the difference. p: one-sided, for the hypothesis that %s is worse by %s "+
		"or more; a small p means that it is not. Paired bootstrap of the units that all rated, %d resamples, seed %d.",
		c.Model, strconv.FormatFloat(c.Margin, 'f', -1, 64), c.Rounds, c.Seed)}
	if undefined > 0 {
		notes = append(notes, fmt.Sprintf("Resamples without a value, which are left out: %d.", undefined))
	}
	return list, notes, nil
}

// differences are the units on which a rater differs from others, those with the most others first.
func (t ratingTable) differences(rater int) Table {
	byOthers := make([][]int, len(t.Raters)) // units by the number of others
	for u, unit := range t.Units {
		others := 0
		for _, value := range unit {
			if value != "" && unit[rater] != "" && value != unit[rater] {
				others++
			}
		}
		byOthers[others] = append(byOthers[others], u)
	}
	list := Table{Name: "differences", Label: "unit"}
	for others := len(byOthers) - 1; others > 0; others-- {
		for _, u := range byOthers[others] {
			for r, name := range t.Raters {
				list.Add(Value(t.Names[u], name, t.numbers[r][u]))
			}
			list.Add(Value(t.Names[u], "others that differ", float64(others)))
		}
	}
	list.Title = fmt.Sprintf("Units on which %s and others differ: %d of %d", t.Raters[rater], len(t.Units)-len(byOthers[0]), len(t.Units))
	return list
}
