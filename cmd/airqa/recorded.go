package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/internal/settings"
	"airqa/llm"
	"airqa/qa"
	"airqa/run/ask"
	"airqa/run/models"
	"airqa/runlog"
)

// recordedFlags is a kong resolver that fills unset flags of fork RUN, replay RUN and ask --from RUN from that run. With places set it
// fills only the locations of papers and endpoint, which may have moved: the environment and settings files override them.
// Otherwise it fills all other flags and overrides both, since a run's settings belong together.
type recordedFlags struct{ places bool }

// Validate is part of kong.Resolver.
func (recordedFlags) Validate(*kong.Application) error { return nil }

// Resolve is part of kong.Resolver.
func (r recordedFlags) Resolve(ctx *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	if parent == nil || parent.Command == nil || !r.fills(flag) {
		return nil, nil
	}
	dir := recordedDir(ctx, parent.Command)
	if dir == "" {
		return nil, nil
	}
	config, err := runlog.ReadConfig(dir)
	if err != nil || (flag.Name == "base-url" || flag.Name == "price") && otherModel(ctx, config) {
		return nil, err
	}
	value := flagsOfRun(config, os.Getenv)[flag.Name]
	if value == nil || parent.Command.Name == "replay" { // a replay sends nothing
		return value, nil
	}
	return value, checkRecorded(dir, flag, fmt.Sprint(value))
}

// fills reports whether the resolver handles a flag.
func (r recordedFlags) fills(flag *kong.Flag) bool {
	return r.places == isPlace(flag) && (!r.places || !settings.FromEnvironment(flag))
}

// isPlace reports whether a flag is the location of papers or endpoint.
func isPlace(flag *kong.Flag) bool { return flag.Name == "data" || flag.Name == "base-url" }

// recordedDir returns the run that a command executes again, forks or continues; "" for none.
func recordedDir(ctx *kong.Context, command *kong.Node) string {
	given := make(map[string]any)
	for _, f := range command.Flags {
		if f.Name == "from" || f.Name == "continue" {
			given[f.Name] = ctx.FlagValue(f)
		}
	}
	switch command.Name {
	case "ask":
		from, _ := given["from"].(string)
		if last, _ := given["continue"].(bool); last && from == "" {
			from, _ = ask.Last()
		}
		dir, _ := ask.SplitRun(from)
		if _, err := runlog.ReadConfig(dir); err == nil { // else [askCmd.conversation] reports it
			return dir
		}
	case "fork", "replay":
		for _, p := range ctx.Path {
			if p.Positional != nil && p.Positional.Name == "run" {
				return ctx.Value(p).String()
			}
		}
	}
	return ""
}

func otherModel(ctx *kong.Context, c runlog.Config) bool {
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == "model" {
			return strings.Trim(fmt.Sprint(ctx.FlagValue(p.Flag)), "[]") != c.Shape.ModelName()
		}
	}
	return false
}

// flagsOfRun are the flags that run.json records of a run.
func flagsOfRun(c runlog.Config, getenv func(string) string) map[string]any {
	flags := map[string]any{
		"baseline": c.Shape.Baseline, "model": c.Shape.ModelName(), "data": c.Note.DataDir,
	}
	sampling, _ := c.Shape.Model["sampling"].(map[string]any)
	maps.Copy(flags, qa.FlagsOf(qa.Settings{}, c.Shape.Settings))
	maps.Copy(flags, qa.FlagsOf(qa.Sampling{}, sampling))
	if body, ok := c.Shape.Model["extra_body"]; ok {
		text, _ := json.Marshal(body) // it was read from JSON
		flags["extra-body"] = string(text)
	}
	if llm.FromEnvironment(c.Shape.ModelName(), getenv).BaseURL == "" && c.Note.BaseURL != "" {
		flags["base-url"] = c.Note.BaseURL
	}
	if p := c.Note.Price; p != nil {
		flags["price"] = models.PriceText(p)
	}
	return flags
}
