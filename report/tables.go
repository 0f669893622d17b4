package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

type named struct {
	name string
	// build makes a table of rows. It returns nil if there is nothing to show.
	build func(rows []Row, o Options) (*Table, error)
}

// tables are in the order in which [AllTables] prints them.
func tables() []named {
	scores := func(number string, t Table) named {
		return named{number, func(rows []Row, o Options) (*Table, error) { return scoreTable(rows, o, number, t) }}
	}
	return []named{
		scores("4", byModel("Baselines")),
		scores("5", byBaseline("Models")),
		scores("6", byBaseline("Base and fine-tuned models")),
		{"7", table7},
		scores(viewName, byModel("Agentic Hybrid with and without View")),
		scores("11", byBaseline("Models trained on annotated or synthesized examples")),
		scores("12", byModel("Models and people")),
		{"13", table13},
		{measureName, measureTable},
		{"outcomes", outcomeTable},
		{"repeats", repeatTable},
		{"judges", judgeTable},
		{"functions", functionTable},
		{byName, func(rows []Row, o Options) (*Table, error) {
			if o.By == "" {
				return nil, nil
			}
			return o.tallyTable(rows, Table{Title: "By " + o.By, Label: o.By}, func(r Row) []Part { return r.By }), nil
		}},
		{"leaderboard", leaderboard},
		{trainingName, trainingTable},
		{answerName, answerTable},
	}
}

// Tables that need certain runs, or more than runs.
const (
	viewName     = "10"
	byName       = "by"
	trainingName = "training-size"
	answerName   = "answers"
	measureName  = "measures"
)

// AllTables selects every non-empty table.
const AllTables = "all"

// Tables are the names of the tables, [AllTables] last.
func Tables() []string {
	var names []string
	for _, t := range tables() {
		names = append(names, t.name)
	}
	return append(names, AllTables)
}

// table returns the name of the selected table.
func (o Options) table(rows []Row) string {
	switch {
	case o.Table != "":
		return o.Table
	case o.By != "":
		return byName
	case len(o.TrainingSizes) > 0:
		return trainingName
	case len(rows) > 0 && !o.WithPaper && !slices.ContainsFunc(rows, func(r Row) bool { return len(r.Measures) == 0 }):
		return measureName
	}
	return "4"
}

// Build makes the table with the given name in [Tables], or all of them.
func Build(rows []Row, o Options) ([]Table, error) {
	name, rows := o.table(rows), Marked(rows)
	var list []Table
	known := name == AllTables
	for _, t := range tables() {
		if name != t.name && (name != AllTables || t.redundant(rows, o)) {
			continue
		}
		known = true
		built, err := t.build(rows, o)
		if err != nil {
			return nil, err
		}
		if built != nil {
			built.Name = t.name
			built.group()
			list = append(list, *built)
		}
	}
	switch {
	case !known:
		return nil, fmt.Errorf("unknown table %q; the tables are %s", name, strings.Join(Tables(), ", "))
	case len(list) == 0:
		return nil, fmt.Errorf("nothing to show in the table %q: %s", name, cmp.Or(emptyReasons[name], "no runs"))
	}
	return list, nil
}

// emptyReasons explain why a table with runs is empty.
var emptyReasons = map[string]string{
	"repeats":    "each question was asked once",
	viewName:     "no run is of agentic-hybrid or agentic-hybrid-view",
	byName:       "choose a field or a tag with --by",
	measureName:  "no run is of a companion benchmark",
	"judges":     "each score is from a single judge",
	trainingName: "name the models with --training-size",
}

// redundant reports whether a table adds nothing to all others: Table 5 of one model repeats Table 4, and so do the paper's
// other tables of scores without its rows.
func (t named) redundant(rows []Row, o Options) bool {
	switch t.name {
	case "5":
		return !o.WithPaper && !slices.ContainsFunc(rows, func(r Row) bool { return r.Model != rows[0].Model })
	case "6", viewName, "11", "12":
		return !o.WithPaper
	case "leaderboard":
		return len(rows) < 2
	}
	return t.name == answerName
}

// Marked distinguishes runs of the same baseline and model by their directories.
func Marked(rows []Row) []Row {
	count := make(map[string]int)
	for _, r := range rows {
		count[r.name()]++
	}
	list := slices.Clone(rows)
	for i, r := range list {
		if count[r.name()] > 1 {
			list[i].Mark = " (" + filepath.Base(r.Dir) + ")"
		}
	}
	return list
}

// scoreTable has the columns of a table of scores in the paper. Table 10 has the paper's baselines only.
func scoreTable(rows []Row, o Options, number string, t Table) (*Table, error) {
	p, err := Paper(number)
	if err != nil {
		return nil, err
	}
	if number == viewName {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
			return !slices.ContainsFunc(p.Rows, func(line PaperRow) bool { return line.Baseline == r.Baseline })
		})
		if len(rows) == 0 {
			return nil, nil
		}
	}
	columns := scoreColumns(rows, slices.DeleteFunc(Columns(), func(c Column) bool { return !slices.Contains(p.Columns, c.Name) }))
	t.addRuns(rows, columns)
	cells := func(r Row) []Cell {
		return slices.DeleteFunc(slices.Clone(r.Cells), func(c Cell) bool { return !slices.Contains(p.Columns, c.Column) })
	}
	questions := func(r Row) string {
		var n []string
		for _, c := range cells(r) {
			n = append(n, c.Column+" "+strconv.Itoa(c.N))
		}
		return strings.Join(n, ", ")
	}
	t.Notes = append(perRun(rows, questions, "Scores in percent. Questions per column: %s."), o.cellNotes(rows, cells)...)
	return &t, t.addPaper(o, number, columns)
}

// scoreColumns are the scores of groups of questions, and the interval of AVG if there is one.
func scoreColumns(rows []Row, groups []Column) (columns []column) {
	for _, c := range groups {
		columns = append(columns, column{Head{Name: c.Name, Group: c.Group, Scored: true}, c.Name, func(r Row) Value {
			return scored(r.Cell(c.Name))
		}})
	}
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Cell(Average).Interval != nil }) {
		columns = append(columns, column{Head{Name: "95 %", Repeats: true}, "", func(r Row) Value { return plain(span(r.Cell(Average))) }})
	}
	return columns
}

// column is a column of a table that has a line for each run.
type column struct {
	Head
	// paper names the column in the paper's table; empty if it has none.
	paper string
	value func(Row) Value
}

// addRuns adds columns, and a line for each run.
func (t *Table) addRuns(rows []Row, columns []column) {
	for _, c := range columns {
		t.Heads = append(t.Heads, c.Head)
	}
	for i, r := range rows {
		l := t.line(r.Model, r.Baseline)
		l.Row = &rows[i]
		l.Label += r.Mark
		for _, c := range columns {
			l.Values = append(l.Values, c.value(r))
		}
		t.Lines = append(t.Lines, l)
	}
}

// Heads of the two names of a run.
const (
	baselineHead = "Baseline"
	modelHead    = "Model"
)

// byModel is a table whose lines are grouped by model.
func byModel(title string) Table {
	return Table{Title: title, Label: baselineHead, Section: modelHead}
}

// byBaseline is a table whose lines are grouped by baseline.
func byBaseline(title string) Table {
	return Table{Title: title, Label: modelHead, Section: baselineHead}
}

// line is a line without values, with its names in the order of the table.
func (t Table) line(model, baseline string) Line {
	if t.Label == modelHead {
		return Line{Label: model, Section: baseline}
	}
	return Line{Label: baseline, Section: model}
}

// table7 counts failed actions by kind.
func table7(rows []Row, o Options) (*Table, error) {
	t := byModel("Error actions")
	columns := []column{
		{Head{Name: "Score (%)", Scored: true}, "Overall", func(r Row) Value { return scored(r.Cell(Average)) }},
		{Head{Name: "all (%)", Group: "Error rate"}, "Error rate", func(r Row) Value { return optional(r.Actions.Rate(r.Actions.Errors), 2) }},
		{Head{Name: "unreadable (%)", Group: "Error rate"}, "", func(r Row) Value {
			return optional(r.Actions.Rate(r.Actions.Unreadable), 2)
		}},
		{Head{Name: "tool errors (%)", Group: "Error rate"}, "", func(r Row) Value { return optional(r.Actions.Rate(r.Actions.ToolErrors), 2) }},
		{Head{Name: "actions"}, "", func(r Row) Value { return number(r.Actions.Actions) }},
	}
	for _, kind := range errorKinds {
		columns = append(columns, column{Head{Name: strings.ReplaceAll(kind, "_", " "), Group: "Errors by kind"}, "", func(r Row) Value {
			return number(r.Actions.Kinds[kind])
		}})
	}
	t.addRuns(rows, columns)
	t.Notes = []string{
		"Rates are over the actions of the model; a baseline that calls no tools has no actions. Unreadable: a reply in which no action can be " +
			"read. Tool error: an action that the tool could not do as asked, such as SQL that fails.",
		"The paper's error rate compares with \"all\": an error action is one whose observation is an error. The class ErrorAction of the " +
			"authors' code has only replies that it cannot parse.",
	}
	return &t, t.addPaper(o, "7", columns)
}

// table13 shows the effort per example.
func table13(rows []Row, o Options) (*Table, error) {
	t := byModel("Time and cost per example")
	columns := []column{
		{Head{Name: "Turns"}, "Turns", mean(2, func(e Effort) float64 { return e.Turns })},
		{Head{Name: "prompt tokens"}, "Prompt", mean(0, func(e Effort) float64 { return e.Prompt })},
		{Head{Name: "completion tokens"}, "Completion", mean(0, func(e Effort) float64 { return e.Completion })},
		{Head{Name: "time (s)"}, "Time", mean(1, func(e Effort) float64 { return e.Working + e.Waiting })},
		{Head{Name: "working (s)"}, "", mean(1, func(e Effort) float64 { return e.Working })},
		{Head{Name: "waiting (s)"}, "", mean(1, func(e Effort) float64 { return e.Waiting })},
		{Head{Name: "Cost ($)"}, "Cost", func(r Row) Value { return optional(r.Effort.Cost, 4) }},
		{Head{Name: "Episodes"}, "", func(r Row) Value { return number(r.Effort.Episodes) }},
	}
	t.addRuns(rows, columns)
	t.Notes = []string{"Means over finished episodes. Tokens are accumulated over the calls of an episode. Time is the sum of working " +
		"(requests and actions) and waiting (rate limits, and pauses before retries); the paper has one column. Cost includes requests " +
		"without a reply, at their forecast; a dash: the price is unknown."}
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Effort.Estimated }) {
		t.Notes = append(t.Notes, "Some tokens were estimated by airqa, since the endpoint reported none.")
	}
	return &t, t.addPaper(o, "13", columns)
}

// mean is a mean over the finished episodes of a run, with n decimals; a dash if there are none.
func mean(n int, effort func(Effort) float64) func(Row) Value {
	return func(r Row) Value {
		if r.Effort.Episodes == 0 {
			return plain("-")
		}
		return plain(decimals(effort(r.Effort), n))
	}
}

// leaderboard lists the runs by score, the best first.
func leaderboard(rows []Row, o Options) (*Table, error) {
	t := byModel("Leaderboard")
	t.Flat = true
	average := func(text func(Value) string) func(Row) Value {
		return func(r Row) Value { return plain(orDash(text(scored(r.Cell(Average))))) }
	}
	columns := []column{
		{Head{Name: "rank"}, "", func(Row) Value { return plain("-") }},
		{Head{Name: "AVG", Scored: true}, Average, func(r Row) Value { return scored(r.Cell(Average)) }},
		{Head{Name: "SE", Repeats: true}, "", average(Value.Error)},
		{Head{Name: "SE by paper", Repeats: true}, "", average(Value.ClusteredError)},
		{Head{Name: "95 %", Repeats: true}, "", average(Value.Span)},
		{Head{Name: "n", Repeats: true}, "", average(Value.Count)},
		{Head{Name: "turns"}, "", mean(2, func(e Effort) float64 { return e.Turns })},
		{Head{Name: "tokens"}, "", mean(0, func(e Effort) float64 { return e.Prompt + e.Completion })},
		{Head{Name: "cost ($)"}, "", func(r Row) Value { return optional(r.Effort.Cost, 4) }},
	}
	t.addRuns(rows, columns)
	cells := func(r Row) []Cell { return []Cell{r.Cell(Average)} }
	t.Notes = append([]string{"Sorted by AVG in percent; equal scores share a rank. SE: standard error, by paper: clustered. " +
		"Turns, tokens and cost are means per example."}, o.cellNotes(rows, cells)...)
	if err := t.addPaper(o, "4", columns); err != nil {
		return nil, err
	}
	t.rank()
	return &t, nil
}

// rank sorts the lines by the score in the second column and writes the ranks to the first.
func (t *Table) rank() {
	score := func(l Line) float64 {
		v, err := strconv.ParseFloat(l.Values[1].Text, 64)
		if err != nil {
			return -1
		}
		return v
	}
	slices.SortStableFunc(t.Lines, func(a, b Line) int { return cmp.Compare(score(b), score(a)) })
	place, last := 0, -1.0
	ranked := 0
	for i, l := range t.Lines {
		if l.Paper || score(l) < 0 {
			continue
		}
		ranked++
		if score(l) != last {
			place, last = ranked, score(l)
		}
		t.Lines[i].Values[0] = number(place)
	}
}
