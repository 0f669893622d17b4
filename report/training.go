package report

import (
	"cmp"
	"slices"
	"strings"
)

// Trained returns the runs of models in [Options.TrainingSizes], by their number of trajectories. Runs of one baseline and
// model with the same scoring are one row: their answers to a question count like repeats in one run. A row has the
// numbers of questions and answers, Effort.Episodes, and the Cells of the paper's Figure 4. Rows must have been collected
// with these options.
func Trained(rows []Row, o Options) []Row {
	var list []Row
	for _, r := range rows {
		if _, ok := o.TrainingSizes[r.Model]; !ok {
			continue
		}
		i := slices.IndexFunc(list, func(p Row) bool { return p.System == r.System })
		if i < 0 {
			i = len(list)
			list = append(list, Row{System: r.System})
		}
		list[i].Dir = strings.TrimPrefix(list[i].Dir+", "+r.Dir, ", ")
		list[i].Effort.Episodes += r.Effort.Episodes
		for _, q := range r.questions {
			at := slices.IndexFunc(list[i].questions, func(p question) bool { return p.UUID == q.UUID })
			if at < 0 {
				list[i].questions = append(list[i].questions, q)
				continue
			}
			p := &list[i].questions[at]
			p.tries = slices.Concat(p.tries, q.tries)
			p.dropped = o.drops(p.tries)
		}
	}
	for i, r := range list {
		list[i].Questions = len(r.questions)
		list[i].count(r.questions, trainingColumns(), o)
		for _, q := range r.questions {
			list[i].Repeats.K = max(list[i].Repeats.K, len(q.tries))
		}
	}
	slices.SortStableFunc(list, func(a, b Row) int { return cmp.Compare(o.TrainingSizes[a.Model], o.TrainingSizes[b.Model]) })
	return list
}

// trainingColumns returns the columns of the paper's Figure 4: the question types and AVG.
func trainingColumns() []Column {
	return slices.DeleteFunc(Columns(), func(c Column) bool { return c.Group != "Question Type" && c.Name != Average })
}

// trainingTable shows scores by amount of training data.
func trainingTable(rows []Row, o Options) (*Table, error) {
	rows = Trained(rows, o)
	if len(rows) == 0 {
		return nil, nil
	}
	t := Table{Title: "Scores by amount of training data", Label: modelHead, Section: baselineHead}
	t.addRuns(rows, append([]column{
		{Head{Name: "trajectories"}, "", func(r Row) Value { return number(o.TrainingSizes[r.Model]) }},
		{Head{Name: "episodes"}, "", func(r Row) Value { return number(r.Effort.Episodes) }},
	}, scoreColumns(rows, trainingColumns())...))
	t.Notes = append([]string{"Trajectories: those that the model was trained on, 0 before training. Runs of one model and baseline are pooled: " +
		"their answers to a question count like repeats."}, o.cellNotes(rows, func(r Row) []Cell { return r.Cells })...)
	return &t, nil
}
