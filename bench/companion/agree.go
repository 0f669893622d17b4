package companion

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"airqa/bench/agreement"
	"airqa/internal/stats"
)

// Agree measures the agreement of raters, and compares one of them, a model, to the others.
func Agree(r AgreeRequest) (*Result, error) {
	t, err := r.read()
	if err != nil {
		return nil, err
	}
	table := Table{Name: "agreement", Title: fmt.Sprintf("%d raters, %d units", len(t.raters), len(t.units)), Label: "measure", Decimals: 6}
	add := func(row string, value float64, n int) {
		table.Measures = append(table.Measures, measure(row, "value", value, n))
	}
	categories, pairable := t.categories()
	add("Fleiss' kappa", agreement.Fleiss(t.counts(categories)), pairable)
	numbers, numeric := t.numbers(categories)
	for _, m := range agreement.Metrics() {
		if numeric || m == agreement.Nominal {
			add("Krippendorff's alpha, "+string(m), agreement.Alpha(numbers, m), pairable)
		}
	}
	if len(t.raters) == 2 {
		a, b := t.both()
		macro := agreement.Macro(a, b)
		add("Cohen's kappa", stats.CohenKappa(a, b), len(a))
		add("exact agreement", agreement.Exact(a, b), len(a))
		add("macro precision, the second being true", macro.Precision, len(a))
		add("macro recall", macro.Recall, len(a))
		add("macro F1", macro.F1, len(a))
		if numeric {
			add("Spearman's rho", agreement.Spearman(shared(numbers[0], numbers[1])), len(a))
		}
	}
	result := newResult("", "Agreement of "+filepath.Base(r.File), Request{Dataset: r.File}, t.faults)
	result.Tables, result.Notes = []Table{table}, append(t.notes, t.measureNotes(numbers, numeric)...)
	if len(t.raters) > 2 {
		result.Tables = append(result.Tables, t.pairs(numbers, numeric))
	}
	result.Tables = append(result.Tables, t.labels(categories))
	if r.Model != "" {
		parity, notes, err := t.parity(numbers, numeric, r)
		if err != nil {
			return nil, err
		}
		result.Tables, result.Notes = append(result.Tables, parity), append(result.Notes, notes...)
	}
	return result, nil
}

// measureNotes explain which measures are missing or undefined.
func (t ratings) measureNotes(numbers [][]float64, numeric bool) []string {
	notes := []string{
		"n is the number of units with two values or more; the others are left out. A measure without value is undefined: there is no such unit, or all values are equal.",
	}
	if slices.ContainsFunc(t.units, func(unit []string) bool { return slices.Contains(unit, "") }) {
		notes = append(notes, "With missing values, Fleiss' kappa gives each unit the same weight, however many values it has (Gwet 2014).")
	}
	switch {
	case !numeric:
		notes = append(notes, "Some values are not numbers, so that there is no ordinal, interval or ratio measure.")
	case math.IsNaN(agreement.Alpha(numbers, agreement.Ratio)) && !math.IsNaN(agreement.Alpha(numbers, agreement.Interval)):
		notes = append(notes, "The ratio alpha is undefined for a number and its negative: it divides by the sum of two values.")
	}
	return notes
}

// categories are the distinct values, and pairable is the number of units with two values or more.
func (t ratings) categories() (list []string, pairable int) {
	for _, unit := range t.units {
		n := 0
		for _, v := range unit {
			if v != "" {
				n++
				list = append(list, v)
			}
		}
		if n > 1 {
			pairable++
		}
	}
	slices.Sort(list)
	return slices.Compact(list), pairable
}

func (t ratings) counts(categories []string) [][]int {
	table := make([][]int, len(t.units))
	for i, unit := range t.units {
		table[i] = make([]int, len(categories))
		for _, v := range unit {
			if at, ok := slices.BinarySearch(categories, v); ok {
				table[i][at]++
			}
		}
	}
	return table
}

// numbers are the values by rater, or the positions in categories if some are not numbers.
func (t ratings) numbers(categories []string) (list [][]float64, numeric bool) {
	value := make(map[string]float64)
	numeric = true
	for _, c := range categories {
		x, ok := parseNumber(c)
		numeric = numeric && ok
		value[c] = x
	}
	if !numeric {
		for i, c := range categories {
			value[c] = float64(i)
		}
	}
	value[""] = math.NaN()
	for r := range t.raters {
		var one []float64
		for _, unit := range t.units {
			one = append(one, value[unit[r]])
		}
		list = append(list, one)
	}
	return list, numeric
}

// both are the values of units that both raters have.
func (t ratings) both() (a, b []string) {
	for _, unit := range t.units {
		if unit[0] != "" && unit[1] != "" {
			a, b = append(a, unit[0]), append(b, unit[1])
		}
	}
	return a, b
}
