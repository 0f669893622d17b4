package companion

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/eval/agreement"
	"airqa/internal/stats"
)

// ratings are the values of raters: rows are units, columns raters; "" is a missing value.
type ratings struct {
	raters []string
	units  [][]string
}

// Agree measures the agreement of raters, and compares one of them, a model, to the others.
func Agree(r AgreeRequest) (*Result, error) {
	t, faults, err := r.read()
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
	result := newResult("", "Agreement of "+filepath.Base(r.File), Request{Dataset: r.File}, faults)
	result.Tables, result.Notes = []Table{table}, []string{
		"n is the number of units with two values or more; the others are left out. A measure without value is undefined: there is no such unit, or all values are equal.",
	}
	if len(t.raters) > 2 {
		result.Tables = append(result.Tables, t.pairs(numbers, numeric))
	}
	result.Tables = append(result.Tables, t.labels(categories))
	if !numeric {
		result.Notes = append(result.Notes, "Some values are not numbers, so that there is no ordinal, interval or ratio measure.")
	}
	if r.Model != "" {
		parity, notes, err := t.parity(numbers, numeric, r)
		if err != nil {
			return nil, err
		}
		result.Tables, result.Notes = append(result.Tables, parity), append(result.Notes, notes...)
	}
	return result, nil
}

func readRatings(path string) (ratings, error) {
	f, err := os.Open(path)
	if err != nil {
		return ratings{}, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return ratings{}, err
	}
	if len(rows) < 2 {
		return ratings{}, fmt.Errorf("it has no units; the first line names the raters, each further one is a unit: %w", io.ErrUnexpectedEOF)
	}
	skip := 0
	if slices.Contains([]string{"id", "unit"}, strings.ToLower(rows[0][0])) {
		skip = 1
	}
	t := ratings{raters: rows[0][skip:]}
	for _, row := range rows[1:] {
		unit := make([]string, len(t.raters))
		for i, cell := range row[skip:] {
			if cell = strings.TrimSpace(cell); cell != "." {
				unit[i] = cell
			}
		}
		t.units = append(t.units, unit)
	}
	if len(t.raters) < 2 {
		return t, fmt.Errorf("it has %d raters; agreement needs two", len(t.raters))
	}
	return t, nil
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
		x, err := strconv.ParseFloat(c, 64)
		numeric = numeric && err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
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
