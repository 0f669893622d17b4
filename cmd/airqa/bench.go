package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/bench"
	"airqa/bench/argscichat"
	"airqa/bench/dorismae"
	"airqa/bench/qasper"
	"airqa/env"
	"airqa/eval"
	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
)

// benchmarks are all companion benchmarks. To add one, write a package like argscichat, and add a line here.
func benchmarks() []bench.Benchmark {
	return []bench.Benchmark{
		argscichat.Benchmark(),
		qasper.Benchmark(),
		dorismae.Benchmark(),
	}
}

func companions() eval.Others { return bench.Scorers(benchmarks()) }

func findBenchmark(name string) (bench.Benchmark, error) {
	for _, b := range benchmarks() {
		if b.Name == name {
			return b, nil
		}
	}
	return bench.Benchmark{}, qa.Usagef("unknown benchmark %q; airqa list baselines shows all", name)
}

func listBenchmarks(a *app) error {
	for _, b := range benchmarks() {
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

type benchFlags struct {
	Name    string `arg:"" name:"benchmark" help:"Benchmark, as listed by airqa list baselines."`
	Dataset string `required:"" placeholder:"PATH" help:"File or folder of the benchmark's data."`
	benchOutput
}

func (f benchFlags) request() bench.Request {
	return bench.Request{Dataset: f.Dataset}
}

// benchOutput is where a result is written, and how.
type benchOutput struct {
	formatFlags
	outFile
}

// write prints a result to --out or standard output.
func (f benchOutput) write(a *app, r *bench.Result) error {
	o, err := f.render(a, f.Out)
	if err != nil {
		return err
	}
	return statsFlags{outFile: f.outFile}.write(a, func(w io.Writer) error { return r.Write(w, o) })
}

type benchAgreeCmd struct {
	benchOutput
	Annotations string `placeholder:"FILE" help:"Annotations from airqa bench annotate --export, used instead of the dataset's own (doris-mae)."`
	bench.AgreementConfig
}

func (c benchAgreeCmd) Run(a *app) error {
	config := c.AgreementConfig
	read := bench.ReadRatings
	if strings.EqualFold(filepath.Ext(c.File), ".json") { // a benchmark's file, not a table
		config.Model = cmp.Or(config.Model, bench.ModelRater)
		read = c.benchmarkRatings
	} else if c.Annotations != "" {
		return qa.Usagef("--annotations needs the doris-mae dataset as FILE; its test set contains the human scores")
	}
	ratings, err := read(c.File)
	if err != nil {
		return err
	}
	if config.Model != "" && (c.Margin < 0 || math.IsNaN(c.Margin) || c.Rounds < 1) {
		return qa.Usagef("--margin must not be negative, and --bootstrap must be at least 1")
	}
	r, err := bench.Agree(ratings, config)
	if err != nil {
		return err
	}
	return c.write(a, r)
}

// benchmarkRatings reads the scores of the benchmark that has any.
func (c benchAgreeCmd) benchmarkRatings(path string) (bench.Ratings, error) {
	for _, b := range benchmarks() {
		if b.Ratings != nil {
			return b.Ratings(path, c.Annotations)
		}
	}
	return bench.Ratings{}, qa.Usagef("no benchmark contains human scores; give a CSV of ratings")
}

// benchDirFlag is the folder of what benchmarks make once.
type benchDirFlag struct {
	Dir string `default:"bench" placeholder:"DIR" help:"Folder of what is made once: data directory and questions of airqa bench run, vectors of --embedder."`
}

type benchRunCmd struct {
	Name    string `arg:"" name:"benchmark" help:"Benchmark, as listed by airqa list baselines."`
	Dataset string `required:"" placeholder:"PATH" help:"File or folder of the benchmark's data."`
	benchDirFlag
	Context string `default:"none" enum:"none,introduction,gold" help:"What --baseline given-context shows: the first section of the paper, or the gold evidence."`
	History string `default:"messages" enum:"none,messages,rationales" help:"Earlier messages of a dialogue: none, messages, or messages with their rationales."`
	bench.Choice
	Args []string `arg:"" optional:"" passthrough:"" name:"flags" help:"Flags of airqa run, after --: --baseline, --model, --out, budgets and so on."`
}

// flags are the flags of airqa run, without the dashes before them.
func (c benchRunCmd) flags() []string {
	if len(c.Args) > 0 && c.Args[0] == "--" {
		return c.Args[1:]
	}
	return c.Args
}

func (c benchRunCmd) Run(a *app) error {
	b, err := findBenchmark(c.Name)
	if err != nil {
		return err
	}
	// Flags are checked first: making the data directory may take long.
	data := filepath.Join(c.Dir, c.Name+"-data")
	form := strings.Trim(c.Context+"-"+c.History+"-"+c.Setting, "-")
	questions := filepath.Join(c.Dir, c.Name+"-"+form+".jsonl")
	args := []string{"run", "--data", data, "--questions", questions}
	if n := b.ContextTokens; n > 0 && !a.files.Has([]string{"run"}, "context-tokens") {
		args = append(args, "--context-tokens", strconv.Itoa(n))
	}
	args = append(args, c.flags()...)
	var commands cli
	parser, err := kong.New(&commands, options(a.files)...)
	if err != nil {
		return err
	}
	run, err := parser.Parse(args)
	if err != nil {
		return withCode(exitUsage, err)
	}
	loaded, err := b.Load(c.Dataset, c.Choice)
	if err != nil {
		return err
	}
	if err := c.prepare(a, loaded, commands.Run.dataFlags, questions); err != nil {
		return err
	}
	a.noteAll(placesOfRun(run, a.files))
	if err := run.Run(a); err != nil {
		return err
	}
	if out := commands.Run.Out; out != "" && len(commands.Run.Baseline) == 1 && len(commands.Run.Model) == 1 {
		a.next("airqa bench baseline %s --dataset %s --run %s", c.Name, c.Dataset, out)
	}
	return nil
}

// prepare makes the data directory of a run, in the form that it records, and the questions.
func (c benchRunCmd) prepare(a *app, b *bench.Dataset, data dataFlags, questions string) error {
	examples, err := bench.Questions(b, bench.Config{Context: bench.Context(c.Context), History: prompts.HistoryForm(c.History)})
	if err != nil {
		return err
	}
	lines, err := dataset.Lines(examples)
	if err != nil {
		return err
	}
	to, err := data.target(a, true)
	if err != nil {
		return err
	}
	ctx, _, stop := a.interrupts()
	defer stop()
	stage := a.progress.Stage("papers", len(b.Documents))
	err = a.writer(to).Write(ctx, "index", func(w *env.Writer) error {
		err := bench.Fill(ctx, b, w, func(done, _ int) { stage.Set(done, "") })
		stage.Close(terminal.Plural(len(b.Documents), "document"))
		return err
	})
	if err != nil {
		return err
	}
	return files.WriteFile(questions, lines)
}

type benchStatsCmd struct {
	benchFlags
	benchEmbedFlags
	bench.Choice
	Pools      bool   `help:"Rebuild the pools of doris-mae from its corpus, and compare them. Needs 4 GB of memory."`
	PoolsOut   string `placeholder:"FILE" help:"Write candidate pools to FILE: the rebuilt ones, or with --embedder the 75 abstracts nearest to each of the first 50 queries outside its pool, added to --pools-from (doris-mae)."`
	Similarity string `default:"tfidf" enum:"tfidf,minilm" help:"Text similarity for the diversity statistics: tfidf, or minilm (sentence embeddings, in process)."`
	Item       string `placeholder:"ID" help:"Show this item instead, as it appears in a prompt: paper, history, question. A unique part of an id is enough."`
	History    string `default:"rationales" enum:"none,messages,rationales" help:"Earlier messages of a dialogue: none, messages, or messages with their rationales."`
}

func (c benchStatsCmd) Run(a *app) error {
	if c.Item != "" {
		return c.show(a)
	}
	r := c.request()
	r.Choice, r.Similarity, r.Pools, r.PoolsOut = c.Choice, c.Similarity, c.Pools, c.PoolsOut
	return c.call(a, c.benchFlags, r, func(b bench.Benchmark) benchFunc { return b.Stats })
}

type benchFunc = func(context.Context, bench.Request) (*bench.Result, error)

// run calls one of the benchmark's functions and prints its result.
func (f benchFlags) run(a *app, r bench.Request, of func(bench.Benchmark) benchFunc) error {
	b, err := findBenchmark(f.Name)
	if err != nil {
		return err
	}
	result, err := of(b)(a.ctx, r)
	if err != nil {
		return err
	}
	return f.write(a, result)
}

type benchBaselineCmd struct {
	benchFlags
	benchEmbedFlags
	Method string   `placeholder:"NAME" help:"Method, as listed by airqa list baselines. Default: all, in one table."`
	Of     []string `name:"run" placeholder:"DIR" help:"Scored runs, or a folder of them, to compare with the methods: airqa bench run and airqa score make them."`
	scoringFlag
	bench.Choice
	Export    string `placeholder:"FILE" help:"Write the answers of --method, or of the only --run, to FILE in the benchmark's own format."`
	BERTScore bool   `name:"bertscore" help:"Also compute BERTScore of messages with the built-in encoder (argscichat)."`
	Bootstrap int    `placeholder:"N" help:"Resamples of the bootstrap."`
	Seed      uint64 `name:"bootstrap-seed" default:"1" help:"Seed of the bootstrap."`
}

func (c benchBaselineCmd) Run(a *app) (err error) {
	if c.Bootstrap < 0 {
		return qa.Usagef("--bootstrap %d: must be at least 0", c.Bootstrap)
	}
	r := c.request()
	r.Choice, r.Method, r.Fixed = c.Choice, c.Method, eval.Mode(c.Scoring) == eval.Fixed
	r.Bootstrap, r.Seed, r.Export, r.BERTScore = c.Bootstrap, c.Seed, c.Export, c.BERTScore
	if len(c.Of) > 0 {
		if r.Runs, err = runlog.Find(c.Of); err != nil {
			return err
		}
	}
	return c.call(a, c.benchFlags, r, func(b bench.Benchmark) benchFunc { return b.Compare })
}

func (c benchStatsCmd) show(a *app) error {
	b, err := findBenchmark(c.Name)
	if err != nil {
		return err
	}
	data, err := b.Load(c.Dataset, bench.Choice{})
	if err != nil {
		return err
	}
	text, err := bench.Show(data, c.Item, prompts.HistoryForm(c.History))
	if err != nil {
		return err
	}
	return a.print(text)
}
