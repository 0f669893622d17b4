package settings

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// NameVariables sets the environment variables of every flag: AIRQA_RUN_LIMIT, then AIRQA_LIMIT if [Layers.IsShort]
// allows it, then those that it declares. The first one set wins.
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

// EachFlag visits the flags of all commands. Global flags are visited only with the program's node.
func EachFlag(node *kong.Node, visit func(*kong.Node, *kong.Flag)) {
	for _, f := range node.Flags {
		visit(node, f)
	}
	for _, c := range node.Children {
		EachFlag(c, visit)
	}
}

// Variable joins words, such as a command and a flag, to the name of an environment variable.
func Variable(words ...string) string {
	return "AIRQA_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(strings.Join(words, "_")))
}

// FromEnvironment returns the variable that sets a flag. An empty variable counts as not set, so that it does not
// override airqa.yaml.
func FromEnvironment(f *kong.Flag, lookup func(string) (string, bool)) (name string, set bool) {
	for _, name := range f.Envs {
		if value, ok := lookup(name); ok {
			return name, value != ""
		}
	}
	return "", false
}
