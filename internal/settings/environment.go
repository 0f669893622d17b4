package settings

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// NameVariables gives every flag its environment variables: AIRQA_RUN_LIMIT, then AIRQA_LIMIT where [Layers.IsShort]
// says so, then those that it declares itself. The first that is set wins.
func (l Layers) NameVariables(k *kong.Kong) error {
	EachFlag(k.Model.Node, func(node *kong.Node, f *kong.Flag) {
		declared := f.Envs
		if f.Name == "help" || slices.Equal(declared, []string{"-"}) {
			f.Envs, f.Tag.Envs = nil, nil
			return
		}
		command := CommandPath(node)
		names := []string{Variable(append(slices.Clone(command), f.Name)...)}
		if len(declared) == 0 && l.IsShort(command, f.Name) {
			declared = []string{Variable(f.Name)}
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

// EachFlag visits the flags of all commands. Flags of the program itself come with its node alone.
func EachFlag(node *kong.Node, visit func(*kong.Node, *kong.Flag)) {
	for _, f := range node.Flags {
		visit(node, f)
	}
	for _, c := range node.Children {
		EachFlag(c, visit)
	}
}

// Variable is the environment variable of some words, such as a command and a flag.
func Variable(words ...string) string {
	return "AIRQA_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(strings.Join(words, "_")))
}

// FromEnvironment returns the variable that a flag takes its value from. An empty one counts as not set, so that a line of
// airqa.yaml is not blanked by it.
func FromEnvironment(f *kong.Flag, lookup func(string) (string, bool)) (name string, set bool) {
	for _, name := range f.Envs {
		if value, ok := lookup(name); ok {
			return name, value != ""
		}
	}
	return "", false
}
