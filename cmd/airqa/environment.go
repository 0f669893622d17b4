package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// nameVariables gives every flag its environment variables: AIRQA_RUN_LIMIT, then AIRQA_LIMIT where short says so, then those
// that it declares itself. The first that is set wins.
func nameVariables(k *kong.Kong) error {
	eachFlag(k.Model.Node, func(node *kong.Node, f *kong.Flag) {
		declared := f.Envs
		if f.Name == "help" || slices.Equal(declared, []string{"-"}) {
			f.Envs, f.Tag.Envs = nil, nil
			return
		}
		command := commandPath(node)
		names := []string{variable(append(slices.Clone(command), f.Name)...)}
		if len(declared) == 0 && short(command, f.Name) {
			declared = []string{variable(f.Name)}
		}
		for _, name := range declared {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		f.Envs, f.Tag.Envs = names, names
	})
	return nil
}

// eachFlag visits the flags of all commands. Flags of the program itself come with its node alone.
func eachFlag(node *kong.Node, visit func(*kong.Node, *kong.Flag)) {
	for _, f := range node.Flags {
		visit(node, f)
	}
	for _, c := range node.Children {
		eachFlag(c, visit)
	}
}

func variable(words ...string) string {
	return "AIRQA_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(strings.Join(words, "_")))
}

// fromEnvironment returns the variable that a flag takes its value from. An empty one counts as not set, so that a line of
// airqa.yaml is not blanked by it.
func fromEnvironment(f *kong.Flag, lookup func(string) (string, bool)) (name string, set bool) {
	for _, name := range f.Envs {
		if value, ok := lookup(name); ok {
			return name, value != ""
		}
	}
	return "", false
}
