package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"airqa/baselines"
	"airqa/env"
	"airqa/env/datadir"
	"airqa/eval"
	"airqa/extractor/candidate"
	"airqa/extractor/synthesis"
	"airqa/fixtures"
	"airqa/ingest"
	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/qa"
	"airqa/report"
	"airqa/report/render"
	"airqa/run/models"
	"airqa/run/scoring"
	"airqa/run/session"
	"airqa/runlog"
	"airqa/train"
	"airqa/train/export"
	"airqa/train/preflight"
)

type demoCmd struct {
	Dir string `default:"airqa-demo" placeholder:"DIR" help:"Folder for all files of the demo."`
}

func (c demoCmd) Run(a *app) error {
	d := demo{app: a, dir: c.Dir}
	if err := d.unpack(); err != nil {
		return err
	}
	if err := d.ingest(); err != nil {
		return err
	}
	dirs, err := d.runAll()
	if err != nil {
		return err
	}
	by := scoring.Scoring{Session: d.session(), Mode: eval.Reference, Judge: scoring.Offline()}
	by.Progress = nil // the runs share one bar
	stage := d.progress.Stage("score", len(dirs))
	for i, dir := range dirs {
		if _, err := by.Run(dir); err != nil {
			return err
		}
		stage.Set(i+1, filepath.Base(dir))
	}
	stage.Close(terminal.Plural(len(dirs), "run") + " scored")
	rows, err := a.reportRows(dirs, report.Options{})
	if err != nil {
		return err
	}
	if err := render.Report(a.out, rows, render.Options{Format: "text", Width: a.width}); err != nil {
		return err
	}
	if err := d.train(); err != nil {
		return err
	}
	return d.next()
}

// demo runs the whole pipeline on the sample papers, in one folder.
type demo struct {
	*app
	dir string
}

func (d demo) papers() string    { return filepath.Join(d.dir, "papers") }
func (d demo) questions() string { return filepath.Join(d.dir, "questions.jsonl") }
func (d demo) data() string      { return filepath.Join(d.dir, "data") }
func (d demo) runs() string      { return filepath.Join(d.dir, "runs") }
func (d demo) syn() string       { return filepath.Join(d.dir, "syn") }
func (d demo) sft() string       { return filepath.Join(d.dir, "sft") }

// unpack writes the sample papers and questions that are missing or changed.
func (d demo) unpack() error {
	if err := os.MkdirAll(d.papers(), 0o755); err != nil {
		return fmt.Errorf("make the demo's folder: %w", err)
	}
	papers := fixtures.Papers()
	err := fs.WalkDir(papers, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(papers, path)
		if err != nil {
			return err
		}
		return writeIfChanged(filepath.Join(d.papers(), filepath.FromSlash(path)), raw)
	})
	if err != nil {
		return fmt.Errorf("unpack the sample papers: %w", err)
	}
	return writeIfChanged(d.questions(), fixtures.Questions())
}

func writeIfChanged(path string, raw []byte) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == string(raw) {
		return nil
	}
	return os.WriteFile(path, raw, 0o644) //nolint:gosec // sample files are for everyone
}

func (d demo) ingest() error {
	files, err := ingest.Find([]string{d.papers()})
	if err != nil {
		return err
	}
	sum, err := d.writer(env.WriterConfig{Dir: d.data()}).Ingest(files, ingest.Config{Options: ingest.Options{Workers: 2}}, datadir.Chunking{})
	if err != nil {
		return err
	}
	for _, f := range sum.Failed {
		err = errors.Join(err, fmt.Errorf("sample paper %s: %w", f.Path, f.Err))
	}
	return err
}

// runAll runs all baselines with the offline model.
func (d demo) runAll() ([]string, error) {
	examples, err := d.session().Questions(d.questions())
	if err != nil {
		return nil, err
	}
	world, err := env.Open(d.ctx, env.Config{Dir: d.data()})
	if err != nil {
		return nil, err
	}
	defer func() { _ = world.Close() }()
	offline, err := d.session().OpenModel(models.Offline, models.Config{})
	if err != nil {
		return nil, err
	}
	var dirs []string
	var all []session.Job
	for _, b := range baselines.All() {
		dirs = append(dirs, filepath.Join(d.runs(), b.Name))
		all = append(all, session.Job{Baseline: b, Model: offline, Dir: dirs[len(dirs)-1], Name: b.Name})
	}
	ended, err := d.session().Execute(d.ctx, session.Plan{
		Jobs: all, World: world, Examples: examples, Picked: examples, Settings: qa.DefaultSettings(), Workers: 2, Repeats: 1,
		Note: runlog.Note{QuestionsFile: d.questions(), DataDir: d.data()},
	})
	if err != nil {
		return nil, err
	}
	for _, c := range ended {
		if c.Err != nil && !errors.Is(c.Err, qa.ErrInterrupted) {
			return nil, c.Err
		}
		if c.Left > 0 {
			return nil, fmt.Errorf("stopped with %d of %d questions left; the same command resumes from here", c.Left, c.Total)
		}
	}
	return dirs, nil
}

// train makes some questions, answers them, exports the right answers as training data, and checks what a trainer does
// with each row.
func (d demo) train() error {
	world, err := env.Open(d.ctx, env.Config{Dir: d.data()})
	if err != nil {
		return err
	}
	defer func() { _ = world.Close() }()
	making := synthMakeCmd{
		synthFlags: synthFlags{
			dataFlags: dataFlags{Data: d.data()}, modelFlag: modelFlag{models.Offline}, workFlag: workFlag{d.syn()},
			endpointFlags: endpointFlags{Timeout: llm.DefaultTimeout},
		},
		Questions: synthesis.Questions{Count: 16, DrawSeed: 2024, SolveAgain: 1, Workers: 2},
	}
	config, err := making.config(d.app, world)
	if err != nil {
		return err
	}
	sum, err := synthesis.Make(d.ctx, config)
	if err == nil {
		err = synthEnd(making, sum)
	}
	if err != nil {
		return err
	}
	_, err = synthesis.Act(d.ctx, synthesis.ActConfig{
		Common:   synthesis.Common{Session: d.session(), World: world, Data: d.data(), Dir: d.syn(), Model: models.Offline},
		Settings: qa.DefaultSettings(), Baselines: []string{"agentic-hybrid"}, Repeats: 1, Workers: 2, Judges: scoring.Judges{},
	})
	if err != nil {
		return err
	}
	dirs, err := runlog.Find([]string{filepath.Join(d.syn(), candidate.RunsDir)})
	if err != nil {
		return err
	}
	_, err = export.Write(export.Config{
		Runs: dirs, Format: export.ShareGPT, Out: d.sft(), Force: true, Program: program, Redact: d.redactor(), Notify: d.notify, Progress: d.progress,
		Rules: export.Rules{
			RowOptions: train.RowOptions{Turns: train.Canonical, Thinking: train.ThinkingKeep},
			Limit:      export.Limit{Length: preflight.Length{CutoffLen: export.DefaultCutoff(export.ShareGPT)}, Fit: true},
		},
	})
	if err != nil {
		return err
	}
	if err := d.print(""); err != nil {
		return err
	}
	return exportCheckCmd{Options: preflight.Options{Path: d.sft(), Trainer: preflight.LLaMAFactory}}.Run(d.app)
}

// next prints where the results are and which commands to try.
func (d demo) next() error {
	airqa := "airqa"
	if strings.Contains(os.Args[0], "go-build") { // where go run compiles to
		airqa = "go run ./cmd/airqa"
	}
	return d.print(fmt.Sprintf(`
Rules answered the questions, not a language model.
Papers: %s, runs: %s, training data: %s

Next steps:
  1. Ask a paper:
     %[4]s ask "How many pages per second does LumenParse parse?" %[5]s
  2. See every question and step in the browser:
     %[4]s view %[2]s
  3. Ask about your own PDFs, with a model if OPENAI_API_KEY is set:
     %[4]s ask "QUESTION" YOUR.pdf -m openai:gpt-4o`,
		d.data(), d.runs(), d.sft(), airqa, filepath.Join(d.papers(), "lumenparse.pdf")))
}
