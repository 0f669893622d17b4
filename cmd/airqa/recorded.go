package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/internal/settings"
	"airqa/runlog"
)

// recordedFlags is a kong resolver that fills unset flags of run --replay RUN, fork RUN, replay RUN and ask --from RUN from that run. With places set it
// fills only the locations of papers and endpoint, which may have moved: the environment and airqa.yaml override them.
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
	value, err := recordedFlag(ctx, dir, flag.Name)
	if err != nil || value == nil || parent.Command.Name == "replay" || parent.Command.Name == "run" { // a replay sends nothing
		return value, err
	}
	for _, item := range settings.Items(flag, value) {
		if err := checkRecorded(dir, flag, item); err != nil {
			return nil, err
		}
	}
	return value, nil
}

// fills reports whether the resolver handles a flag.
func (r recordedFlags) fills(flag *kong.Flag) bool {
	if isPlace := flag.Name == "data" || flag.Name == "base-url"; !r.places || !isPlace {
		return r.places == isPlace
	}
	_, set := settings.FromEnvironment(flag, os.LookupEnv)
	return !set
}

// recordedFlag returns the value of a flag in a run; nil if it is not recorded.
func recordedFlag(ctx *kong.Context, dir, flag string) (any, error) {
	config, err := runlog.ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	if otherModel(ctx, config) && (flag == "base-url" || flag == "price") {
		return nil, nil
	}
	if flag == "repeats" {
		return recordedRepeats(dir)
	}
	return flagsOfRun(dir, config, os.Getenv)[flag], nil
}

// recordedDir returns the run that a command repeats, executes again, forks or continues; "" for none.
func recordedDir(ctx *kong.Context, command *kong.Node) string {
	given := make(map[string]any)
	for _, f := range command.Flags {
		if f.Name == "replay" || f.Name == "from" || f.Name == "continue" {
			given[f.Name] = ctx.FlagValue(f)
		}
	}
	switch command.Name {
	case "run":
		dir, _ := given["replay"].(string)
		return dir
	case "ask":
		last, _ := given["continue"].(bool)
		from, _ := given["from"].(string)
		return conversationDir(last, from)
	case "fork", "replay":
		for _, p := range ctx.Path {
			if p.Positional != nil && p.Positional.Name == "run" {
				return ctx.Value(p).String()
			}
		}
	}
	return ""
}

// otherModel reports whether the command line names another model than the run.
func otherModel(ctx *kong.Context, c runlog.Config) bool {
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == "model" {
			return strings.Trim(fmt.Sprint(ctx.FlagValue(p.Flag)), "[]") != runlog.SpecOf(c.Shape.Model)
		}
	}
	return false
}
