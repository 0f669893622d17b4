package report

import (
	"fmt"
	"maps"
	"slices"
)

// Measure is a measure of a companion benchmark.
type Measure struct {
	Name string `json:"measure"`
	// Mean is the mean over the N questions that have the measure, in percent; a question's value is the mean over its repeats.
	Mean float64 `json:"mean"`
	N    int     `json:"n"`
}

// measures are the measures of a run by name; none for AirQA's own questions.
func measures(questions []question) (list []Measure) {
	sums, n := make(map[string]float64), make(map[string]int)
	for _, q := range questions {
		values, repeats := make(map[string]float64), make(map[string]float64)
		for _, t := range q.tries {
			if t.score == nil || q.dropped {
				continue
			}
			for name, v := range t.score.Measures {
				values[name], repeats[name] = values[name]+v, repeats[name]+1
			}
		}
		for name := range values {
			sums[name], n[name] = sums[name]+100*values[name]/repeats[name], n[name]+1
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		list = append(list, Measure{Name: name, Mean: sums[name] / float64(n[name]), N: n[name]})
	}
	return list
}

// measureTable has the score and all measures of runs of companion benchmarks.
func measureTable(rows []Row, o Options) (*Table, error) {
	var names []string
	for _, r := range rows {
		for _, m := range r.Measures {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	t := byModel("Measures")
	columns := scoreColumns(rows, Columns()[len(Columns())-1:])
	for _, name := range names {
		columns = append(columns, column{Head{Name: name}, "", func(r Row) Value {
			for _, m := range r.Measures {
				if m.Name == name {
					return plain(fmt.Sprintf("%.2f (%d)", m.Mean, m.N))
				}
			}
			return plain("-")
		}})
	}
	t.addRuns(rows, columns)
	t.Notes = append([]string{
		"AVG is the mean of the benchmark's score over all questions. Each measure has its mean in percent, and the number of questions with it; " +
			"airqa bench baseline prints the tables of the benchmark's paper.",
	}, o.cellNotes(rows, func(r Row) []Cell { return []Cell{r.Cell(Average)} })...)
	return &t, nil
}
