package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"airqa/bench"
	"airqa/bench/agreement"
	"airqa/bench/argscichat"
	"airqa/bench/dorismae"
	"airqa/bench/qasper"
	"airqa/env/embed"
	"airqa/env/embed/minilm"
	"airqa/internal/terminal"
	"airqa/qa"
)

// benchCmd is about the companion benchmarks.
type benchCmd struct {
	List     benchListCmd     `cmd:"" help:"List the companion benchmarks and their baselines."`
	Stats    benchStatsCmd    `cmd:"" help:"Count the data as the tables of the benchmark's paper do."`
	Baseline benchBaselineCmd `cmd:"" help:"Score baselines that need no language model."`
	Run      benchRunCmd      `cmd:"" help:"Run baselines with a language model on the items."`
	Score    benchScoreCmd    `cmd:"" help:"Score a file of predictions in the benchmark's own format."`
	Show     benchShowCmd     `cmd:"" help:"Show an item as a prompt has it: paper, history, question."`
	Agree    benchAgreeCmd    `cmd:"" help:"Measure the agreement of raters: kappa, alpha, macro F1, rho."`
}

type benchListCmd struct {
	JSON bool `name:"json" help:"Print one JSON object per benchmark."`
}

// benchmarks are all companion benchmarks. To add one, write a package like argscichat, and add a line here.
func benchmarks() []bench.Benchmark {
	return []bench.Benchmark{
		argscichat.Benchmark(),
		qasper.Benchmark(),
		dorismae.Benchmark(),
	}
}

func findBenchmark(name string) (bench.Benchmark, error) {
	for _, b := range benchmarks() {
		if b.Name == name {
			return b, nil
		}
	}
	return bench.Benchmark{}, qa.Usagef("unknown benchmark %q; airqa bench list shows all", name)
}

// benchLine is a line of airqa bench list --json.
type benchLine struct {
	Name    string         `json:"name"`
	About   string         `json:"about"`
	Methods []bench.Method `json:"methods"`
}

func (c benchListCmd) Run(a *app) error {
	for _, b := range benchmarks() {
		if c.JSON {
			if err := json.NewEncoder(a.out).Encode(benchLine{b.Name, b.About, b.Methods}); err != nil {
				return err
			}
			continue
		}
		width, pad := terminal.ProseWidth(a.width), strings.Repeat(" ", 17)
		lines := []string{terminal.Wrap(b.Name+": "+b.About, width, "  ")}
		for _, m := range b.Methods {
			about := terminal.Wrap(m.About, max(width-len(pad), 1), "")
			lines = append(lines, fmt.Sprintf("  %-14s %s", m.Name, strings.ReplaceAll(about, "\n", "\n"+pad)))
		}
		if err := a.print(strings.Join(lines, "\n")); err != nil {
			return err
		}
	}
	return nil
}

// benchFlags name a benchmark, its data and an output.
type benchFlags struct {
	Name    string `arg:"" name:"benchmark" help:"Benchmark: one of airqa bench list."`
	Dataset string `names:"input" required:"" placeholder:"PATH" help:"File or folder of the benchmark's data."`
	formatFlags
	Out string `names:"output" short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
}

func (f benchFlags) request() bench.Request {
	return bench.Request{
		Dataset:  f.Dataset,
		Embedder: func() (embed.Embedder, error) { return minilm.Open(minilm.Config{}) },
	}
}

// write prints a result to --out or standard output.
func (f benchFlags) write(a *app, r *bench.Result) error {
	o, err := f.render(a, f.Out)
	if err != nil {
		return err
	}
	return statsFlags{Out: f.Out}.write(a, func(w io.Writer) error { return r.Write(w, o) })
}

type benchAgreeCmd struct {
	File string `arg:"" name:"file" help:"CSV: a head with the names of the raters, and a line per unit; or the file of doris-mae, for its test set."`
	formatFlags
	Out string `names:"output" short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`

	Rater       string  `placeholder:"NAME" help:"Compare this rater, a model, to the others. Default: model, for doris-mae."`
	Annotations string  `names:"input" placeholder:"FILE" help:"Annotations of airqa annotate export as the model's scores. Default: those of doris-mae."`
	Measure     string  `default:"macro-f1" enum:"exact,macro-f1,kappa,rho,alpha,all" help:"Measure of the comparison: exact, macro-f1, kappa, rho, alpha (ordinal) or all."`
	Margin      float64 `default:"0.05" placeholder:"D" help:"Difference up to which the model is not worse than people."`
	Bootstrap   int     `default:"2000" placeholder:"N" help:"Resamples of the comparison."`
	Seed        uint64  `default:"1" help:"Seed of the resamples."`
}

func (c benchAgreeCmd) Run(a *app) error {
	config := c.config()
	ratings, err := c.ratings()
	if err != nil {
		return err
	}
	if config.Model != "" && (c.Margin < 0 || math.IsNaN(c.Margin) || c.Bootstrap < 1) {
		return qa.Usagef("--margin must not be negative, and --bootstrap must be at least 1")
	}
	r, err := agreement.Agree(ratings, config)
	if err != nil {
		return err
	}
	return benchFlags{formatFlags: c.formatFlags, Out: c.Out}.write(a, r)
}

// isDataset reports whether the file is one of a benchmark, not a table.
func (c benchAgreeCmd) isDataset() bool { return strings.EqualFold(filepath.Ext(c.File), ".json") }

// ratings reads a table, or the scores of the benchmark that has any.
func (c benchAgreeCmd) ratings() (bench.Ratings, error) {
	if !c.isDataset() {
		if c.Annotations != "" {
			return bench.Ratings{}, qa.Usagef("--annotations needs the file of doris-mae, whose test set has the people's scores")
		}
		return agreement.Read(c.File)
	}
	for _, b := range benchmarks() {
		if b.Ratings != nil {
			return b.Ratings(c.File, c.Annotations)
		}
	}
	return bench.Ratings{}, qa.Usagef("no benchmark has scores of people; give a table of ratings")
}

func (c benchAgreeCmd) config() agreement.Config {
	f := agreement.Config{File: c.File, Model: c.Rater, Measure: c.Measure, Margin: c.Margin, Rounds: c.Bootstrap, Seed: c.Seed}
	if c.isDataset() {
		f.Model = cmp.Or(f.Model, bench.ModelRater)
	}
	return f
}
