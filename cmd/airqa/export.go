package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"

	"airqa/internal/stagedir"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train/curate"
	"airqa/train/export"
	"airqa/train/otlp"
	"airqa/train/tasks"
	"airqa/train/windows"
)

type exportCmd struct {
	Write exportWriteCmd `cmd:"" default:"withargs" help:"Write training data from runs (short form: airqa export)."`
	Check exportCheckCmd `cmd:"" help:"Check each row of a file: its format, and its tokens against a limit."`
	Show  exportShowCmd  `cmd:"" help:"Show the messages of a row with their tokens."`
	Tasks exportTasksCmd `cmd:"" help:"Write questions as tasks for reinforcement learning: verl, SkyRL, NeMo Gym, TRL, Harbor."`
}

type exportWriteCmd struct {
	Runs    []string `arg:"" name:"run" help:"Run directories, or folders of them."`
	Out     string   `short:"o" placeholder:"DIR" help:"Folder to write. Required, except with --otlp-endpoint."`
	Format  string   `default:"sharegpt" enum:"sharegpt,openai,trl,dpo,kto,atif,parquet,otlp,verl,skyrl,nemo-gym,trl-rl,harbor" help:"sharegpt (LLaMA-Factory), openai (chat), trl (prompt and completion), dpo (preference pairs from repeats), kto (turns of right and wrong episodes with labels), atif (whole trajectories), parquet (tables for analysis) or otlp (OpenTelemetry traces of all episodes; --out may be a .jsonl file). For verl, skyrl, nemo-gym, trl-rl and harbor, see airqa export tasks."`
	Replace bool     `help:"Replace an existing export."`

	Turns    string `default:"canonical" enum:"canonical,raw" help:"Text of the trained turn: canonical (the action in airqa's format, nothing after it) or raw (the reply as received)."`
	Thinking string `default:"keep" enum:"keep,last,drop" help:"Reasoning and <think> blocks: keep, keep in the last turn, or drop."`
	Errors   string `default:"drop" enum:"drop,keep" help:"Turns whose action failed: drop (the paper's error removal; they stay in the context of later turns) or keep (train them too)."`
	filterFlags
	IDs      string    `name:"ids" placeholder:"FILE" help:"Only these rows, episodes or questions, one id per line, such as ids.txt of an export."`
	Scoring  string    `placeholder:"MODE" help:"Use the scores of this mode. Default: the newest."`
	Judge    string    `placeholder:"NAME" help:"Use the scores of this judge."`
	Episodes []int     `placeholder:"N" help:"Numbers of episodes for training, such as 1000,2000,4000. Each is drawn with --split-seed into a folder of that name in --out, and contains the smaller ones; validation and test are the same in all."`
	Split    []float64 `placeholder:"SHARE" help:"Shares of train, validation and test, such as 0.9,0.1. No question, and no known paper of a question, is in two splits."`

	SplitSeed    uint64   `default:"1" help:"Seed of the split and of --episodes."`
	Duplicates   string   `default:"near" enum:"near,exact,keep" help:"Duplicates to drop: near (identical rows and near-duplicate questions), exact (identical rows) or keep (none)."`
	Against      []string `placeholder:"DIR" help:"Also drop near-duplicates of questions in this earlier export."`
	Leaks        string   `placeholder:"FILE" help:"Check for leaks of this question file: 13 words in a row of a question or gold answer, or the same short answer from the same paper."`
	Leak         string   `default:"drop" enum:"drop,report,fail" help:"What to do with a leaked question: drop, report or fail."`
	RedactEmails bool     `help:"Also redact e-mail addresses outside of paper text."`

	Whole     bool   `name:"whole-episodes" help:"One row per episode with its whole history, and a weight for each message: 1 for the turns to train (sharegpt, openai, trl)."`
	Columns   bool   `help:"Add the columns score, pass_rate, turns, tokens and repeat to the rows of sharegpt, trl, dpo and kto. A missing score is -1."`
	License   string `placeholder:"NAME" help:"Licence for the dataset card, such as cc-by-4.0."`
	CutoffLen int    `placeholder:"N" help:"Maximum number of tokens in a row. Default: 4096 (paper) for LLaMA-Factory and TRL, 65536 for OpenAI, none for whole trajectories."`
	Template  string `placeholder:"NAME" help:"Chat template of LLaMA-Factory, for --cutoff-len and the special tokens that texts must not contain. Default: qwen, and qwen2_vl for rows with images."`
	Tokenizer string `placeholder:"FILE" help:"tokenizer.json of the model, for --cutoff-len and the special tokens that texts must not contain. Default: an estimate for the least favorable of the usual vocabularies."`
	Fit       bool   `default:"true" negatable:"" help:"Shorten observations until rows fit --cutoff-len, and drop rows that cannot fit."`

	Endpoint string `name:"otlp-endpoint" placeholder:"URL" help:"Send the traces to this OpenTelemetry endpoint (HTTP). OTEL_EXPORTER_OTLP_HEADERS may contain an API key."`
}

// filterFlags are the fields of [curate.Filter].
type filterFlags struct {
	Include        []string `placeholder:"CLASS" help:"Also export episodes of this class: wrong, unscored, scoring_failed or generation_failed. Default: only episodes scored as right."`
	MinScore       *float64 `placeholder:"S" help:"Minimum score, from 0 to 1."`
	MaxScore       *float64 `placeholder:"S" help:"Maximum score, from 0 to 1."`
	Outcome        []string `placeholder:"OUTCOME" help:"Only episodes with this outcome, such as answered or turn_limit."`
	OfModel        []string `placeholder:"MODEL" help:"Only episodes of these models, as PROVIDER:NAME or NAME."`
	OfBaseline     []string `placeholder:"NAME" help:"Only episodes of these baselines."`
	Tag            []string `placeholder:"TAG" help:"Only questions with all of these tags; !TAG excludes a tag."`
	MinTurns       int      `placeholder:"N" help:"Minimum turns of an episode."`
	MaxTurns       int      `placeholder:"N" help:"Maximum turns of an episode."`
	MinTokens      int      `placeholder:"N" help:"Minimum tokens of an episode, prompts and replies."`
	MaxTokens      int      `placeholder:"N" help:"Maximum tokens of an episode, prompts and replies."`
	MaxRepetition  *float64 `placeholder:"SHARE" help:"Maximum share of actions that repeat an earlier action of the episode, from 0 to 1."`
	PassRate       string   `placeholder:"LO-HI" help:"Only questions with a pass rate in this range, such as 0.2-0.8: the share of right answers among their scored repeats by the same baseline and model."`
	BestOf         int      `placeholder:"N" help:"Of the repeats of a question by the same baseline and model, only the N best right episodes: the highest score, then the fewest turns, then the fewest tokens."`
	MaxPerQuestion int      `placeholder:"N" help:"Maximum episodes of one question; the first ones are kept."`
	MaxPerPaper    int      `placeholder:"N" help:"Maximum episodes of one paper; the first ones are kept."`
}

func (c exportWriteCmd) Run(a *app) error {
	if slices.Contains(tasks.Formats(), tasks.Format(c.Format)) {
		return qa.Usagef("--format %s is made of questions, not of runs: airqa export tasks --format %[1]s -q FILE -d DIR -o DIR", c.Format)
	}
	dirs, err := runlog.Find(c.Runs)
	if err != nil {
		return err
	}
	if c.Format == formatOTLP || c.Endpoint != "" {
		return c.traces(a, dirs)
	}
	if c.Out == "" {
		return qa.Usagef("missing --out: the folder to write")
	}
	// Nearly all that an export allocates is soon free: more collections save memory at hardly any cost.
	debug.SetGCPercent(50)
	config := c.config(a, dirs)
	if len(c.Episodes) == 0 {
		return writeExport(a, config)
	}
	slices.Sort(c.Episodes)
	for _, n := range slices.Backward(slices.Compact(c.Episodes)) { // the largest first: it fails if there are too few
		if n < 1 {
			return qa.Usagef("--episodes %d: want 1 or more", n)
		}
		config.Episodes, config.Out = n, filepath.Join(c.Out, strconv.Itoa(n))
		if err := writeExport(a, config); err != nil {
			return err
		}
	}
	return nil
}

// writeExport writes an export and prints what is in it.
func writeExport(a *app, c export.Config) error {
	s, err := export.Write(c)
	if err != nil {
		return adviseExport(err)
	}
	if s.Unchanged {
		return a.print(c.Out + " already contains this export; nothing changed")
	}
	for _, note := range s.Notes {
		a.say("note: %s", note)
	}
	a.say("error actions: %s", s.Errors)
	if s.Dropped > 0 {
		a.say("left out: %s", s.Reasons)
	}
	return a.print(fmt.Sprintf("%s: %s of %s; %s left out", c.Out, terminal.Plural(s.Rows, "row"), terminal.Plural(s.Episodes, "episode"),
		terminal.Plural(s.Dropped, "turn")))
}

// adviseExport adds to the error of an export which option helps, if one does.
func adviseExport(err error) error {
	switch {
	case errors.As(err, new(*stagedir.OccupiedError)):
		return fmt.Errorf("%w; to overwrite it, add --replace", err)
	case errors.Is(err, export.ErrLeaks):
		return fmt.Errorf("%w; --leak drop excludes them", err)
	case errors.Is(err, export.ErrNoPairs):
		return fmt.Errorf("%w; airqa run --repeats N makes repeats", err)
	}
	return err
}

func (c exportWriteCmd) config(a *app, dirs []string) export.Config {
	return export.Config{
		Runs: dirs, Format: export.Format(c.Format), Out: c.Out, Force: c.Replace, Program: program,
		Redact: a.redactor(), Notify: a.notify, Progress: a.progress,
		Rules: export.Rules{
			Options: windows.Options{Turns: windows.Turns(c.Turns), Thinking: windows.Thinking(c.Thinking), KeepErrors: c.Errors == "keep"},
			Filter:  curate.Filter(c.filterFlags), Scoring: c.Scoring, Judge: c.Judge, IDs: c.IDs, Split: c.Split, Seed: c.SplitSeed,
			Repeated: export.Duplicates(c.Duplicates), Against: c.Against, Leaks: c.Leaks, Leak: export.LeakAction(c.Leak),
			RedactEmails: c.RedactEmails, License: c.License, Columns: c.Columns, Whole: c.Whole,
			Limit: export.Limit{
				CutoffLen: cmp.Or(c.CutoffLen, export.DefaultCutoff(export.Format(c.Format))), Template: c.Template,
				Tokenizer: c.Tokenizer, Fit: c.Fit,
			},
		},
	}
}

// formatOTLP is the format of traces, which are no training data: they have all episodes.
const formatOTLP = "otlp"

// traces writes or sends OpenTelemetry traces.
func (c exportWriteCmd) traces(a *app, dirs []string) error {
	if err := c.checkTraces(); err != nil {
		return err
	}
	config := otlp.Config{
		Runs: dirs, Scoring: c.Scoring, Judge: c.Judge, RedactEmails: c.RedactEmails,
		Redact: a.redactor(), Program: program, Notify: a.notify, Progress: a.progress,
	}
	if c.Endpoint == "" {
		sum, unchanged, err := otlp.WriteFile(config, c.Out, c.Replace)
		if err != nil {
			return adviseExport(err)
		}
		if unchanged {
			return a.print(c.Out + " already contains this export; nothing changed")
		}
		return a.print(fmt.Sprintf("%s: %s of %s", c.Out, terminal.Plural(sum.Spans, "span"), terminal.Plural(sum.Episodes, "episode")))
	}
	sum, err := otlp.Send(a.ctx, config, c.Endpoint)
	if errors.As(err, new(*qa.UsageError)) {
		return fmt.Errorf("--otlp-endpoint: %w", err)
	}
	if err != nil {
		return err
	}
	return a.print(fmt.Sprintf("%s: %s of %s sent", c.Endpoint, terminal.Plural(sum.Spans, "span"), terminal.Plural(sum.Episodes, "episode")))
}

// checkTraces refuses flags that do not apply to traces, such as those of training data.
func (c exportWriteCmd) checkTraces() error {
	switch {
	case c.Format != formatOTLP && c.Format != "sharegpt":
		return qa.Usagef("--otlp-endpoint sends traces: leave out --format %s", c.Format)
	case c.Endpoint != "" && c.Out != "":
		return qa.Usagef("--out and --otlp-endpoint are mutually exclusive; to write a file, use --format otlp --out FILE")
	case c.Endpoint == "" && c.Out == "":
		return qa.Usagef("missing --out FILE or --otlp-endpoint URL")
	}
	plain := c
	plain.Runs, plain.Out, plain.Format, plain.Replace, plain.Scoring, plain.Judge, plain.RedactEmails = nil, "", "", false, "", "", false
	plain.Endpoint = ""
	byDefault := exportWriteCmd{Turns: "canonical", Thinking: "keep", Errors: "drop", SplitSeed: 1, Duplicates: "near", Leak: "drop", Fit: true}
	if !reflect.DeepEqual(plain, byDefault) {
		return qa.Usagef("--format otlp exports every episode, so flags that select training rows do not apply; " +
			"allowed are --replace, --scoring, --judge and --redact-emails")
	}
	return nil
}
