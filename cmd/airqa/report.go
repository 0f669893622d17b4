package main

import (
	"io"

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
	Out       string   `short:"o" env:"AIRQA_REPORT_OUT" placeholder:"FILE" help:"Write to this file instead of standard output."`
	Figures   string   `env:"AIRQA_REPORT_FIGURES" placeholder:"DIR" help:"Also save the charts in this folder, as SVG, PDF and PNG files."`
	Intervals string   `default:"wilson" enum:"wilson,bootstrap,none" help:"95 % intervals: wilson, bootstrap (clustered by paper) or none."`
	Seed      uint64   `env:"AIRQA_REPORT_SEED" default:"1" help:"Seed of the bootstrap."`
	Detail    bool     `help:"Show n, interval and standard errors under every score."`
	WithPaper bool     `help:"Show the paper's own rows too."`
	formatFlags
	Scoring string `env:"AIRQA_REPORT_SCORING" placeholder:"MODE" help:"Read the scores of this mode, such as reference. Default: the newest of each run, or an older one of the same mode that has more verdicts."`
	Judge   string `env:"AIRQA_REPORT_JUDGE" placeholder:"NAME" help:"Read the scores by this judge."`

	IncludePartial bool `env:"AIRQA_REPORT_INCLUDE_PARTIAL" help:"Count questions of which only some repeats are scored by those. Default: leave them out."`
}

func (reportCmd) Help() string {
	return `Examples:
  airqa report runs/rag runs/hybrid --with-paper
  airqa report runs --out report.html
  airqa report runs --figures figures

Table 4 compares the baselines of a model, 5 the models of a baseline, 7 error actions, 13 time and cost per example;
leaderboard sorts all runs by score. --by conference breaks scores down by a field or tag of the questions. JSON holds the
numbers of all tables but answers. docs/reports.md explains every number.`
}

func (c reportCmd) Run(a *app) error {
	o, err := c.options(a)
	if err != nil {
		return err
	}
	dirs, err := runlog.Find(c.Runs)
	if err != nil {
		return err
	}
	rows, err := a.session().Collect(dirs, o.Options)
	if err != nil {
		return err
	}
	if c.Figures != "" {
		if err := c.saveFigures(a, rows, o); err != nil {
			return err
		}
	}
	err = a.writeOut(c.Out, func(w io.Writer) error { return render.Report(w, rows, o) })
	if err == nil && c.Out != "" {
		a.say("%s: %s, %s", c.Out, terminal.Plural(len(rows), "run"), o.Format)
	}
	return err
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
	o, err := c.render(a, c.Out)
	o.Detail = c.Detail
	o.Options = report.Options{
		Table: c.Table, Intervals: c.Intervals, Seed: c.Seed, WithPaper: c.WithPaper, Scoring: c.Scoring, Judge: c.Judge,
		IncludePartial: c.IncludePartial, By: c.By,
	}
	if err != nil {
		return o, err
	}
	if o.Format == "csv" && o.Table == report.AllTables {
		return o, exit.Misuse("%v", render.ErrOneTable)
	}
	return o, nil
}
