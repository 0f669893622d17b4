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

	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train"
	"airqa/train/export"
	"airqa/train/otlp"
	"airqa/train/tasks"
)

type exportCmd struct {
	Write exportWriteCmd `cmd:"" default:"withargs" help:"Write training data from runs (short form: airqa export)."`
	Check exportCheckCmd `cmd:"" help:"Check each row of a file: its format, and its tokens against a limit."`
	Tasks exportTasksCmd `cmd:"" help:"Write questions as tasks for reinforcement learning: verl, SkyRL, NeMo Gym, TRL, Harbor."`
}

type exportWriteCmd struct {
	Runs    []string `arg:"" name:"run" help:"Run directories, or folders of them."`
	Out     string   `short:"o" placeholder:"DIR" help:"Folder to write."`
	Format  string   `default:"sharegpt" enum:"sharegpt,openai,trl,dpo,kto,atif,parquet,otlp,verl,skyrl,nemo-gym,trl-rl,harbor" help:"sharegpt (LLaMA-Factory), openai (chat), trl (prompt and completion), dpo (preference pairs from repeats), kto (turns of right and wrong episodes with labels), atif (whole trajectories), parquet (tables for analysis) or otlp (OpenTelemetry traces of all episodes; --out may be a .jsonl file). For verl, skyrl, nemo-gym, trl-rl and harbor, see airqa export tasks."`
	Replace bool     `help:"Replace an existing export."`

	export.Rules
	paperFlag

	Endpoint string `name:"otlp-endpoint" placeholder:"URL" help:"Send the traces to this OpenTelemetry endpoint (HTTP) instead of writing --out. OTEL_EXPORTER_OTLP_HEADERS may contain an API key."`
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
	c.CutoffLen = cmp.Or(c.CutoffLen, export.DefaultCutoff(export.Format(c.Format)))
	config := export.Config{
		Runs: dirs, Format: export.Format(c.Format), Out: c.Out, Force: c.Replace, Program: program, AsInPaper: a.paper, Rules: c.Rules,
		Redact: a.redactor(), Notify: a.notify, Progress: a.progress,
	}
	if len(c.Episodes) == 0 {
		return writeExport(a, config)
	}
	slices.Sort(c.Episodes)
	for _, n := range slices.Backward(slices.Compact(c.Episodes)) { // the largest first: it fails if there are too few
		if n < 1 {
			return qa.Usagef("--episodes %d: want 1 or more", n)
		}
		config.Draw, config.Out = n, filepath.Join(c.Out, strconv.Itoa(n))
		if err := writeExport(a, config); err != nil {
			return err
		}
	}
	return nil
}

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
	case errors.As(err, new(*files.OccupiedError)):
		return fmt.Errorf("%w; to overwrite it, add --replace", err)
	case errors.Is(err, export.ErrLeaks):
		return fmt.Errorf("%w; --leak drop excludes them", err)
	case errors.Is(err, export.ErrNoPairs):
		return fmt.Errorf("%w; airqa run --repeats N makes repeats", err)
	}
	return err
}

// formatOTLP is the format of traces, which are no training data: they have all episodes.
const formatOTLP = "otlp"

func (c exportWriteCmd) traces(a *app, dirs []string) error {
	if err := c.checkTraces(); err != nil {
		return err
	}
	config := otlp.Config{
		Runs: dirs, Choice: c.Choice, RedactEmails: c.RedactEmails,
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
	plain.Runs, plain.Out, plain.Format, plain.Replace, plain.Choice, plain.RedactEmails = nil, "", "", false, runlog.Choice{}, false
	plain.Endpoint, plain.AsInPaper = "", false
	byDefault := exportWriteCmd{Rules: export.Rules{
		RowOptions:   train.RowOptions{Turns: train.Canonical, Thinking: train.ThinkingKeep, Errors: "drop"},
		SplitOptions: train.SplitOptions{SplitSeed: 1}, Repeated: export.DropNear, Leak: export.LeakDrop, Limit: export.Limit{Fit: true},
	}}
	if !reflect.DeepEqual(plain, byDefault) {
		return qa.Usagef("--format otlp exports every episode, so flags that select training rows do not apply; " +
			"allowed are --replace, --scoring, --judge and --redact-emails")
	}
	return nil
}
