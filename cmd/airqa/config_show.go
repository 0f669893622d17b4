package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/internal/exit"
	"airqa/internal/settings"
	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/run/session"
)

type configCmd struct {
	Command []string `arg:"" optional:"" help:"A command, such as run or vectors copy; without one, what is set for any."`
	JSON    bool     `name:"json" help:"Print a JSON object a flag, then one a key."`
}

func (configCmd) Help() string {
	return `Examples:
  airqa config run
  airqa config --json

A flag on the command line wins, then AIRQA_COMMAND_FLAG, AIRQA_FLAG, then airqa.yaml (under the name of the command, then
at the top), then the default. Of keys and passwords it says only whether there are any.`
}

func (c configCmd) Run(a *app) error {
	parser, err := kong.New(&cli{}, options()...)
	if err != nil {
		return err
	}
	nodes, err := commandsOf(parser.Model.Node, c.Command)
	if err != nil {
		return err
	}
	file, err := layers.ReadFile()
	if err != nil {
		return err
	}
	var all []settings.Setting
	for _, node := range nodes {
		list, err := file.Of(parser, node)
		if err != nil {
			return exit.With(exit.Usage, fmt.Errorf("airqa %s: %w", strings.Join(settings.CommandPath(node), " "), err))
		}
		for _, s := range list {
			if len(c.Command) > 0 || s.Source != settings.FromDefault {
				all = append(all, s)
			}
		}
	}
	a.warnOfStrangers(parser)
	return c.print(a, all)
}

// commandsOf returns the commands that a name stands for: those below it, and all of them for no name.
func commandsOf(node *kong.Node, name []string) ([]*kong.Node, error) {
	for i, word := range name {
		at := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == word })
		if at < 0 {
			return nil, exit.Misuse("there is no command airqa %s", strings.Join(name[:i+1], " "))
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

// layers are where flags get their values. Only run keeps AIRQA_OUT and a key "out" at the top of airqa.yaml, so that a setting
// for runs does not write reports somewhere, and so with the others.
var layers = settings.Layers{
	Short: map[string][]string{
		"out":     {"run"},
		"limit":   {"run"},
		"sample":  {"run"},
		"seed":    {"run", "enrich"},
		"timeout": {"run", "enrich"},
		"judge":   {"score", "judge-check", "doctor"},
		"format":  {"report", "compare", "stats"},
	},
	Check: checkFileValue,
}

// keyVariables are the variables that hold keys.
func keyVariables() []string { return append(llm.KeyVariables(), session.JudgeKey, session.EmbedKey) }

// warnOfStrangers names variables that look like settings and are none.
func (a *app) warnOfStrangers(parser *kong.Kong) {
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
			a.say("note: %s is set, and no flag reads it", terminal.Line(name))
		}
	}
}

func (c configCmd) print(a *app, all []settings.Setting) error {
	if c.JSON {
		return a.printSettingsJSON(all)
	}
	command := "-"
	widest := 0
	for _, s := range all {
		widest = max(widest, len(s.Flag))
	}
	for _, s := range all {
		if s.Command != command {
			command = s.Command
			if err := a.print("airqa " + command); err != nil {
				return err
			}
		}
		if err := a.print(fmt.Sprintf("  --%-*s  %s", widest, s.Flag, s.Text())); err != nil {
			return err
		}
	}
	if err := a.print("keys"); err != nil {
		return err
	}
	for _, name := range keyVariables() {
		state := "not set"
		if a.getenv(name) != "" {
			state = "set"
		}
		if err := a.print("  " + name + "  " + state); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printSettingsJSON(all []settings.Setting) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	for _, s := range all {
		if err := enc.Encode(s); err != nil {
			return err
		}
	}
	for _, name := range keyVariables() {
		err := enc.Encode(struct {
			Key string `json:"key"`
			Set bool   `json:"set"`
		}{name, a.getenv(name) != ""})
		if err != nil {
			return err
		}
	}
	return nil
}
