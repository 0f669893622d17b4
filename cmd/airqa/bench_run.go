package main

import (
	"path/filepath"

	"github.com/alecthomas/kong"

	"airqa/bench"
	"airqa/env"
	"airqa/env/embed/minilm"
	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa/dataset"
)

type benchRunCmd struct {
	Name    string   `arg:"" name:"benchmark" help:"Benchmark: one of airqa bench list."`
	Dataset string   `names:"input" required:"" placeholder:"PATH" help:"File or folder of the benchmark's data."`
	Dir     string   `names:"output" default:"bench" placeholder:"DIR" help:"Folder for the data directory and the questions of the benchmark; both are made once."`
	Context string   `default:"none" enum:"none,introduction,gold" help:"What --baseline given-context shows: the first section of the paper, or the gold evidence."`
	History string   `default:"messages" enum:"none,messages,rationales" help:"Earlier messages of a dialogue: none, messages, or messages with their rationales."`
	Args    []string `arg:"" optional:"" passthrough:"" name:"flags" help:"Flags of airqa run, after --: --baseline, --model, --out, budgets and so on."`
}

func (c benchRunCmd) Run(a *app) error {
	b, err := findBenchmark(c.Name)
	if err != nil {
		return err
	}
	// Flags are checked first: making the data directory may take long.
	data, questions := filepath.Join(c.Dir, c.Name+"-data"), filepath.Join(c.Dir, c.questionsName())
	args := append([]string{"run", "--data", data, "--questions", questions}, flagsAfterDashes(c.Args)...)
	var commands cli
	parser, err := kong.New(&commands, options()...)
	if err != nil {
		return err
	}
	run, err := parser.Parse(args)
	if err != nil {
		return withCode(exitUsage, err)
	}
	loaded, err := b.Load(c.Dataset)
	if err != nil {
		return err
	}
	if err := c.prepare(a, loaded, data, questions); err != nil {
		return err
	}
	if err := a.noteFileSettings(run); err != nil {
		return err
	}
	if err := run.Run(a); err != nil {
		return err
	}
	if out := commands.Run.Out; out != "" && len(commands.Run.Baseline) == 1 && len(commands.Run.Model) == 1 {
		a.say("next: airqa bench score %s --dataset %s --run %s", c.Name, c.Dataset, out)
	}
	return nil
}

// questionsName tells questions of different forms apart.
func (c benchRunCmd) questionsName() string {
	return c.Name + "-" + c.Context + "-" + c.History + ".jsonl"
}

func flagsAfterDashes(args []string) []string {
	if len(args) > 0 && args[0] == "--" {
		return args[1:]
	}
	return args
}

// prepare makes the data directory and the questions.
func (c benchRunCmd) prepare(a *app, b *bench.Dataset, data, questions string) error {
	examples, err := bench.Questions(b, bench.Config{Context: bench.Context(c.Context), History: prompts.HistoryForm(c.History)})
	if err != nil {
		return err
	}
	lines, err := dataset.Lines(examples)
	if err != nil {
		return err
	}
	model, err := minilm.Open(minilm.Config{})
	if err != nil {
		return err
	}
	ctx, _, stop := a.interrupts()
	defer stop()
	stage := a.progress.Stage("papers", len(b.Documents))
	err = a.session().Write(ctx, env.WriterConfig{Dir: data, Embedder: model}, "index", func(w *env.Writer) error {
		err := bench.Fill(ctx, b, w, func(done, _ int) { stage.Set(done, "") })
		stage.Close(terminal.Plural(len(b.Documents), "document"))
		return err
	})
	if err != nil {
		return err
	}
	return files.WriteFile(questions, lines)
}
