// Command airqa runs the AirQA baselines over scientific papers, scores the answers and shows the trajectories. This package
// contains flags, help, wiring and exit codes, one file per command; the work is done in the packages it imports.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/paperdb"
	"airqa/internal/lazyregexp"
	"airqa/internal/settings"
	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/qa"
	"airqa/report/render"
	"airqa/run/models"
	"airqa/run/papers"
	"airqa/run/plan"
	"airqa/run/scoring"
	"airqa/run/session"
	"airqa/runlog"
	"airqa/train/otlp"
)

// version is recorded in run directories and scores.
const version = "0.1.0"

// program is the name that run directories record.
const program = "airqa " + version

// cli is the whole command line. The first page of help lists the commands in this order.
type cli struct {
	HelpAll helpAllFlag      `name:"help-all" help:"Show help with all flags."`
	Version kong.VersionFlag `help:"Print the version and exit."`
	Config  configFlag       `name:"config" env:"AIRQA_CONFIG" placeholder:"FILE" help:"Read settings from FILE, and what it lacks from your own airqa.yaml."`
	Quiet   bool             `env:"AIRQA_QUIET" help:"Print results, warnings and errors only: no progress, no notes."`
	Verbose bool             `short:"v" env:"AIRQA_VERBOSE" help:"Verbose logging."`

	Demo   demoCmd   `cmd:"" group:"Start:" help:"Run everything on the sample papers: ingest, all baselines, scores, table."`
	Doctor doctorCmd `cmd:"" group:"Start:" help:"Check models, judges, data, vectors and the machine, and suggest fixes."`
	Ask    askCmd    `cmd:"" group:"Start:" help:"Answer a question about your PDFs, with sources."`

	Ingest ingestCmd `cmd:"" group:"Papers:" help:"Read PDFs into a data directory."`
	Import struct {
		Database     importDatabaseCmd `cmd:"" default:"withargs" help:"Copy a released AirQA database into a data directory (short form: airqa import)."`
		Trajectories importRunCmd      `cmd:"" name:"run" help:"Import trajectories from other tools (ATIF, inspect_ai) as a run."`
	} `cmd:"" group:"Papers:" help:"Import a released AirQA database, or trajectories from other tools."`
	Papers struct {
		List  papersListCmd  `cmd:"" default:"withargs" help:"List papers, with counts and problems (short form: airqa papers)."`
		Show  papersShowCmd  `cmd:"" help:"Show details and problems of papers."`
		Fetch papersFetchCmd `cmd:"" help:"Download and ingest the papers that questions need, or a sample of arXiv."`
		Join  papersJoinCmd  `cmd:"" help:"Make one data directory of several."`
		Rm    papersRmCmd    `cmd:"" help:"Remove papers with their rows, vectors and files."`
	} `cmd:"" group:"Papers:" help:"List, show, fetch, join and remove the papers of a data directory."`
	Enrich enrichCmd `cmd:"" group:"Papers:" help:"Generate summaries, TL;DRs and tags with a model."`

	Questions struct {
		New     questionsNewCmd     `cmd:"" help:"Write a question with an evaluator, and show how answers to it are scored."`
		Convert questionsConvertCmd `cmd:"" help:"Convert questions with answers (CSV, JSON, text) to AirQA's JSON Lines."`
		Lint    questionsLintCmd    `cmd:"" help:"List questions that cannot be scored as written or contradict themselves."`
		Stats   questionsStatsCmd   `cmd:"" help:"Show statistics of a question file."`
		Try     questionsTryCmd     `cmd:"" help:"Score one answer to one question, and explain the score."`
	} `cmd:"" group:"Evaluate:" help:"Write, convert, check and count questions; try an answer."`
	Run     runCmd     `cmd:"" group:"Evaluate:" help:"Answer questions with a baseline and a model."`
	Status  statusCmd  `cmd:"" group:"Evaluate:" help:"Show the progress of runs, live or finished."`
	Score   scoreCmd   `cmd:"" group:"Evaluate:" help:"Score runs, or a file of predictions."`
	Report  reportCmd  `cmd:"" group:"Evaluate:" help:"Print the paper's tables for runs, or write a page with charts."`
	Compare compareCmd `cmd:"" group:"Evaluate:" help:"Compare runs question by question."`
	Bench   struct {
		Stats    benchStatsCmd    `cmd:"" help:"Print the dataset statistics of the benchmark's paper, or an item as it appears in a prompt."`
		Baseline benchBaselineCmd `cmd:"" help:"Score baselines that need no language model."`
		Run      benchRunCmd      `cmd:"" help:"Run baselines that use a language model."`
		Agree    benchAgreeCmd    `cmd:"" help:"Measure the agreement between raters: kappa, alpha, macro F1, rho."`
		Annotate annotateCmd      `cmd:"" help:"Score abstracts for the aspects of DORIS-MAE with a model."`
		Collect  collectCmd       `cmd:"" help:"Host dialogues between two people about papers, like ArgSciChat."`
		Judge    judgeCmd         `cmd:"" name:"judge-check" help:"Measure a judge against labelled answers."`
	} `cmd:"" group:"Evaluate:" help:"Companion benchmarks: run, score, annotate, collect dialogues, check judges."`
	Shards struct {
		Merge mergeCmd      `cmd:"" help:"Merge the shards of a run into one run."`
		Slurm slurmCmd      `cmd:"" help:"Print an array job script for Slurm."`
		K8s   kubernetesCmd `cmd:"" name:"k8s" help:"Print an indexed Job for Kubernetes, or servers of episodes."`
	} `cmd:"" group:"Evaluate:" help:"Run shards with Slurm or Kubernetes, and merge them."`

	Synth struct {
		Make synthMakeCmd `cmd:"" help:"Generate questions with evaluators, collect trajectories, and score them."`
		Act  synthActCmd  `cmd:"" help:"Collect more trajectories for the accepted questions, with other settings."`
		Why  synthWhyCmd  `cmd:"" help:"Show where candidates were rejected, or the history of one."`
	} `cmd:"" group:"Train:" help:"Generate questions about papers with a model, and collect trajectories."`
	Export exportCmd `cmd:"" group:"Train:" help:"Write training data from runs, in the formats that trainers read."`

	Serve serveCmd `cmd:"" group:"Serve:" help:"Serve episodes to agents and trainers: MCP, OpenEnv, ORS, NeMo Gym."`
	MCP   mcpCmd   `cmd:"" group:"Serve:" name:"mcp" help:"Give an assistant the tools of a data directory over MCP."`

	Trace  traceCmd  `cmd:"" group:"Debug:" help:"List and filter episodes, or show the steps of one."`
	Why    whyCmd    `cmd:"" group:"Debug:" help:"Show the causes of wrong answers, with evidence."`
	Notes  notesCmd  `cmd:"" group:"Debug:" help:"List, add and merge comments and decisions on episodes."`
	View   viewCmd   `cmd:"" group:"Debug:" help:"Show runs in the browser: overview, questions, steps, search."`
	Diff   diffCmd   `cmd:"" group:"Debug:" help:"Compare two trajectories, or find where two runs diverge."`
	Replay replayCmd `cmd:"" group:"Debug:" help:"Execute recorded actions again and compare the results."`
	Fork   forkCmd   `cmd:"" group:"Debug:" help:"Fork an episode at an edited message into a new run."`
	Search searchCmd `cmd:"" group:"Debug:" help:"Search passages like the Retrieve tool."`
	SQL    sqlCmd    `cmd:"" group:"Debug:" name:"sql" help:"Run an SQL query like the Query tool."`
	Page   pageCmd   `cmd:"" group:"Debug:" help:"Render a page like the View tool."`

	List struct {
		Baselines baselinesCmd `cmd:"" help:"List the baselines, and the companion benchmarks with theirs."`
		Models    modelsCmd    `cmd:"" help:"List known models: prices, limits, features."`
		Prompts   promptsCmd   `cmd:"" help:"List the prompts with their placeholders, or write them to files."`
	} `cmd:"" group:"More:" help:"List the baselines, the prompts, or the known models with prices and limits."`
	Store struct {
		Cache   cacheCmd   `cmd:"" help:"List cached replies by model, or delete them."`
		Vectors vectorsCmd `cmd:"" help:"Check the vectors of a data directory, rebuild them, or copy them to another store."`
	} `cmd:"" group:"More:" help:"Manage cached replies and the vectors of a data directory."`
	Completion completionCmd `cmd:"" hidden:"" group:"More:" help:"Print a shell completion script."`
	ShowHelp   helpCmd       `cmd:"" hidden:"" group:"More:" name:"help" help:"Show the help of a command."`
	ShowBuild  versionCmd    `cmd:"" hidden:"" group:"More:" name:"version" help:"Print version and commit."`
}

// app is passed to every command.
type app struct {
	ctx context.Context
	// args is the command line.
	args []string
	in   io.Reader
	// out is standard output; what a terminal could take for a command is escaped. screen is for commands to the terminal.
	out, screen io.Writer
	errs        io.Writer
	// quiet drops notes and steps.
	quiet    bool
	log      *slog.Logger
	progress *terminal.Progress
	now      func() time.Time
	getenv   func(string) string
	files    *settings.Files
	// paper is nil without --as-in-paper.
	paper *qa.AsInPaper
	// given are the addresses that the user gives.
	given models.Addresses
	// data is --data of a command that answers questions; papers that a question file names are found there.
	data string
	// width is the number of columns of standard output; 0 if it is no terminal.
	width int
	// style is the style of standard error, outStyle that of standard output.
	style, outStyle terminal.Style
	// interrupted is set by the first stop signal; stopped is closed, once, by the first SIGTERM.
	interrupted *atomic.Bool
	stopping    *sync.Once
	stopped     chan struct{}
	// grace is how long calls in flight may take after SIGTERM.
	grace time.Duration
}

func main() {
	paperdb.WorkerMain()
	os.Exit(airqa(os.Args[1:]))
}

// airqa runs one command line and returns its exit code.
func airqa(args []string) int {
	notes, err := settings.LoadKeys(keyVariables())
	if err != nil {
		return reportError(withCode(exitUsage, err))
	}
	var c cli
	files := settings.Open(os.Getenv("AIRQA_CONFIG"))
	parser, err := kong.New(&c, options(files)...)
	if err != nil {
		return reportError(withCode(exitUsage, err))
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	ctx, err := parser.Parse(joinValues(parser.Model.Node, args))
	if err != nil {
		return reportError(wrongUse(err))
	}
	if err := shareHeaders(ctx); err != nil {
		return reportError(err)
	}
	a := newApp(c.Verbose, c.Quiet)
	a.args, a.files, a.given, a.paper = args, files, givenAddresses(ctx, files), paperOf(ctx, files)
	a.noteAll(append(notes, placesOfRun(ctx, files)...))
	a.sayPaper()
	code := reportError(missingInput(ctx.Run(a), args))
	if a.interrupted.Load() && (code == exitFailed || code == exitFailedExamples) {
		return exitInterrupted
	}
	return code
}

// keyVariables are the environment variables of keys.
func keyVariables() []string {
	return slices.Concat(llm.KeyVariables(), []string{models.JudgeKey, models.EmbedKey}, models.HeaderVariables(), otlp.HeaderVariables())
}

// missingInput is wrong use if err is about a file or folder that the command line names and that does not exist, or is none
// of airqa's.
func missingInput(err error, args []string) error {
	if errors.Is(err, datadir.ErrNotDataDir) {
		return &qa.UsageError{Err: err}
	}
	missing, ok := errors.AsType[*fs.PathError](err)
	if !ok || !errors.Is(missing, fs.ErrNotExist) || missing.Op == "mkdir" {
		return err
	}
	named := func(arg string) bool {
		_, value, _ := strings.Cut(arg, "=")
		return missing.Path == arg || missing.Path == value || missing.Path == strings.TrimPrefix(value, "@") || missing.Path == strings.TrimPrefix(arg, "@")
	}
	if !slices.ContainsFunc(args, named) {
		return err
	}
	return qa.Usagef("%s: no such file or directory", missing.Path)
}

type configFlag string

// BeforeResolve is a hook of kong, called if the command line has the flag.
func (configFlag) BeforeResolve(ctx *kong.Context, trace *kong.Path, files *settings.Files) error {
	files.Use(fmt.Sprint(ctx.FlagValue(trace.Flag)))
	return nil
}

func options(files *settings.Files) []kong.Option {
	formats := render.Formats()
	last := len(formats) - 1
	return []kong.Option{
		kong.Name("airqa"),
		kong.Description("Run, collect and debug agents that answer questions over scientific papers."),
		kong.Vars{
			"version": program, "formats": strings.Join(formats, ","), "format_names": strings.Join(formats[:last], ", ") + " or " + formats[last],
		},
		kong.PostBuild(addDetails),
		kong.PostBuild(groupFlags),
		kong.Help(func(_ kong.HelpOptions, ctx *kong.Context) error { return writeHelp(ctx, false) }),
		kong.Bind(files),
		kong.Resolvers(recordedFlags{places: true}, files, recordedFlags{}),
	}
}

func newApp(verbose, quiet bool) *app {
	level := slog.LevelInfo
	var bars io.Writer = os.Stderr
	switch {
	case verbose:
		level = slog.LevelDebug
	case quiet:
		level = slog.LevelWarn
	}
	if quiet {
		bars = io.Discard
	}
	isTerminal := term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb"
	errs := newRedactingWriter(os.Stderr, os.Getenv)
	var out io.Writer = os.Stdout
	if term.IsTerminal(int(os.Stdout.Fd())) {
		out = &terminal.Screen{To: os.Stdout}
	}
	return &app{
		ctx: context.Background(), in: os.Stdin, out: out, screen: os.Stdout, errs: errs, quiet: quiet, files: &settings.Files{},
		log:      slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{Level: level})),
		progress: &terminal.Progress{Out: bars, Bars: isTerminal && !quiet},
		now:      time.Now, getenv: os.Getenv, width: terminalWidth(os.Stdout), style: terminal.StyleOf(os.Stderr, os.Getenv), outStyle: terminal.StyleOf(os.Stdout, os.Getenv),
		interrupted: new(atomic.Bool), stopping: new(sync.Once), stopped: make(chan struct{}),
	}
}

func terminalWidth(f *os.File) int {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// reportError prints an error on standard error and returns its exit code.
func reportError(err error) int {
	if err == nil {
		return exitDone
	}
	text := "airqa: " + terminal.Message(strings.TrimRight(withoutTrace(err.Error())+advice(err), "\n"))
	_, _ = fmt.Fprintln(newRedactingWriter(os.Stderr, os.Getenv), terminal.StyleOf(os.Stderr, os.Getenv).Message(text))
	return exitCode(err)
}

// advice returns a hint for an error that any command may meet.
func advice(err error) string {
	if _, ok := errors.AsType[*models.PriceError](err); ok {
		return "\n  Give --price IN,OUT in USD per million tokens, or list the model in a file for --models"
	}
	if _, ok := errors.AsType[*scoring.AbsentError](err); ok {
		return "\n  Or give --judge openai:NAME and AIRQA_JUDGE_BASE_URL, or --judge-base-url of airqa score (your own endpoint), --judge none (objective answers only) or --judge offline (compares words)"
	}
	if _, ok := errors.AsType[*plan.MissingError](err); ok {
		return "\n  --missing skip skips these questions, --missing run asks them anyway; --dry-run --json lists the papers"
	}
	if mismatch, ok := errors.AsType[*runlog.MismatchError](err); ok {
		return "\n  " + adviceOn(mismatch.Diff)
	}
	for _, full := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		// DuckDB's errors are texts.
		if errors.Is(err, full) || strings.Contains(strings.ToLower(err.Error()), full.Error()) {
			return "\n  Free some space, or raise the limit; the same command resumes from here"
		}
	}
	return ""
}

var stackTrace = lazyregexp.New(`(?s)\s*\n+Stack Trace:\n.*`)

func withoutTrace(text string) string { return stackTrace.ReplaceAllString(text, "") }

// note is for packages that know no levels of messages.
func (a *app) note(line string) { a.say("note: %s", line) }

// next suggests commands. Their words are quoted for a shell, and a path that begins with a hyphen is no flag.
func (a *app) next(format string, words ...string) {
	quoted := make([]any, len(words))
	for i, w := range words {
		if strings.HasPrefix(w, "-") {
			w = "./" + w
		}
		quoted[i] = terminal.ShellWord(w)
	}
	a.say("next: "+format, quoted...)
}

// say prints a message on standard error. It removes control characters: file names, uuids and texts may be untrusted.
func (a *app) say(format string, args ...any) {
	text := withoutTrace(fmt.Sprintf(format, args...))
	if a.quiet && !strings.HasPrefix(text, "warning: ") {
		return
	}
	_, _ = fmt.Fprintln(a.errs, a.style.Message(terminal.Message(text)))
}

func (a *app) noteAll(lines []string) {
	for _, line := range lines {
		a.say("%s", line)
	}
}

func (a *app) notify(n terminal.Notice) { a.say("%s", n) }

// session returns the environment of package session.
func (a *app) session() session.Session {
	return session.Session{
		Notify: a.notify, Progress: a.progress, Log: a.log, Now: a.now, Getenv: a.getenv, Given: a.given, Redact: a.redactor(),
		RedactKeys: runlog.Redactor(keys(a.getenv), ""), Interrupts: a.interrupts, Stopped: a.stopped, Program: program, Others: companions(), AsInPaper: a.paper, FindPaper: a.finder(cmp.Or(a.data, defaultData)),
	}
}

// writer adds papers to a data directory.
func (a *app) writer(to env.WriterConfig) papers.Writer {
	return papers.Writer{Session: a.session(), To: to}
}

// print writes a result to standard output.
func (a *app) print(text string) error {
	_, err := fmt.Fprintln(a.out, text)
	return err
}

func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printEach writes a list, each element as a text or as a line of JSON.
func printEach[T any](a *app, asJSON bool, list []T, text func(T) string) error {
	for _, v := range list {
		var err error
		if asJSON {
			err = a.printJSON(v)
		} else {
			err = a.print(text(v))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
