package main

import (
	"io"

	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/report"
	"airqa/report/render"
	"airqa/run/runlog"
)

// Flags that share a name with a different flag of another command have their own environment variable.
type reportCmd struct {
	Runs      []string `arg:"" name:"run" help:"Run directories, or folders of them."`
	Table     string   `default:"" placeholder:"TABLE" enum:",4,5,7,13,functions,outcomes,repeats,judges,by,leaderboard,answers,all" help:"4, 5, 7, 13 (numbered as in the paper), functions, outcomes, repeats, judges, by, leaderboard, answers or all. Default: 4; by with --by; all for html."`
	By        string   `placeholder:"FIELD|TAG" help:"Break scores down by a question field or tag, such as conference, tags, annotator, papers or formula."`
	Out       string   `short:"o" env:"AIRQA_REPORT_OUT" placeholder:"FILE" help:"Write to FILE instead of standard output."`
	Figures   string   `env:"AIRQA_REPORT_FIGURES" placeholder:"DIR" help:"Also save the charts in DIR as SVG, PDF and PNG."`
	Intervals string   `default:"wilson" enum:"wilson,bootstrap,none" help:"95% intervals: wilson, bootstrap (clustered by paper) or none."`
	Seed      uint64   `env:"AIRQA_REPORT_SEED" default:"1" help:"Bootstrap seed."`
	Detail    bool     `help:"Show n, interval and standard errors under every score."`
	WithPaper bool     `help:"Also show the paper's own rows."`
	formatFlags
	Scoring string `env:"AIRQA_REPORT_SCORING" placeholder:"MODE" help:"Use the scores of this mode, such as reference. Default: the newest, or an older one of the same mode with more verdicts."`
	Judge   string `env:"AIRQA_REPORT_JUDGE" placeholder:"NAME" help:"Use the scores of this judge."`

	IncludePartial bool `env:"AIRQA_REPORT_INCLUDE_PARTIAL" help:"Include questions with only some repeats scored. Default: leave them out."`
}

func (reportCmd) Help() string {
	return `Examples:
  airqa report runs/rag runs/hybrid --with-paper
  airqa report runs --out report.html
  airqa report runs --figures figures

Table 4 compares baselines, 5 models, 7 error actions, 13 time and cost per question. leaderboard sorts all runs by score.
answers prints one line per answer. JSON has the numbers of all tables except answers. docs/reports.md explains every number.`
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
