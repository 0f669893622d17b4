package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/internal/settings"
	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/qa"
	"airqa/run/models"
	"airqa/train/otlp"
)

type configCmd struct {
	Command []string `arg:"" optional:"" help:"Command, such as run or store vectors copy. Default: everything that is set, for all commands."`
	JSON    bool     `name:"json" help:"Print one JSON object per flag, then one per API key."`
}

func (c configCmd) Run(a *app) error {
	parser, err := kong.New(&cli{}, options(a.files)...)
	if err != nil {
		return err
	}
	nodes, err := commandsOf(parser.Model.Node, c.Command)
	if err != nil {
		return err
	}
	var all []settings.Setting
	for _, node := range nodes {
		list, err := a.files.Of(parser, node)
		if err != nil {
			return withCode(exitUsage, fmt.Errorf("airqa %s: %w", strings.Join(settings.CommandPath(node), " "), err))
		}
		for _, s := range list {
			if len(c.Command) > 0 || s.Source != settings.FromDefault {
				all = append(all, s)
			}
		}
	}
	a.warnUnknownVariables(parser)
	return c.print(a, all)
}

// commandsOf returns the commands below a name; all commands for no name.
func commandsOf(node *kong.Node, name []string) ([]*kong.Node, error) {
	for i, word := range name {
		at := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == word })
		if at < 0 {
			return nil, qa.Usagef("no such command: airqa %s", strings.Join(name[:i+1], " "))
		}
		node = node.Children[at]
	}
	return leaves(node), nil
}

func leaves(node *kong.Node) []*kong.Node {
	if len(node.Children) == 0 {
		return []*kong.Node{node}
	}
	var all []*kong.Node
	for _, c := range node.Children {
		all = append(all, leaves(c)...)
	}
	return all
}

// layers are the sources of flag values. Only the listed commands read the short names, such as AIRQA_OUT and the top-level key
// "out" of airqa.yaml: a setting meant for runs must not redirect reports.
var layers = settings.Layers{
	Short: map[string][]string{
		"out":       {"run"},
		"turns":     {"run", "synth act", "synth all"},
		"limit":     {"run"},
		"missing":   {"run"},
		"sample":    {"run"},
		"timeout":   {"run", "enrich"},
		"judge":     {"score", "run", "questions try", "bench judge-check", "doctor"},
		"score":     {}, // a section of airqa.yaml
		"mem":       {}, // sizes of Slurm and Kubernetes are written differently
		"bootstrap": {"bench score"},
		"retry":     {"run"},
		"dir":       {"demo"},
		"history":   {"bench run"},
		"listen":    {"view"},
		"min-turns": {"export write"},
		"max-turns": {"export write"},
		"format":    {"report", "compare", "questions stats", "questions lint"},
	},
	Check: checkFileValue,
}

// keyVariables are the environment variables of keys.
func keyVariables() []string {
	return slices.Concat(llm.KeyVariables(), []string{models.JudgeKey, models.EmbedKey}, otlp.HeaderVariables())
}

// warnUnknownVariables reports AIRQA_ variables that no flag reads.
func (a *app) warnUnknownVariables(parser *kong.Kong) {
	known := make(map[string]bool)
	for _, name := range keyVariables() {
		known[name] = true
	}
	settings.EachFlag(parser.Model.Node, func(_ *kong.Node, f *kong.Flag) {
		for _, name := range f.Envs {
			known[name] = true
		}
	})
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "AIRQA_") && !known[name] {
			a.say("note: %s is set, but no flag reads it", terminal.Line(name))
		}
	}
}

func (c configCmd) print(a *app, all []settings.Setting) error {
	var keys []keyState
	for _, name := range keyVariables() {
		keys = append(keys, keyState{name, a.getenv(name) != ""})
	}
	if c.JSON {
		return errors.Join(printEach(a, true, all, settings.Setting.Text), printEach[keyState](a, true, keys, nil))
	}
	command := "-"
	widest := 0
	for _, s := range all {
		widest = max(widest, len(s.Flag))
	}
	var lines []string
	for _, s := range all {
		if s.Command != command {
			command = s.Command
			lines = append(lines, "airqa "+command)
		}
		lines = append(lines, fmt.Sprintf("  --%-*s  %s", widest, s.Flag, s.Text()))
	}
	lines = append(lines, "keys")
	for _, k := range keys {
		state := "not set"
		if k.Set {
			state = "set"
		}
		lines = append(lines, "  "+k.Key+"  "+state)
	}
	return a.print(strings.Join(lines, "\n"))
}

// keyState reports whether a key is set.
type keyState struct {
	Key string `json:"key"`
	Set bool   `json:"set"`
}
