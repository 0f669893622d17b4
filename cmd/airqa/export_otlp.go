package main

import (
	"errors"
	"fmt"
	"reflect"

	"airqa/internal/stagedir"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/train/otlp"
)

// formatOTLP is the format of traces, which are no training data: they have all episodes.
const formatOTLP = "otlp"

// traces writes or sends OpenTelemetry traces.
func (c exportWriteCmd) traces(a *app, dirs []string) error {
	if err := c.checkTraces(); err != nil {
		return err
	}
	config := otlp.Config{
		Runs: dirs, Scoring: c.Scoring, Judge: c.Judge, KeepPrivate: c.KeepPrivate,
		Redact: a.redactor(), Program: program, Notify: a.notify, Progress: a.progress,
	}
	if c.Endpoint == "" {
		return c.writeTraces(a, config)
	}
	send := otlp.Send
	if c.Follow {
		send = otlp.Follow
	}
	sum, err := send(a.ctx, config, c.Endpoint)
	if errors.As(err, new(*qa.UsageError)) {
		return fmt.Errorf("--otlp-endpoint: %w", err)
	}
	if err != nil {
		return err
	}
	return a.print(fmt.Sprintf("%s: %s of %s sent; %d were there before",
		c.Endpoint, terminal.Plural(sum.Spans, "span"), terminal.Plural(sum.Episodes, "episode"), sum.Known))
}

func (c exportWriteCmd) writeTraces(a *app, config otlp.Config) error {
	sum, unchanged, err := otlp.WriteFile(config, c.Out, c.Force)
	if errors.As(err, new(*stagedir.OccupiedError)) {
		return fmt.Errorf("%w; --force replaces it", err)
	}
	if err != nil {
		return err
	}
	if unchanged {
		return a.print(c.Out + " already holds this export; nothing changed")
	}
	return a.print(fmt.Sprintf("%s: %s of %s", c.Out, terminal.Plural(sum.Spans, "span"), terminal.Plural(sum.Episodes, "episode")))
}

// checkTraces refuses flags that do not apply to traces.
func (c exportWriteCmd) checkTraces() error {
	switch {
	case c.Format != formatOTLP && c.Format != "sharegpt":
		return qa.Usagef("--otlp-endpoint sends traces: leave out --format %s", c.Format)
	case c.Endpoint != "" && c.Out != "":
		return qa.Usagef("--out and --otlp-endpoint exclude each other: --format otlp --out FILE writes a file")
	case c.Endpoint == "" && c.Follow:
		return qa.Usagef("--follow needs --otlp-endpoint")
	case c.Endpoint == "" && c.Out == "":
		return qa.Usagef("missing --out FILE or --otlp-endpoint URL")
	}
	return c.checkNoRows()
}

// checkNoRows refuses flags of training data.
func (c exportWriteCmd) checkNoRows() error {
	plain := c
	plain.Runs, plain.Out, plain.Format, plain.Force, plain.Scoring, plain.Judge, plain.KeepPrivate = nil, "", "", false, "", "", false
	plain.Endpoint, plain.Follow = "", false
	if reflect.DeepEqual(plain, exportWriteCmd{
		Turns: "canonical", Thinking: "keep", SplitSeed: 1, Duplicates: "near", Leak: "drop",
		Fit: true,
	}) {
		return nil
	}
	return qa.Usagef("traces have all episodes, and no rows: of the flags of training data, only --force, --scoring, --judge and --keep-private apply")
}
