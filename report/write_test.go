package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"airqa/internal/golden"
	"airqa/qa"
	"airqa/report"
	"airqa/run/runlog"
)

// rows are two runs of one model with repeats and a panel, and one of another model by other rules.
func rows(t *testing.T, o report.Options) []report.Row {
	t.Helper()
	examples := single("a", "b", "c")
	examples[1].Tags = []string{"multiple", "table", "subjective"}
	examples[1].Evaluator.Func = "eval_reference_answer_with_llm"
	judged := score("b", 0, qa.Right)
	judged.Votes = []qa.Vote{{Judge: "A", Right: true}, {Judge: "B", Right: true}}
	other := score("b", 1, qa.Wrong)
	other.Votes = []qa.Vote{{Judge: "A", Right: true}, {Judge: "B"}}
	repeated := []qa.Score{
		score("a", 0, qa.Right), judged, score("c", 0, qa.Wrong), score("a", 1, qa.Right), other, score("c", 1, qa.Unparseable),
	}
	var episodes []told
	for i, uuid := range []string{"a", "b", "c"} {
		for repeat := range 2 {
			episodes = append(episodes, answer(uuid, repeat, i+1+repeat))
		}
	}
	once := []qa.Score{score("a", 0, qa.Right), score("b", 0, qa.Unscored), score("c", 0, qa.Right)}
	panel, alone := runlog.Scoring{Mode: "reference", Judge: "A,B"}, runlog.Scoring{Mode: "fixed", Judge: "offline"}
	price := &qa.Price{Prompt: 2.5, Cached: 1.25, Completion: 10}
	return []report.Row{
		collect(t, world{baseline: "rag", model: "gpt", scoring: panel, price: price, episodes: episodes, scores: repeated}, examples, o),
		collect(t, world{baseline: "agentic-hybrid", model: "gpt", scoring: panel, price: price, episodes: episodes, scores: repeated}, examples, o),
		collect(t, world{baseline: "agentic-hybrid", model: "100%_$hostile</script>[x]{y}#&^~\\|*", scoring: alone, episodes: []told{
			{uuid: "a", outcome: qa.Answered, steps: []qa.Step{call(1, qa.ErrSyntax, qa.StatusParse), call(2, "", "")}},
		}, scores: once}, examples, o),
	}
}

func write(t *testing.T, rows []report.Row, o report.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, rows, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTables(t *testing.T) {
	o := report.Options{Intervals: report.WilsonIntervals, Table: report.AllTables, WithPaper: true}
	all := rows(t, o)
	for _, format := range []string{"text", "md", "latex", "json"} {
		o.Format = format
		golden.Check(t, "all."+format, write(t, all, o))
	}
	o.Format, o.Table, o.Detail, o.WithPaper = "text", "5", true, false
	golden.Check(t, "detail.text", write(t, all, o))
	o.Format = "csv"
	for _, table := range report.Tables() {
		if o.Table = table; table == report.AllTables {
			continue
		}
		records, err := csv.NewReader(strings.NewReader(write(t, all, o))).ReadAll()
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
		o    report.Options
		want string
	}{
		{"format", all, report.Options{Format: "pdf"}, "text, md, csv, latex, json, html"},
		{"table", all, report.Options{Table: "6"}, "4, 5, 7, 13, outcomes, repeats, judges, functions, all"},
		{"csv of all", all, report.Options{Format: "csv", Table: "all"}, "one table"},
		{"no repeats", all[2:], report.Options{Table: "repeats"}, "asked once"},
		{"no panel", all[2:], report.Options{Table: "judges"}, "single judges"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := report.Write(&bytes.Buffer{}, tt.rows, tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// Rows that were scored by different rules cannot be compared, and the table says so.
func TestWarning(t *testing.T) {
	all := rows(t, report.Options{})
	if got := write(t, all, report.Options{}); !strings.Contains(got, "Warning: these scores were made by different rules") {
		t.Errorf("no warning:\n%s", got)
	}
	if got := write(t, all[:2], report.Options{}); strings.Contains(got, "Warning") {
		t.Errorf("a warning without a reason:\n%s", got)
	}
}

// Runs of the same baseline and model are told apart.
func TestNamesakes(t *testing.T) {
	all := rows(t, report.Options{})[:2]
	all[0].Baseline, all[0].Dir, all[1].Dir = all[1].Baseline, "runs/warm", "runs/cold"
	got := write(t, all, report.Options{})
	if !strings.Contains(got, "agentic-hybrid (warm)") || !strings.Contains(got, "agentic-hybrid (cold)") {
		t.Errorf("which is which?\n%s", got)
	}
}

// On a narrow terminal every column is there once, and no line of a table wraps.
func TestNarrowTables(t *testing.T) {
	o := report.Options{Intervals: report.WilsonIntervals, Width: 50, WithPaper: true}
	all := rows(t, o)
	for _, table := range []string{"4", "7", "13"} {
		o.Table = table
		got := write(t, all, o)
		for line := range strings.Lines(got) {
			if strings.ContainsAny(line, "│┌├└") && len([]rune(strings.TrimSuffix(line, "\n"))) > 50 {
				t.Errorf("table %s: %s", table, line)
			}
		}
		if table == "13" && strings.Count(got, "39870") != 1 {
			t.Errorf("a cell is missing or doubled:\n%s", got)
		}
	}
}

// The page refers to no other file, runs no script, and takes no text for markup.
func TestPage(t *testing.T) {
	o := report.Options{Intervals: report.WilsonIntervals, WithPaper: true, Format: "html"}
	page := write(t, rows(t, o), o)
	page = strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, "") // a name, no address
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
	if tables, charts := strings.Count(page, "<table"), strings.Count(page, "<svg"); tables != 8 || charts != 5 {
		t.Errorf("%d tables and %d charts", tables, charts)
	}
	balanced(t, page)
}

// balanced checks that every element of a page that must be closed is.
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
	o := report.Options{Format: "json", Intervals: report.BootstrapIntervals, Seed: 7, WithPaper: true}
	all := rows(t, o)
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
	if got.Format != 1 || got.Intervals != "bootstrap" || got.Seed != 7 || got.Level != 0.95 || len(got.Runs) != 3 || len(got.Paper) != 4 {
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
	if out != write(t, rows(t, o), o) {
		t.Error("the same runs give other bytes")
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]string{
		"a.txt": "text", "a.md": "md", "x/a.CSV": "csv", "a.tex": "latex", "a.json": "json", "a.html": "html", "a.pdf": "", "a": "",
	} {
		if got := report.FormatOf(path); got != want {
			t.Errorf("FormatOf(%q) = %q, want %q", path, got, want)
		}
	}
}
