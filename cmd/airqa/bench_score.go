package main

import (
	"context"
	"os"
	"path/filepath"

	"airqa/bench"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa"
)

type benchStatsCmd struct {
	benchFlags
	Pools      bool   `help:"Build the pools of doris-mae again from its corpus, and compare them. This needs 4 GB of memory."`
	Similarity string `default:"tfidf" enum:"tfidf,minilm" help:"How statistics of diversity compare texts: tfidf, or minilm (sentence vectors, in process)."`
}

func (c benchStatsCmd) Run(a *app) error {
	r := c.request()
	r.Similarity, r.Pools = c.Similarity, c.Pools
	return c.run(a, r, func(b bench.Benchmark) benchFunc { return b.Stats })
}

type benchFunc = func(context.Context, bench.Request) (*bench.Result, error)

// run calls one of the benchmark's functions and prints its result.
func (f benchFlags) run(a *app, r bench.Request, of func(bench.Benchmark) benchFunc) error {
	b, err := findBenchmark(f.Name)
	if err != nil {
		return err
	}
	call := of(b)
	if call == nil {
		return qa.Usagef("%s does not have this command", b.Name)
	}
	result, err := call(a.ctx, r)
	if err != nil {
		return err
	}
	return f.write(a, result)
}

type benchBaselineCmd struct {
	benchFlags
	Method string `placeholder:"NAME" help:"Method: one of airqa bench list. Default: all of them, in one table."`
	benchRules
}

// benchRules are how answers are scored.
type benchRules struct {
	Compat   bool   `xor:"mode" help:"Score as the benchmark's own scripts do. This is the default."`
	Fixed    bool   `xor:"mode" help:"Correct known flaws of the scripts (docs/bench.md)."`
	Setting  string `placeholder:"NAME" help:"Task of doris-mae: query (the default), aspect, test, or subquery-2."`
	TextOnly bool   `name:"text-evidence-only" help:"Leave out gold evidence in figures and tables (qasper)."`
	Seed     uint64 `default:"1" help:"Seed of the resamples."`

	Annotations string `names:"input" placeholder:"FILE" help:"Annotations of airqa annotate export, instead of those of the dataset (doris-mae)."`
	Export      string `names:"output" placeholder:"FILE" help:"Write the predictions to FILE in the benchmark's own format: those of --method, or the scored ones (qasper, doris-mae)."`
}

func (c benchRules) request(r bench.Request) bench.Request {
	r.Fixed, r.Setting, r.TextOnly, r.Seed, r.Export, r.Annotations = c.Fixed, c.Setting, c.TextOnly, c.Seed, c.Export, c.Annotations
	return r
}

func (c benchBaselineCmd) Run(a *app) error {
	if c.Export != "" && c.Method == "" {
		return qa.Usagef("--export needs --method: a file has the predictions of one method")
	}
	r := c.benchRules.request(c.benchFlags.request())
	r.Method = c.Method
	return c.run(a, r, func(b bench.Benchmark) benchFunc { return b.Baseline })
}

type benchScoreCmd struct {
	benchFlags
	Predictions string `names:"input" xor:"answers" required:"" placeholder:"FILE" help:"Predictions, JSON Lines."`
	From        string `names:"input" name:"run" xor:"answers" required:"" placeholder:"DIR" help:"Run directory of airqa bench run: score its answers."`
	benchRules
	Bootstrap int `placeholder:"N" help:"Add 95 % intervals from N resamples."`
}

func (c benchScoreCmd) Run(a *app) error {
	if c.Bootstrap < 0 {
		return qa.Usagef("--bootstrap %d: must be at least 0", c.Bootstrap)
	}
	r := c.benchRules.request(c.benchFlags.request())
	r.Predictions, r.Bootstrap = c.Predictions, c.Bootstrap
	if c.From != "" {
		dir, err := os.MkdirTemp("", "airqa-bench-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		r.Predictions = filepath.Join(dir, "predictions.jsonl")
		if err := c.answers(a, r.Predictions); err != nil {
			return err
		}
	}
	return c.run(a, r, func(b bench.Benchmark) benchFunc { return b.Score })
}

// answers writes the answers of the run as predictions.
func (c benchScoreCmd) answers(a *app, to string) error {
	b, err := findBenchmark(c.Name)
	if err != nil {
		return err
	}
	n, err := bench.WriteAnswers(b, c.Dataset, c.From, to)
	if err == nil {
		a.say("%s of %s", terminal.Plural(n, "answer"), c.From)
	}
	return err
}

type benchShowCmd struct {
	Name    string `arg:"" name:"benchmark" help:"Benchmark: one of airqa bench list."`
	ID      string `arg:"" name:"id" help:"Id of an item, or a part of it that no other has."`
	Dataset string `names:"input" required:"" placeholder:"PATH" help:"File or folder of the benchmark's data."`
	History string `default:"rationales" enum:"none,messages,rationales" help:"Earlier messages of a dialogue: none, messages, or messages with their rationales."`
}

func (c benchShowCmd) Run(a *app) error {
	b, err := findBenchmark(c.Name)
	if err != nil {
		return err
	}
	data, err := b.Load(c.Dataset)
	if err != nil {
		return err
	}
	text, err := bench.Show(data, c.ID, prompts.HistoryForm(c.History))
	if err != nil {
		return err
	}
	return a.print(text)
}
