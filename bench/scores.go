package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"airqa/eval"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/runlog"
)

// wrongBelow is the score below which an answer is wrong, as in the error analysis of QASPER (section 5.2).
const wrongBelow = 0.10

// Scorers are the evaluation functions of benchmarks. The arguments of an evaluator are a [Gold].
func Scorers(list []Benchmark) eval.Others {
	others := make(eval.Others)
	for _, b := range list {
		others[eval.Companion(b.Name)] = func(arguments json.RawMessage, m eval.Mode) (func(qa.Answer) qa.Score, error) {
			var it Item
			err := json.Unmarshal(arguments, &it.Gold)
			it.Pool = it.Gold.Pool
			return func(a qa.Answer) qa.Score { return b.score(it, a, m == eval.Fixed) }, err
		}
	}
	return others
}

// score scores an answer to an item. A measure that the rules do not define is left out.
func (b Benchmark) score(it Item, a qa.Answer, fixed bool) qa.Score {
	s := qa.Score{UUID: it.UUID, Verdict: qa.Wrong, Func: eval.Companion(b.Name)}
	s.Measures, s.Match = b.Score(it, a, fixed)
	s.Measures = defined(s.Measures)
	value, ok := s.Measures[b.Headline]
	switch {
	case !ok:
		s.Verdict, s.Reason = qa.Unscored, b.Headline+eval.Undefined
	case value >= wrongBelow:
		s.Verdict = qa.Right
	}
	s.Value = value
	return s
}

// defined are the measures with a value.
func defined(measures map[string]float64) map[string]float64 {
	maps.DeleteFunc(measures, func(_ string, v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	return measures
}

// System is a row of tables: the answers of a run or of a method, each with its score.
type System struct {
	Name string
	// Items have a score each. Answers are empty for a method that has only an expectation.
	Items   []Item
	Scores  []qa.Score
	Answers []qa.Answer
	// Chosen means that the run or the method was named.
	Chosen bool
}

// Scored is a system that gives these answers to the items.
func (b Benchmark) Scored(name string, items []Item, answers []qa.Answer, fixed bool) System {
	s := System{Name: name, Items: items, Answers: answers}
	for i, it := range items {
		s.Scores = append(s.Scores, b.score(it, answers[i], fixed))
	}
	return s
}

// Expected is a system without answers, which has these measures of each item; NaN is none.
func Expected(name string, items []Item, measures func(Item) map[string]float64) System {
	s := System{Name: name, Items: items}
	for _, it := range items {
		s.Scores = append(s.Scores, qa.Score{UUID: it.UUID, Measures: defined(measures(it))})
	}
	return s
}

// Mean is the mean of a measure over the items that keep reports, or all; documents are the clusters. Items without the
// measure do not count.
func (s System) Mean(measure string, keep func(Item, qa.Score) bool) (m Mean) {
	for i, it := range s.Items {
		if v, ok := s.Scores[i].Measures[measure]; ok && (keep == nil || keep(it, s.Scores[i])) {
			m.AddFrom(it.Document, v)
		}
	}
	return m
}

// Has reports whether the system has a measure of any item.
func (s System) Has(measure string) bool { return s.Mean(measure, nil).N() > 0 }

// system reads the scores of a run. Of several repeats, the first counts. Items that the run does not have count as
// without an answer.
func (b Benchmark) system(data *Dataset, name, dir string, r Request) (System, []string, error) {
	s := System{Name: name, Items: data.Items, Answers: make([]qa.Answer, len(data.Items)), Chosen: true}
	mode := map[bool]eval.Mode{false: eval.Reference, true: eval.Fixed}[r.Fixed]
	_, scores, err := runlog.FindScores(dir, runlog.Choice{Scoring: string(mode)})
	if err != nil {
		return s, nil, err
	}
	at := make(map[string]int, len(data.Items))
	for i, it := range data.Items {
		at[it.UUID] = i
		s.Scores = append(s.Scores, b.score(it, qa.Answer{}, r.Fixed))
	}
	for _, score := range scores {
		i, known := at[score.UUID]
		if !known {
			return s, nil, fmt.Errorf("%s: question %s is none of %s; name the dataset and the setting of the run", dir, score.UUID, r.Dataset)
		}
		if score.Repeat == 0 {
			s.Scores[i] = score
		}
	}
	run, err := runlog.Open(dir)
	if err != nil {
		return s, nil, err
	}
	for rec, err := range run.Episodes() {
		if err != nil {
			return s, nil, fmt.Errorf("%s: %w", dir, err)
		}
		if i, known := at[rec.UUID]; known && rec.Repeat == 0 {
			s.Answers[i] = rec.Answer
		}
	}
	return s, s.notes(), nil
}

// rowName is the name of a run's row, which no method and no earlier run has.
func (b Benchmark) rowName(dir string, systems []System) string {
	name := filepath.Base(dir)
	switch {
	case slices.ContainsFunc(b.Methods, func(m Method) bool { return m.Name == name }):
		return "run " + name
	case slices.ContainsFunc(systems, func(s System) bool { return s.Name == name }):
		return dir
	}
	return name
}

// Failed counts the items without a measure: their episodes failed.
func (s System) Failed() (n int) {
	for _, score := range s.Scores {
		if len(score.Measures) == 0 {
			n++
		}
	}
	return n
}

// notes count what has no score of its own.
func (s System) notes() (notes Notes) {
	missing := 0
	for i, a := range s.Answers {
		if !a.Given && len(s.Scores[i].Measures) > 0 {
			missing++
		}
	}
	notes.Count(missing, fmt.Sprintf("%s: items of %d without an answer, which score 0", s.Name, len(s.Items)))
	notes.Count(s.Failed(), s.Name+": items that failed, which are left out")
	return notes
}

// Compare makes the tables of runs and methods.
func (b Benchmark) Compare(ctx context.Context, r Request) (*Result, error) {
	if b.Method == nil {
		return nil, qa.Usagef("%s does not have this command", b.Name)
	}
	data, err := b.Load(r.Dataset, r.Choice)
	if err != nil {
		return nil, err
	}
	result := NewResult(data.Name, data.Title+": scores", r.Dataset, data.Faults)
	result.Note(r.Notes...)
	var systems []System
	for _, dir := range r.Runs {
		s, notes, err := b.system(data, b.rowName(dir, systems), dir, r)
		if err != nil {
			return nil, err
		}
		result.Note(notes...)
		systems = append(systems, s)
	}
	for _, name := range b.chosen(r) {
		list, err := b.Method(ctx, data, name, r)
		if err != nil {
			return nil, err
		}
		list[0].Chosen = r.Method != ""
		systems = append(systems, list...)
	}
	if b.Measure != nil {
		if err := b.Measure(ctx, systems, r); err != nil {
			return nil, err
		}
	}
	if err := b.export(data, systems, r.Export); err != nil {
		return nil, err
	}
	tables, notes := b.Tables(data, systems, r)
	for _, t := range tables {
		if len(t.Measures) > 0 {
			result.Tables = append(result.Tables, t)
		}
	}
	result.Note(notes...)
	return result, nil
}

// chosen are the names of the methods to compare: the one of the request, or those beside a run, or all that are not slow.
func (b Benchmark) chosen(r Request) (names []string) {
	if r.Method != "" {
		return []string{r.Method}
	}
	for _, m := range b.Methods {
		if len(r.Runs) == 0 && (!m.Slow || r.Model != "") || m.Beside {
			names = append(names, m.Name)
		}
	}
	return names
}

// export writes the answers of the only system that was named.
func (b Benchmark) export(data *Dataset, systems []System, path string) error {
	if path == "" {
		return nil
	}
	systems = slices.DeleteFunc(slices.Clone(systems), func(s System) bool { return !s.Chosen })
	if len(systems) != 1 || len(systems[0].Answers) == 0 {
		return qa.Usagef("--export needs one --run, or one --method that gives answers; %s", terminal.Plural(len(systems), "row")+" were named")
	}
	return b.Predictions.Write(path, data, systems[0])
}
