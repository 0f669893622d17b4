package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"airqa/baselines"
	"airqa/internal/aside"
	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/report"
	"airqa/report/render"
	"airqa/run/runlog"
)

// Where a flag has the name of another command's that means something else, its environment variable has a name of its own.
type reportCmd struct {
	Runs      []string `arg:"" name:"run" help:"Run directories, or folders of them."`
	Table     string   `default:"" placeholder:"TABLE" enum:",4,5,7,13,functions,outcomes,repeats,judges,by,leaderboard,answers,all" help:"4, 5, 7, 13 (as numbered in the paper), functions, outcomes, repeats, judges, by, leaderboard, answers (one line an answer) or all. Default: 4; by with --by; all for html."`
	By        string   `placeholder:"FIELD|TAG" help:"Break scores down by a field or tag of the questions, such as conference, tags, annotator, papers or formula."`
	Format    string   `default:"" placeholder:"FORMAT" enum:",text,md,csv,latex,json,html" help:"text, md, csv, latex, json or html. Default: by the suffix of --out, or text."`
	JSON      bool     `name:"json" help:"The same as --format json."`
	Out       string   `short:"o" env:"AIRQA_REPORT_OUT" placeholder:"FILE" help:"Write to this file instead of standard output."`
	Figures   string   `env:"AIRQA_REPORT_FIGURES" placeholder:"DIR" help:"Also save the charts in this folder, as SVG, PDF and PNG files."`
	Intervals string   `default:"wilson" enum:"wilson,bootstrap,none" help:"95 % intervals: wilson, bootstrap (clustered by paper) or none."`
	Seed      uint64   `env:"AIRQA_REPORT_SEED" default:"1" help:"Seed of the bootstrap."`
	Detail    bool     `help:"Show n, interval and standard errors under every score."`
	WithPaper bool     `help:"Show the paper's own rows too."`
	Scoring   string   `env:"AIRQA_REPORT_SCORING" placeholder:"MODE" help:"Read the scores of this mode, such as reference. Default: the newest of each run, or an older one of the same mode that has more verdicts."`
	Judge     string   `env:"AIRQA_REPORT_JUDGE" placeholder:"NAME" help:"Read the scores by this judge."`

	IncludePartial bool `env:"AIRQA_REPORT_INCLUDE_PARTIAL" help:"Count questions of which only some repeats are scored by those. Default: leave them out."`
}

// Help implements kong.HelpProvider.
func (reportCmd) Help() string {
	return `Examples:
  airqa report runs/rag runs/hybrid --with-paper
  airqa report runs --out report.html
  airqa report runs --figures figures

Table 4 compares the baselines of a model, 5 the models of a baseline, 7 error actions, 13 time and cost per example;
leaderboard sorts all runs by score. --by conference breaks scores down by a field or tag of the questions. JSON holds the
numbers of all tables but answers. docs/reports.md explains every number.`
}

// Run implements the sub-command.
func (c reportCmd) Run(a *app) error {
	o, err := c.options(a)
	if err != nil {
		return err
	}
	dirs, err := findRuns(c.Runs)
	if err != nil {
		return err
	}
	rows, err := a.collect(dirs, o.Options)
	if err != nil {
		return err
	}
	if c.Figures != "" {
		if err := c.saveFigures(a, rows, o); err != nil {
			return err
		}
	}
	if c.Out == "" {
		return render.Report(a.out, rows, o)
	}
	o.Width = 0
	var b bytes.Buffer
	if err := render.Report(&b, rows, o); err != nil {
		return err
	}
	if err := aside.WriteFile(c.Out, b.Bytes()); err != nil {
		return err
	}
	a.say("%s: %s, %s", c.Out, terminal.Plural(len(rows), "run"), o.Format)
	return nil
}

func (c reportCmd) saveFigures(a *app, rows []report.Row, o render.Options) error {
	figures, err := render.ReportFigures(rows, o)
	if err != nil {
		return err
	}
	n, err := render.SaveFigures(c.Figures, figures)
	if err != nil {
		return err
	}
	a.say("%s: %s in %d files", c.Figures, terminal.Plural(len(figures), "chart"), n)
	return nil
}

func (c reportCmd) options(a *app) (render.Options, error) {
	o := render.Options{
		Options: report.Options{
			Table: c.Table, Intervals: c.Intervals, Seed: c.Seed, WithPaper: c.WithPaper, Scoring: c.Scoring, Judge: c.Judge,
			IncludePartial: c.IncludePartial, By: c.By,
		},
		Width: a.width, Detail: c.Detail,
	}
	var err error
	if o.Format, err = formatOf(c.Format, c.JSON); err != nil {
		return o, err
	}
	if o.Format == "" && c.Out != "" {
		o.Format = render.FormatOf(c.Out)
		if o.Format == "" {
			return o, exit.Misuse("%s: unknown suffix; choose a format with --format (%s)", c.Out, strings.Join(render.Formats(), ", "))
		}
	}
	if o.Format == "" {
		o.Format = "text"
	}
	if o.Format == "csv" && o.Table == report.AllTables {
		return o, exit.Misuse("%v", render.ErrOneTable)
	}
	return o, nil
}

// findRuns takes run directories as they are, and the run directories inside any other folder.
func findRuns(paths []string) ([]string, error) {
	var dirs []string
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join(path, runlog.RunFile)); err == nil {
			dirs = append(dirs, path)
			continue
		}
		inside, err := runsIn(path)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, inside...)
	}
	return dirs, nil
}

// runsIn lists the run directories inside a folder, by name. It takes no pattern: a folder may be called "runs[1]".
func runsIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no run directory: %w", folder, err)
	}
	var dirs []string
	for _, e := range entries {
		dir := filepath.Join(folder, e.Name())
		if _, err := os.Stat(filepath.Join(dir, runlog.RunFile)); err == nil {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return nil, runlog.NoRun(folder)
	}
	return dirs, nil
}

// rows collects runs with their newest scores, without intervals.
func (a *app) rows(dirs []string) ([]report.Row, error) {
	return a.collect(dirs, report.Options{})
}

// collect reads runs in the order of the baselines, runs of one model together. One of several that has no such scores is
// left out.
func (a *app) collect(dirs []string, o report.Options) ([]report.Row, error) {
	var rows []report.Row
	for _, dir := range dirs {
		r, examples, err := a.session().OpenRun(dir)
		if err != nil {
			return nil, err
		}
		row, err := report.Collect(r, examples, o)
		switch {
		case err == nil:
			rows = append(rows, row)
		case !errors.Is(err, runlog.ErrNoScores) && !errors.Is(err, runlog.ErrOtherScores):
			return nil, err
		case len(dirs) == 1:
			return nil, noScores(dir, err)
		default:
			a.say("note: left out: %v", noScores(dir, err))
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("none of these runs has such scores; airqa score makes them")
	}
	order := make(map[string]int)
	for i, name := range baselines.Names() {
		order[name] = i
	}
	sort.SliceStable(rows, func(i, j int) bool {
		if rows[i].Model != rows[j].Model {
			return rows[i].Model < rows[j].Model
		}
		return order[rows[i].Baseline] < order[rows[j].Baseline]
	})
	return rows, nil
}

// noScores says what to type for a run that lacks the scores that are asked for.
func noScores(dir string, err error) error {
	if errors.Is(err, runlog.ErrOtherScores) {
		return err
	}
	return fmt.Errorf("%s is not scored yet\n  run: airqa score %s", dir, dir)
}
