// Package settings sets flags from the environment and from airqa.yaml in addition to the command line, for programs
// that use kong, and reports the effective value of each flag with its source. Start with [Layers]. It knows no flag of
// airqa.
package settings

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// File is the settings file in the working directory, and maxFile a generous limit on its size.
const (
	File    = "airqa.yaml"
	maxFile = 1 << 20
)

// Layers are the sources of a flag's value: the command line, the environment, [File], the default. All commands share
// them.
type Layers struct {
	// Short maps flags with different meanings in different commands to the commands that keep the short forms:
	// AIRQA_OUT, and a top-level key of the file. Flags that are not listed share their short forms.
	Short map[string][]string
	// Check may reject a value of the file, by its key. It is called for each item of a list. It may be nil.
	Check func(key string, flag *kong.Flag, value string) error
}

// IsShort reports whether the short forms of a flag apply to a command.
func (l Layers) IsShort(command []string, flag string) bool {
	commands, clash := l.Short[flag]
	return !clash || slices.Contains(commands, strings.Join(command, " "))
}

// FromFile lets flags take values from [File].
func (l Layers) FromFile(k *kong.Kong) error {
	file, err := l.ReadFile()
	if err != nil || file.level == nil {
		return err
	}
	return kong.Resolvers(file).Apply(k)
}

// ReadFile reads [File]; a missing file has no values. It rejects pipes and devices without reading them.
func (l Layers) ReadFile() (Values, error) {
	none := Values{layers: l}
	info, err := os.Stat(File)
	switch {
	case os.IsNotExist(err):
		return none, nil
	case err != nil:
		return none, err
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return none, fmt.Errorf("%s is not a regular file of at most %d bytes", File, maxFile)
	}
	file, err := os.Open(File)
	if err != nil {
		return none, err
	}
	defer func() { _ = file.Close() }()
	values := make(level)
	err = yaml.NewDecoder(io.LimitReader(file, maxFile)).Decode(&values)
	if err != nil && err != io.EOF { //nolint:errorlint // the decoder returns io.EOF itself
		return none, fmt.Errorf("%s: %w", File, err)
	}
	return Values{l, values}, nil
}

// Values are the contents of the file: a key for each flag, at the top level or under the name of a sub-command, which
// takes precedence. Nested commands have nested levels. A key that is not a flag is an error, so that a misspelled one
// is not silently ignored. Environment variables override the file. Values are a kong.Resolver.
type Values struct {
	layers Layers
	level
}

// level has the keys of one level of the file.
type level map[string]yaml.Node

// Validate rejects unknown keys.
func (v Values) Validate(app *kong.Application) error { return v.validate(app.Node, nil) }

func (y level) validate(node *kong.Node, path []string) error {
	known := flagsUnder(node)
	for key := range y {
		sub, isCommand, err := y.under(key)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == key })
		switch {
		case !isCommand && !known[key] && len(path) == 0:
			return fmt.Errorf("%s: there is no flag --%s", File, key)
		case !isCommand && !known[key]:
			return fmt.Errorf("%s: %s has no flag --%s", File, strings.Join(append([]string{"airqa"}, path...), " "), key)
		case isCommand && i < 0:
			return fmt.Errorf("%s: there is no command %s", File, strings.Join(append([]string{"airqa"}, append(path, key)...), " "))
		case isCommand:
			if err := sub.validate(node.Children[i], append(path, key)); err != nil {
				return err
			}
		}
	}
	return nil
}

// flagsUnder are the flags of a command and its sub-commands.
func flagsUnder(node *kong.Node) map[string]bool {
	known := make(map[string]bool)
	for _, f := range node.Flags {
		known[f.Name] = true
	}
	for _, c := range node.Children {
		for name := range flagsUnder(c) {
			known[name] = true
		}
	}
	return known
}

// under returns the keys below a key; false if it has a value.
func (y level) under(key string) (level, bool, error) {
	node := y[key]
	if resolved(&node).Kind != yaml.MappingNode {
		return nil, false, nil
	}
	sub := make(level)
	if err := node.Decode(&sub); err != nil {
		return nil, true, fmt.Errorf("%s: %s: %w", File, key, err)
	}
	return sub, true, nil
}

func resolved(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// Resolve returns the value of a flag.
func (v Values) Resolve(_ *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	if _, set := FromEnvironment(flag, os.LookupEnv); set {
		return nil, nil
	}
	key, node, err := v.Find(CommandPath(parent.Node()), flag.Name)
	if err != nil || node == nil {
		return nil, err
	}
	value, err := flagValue(node, flag)
	if err != nil || v.layers.Check == nil {
		return value, err
	}
	for _, item := range Items(flag, value) {
		if err := v.layers.Check(key, flag, item); err != nil {
			return nil, err
		}
	}
	return value, nil
}

// Find returns the key, such as "run.limit", and the value of a command's flag; nil if the file does not have it.
func (v Values) Find(command []string, flag string) (string, *yaml.Node, error) {
	at, key := v.level, ""
	var found *yaml.Node
	for depth := range len(command) + 1 {
		if n, ok := at[flag]; ok && resolved(&n).Kind != yaml.MappingNode && resolved(&n).Tag != "!!null" && (depth > 0 || v.layers.IsShort(command, flag)) {
			found, key = resolved(&n), strings.Join(append(slices.Clone(command[:depth]), flag), ".")
		}
		if depth == len(command) {
			break
		}
		sub, ok, err := at.under(command[depth])
		if err != nil {
			return "", nil, err
		}
		if !ok {
			break
		}
		at = sub
	}
	return key, found, nil
}

// flagValue converts a value of the file to kong's form: texts and lists of texts. A flag that is not a list gets a
// list joined by commas.
func flagValue(n *yaml.Node, flag *kong.Flag) (any, error) {
	if n.Kind != yaml.SequenceNode {
		return scalar(n, flag.Target.Type())
	}
	isList := flag.Target.Kind() == reflect.Slice
	items, texts := []any{}, []string{}
	for _, item := range n.Content {
		text, err := scalar(resolved(item), flag.Target.Type())
		if err != nil {
			return nil, err
		}
		items, texts = append(items, text), append(texts, text)
	}
	if isList {
		return items, nil
	}
	return strings.Join(texts, ","), nil
}

// scalar returns a value as text. It normalizes numbers for numeric flags, because YAML has forms (1e6, 1_000) that
// flags lack.
func scalar(n *yaml.Node, t reflect.Type) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", fmt.Errorf("%s, line %d: want a text, a number or true or false", File, n.Line)
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	number := t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 && t.PkgPath() == ""
	switch {
	case number && n.Tag == "!!int":
		var x int64
		err := n.Decode(&x)
		return strconv.FormatInt(x, 10), err
	case number && n.Tag == "!!float":
		var x float64
		err := n.Decode(&x)
		return strconv.FormatFloat(x, 'f', -1, 64), err
	}
	return n.Value, nil
}

// CommandPath returns the names of a command and its parents, without the program.
func CommandPath(node *kong.Node) []string {
	var path []string
	for ; node != nil && node.Type == kong.CommandNode; node = node.Parent {
		path = append([]string{node.Name}, path...)
	}
	return path
}
