package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// builder makes a table of rows. It returns nil if there is nothing to show.
type builder func(rows []Row, o Options) (*Table, error)

type named struct {
	name  string
	build builder
}

// tables are in the order in which [AllTables] prints them.
func tables() []named {
	return []named{
		{"4", func(rows []Row, o Options) (*Table, error) { return scoreTable(rows, o, "4", byModel("Baselines")) }},
		{"5", func(rows []Row, o Options) (*Table, error) {
			return scoreTable(rows, o, "5", Table{Title: "Models", Label: modelHead, Section: baselineHead})
		}},
		{"7", table7},
		{"13", table13},
		{"outcomes", outcomeTable},
		{"repeats", repeatTable},
		{"judges", judgeTable},
		{"functions", functionTable},
		{byName, byTable},
		{"leaderboard", leaderboard},
		{answerName, answerTable},
	}
}

// Tables that need more than runs.
const (
	byName     = "by"
	answerName = "answers"
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

// Build makes the table with the given name in [Tables], or all of them.
func Build(rows []Row, o Options) ([]Table, error) {
	name := o.Table
	switch {
	case name == "" && o.By != "":
		name = byName
	case name == "":
		name = "4"
	}
	rows = Marked(rows)
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
	"repeats": "each question was asked once",
	byName:    "choose a field or a tag with --by",
	"judges":  "the scores are those of single judges",
}

// redundant reports whether a table adds nothing to all others: Table 5 of one model repeats Table 4.
func (t named) redundant(rows []Row, o Options) bool {
	switch t.name {
	case "5":
		return !o.WithPaper && !slices.ContainsFunc(rows, func(r Row) bool { return r.Model != rows[0].Model })
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

// scoreTable has the columns of the paper's Tables 4 and 5.
func scoreTable(rows []Row, o Options, number string, t Table) (*Table, error) {
	var order []string
	for _, c := range Columns() {
		t.Heads = append(t.Heads, Head{Name: c.Name, Group: c.Group, Scored: true})
		order = append(order, c.Name)
	}
	withInterval := slices.ContainsFunc(rows, func(r Row) bool { return r.Cell(Average).Interval != nil })
	if withInterval {
		t.Heads = append(t.Heads, Head{Name: "95 %", Repeats: true})
		order = append(order, "")
	}
	for i, r := range rows {
		l := t.of(&rows[i])
		for _, c := range r.Cells {
			l.Values = append(l.Values, scored(c))
		}
		if withInterval {
			l.Values = append(l.Values, plain(span(r.Cell(Average))))
		}
		t.Lines = append(t.Lines, l)
	}
	cells := func(r Row) []Cell { return r.Cells }
	t.Notes = append(perRun(rows, questionsNote, "Scores in percent. Questions per column: %s."), o.cellNotes(rows, cells)...)
	if o.WithPaper {
		return &t, t.addPaper(number, order)
	}
	return &t, nil
}

// Heads of the two names of a run.
const (
	baselineHead = "Baseline"
	modelHead    = "Model"
)

// byModel is a table whose lines are grouped by model.
func byModel(title string, heads ...Head) Table {
	return Table{Title: title, Label: baselineHead, Section: modelHead, Heads: heads}
}

// line is a line without values, with its names in the order of the table.
func (t Table) line(model, baseline string) Line {
	if t.Label == modelHead {
		return Line{Label: model, Section: baseline}
	}
	return Line{Label: baseline, Section: model}
}

// of is the line of a run, without values.
func (t Table) of(r *Row) Line {
	l := t.line(r.Model, r.Baseline)
	l.Row = r
	l.Label += r.Mark
	return l
}

// table7 counts failed actions by kind.
func table7(rows []Row, o Options) (*Table, error) {
	t := byModel("Error actions",
		Head{Name: "Overall (%)", Scored: true}, Head{Name: "unreadable (%)", Group: "Error rate"}, Head{Name: "tool errors (%)", Group: "Error rate"},
		Head{Name: "actions"})
	order := []string{"Overall", "Error rate", "", ""}
	for _, kind := range errorKinds() {
		t.Heads = append(t.Heads, Head{Name: strings.ReplaceAll(kind, "_", " "), Group: "Errors by kind"})
		order = append(order, "")
	}
	for i, r := range rows {
		l, a := t.of(&rows[i]), r.Actions
		l.Values = []Value{scored(r.Cell(Average)), maybe(a.Rate(a.Unreadable), 2), maybe(a.Rate(a.ToolErrors), 2), number(a.Actions)}
		for _, kind := range errorKinds() {
			l.Values = append(l.Values, number(a.Kinds[kind]))
		}
		t.Lines = append(t.Lines, l)
	}
	t.Notes = []string{
		"Rates are over the actions of the model; a baseline that calls no tools has no actions. Unreadable: a reply in which no action can be read. " +
			"Tool error: an action that the tool could not do as asked, such as SQL that fails.",
		"The paper's error rate compares with \"unreadable\": the authors' code counts as error actions only replies that it cannot parse.",
	}
	if o.WithPaper {
		return &t, t.addPaper("7", order)
	}
	return &t, nil
}

// table13 shows the effort per example.
func table13(rows []Row, o Options) (*Table, error) {
	t := byModel("Time and cost per example",
		Head{Name: "Turns"}, Head{Name: "prompt tokens"}, Head{Name: "completion tokens"},
		Head{Name: "time (s)"}, Head{Name: "working (s)"}, Head{Name: "waiting (s)"}, Head{Name: "Cost ($)"}, Head{Name: "Episodes"})
	estimated := false
	for i, r := range rows {
		l, f := t.of(&rows[i]), r.Effort
		estimated = estimated || f.Estimated
		l.Values = []Value{
			plain(decimals(f.Turns, 2)), plain(decimals(f.Prompt, 0)), plain(decimals(f.Completion, 0)),
			plain(decimals(f.Working+f.Waiting, 1)), plain(decimals(f.Working, 1)), plain(decimals(f.Waiting, 1)),
			maybe(f.Cost, 4), number(f.Episodes),
		}
		if f.Episodes == 0 {
			for n := range l.Values[:7] {
				l.Values[n] = plain("-")
			}
		}
		t.Lines = append(t.Lines, l)
	}
	t.Notes = []string{"Means over finished episodes. Tokens are accumulated over the calls of an episode. Time is the sum of working (requests and actions) and waiting (rate limits, and pauses before retries); the paper has one column. Cost includes requests without a reply, at their forecast; a dash: the price is unknown."}
	if estimated {
		t.Notes = append(t.Notes, "Some tokens were counted by airqa, since the endpoint reported none.")
	}
	if o.WithPaper {
		return &t, t.addPaper("13", []string{"Turns", "Prompt", "Completion", "Time", "", "", "Cost", ""})
	}
	return &t, nil
}
