package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"airqa/baselines"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/report"
	"airqa/report/render"
	"airqa/runlog"
	"airqa/trace"
	"airqa/viewer"
)

type reportCmd struct {
	Runs []string `arg:"" name:"run" help:"Run directories, or folders of them."`
	report.Options
	TrainingSize []string `placeholder:"MODEL=N" help:"Number of trajectories that each model was trained on, 0 for the model before training, such as qwen=0,qwen-1k=1000,qwen-2k=2000. Adds the table training-size and its chart (the paper's Figure 4)."`

	outFile
	Figures string   `placeholder:"DIR" help:"Also save the charts in DIR as SVG, PDF and PNG."`
	Detail  bool     `help:"Show n, interval and standard errors under every score."`
	Only    []string `placeholder:"STATUS" help:"With --format html, include pages of questions with this status: right, wrong, unscored, failed, unfinished, damaged, all or none. Default: all for up to 200 episodes, otherwise none."`
	formatFlags
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
	rows, err := a.reportRows(dirs, o.Options)
	if err != nil {
		return err
	}
	if err := c.readTrainingSizes(a, rows, o.Options); err != nil {
		return err
	}
	if c.Figures != "" {
		figures, err := render.ReportFigures(rows, o)
		if err != nil {
			return err
		}
		n, err := render.SaveFigures(c.Figures, figures)
		if err != nil {
			return err
		}
		a.say("%s: %s in %d files", c.Figures, terminal.Plural(len(figures), "chart"), n)
	}
	if err := c.addQuestions(a, rows, &o); err != nil {
		return err
	}
	err = a.writeOut(c.Out, func(w io.Writer) error { return render.Report(w, rows, o) })
	if err == nil && c.Out != "" {
		a.say("%s: %s, %s", c.Out, terminal.Plural(len(rows), "run"), o.Format)
	}
	return err
}

// readTrainingSizes fills o.TrainingSizes, and names the models without a number.
func (c reportCmd) readTrainingSizes(a *app, rows []report.Row, o report.Options) error {
	models := slices.Compact(qa.Map(rows, func(r report.Row) string { return r.Model })) // rows are by model
	for _, item := range c.TrainingSize {
		at := strings.LastIndexByte(item, '=')
		n, err := strconv.ParseUint(item[at+1:], 10, 31)
		named := slices.DeleteFunc(slices.Clone(models), func(m string) bool {
			_, bare, _ := strings.Cut(m, ":")
			_, twice := o.TrainingSizes[m]
			return at < 1 || twice || m != item[:at] && bare != item[:at]
		})
		if err != nil || len(named) == 0 {
			return qa.Usagef("--training-size %s: want MODEL=N with a whole number N and one of these models, each once: %s",
				item, strings.Join(models, ", "))
		}
		for _, m := range named {
			o.TrainingSizes[m] = int(n)
		}
	}
	for _, m := range models {
		if _, ok := o.TrainingSizes[m]; !ok && len(c.TrainingSize) > 0 {
			a.say("note: left out of the training sizes: %s, for lack of a number of trajectories", m)
		}
	}
	return nil
}

// addQuestions adds the pages of the questions that --only selects to an HTML report, and prints what is inside.
func (c reportCmd) addQuestions(a *app, rows []report.Row, o *render.Options) error {
	if o.Format != "html" {
		if len(c.Only) > 0 {
			return qa.Usagef("--only requires --format html")
		}
		return nil
	}
	if slices.Equal(c.Only, []string{"none"}) {
		return nil
	}
	filter := trace.Filter{Status: c.Only}
	if slices.Equal(c.Only, []string{"all"}) {
		filter.Status = nil
	}
	if err := filter.Check(); err != nil {
		return qa.Usagef("%v, all or none", strings.ReplaceAll(err.Error(), "--status", "--only"))
	}
	dirs := qa.Map(rows, func(r report.Row) string { return r.Dir })
	lib, err := trace.Open(a.ctx, dirs, trace.Choice{Choice: c.Choice})
	if err != nil {
		return err
	}
	if n := len(lib.Rows()); len(c.Only) == 0 && n > 200 {
		a.say("note: the pages of %d episodes are left out; --only wrong or --only all includes them", n)
		return nil
	}
	part, err := viewer.NewPart(a.ctx, lib, viewer.PartConfig{Filter: filter, Redact: a.redactor(), Images: 10 << 20})
	if err != nil {
		return err
	}
	for _, line := range part.Contents {
		a.say("%s", line)
	}
	o.Appendix = render.Appendix{Style: part.Style, Body: part.Body}
	return nil
}

func (c reportCmd) options(a *app) (render.Options, error) {
	o, err := c.render(a, c.Out)
	o.Detail, o.Options = c.Detail, c.Options
	if len(c.TrainingSize) > 0 {
		o.TrainingSizes = make(map[string]int)
	}
	if err != nil {
		return o, err
	}
	if o.Format == "csv" && o.Table == report.AllTables {
		return o, qa.Usagef("%v", render.ErrOneTable)
	}
	return o, nil
}

// reportRows reads runs in the order of the baselines, grouped by model. Of several runs, it skips those without the
// requested scores.
func (a *app) reportRows(dirs []string, o report.Options) ([]report.Row, error) {
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
		return nil, errors.New("these runs have no such scores; run airqa score first")
	}
	names := baselines.Names()
	order := func(r report.Row) int { return max(0, slices.Index(names, r.Baseline)) }
	slices.SortStableFunc(rows, func(a, b report.Row) int { return cmp.Or(cmp.Compare(a.Model, b.Model), order(a)-order(b)) })
	return rows, nil
}

// noScores adds the command that makes the missing scores.
func noScores(dir string, err error) error {
	if errors.Is(err, runlog.ErrOtherScores) {
		return err
	}
	return fmt.Errorf("%s is not scored yet\n  run: airqa score %s", dir, dir)
}
