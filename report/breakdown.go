package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"airqa/qa"
)

// functionTable has a line per evaluation function and run.
func functionTable(rows []Row, o Options) (*Table, error) {
	return o.tallyTable(rows, Table{Title: "By evaluation function", Label: "Function"}, func(r Row) []Part {
		list := make([]Part, len(r.Functions))
		for i, f := range r.Functions {
			list[i] = Part{cmp.Or(f.Name, "(no evaluator)"), f.Tally}
		}
		return list
	}), nil
}

// tallyTable has a line per group of questions and run.
func (o Options) tallyTable(rows []Row, t Table, groups func(Row) []Part) *Table {
	t.Section = "Run"
	t.Heads = []Head{
		{Name: "n"},
		{Name: "right"},
		{Name: "wrong"},
		{Name: "unparseable"},
		{Name: "format only"},
		{Name: "unscored"},
		{Name: "accuracy", Scored: true},
		{Name: "95 %", Repeats: true},
	}
	for i, r := range rows {
		for _, p := range groups(r) {
			t.Lines = append(t.Lines, Line{Label: p.Value, Section: r.name(), Row: &rows[i], Values: []Value{
				number(p.Accuracy.N), number(p.Right), number(p.Wrong), number(p.Unparseable), number(p.FormatOnly), number(p.Unscored),
				scored(p.Accuracy), plain(span(p.Accuracy)),
			}})
		}
	}
	cells := func(r Row) []Cell {
		var list []Cell
		for _, p := range groups(r) {
			list = append(list, p.Accuracy)
		}
		return list
	}
	t.Notes = append([]string{
		"n: questions in the accuracy (percent), without unscored ones. With repeats, right to unscored count answers.", formatNote,
	}, o.cellNotes(rows, cells)...)
	return &t
}

const formatNote = "Format only: wrong answers in fixed scoring that would be right without their wrapping, such as quotes or Markdown."

// name identifies a run in a table whose lines are not runs.
func (r Row) name() string { return r.Baseline + ", " + r.Model + r.Mark }

// outcomeTable has a column for each outcome that occurred.
func outcomeTable(rows []Row, _ Options) (*Table, error) {
	t := byModel("How episodes ended")
	var columns []column
	var counted, others Outcomes // those in any row, and always those of an answer
	for i, o := range allOutcomes() {
		n := 0
		for _, r := range rows {
			n += r.Outcomes.count(o.Name)
		}
		switch {
		case n == 0 && i > 2:
		case o.Counted:
			counted = append(counted, o)
		default:
			others = append(others, o)
		}
	}
	for _, o := range append(counted, others...) {
		head := Head{Name: strings.ReplaceAll(o.Name, "_", " "), Group: "in the accuracy"}
		if !o.Counted {
			head.Group = "not in it"
		}
		if o.Name == string(qa.ToolFailure) {
			head.Name = "agent error"
		}
		columns = append(columns, column{head, "", func(r Row) Value { return number(r.Outcomes.count(o.Name)) }})
	}
	t.addRuns(rows, columns)
	t.Notes = []string{"Right, wrong, unparseable and format only are answers. An episode that hit a limit has no answer and counts as " +
		"wrong; other failures do not count as zero and can be rerun or rescored.", formatNote}
	return &t, nil
}

// count returns the number of episodes with an outcome.
func (list Outcomes) count(name string) int {
	for _, o := range list {
		if o.Name == name {
			return o.Episodes
		}
	}
	return 0
}

// repeatTable is nil if no question was asked more than once.
func repeatTable(rows []Row, _ Options) (*Table, error) {
	most := 0
	for _, r := range rows {
		most = max(most, r.Repeats.K)
	}
	if most < 2 {
		return nil, nil
	}
	t := byModel("Repeats")
	columns := []column{
		{Head{Name: "k"}, "", func(r Row) Value { return number(r.Repeats.K) }},
		{Head{Name: "mean"}, "", func(r Row) Value { return optional(r.Repeats.Mean, 2) }},
		{Head{Name: "spread"}, "", func(r Row) Value { return optional(r.Repeats.Spread, 2) }},
	}
	var shown []int
	for k := 2; k <= most; k++ {
		if most <= 5 || k == most || k&(k-1) == 0 { // of more than five, powers of two and the last
			shown = append(shown, k)
		}
	}
	for _, k := range shown {
		columns = append(columns, column{Head{Name: fmt.Sprintf("pass@%d", k), Group: "at least one right"}, "", func(r Row) Value {
			return r.Repeats.pass(k, func(p Pass) float64 { return p.At })
		}})
	}
	for _, k := range shown {
		columns = append(columns, column{Head{Name: fmt.Sprintf("pass^%d", k), Group: "all right"}, "", func(r Row) Value {
			return r.Repeats.pass(k, func(p Pass) float64 { return p.Hat })
		}})
	}
	t.addRuns(rows, columns)
	t.Notes = []string{"In percent. Mean and spread (sample standard deviation) are over AVG of each repeat. pass@k: the chance that at " +
		"least one of k tries is right; pass^k: that all are; unbiased estimates over the questions with k scored tries or more."}
	return &t, nil
}

func (r Repeats) pass(k int, chance func(Pass) float64) Value {
	for _, p := range r.Passes {
		if p.K == k && p.N > 0 {
			return plain(decimals(chance(p), 2))
		}
	}
	return plain("-")
}

// judgeTable is nil if no run was scored by a panel.
func judgeTable(rows []Row, _ Options) (*Table, error) {
	t := Table{Title: "Agreement of judges", Label: "Judges", Section: "Run", Heads: []Head{
		{Name: "items"}, {Name: "equal (%)"}, {Name: "kappa"}, {Name: "right"}, {Name: "failed"},
	}}
	for i, r := range rows {
		if r.Panel == nil {
			continue
		}
		add := func(label string, values ...Value) {
			t.Lines = append(t.Lines, Line{Label: label, Section: r.name(), Row: &rows[i], Values: values})
		}
		none := plain("-")
		for j, judge := range r.Panel.Judges {
			add(judge, number(r.Panel.Items), none, none, number(r.Panel.Right[j]), number(r.Panel.Failed[j]))
		}
		for _, p := range r.Panel.Pairs {
			add(p.A+" and "+p.B, number(p.Items), optional(p.Agreement, 2), optional(p.Kappa, 3), none, none)
		}
		add("all: "+strings.Join(r.Panel.Judges, ", "), number(r.Panel.Items), none, optional(r.Panel.Kappa, 3), none, none)
	}
	if t.Lines == nil {
		return nil, nil
	}
	t.Notes = []string{"Kappa: Fleiss for all judges, Cohen for pairs; 1 is full agreement, 0 agreement by chance, a dash means that " +
		"all verdicts are the same. Right and failed count the verdicts of a judge and its failures to give one."}
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Panel != nil && slices.Max(r.Panel.Failed) > 0 }) {
		t.Notes = append(t.Notes, "With failed judges, Fleiss' kappa gives each item the same weight, however many verdicts it has (Gwet 2014).")
	}
	return &t, nil
}
