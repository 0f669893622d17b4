package render_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/terminal"
	"airqa/internal/testkit/golden"
	"airqa/internal/testkit/reporttest"
	"airqa/qa"
	"airqa/report"
	"airqa/report/render"
	"airqa/runlog"
)

// rows are two runs of one model with repeats and a panel, and one of another model with other rules.
func rows(t *testing.T, o report.Options) []report.Row {
	t.Helper()
	examples := reporttest.Single("a", "b", "c")
	examples[1].Tags = []string{"multiple", "table", "subjective"}
	examples[1].Evaluator.Func = "eval_reference_answer_with_llm"
	judged := reporttest.Score("b", 0, qa.Right)
	judged.Votes = []qa.Vote{{Judge: "A", Right: true}, {Judge: "B", Right: true}}
	other := reporttest.Score("b", 1, qa.Wrong)
	other.Votes = []qa.Vote{{Judge: "A", Right: true}, {Judge: "B"}}
	repeated := []qa.Score{
		reporttest.Score("a", 0, qa.Right), judged, reporttest.Score("c", 0, qa.Wrong), reporttest.Score("a", 1, qa.Right), other, reporttest.Score("c", 1, qa.Unparseable),
	}
	var episodes []reporttest.Episode
	for i, uuid := range []string{"a", "b", "c"} {
		for repeat := range 2 {
			episodes = append(episodes, reporttest.Answer(uuid, repeat, i+1+repeat))
		}
	}
	once := []qa.Score{reporttest.Score("a", 0, qa.Right), reporttest.Score("b", 0, qa.Unscored), reporttest.Score("c", 0, qa.Right)}
	panel, alone := runlog.Scoring{Mode: "reference", Judge: "A,B"}, runlog.Scoring{Mode: "fixed", Judge: "offline"}
	price := &qa.Price{Prompt: 2.5, Cached: 1.25, Completion: 10}
	return []report.Row{
		reporttest.Collect(t, reporttest.World{Baseline: "rag", Model: "gpt", Scoring: panel, Price: price, Episodes: episodes, Scores: repeated}, examples, o),
		reporttest.Collect(t, reporttest.World{Baseline: "agentic-hybrid", Model: "gpt", Scoring: panel, Price: price, Episodes: episodes, Scores: repeated}, examples, o),
		reporttest.Collect(t, reporttest.World{Baseline: "agentic-hybrid", Model: "100%_$hostile</script>[x]{y}#&^~\\|*", Scoring: alone, Episodes: []reporttest.Episode{
			{UUID: "a", Outcome: qa.Answered, Steps: []qa.Step{reporttest.Call(1, qa.ErrSyntax, qa.StatusParse), reporttest.Call(2, "", "")}},
		}, Scores: once}, examples, o),
	}
}

func write(t *testing.T, rows []report.Row, o render.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := render.Report(&b, rows, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestColumns(t *testing.T) {
	row, err := report.Collect(reporttest.Small(t), reporttest.Questions(), report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	row.Dir = "RUN"
	if row.Scored != 5 || row.Unscored != 1 || row.Unfinished != 1 || row.Effort.Turns != 2 {
		t.Errorf("row = %+v", row)
	}
	for _, format := range render.Formats() {
		if format == "html" {
			continue // TestPage
		}
		var b bytes.Buffer
		if err := render.Report(&b, []report.Row{row}, render.Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "table."+format, b.String())
	}
	if err := render.Report(&bytes.Buffer{}, nil, render.Options{Format: "pdf"}); err == nil || !strings.Contains(err.Error(), "text, md, csv, latex, json, html") {
		t.Errorf("unknown format: %v", err)
	}
}

// On a narrow terminal no line of the table wraps.
func TestNarrow(t *testing.T) {
	row, err := report.Collect(reporttest.Small(t), reporttest.Questions(), report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := render.Report(&b, []report.Row{row}, render.Options{Format: "text", Width: 60}); err != nil {
		t.Fatal(err)
	}
	tables, _, _ := strings.Cut(b.String(), "Scores in percent")
	for line := range strings.Lines(tables) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 60 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	if strings.Count(tables, "66.67") != 1 || strings.Count(tables, "60.00") != 1 {
		t.Errorf("a cell is missing or doubled:\n%s", tables)
	}
}

func TestTables(t *testing.T) {
	o := render.Options{Options: report.Options{Intervals: report.WilsonIntervals, Table: report.AllTables, WithPaper: true, By: "tags"}}
	all := rows(t, o.Options)
	for _, format := range []string{"text", "md", "latex", "json"} {
		o.Format = format
		golden.Check(t, "all."+format, write(t, all, o))
	}
	o.Format, o.Table, o.Detail, o.WithPaper = "text", "5", true, false
	golden.Check(t, "detail.text", write(t, all, o))
	o.Format, o.TrainingSizes = "csv", map[string]int{"openai:gpt": 1000, all[2].Model: 0}
	for _, table := range report.Tables() {
		if o.Table = table; table == report.AllTables || table == "measures" { // of companion benchmarks: TestMeasures of report
			continue
		}
		records, err := csv.NewReader(strings.NewReader(write(t, rows(t, o.Options), o))).ReadAll()
		if err != nil || len(records) < 3 {
			t.Errorf("table %s: %d records, %v", table, len(records), err)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	all := rows(t, report.Options{})
	for _, tt := range []struct {
		name string
		rows []report.Row
		o    render.Options
		want string
	}{
		{"format", all, render.Options{Format: "pdf"}, "text, md, csv, latex, json, html"},
		{"table", all, render.Options{Options: report.Options{Table: "8"}}, "4, 5, 6, 7, 10, 11, 12, 13, measures, outcomes, repeats, judges, functions, by, leaderboard, training-size, answers, all"},
		{"csv of all", all, render.Options{Options: report.Options{Table: "all"}, Format: "csv"}, "one table"},
		{"no repeats", all[2:], render.Options{Options: report.Options{Table: "repeats"}}, "asked once"},
		{"no field", all, render.Options{Options: report.Options{Table: "by"}}, "choose a field or a tag with --by"},
		{"no training size", all, render.Options{Options: report.Options{Table: "training-size"}}, "name the models with --training-size"},
		{"no measures", all, render.Options{Options: report.Options{Table: "measures"}}, "no run is of a companion benchmark"},
		{"no panel", all[2:], render.Options{Options: report.Options{Table: "judges"}}, "a single judge"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := render.Report(&bytes.Buffer{}, tt.rows, tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// Models with a training size have a table, a chart for each baseline, and a list in JSON.
func TestTrainingSizes(t *testing.T) {
	o := render.Options{Options: report.Options{Intervals: report.WilsonIntervals, TrainingSizes: map[string]int{"openai:gpt": 1000, "openai:0k": 0}}}
	all := append(rows(t, o.Options), rows(t, o.Options)[1:]...)
	all[2].Model, all[4].Model = "openai:0k", "openai:left out"
	golden.Check(t, "training.text", write(t, all, o))
	o.Format = "json"
	var data struct {
		Training []struct {
			Trajectories, Episodes int
			Baseline, Model        string
			Cells                  []report.Cell
		}
	}
	if err := json.Unmarshal([]byte(write(t, all, o)), &data); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range data.Training {
		got = append(got, fmt.Sprintf("%d %s %s: %d episodes, %d cells", r.Trajectories, r.Model, r.Baseline, r.Episodes, len(r.Cells)))
	}
	want := []string{
		"0 openai:0k agentic-hybrid: 1 episodes, 5 cells", "1000 openai:gpt rag: 6 episodes, 5 cells", "1000 openai:gpt agentic-hybrid: 12 episodes, 5 cells",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	figures, err := render.ReportFigures(all, o)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range figures {
		for _, s := range f.Series {
			for _, p := range s.Points {
				if strings.HasPrefix(f.Name, "training-size") {
					lines = append(lines, fmt.Sprintf("%s to %v: %s %v %.1f %v", f.Name, f.X.Max, s.Name, p.X, p.Y, p.Interval != nil))
				}
			}
		}
	}
	want = []string{
		"training-size-1 to 1000: sgl. 0 100.0 false", "training-size-1 to 1000: sgl. 1000 50.0 false", "training-size-1 to 1000: multi. 1000 50.0 false",
		"training-size-1 to 1000: AVG 0 100.0 true", "training-size-1 to 1000: AVG 1000 50.0 true",
		"training-size-2 to 1000: sgl. 1000 50.0 false", "training-size-2 to 1000: multi. 1000 50.0 false", "training-size-2 to 1000: AVG 1000 50.0 true",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("charts (-want +got):\n%s", diff)
	}
}

// The table warns about rows with different scoring rules.
func TestWarning(t *testing.T) {
	all := rows(t, report.Options{})
	if got := write(t, all, render.Options{}); !strings.Contains(got, "Warning: these scores use different rules") {
		t.Errorf("no warning:\n%s", got)
	}
	if got := write(t, all[:2], render.Options{}); strings.Contains(got, "Warning") {
		t.Errorf("a warning without a reason:\n%s", got)
	}
}

// Runs of the same baseline and model are distinguished.
func TestNamesakes(t *testing.T) {
	all := rows(t, report.Options{})[:2]
	all[0].Baseline, all[0].Dir, all[1].Dir = all[1].Baseline, "runs/warm", "runs/cold"
	got := write(t, all, render.Options{})
	if !strings.Contains(got, "agentic-hybrid (warm)") || !strings.Contains(got, "agentic-hybrid (cold)") {
		t.Errorf("which is which?\n%s", got)
	}
}

// On a narrow terminal every column appears once, and no line of a table wraps.
func TestNarrowTables(t *testing.T) {
	o := render.Options{Options: report.Options{Intervals: report.WilsonIntervals, WithPaper: true}, Width: 50}
	all := rows(t, o.Options)
	for _, table := range []string{"4", "7", "13"} {
		o.Table = table
		got := write(t, all, o)
		for line := range strings.Lines(got) {
			if strings.Contains(strings.TrimSpace(line), "  ") && terminal.Width(strings.TrimSuffix(line, "\n")) > 50 {
				t.Errorf("table %s: %s", table, line)
			}
		}
		if table == "13" && strings.Count(got, "39870") != 1 {
			t.Errorf("a cell is missing or doubled:\n%s", got)
		}
	}
}

// The page is self-contained, runs no script, and escapes all text.
func TestPage(t *testing.T) {
	o := render.Options{Options: report.Options{Intervals: report.WilsonIntervals, WithPaper: true}, Format: "html"}
	page := write(t, rows(t, o.Options), o)
	page = strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, "") // a namespace, not a link
	for _, banned := range []string{"</script>", "<script", "src=", "<link", "@import", "url(http", "http://", "https://"} {
		if strings.Contains(page, banned) {
			t.Errorf("the page has %q", banned)
		}
	}
	for _, wanted := range []string{"hostile&lt;/script&gt;", "<svg", "prefers-color-scheme", "@media print", "Question Type", "(paper)", "Warning: ", `title="n = 3"`} {
		if !strings.Contains(page, wanted) {
			t.Errorf("the page lacks %q", wanted)
		}
	}
	if tables, charts := strings.Count(page, "<table"), strings.Count(page, "<svg"); tables != 13 || charts != 6 {
		t.Errorf("%d tables and %d charts", tables, charts)
	}
	balanced(t, page)
}

// balanced checks that every element that needs a closing tag has one.
func balanced(t *testing.T, page string) {
	t.Helper()
	var open []string
	for _, m := range regexp.MustCompile(`<(/?)([a-z0-9]+)[^>]*?(/?)>`).FindAllStringSubmatch(page, -1) {
		switch {
		case m[3] == "/" || slices.Contains([]string{"meta", "br"}, m[2]):
		case m[1] == "":
			open = append(open, m[2])
		case len(open) == 0 || open[len(open)-1] != m[2]:
			t.Fatalf("</%s> closes %v", m[2], open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("left open: %v", open)
	}
}

func TestJSON(t *testing.T) {
	o := render.Options{Options: report.Options{Intervals: report.BootstrapIntervals, Seed: 7, WithPaper: true}, Format: "json"}
	all := rows(t, o.Options)
	out := write(t, all, o)
	var got struct {
		Format    int
		Intervals string
		Level     float64
		Seed      uint64
		Runs      []struct {
			Scoring, Judge string
			Cells          []struct {
				Column   string
				Score    *float64
				N        int
				Interval *struct{ Low, High float64 }
			}
		}
		Paper []report.PaperTable
		Notes []string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != 1 || got.Intervals != "bootstrap" || got.Seed != 7 || got.Level != 0.95 || len(got.Runs) != 3 || len(got.Paper) != 8 {
		t.Errorf("got %+v", got)
	}
	if run := got.Runs[0]; run.Scoring != "reference" || run.Judge != "A,B" {
		t.Errorf("rules: %q by %q", run.Scoring, run.Judge)
	}
	for _, c := range got.Runs[0].Cells {
		if (c.N == 0) != (c.Score == nil) || (c.N == 0) != (c.Interval == nil) {
			t.Errorf("%+v", c)
		}
	}
	if out != write(t, rows(t, o.Options), o) {
		t.Error("the same runs give other bytes")
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]string{
		"a.txt": "text", "a.md": "md", "x/a.CSV": "csv", "a.tex": "latex", "a.json": "json", "a.html": "html", "a.pdf": "", "a": "",
	} {
		if got := render.FormatOf(path); got != want {
			t.Errorf("FormatOf(%q) = %q, want %q", path, got, want)
		}
	}
}

// Notes are wrapped at spaces, not cut at the terminal width.
func TestNarrowNotes(t *testing.T) {
	for line := range strings.Lines(write(t, rows(t, report.Options{}), render.Options{Width: 50})) {
		if line = strings.TrimSuffix(line, "\n"); len([]rune(line)) > 50 && strings.Contains(line, " ") {
			t.Errorf("%d characters: %s", len([]rune(line)), line)
		}
	}
}

// Without a terminal, notes wrap at page width.
func TestNotesInFiles(t *testing.T) {
	for line := range strings.Lines(write(t, rows(t, report.Options{}), render.Options{})) {
		if line = strings.TrimSuffix(line, "\n"); len([]rune(line)) > 100 && !strings.Contains(strings.TrimSpace(line), "  ") {
			t.Errorf("%d characters: %s", len([]rune(line)), line)
		}
	}
}

// A publication shows neither the author's run directories nor a dash for the two hyphens of a flag.
func TestLatexNotes(t *testing.T) {
	all := rows(t, report.Options{})
	for i := range all {
		all[i].Dir = "/home/someone/runs/" + string(rune('a'+i))
	}
	got := write(t, all, render.Options{Format: "latex"})
	if strings.Contains(got, "/home/someone") || !strings.Contains(got, "rag (a)") {
		t.Errorf("paths in notes:\n%s", got)
	}
	if !strings.Contains(got, `\texttt{-{}-scoring} and \texttt{-{}-judge}.`) {
		t.Errorf("flags in notes:\n%s", got)
	}
	if all[0].Dir != "/home/someone/runs/a" {
		t.Error("the caller's rows were changed")
	}
}

// Adjacent charts have the same axes, whatever the runs need.
func TestTurnAxes(t *testing.T) {
	all := rows(t, report.Options{})
	all[0].Within, all[1].Within, all[2].Within = []float64{10, 20}, []float64{5, 8, 8, 8}, []float64{1, 2, 71}
	page := write(t, all, render.Options{Format: "html"})
	charts := regexp.MustCompile(`(?s)<figure.*?</figure>`).FindAllString(page, -1)
	found := 0
	for _, c := range charts {
		if strings.Contains(c, "number of turns") {
			found++
			if !strings.Contains(c, ">80</text>") || !strings.Contains(c, ">4</text>") {
				t.Errorf("the axes do not end at 80 and 4:\n%s", c)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d charts of turns", found)
	}
}

// A group has bars for the runs that exist and no gaps for the others.
func TestBarsOfSome(t *testing.T) {
	all := rows(t, report.Options{})
	page := write(t, all, render.Options{Format: "html"})
	if bars := regexp.MustCompile(`(?s)<figure.*?</figure>`).FindString(page); strings.Contains(bars, "–") {
		t.Errorf("an empty place:\n%s", bars)
	}
}

// A run directory cannot inject a formula into a spreadsheet.
func TestFormulas(t *testing.T) {
	all := rows(t, report.Options{})[:1]
	all[0].Baseline, all[0].Model, all[0].Dir = "=cmd|calc", `=HYPERLINK("http://x","y")`, "=1+1"
	records, err := csv.NewReader(strings.NewReader(write(t, all, render.Options{Format: "csv"}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range records[1] {
		if strings.HasPrefix(cell, "=") {
			t.Errorf("a formula: %s", cell)
		}
	}
}

// For runs without cost, the page shows tokens.
func TestFreeModels(t *testing.T) {
	all, free := rows(t, report.Options{}), 0.0
	for i := range all {
		all[i].Effort.Cost = &free
	}
	page := write(t, all, render.Options{Format: "html"})
	if strings.Contains(page, "USD per example") || !strings.Contains(page, "tokens per example, prompt and completion") {
		t.Error("the chart of costs has nothing to show")
	}
}

// All names are escaped for the terminal.
func TestControlCharacters(t *testing.T) {
	all := rows(t, report.Options{})[:1]
	all[0].Model, all[0].Baseline, all[0].Judge, all[0].Dir = "m\x1b[2J", "b\x1b[2J", "j\x1b[2J", "d\x1b[2J"
	for _, format := range render.Formats() {
		if got := write(t, all, render.Options{Format: format}); strings.Contains(got, "\x1b") {
			t.Errorf("%s: %q", format, got)
		}
	}
}
