// Package settings sets flags from the environment and from settings files in addition to the command line, for programs
// that use kong, and reports the effective value of each flag with its source. Start with [Layers]. It knows no flag of
// airqa.
package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// File is the settings file in the working directory and in the user's folder, and maxFile a generous limit on its size.
const (
	File    = "airqa.yaml"
	maxFile = 1 << 20
)

// Layers are the sources of a flag's value: the command line, the environment, the settings files, the default. All
// commands share them.
type Layers struct {
	// Short maps flags with different meanings in different commands to the commands that keep the short forms:
	// AIRQA_OUT, and a top-level key of the file. Flags that are not listed share their short forms.
	Short map[string][]string
	// Check may reject a value of the file in the working directory, by its key. It is called for each item of a list. It
	// may be nil.
	Check func(key string, flag *kong.Flag, value string) error
}

// IsShort reports whether the short forms of a flag apply to a command.
func (l Layers) IsShort(command []string, flag string) bool {
	commands, clash := l.Short[flag]
	return !clash || slices.Contains(commands, strings.Join(command, " "))
}

// Files are the settings files of one invocation. The first file that sets a flag wins: the named file or the one in the
// working directory, then the user's. Files are a kong.Resolver.
type Files struct {
	layers Layers
	list   []fileValues
	err    error
}

// Open reads the settings files. named, if not empty, is read instead of [File] in the working directory. Missing files
// have no values, unless named. Pipes and devices are rejected without reading them. [Files.Validate] returns the error of
// a file that cannot be read, so that --help and another [Files.Use] are not stopped by it.
func (l Layers) Open(named string) *Files {
	files := &Files{layers: l}
	files.Use(named)
	return files
}

// Use reads the files again, with another named file.
func (f *Files) Use(named string) { f.list, f.err = f.layers.read(named) }

func (l Layers) read(named string) ([]fileValues, error) {
	first := fileValues{layers: l, path: File}
	if named != "" {
		first.path, first.trusted = named, true
	}
	places := []fileValues{first}
	if dir := UserFolder(); dir != "" {
		places = append(places, fileValues{layers: l, path: filepath.Join(dir, File), trusted: true})
	}
	var list []fileValues
	for i, v := range places {
		raw, err := readFile(v.path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && i == 0 && named != "":
			return nil, fmt.Errorf("%s: no such file", named)
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		}
		v.level = make(level)
		if err := yaml.Unmarshal(raw, &v.level); err != nil {
			return nil, fmt.Errorf("%s: %w", v.path, err)
		}
		list = append(list, v)
	}
	return list, nil
}

// UserFolder is the folder of the user's own settings, such as ~/.config/airqa; empty if the user has none.
func UserFolder() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "airqa")
}

// readFile reads a regular file of at most maxFile bytes.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s is not a regular file of at most %d bytes", path, maxFile)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, maxFile))
}

// Validate rejects unknown keys.
func (f *Files) Validate(app *kong.Application) error {
	if f.err != nil {
		return f.err
	}
	for _, v := range f.list {
		if err := v.validate(v.path, app.Node, nil); err != nil {
			return err
		}
	}
	return nil
}

// Resolve returns the value of a flag.
func (f *Files) Resolve(ctx *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	for _, v := range f.list {
		if value, err := v.resolve(parent, flag); value != nil || err != nil {
			return value, err
		}
	}
	return nil, nil
}

// find returns the file that sets a command's flag, and the key there; nil if none does.
func (f *Files) find(command []string, flag string) (*fileValues, string, error) {
	for i := range f.list {
		if key, node, err := f.list[i].find(command, flag); node != nil || err != nil {
			return &f.list[i], key, err
		}
	}
	return nil, "", nil
}

// Trusts reports whether a flag's value is from a file that the user named or owns, rather than from one that happens to
// be in the working directory.
func (f *Files) Trusts(command []string, flag string) bool {
	v, _, err := f.find(command, flag)
	return err == nil && v != nil && v.trusted
}

// fileValues are the contents of one file: a key for each flag, at the top level or under the name of a sub-command, which
// takes precedence. Nested commands have nested levels. A key that is not a flag is an error, so that a misspelled one
// is not silently ignored. Environment variables override the file.
type fileValues struct {
	layers  Layers
	path    string
	trusted bool
	level
}

// level has the keys of one level of the file.
type level map[string]yaml.Node

// validate rejects unknown keys of a file.
func (y level) validate(file string, node *kong.Node, path []string) error {
	known := flagsUnder(node)
	for key := range y {
		sub, isCommand, err := y.under(key)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == key })
		switch {
		case !isCommand && !known[key] && len(path) == 0:
			return fmt.Errorf("%s: there is no flag --%s", file, key)
		case !isCommand && !known[key]:
			return fmt.Errorf("%s: %s has no flag --%s", file, strings.Join(append([]string{"airqa"}, path...), " "), key)
		case isCommand && i < 0:
			return fmt.Errorf("%s: there is no command %s", file, strings.Join(append([]string{"airqa"}, append(path, key)...), " "))
		case isCommand:
			if err := sub.validate(file, node.Children[i], append(path, key)); err != nil {
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
		return nil, true, fmt.Errorf("%s: %w", key, err)
	}
	return sub, true, nil
}

func resolved(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// resolve returns the value of a flag.
func (v fileValues) resolve(parent *kong.Path, flag *kong.Flag) (any, error) {
	if _, set := FromEnvironment(flag, os.LookupEnv); set {
		return nil, nil
	}
	key, node, err := v.find(CommandPath(parent.Node()), flag.Name)
	if err != nil || node == nil {
		return nil, err
	}
	value, err := flagValue(node, flag)
	if err != nil {
		return nil, fmt.Errorf("%s, %w", v.path, err)
	}
	if v.trusted || v.layers.Check == nil {
		return value, nil
	}
	for _, item := range Items(flag, value) {
		if err := v.layers.Check(key, flag, item); err != nil {
			return nil, err
		}
	}
	return value, nil
}

// find returns the key, such as "run.limit", and the value of a command's flag; nil if the file does not have it.
func (v fileValues) find(command []string, flag string) (string, *yaml.Node, error) {
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
		return "", fmt.Errorf("line %d: want a text, a number or true or false", n.Line)
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
