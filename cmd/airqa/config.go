package main

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"
)

// configFile is the file with settings in the working directory, and maxConfigFile far more bytes than it needs.
const (
	configFile    = "airqa.yaml"
	maxConfigFile = 1 << 20
)

// shortFor names the flags that mean one thing in some commands and another in others, and the commands that keep the short
// forms: AIRQA_OUT, and a key at the top of airqa.yaml. The others have AIRQA_REPORT_OUT and a key under "report" alone, so
// that a setting for runs does not write reports somewhere. Flags that are not named here share their short forms.
var shortFor = map[string][]string{
	"out":     {"run"},
	"limit":   {"run"},
	"sample":  {"run"},
	"seed":    {"run", "enrich"},
	"timeout": {"run", "enrich"},
	"judge":   {"score", "judge-check", "doctor"},
}

// short tells whether the short forms of a flag hold in a command.
func short(command []string, flag string) bool {
	commands, clash := shortFor[flag]
	return !clash || slices.Contains(commands, strings.Join(command, " "))
}

// fileSettings lets the flags take values from airqa.yaml.
func fileSettings(k *kong.Kong) error {
	file, err := readConfigFile()
	if err != nil || file == nil {
		return err
	}
	return kong.Resolvers(file).Apply(k)
}

// readConfigFile reads airqa.yaml; nil when there is none. A pipe or a device in its place is refused unread.
func readConfigFile() (yamlResolver, error) {
	info, err := os.Stat(configFile)
	switch {
	case os.IsNotExist(err):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxConfigFile:
		return nil, fmt.Errorf("%s is not a regular file of at most %d bytes", configFile, maxConfigFile)
	}
	file, err := os.Open(configFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	values, err := yamlConfig(io.LimitReader(file, maxConfigFile))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	return values, nil
}

// yamlConfig reads airqa.yaml: a key for each flag, by the flag's name, at the top or under the name of a sub-command,
// which wins; under "vectors", another level may name copy or check. A key that is no flag is an error, so that a misspelt one
// is not silently ignored. A variable of the environment wins over the file.
func yamlConfig(r io.Reader) (yamlResolver, error) {
	values := make(yamlResolver)
	if err := yaml.NewDecoder(r).Decode(&values); err != nil && err != io.EOF { //nolint:errorlint // the decoder returns io.EOF itself
		return nil, err
	}
	return values, nil
}

// yamlResolver holds the keys of one level of the file.
type yamlResolver map[string]yaml.Node

// Validate implements kong.Resolver.
func (y yamlResolver) Validate(app *kong.Application) error {
	return y.validate(app.Node, nil)
}

func (y yamlResolver) validate(node *kong.Node, path []string) error {
	known := flagsUnder(node)
	for key := range y {
		sub, isCommand, err := y.under(key)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == key })
		switch {
		case !isCommand && !known[key] && len(path) == 0:
			return fmt.Errorf("%s: there is no flag --%s", configFile, key)
		case !isCommand && !known[key]:
			return fmt.Errorf("%s: %s has no flag --%s", configFile, strings.Join(append([]string{"airqa"}, path...), " "), key)
		case isCommand && i < 0:
			return fmt.Errorf("%s: there is no command %s", configFile, strings.Join(append([]string{"airqa"}, append(path, key)...), " "))
		case isCommand:
			if err := sub.validate(node.Children[i], append(path, key)); err != nil {
				return err
			}
		}
	}
	return nil
}

// flagsUnder are the flags of a command and of its sub-commands.
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

// under returns the keys below a key; false when it holds a value.
func (y yamlResolver) under(key string) (yamlResolver, bool, error) {
	node := y[key]
	if resolved(&node).Kind != yaml.MappingNode {
		return nil, false, nil
	}
	sub := make(yamlResolver)
	if err := node.Decode(&sub); err != nil {
		return nil, true, fmt.Errorf("%s: %s: %w", configFile, key, err)
	}
	return sub, true, nil
}

func resolved(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// Resolve implements kong.Resolver.
func (y yamlResolver) Resolve(_ *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	if _, set := fromEnvironment(flag, os.LookupEnv); set {
		return nil, nil
	}
	key, node, err := y.find(commandPath(parent.Node()), flag.Name)
	if err != nil || node == nil {
		return nil, err
	}
	value, err := flagValue(node, flag)
	if err != nil {
		return nil, err
	}
	return value, checkFileValue(key, flag.Name, fmt.Sprint(value))
}

// find returns the value of a flag of a command and its key, such as "run.limit"; nil when the file does not have it.
func (y yamlResolver) find(command []string, flag string) (string, *yaml.Node, error) {
	level, key := y, ""
	var found *yaml.Node
	for depth := range len(command) + 1 {
		if n, ok := level[flag]; ok && resolved(&n).Kind != yaml.MappingNode && resolved(&n).Tag != "!!null" && (depth > 0 || short(command, flag)) {
			found, key = resolved(&n), strings.Join(append(slices.Clone(command[:depth]), flag), ".")
		}
		if depth == len(command) {
			break
		}
		sub, ok, err := level.under(command[depth])
		if err != nil {
			return "", nil, err
		}
		if !ok {
			break
		}
		level = sub
	}
	return key, found, nil
}

// flagValue gives a value of the file the form in which kong takes it: the text as it is written, and lists of texts. A flag
// that takes no list takes one with commas.
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

// scalar is a value as text. Numbers for flags that are numbers are written out: YAML has forms (1e6, 1_000) that flags do not.
func scalar(n *yaml.Node, t reflect.Type) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", fmt.Errorf("%s, line %d: want a text, a number or true or false", configFile, n.Line)
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

// commandPath names a command and those above it, without the program.
func commandPath(node *kong.Node) []string {
	var path []string
	for ; node != nil && node.Type == kong.CommandNode; node = node.Parent {
		path = append([]string{node.Name}, path...)
	}
	return path
}
