// Package settings reads flags from settings files, and keys from .env files, for programs that use kong. Start with [Open].
// It knows no flag of airqa.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"airqa/internal/files"
)

// userFile is the settings file in the user's folder, and maxFile a generous limit on the size of one.
const (
	userFile = "airqa.yaml"
	maxFile  = 1 << 20
)

// Files are the settings files of one invocation. The first file that sets a flag wins: the named file, then the user's.
// Files are a kong.Resolver.
type Files struct {
	preferred, list []file
	err             error
}

// Open reads the file named, if any, and the user's own, which may be missing. Pipes and devices are rejected without
// reading them. [Files.Validate] returns the error of a file that cannot be read, so that --help and another [Files.Use] are
// not stopped by it.
func Open(named string) *Files {
	files := new(Files)
	files.Use(named)
	return files
}

// Use reads the files again, with another named file.
func (f *Files) Use(named string) {
	f.list, f.err = nil, nil
	if named != "" {
		f.add(named)
	}
	if dir := userFolder(); dir != "" {
		path := filepath.Join(dir, userFile)
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			f.add(path)
		}
	}
}

// Prefer puts settings before the files, also those of a later [Files.Use]. name stands for a path in errors.
func (f *Files) Prefer(name string, raw []byte) error {
	keys := make(level)
	if err := yaml.Unmarshal(raw, &keys); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.preferred = append(f.preferred, file{name, keys})
	return nil
}

// Value returns the value that a file or [Files.Prefer] has for a command's flag, the items of a list joined by commas.
func (f *Files) Value(name string, command []string, flag string) (string, bool) {
	path, node := f.find(command, flag)
	if node == nil || path != name {
		return "", false
	}
	var list []string
	if node.Decode(&list) != nil {
		list = []string{node.Value}
	}
	return strings.Join(list, ","), true
}

// add reads one more file.
func (f *Files) add(path string) {
	keys := make(level)
	raw, err := files.ReadRegular(nil, path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: no such file", path)
	} else if err == nil {
		if err = yaml.Unmarshal(files.Text(raw), &keys); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	f.list, f.err = append(f.list, file{path, keys}), errors.Join(f.err, err)
}

// userFolder is the folder of the user's own settings, such as ~/.config/airqa; empty if the user has none.
func userFolder() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "airqa")
}

// Validate rejects unknown keys.
func (f *Files) Validate(app *kong.Application) error {
	if f.err != nil {
		return f.err
	}
	for _, v := range f.list {
		if err := v.validate(v.path, app.Node); err != nil {
			return err
		}
	}
	return nil
}

// Resolve returns the value of a flag that neither the command line nor the environment sets.
func (f *Files) Resolve(_ *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	if FromEnvironment(flag) {
		return nil, nil
	}
	path, node := f.find(CommandPath(parent.Node()), flag.Name)
	if node == nil {
		return nil, nil
	}
	value, err := flagValue(node, flag)
	if err != nil {
		return nil, fmt.Errorf("%s, line %d: %w", path, node.Line, err)
	}
	return value, nil
}

// Has reports whether a file sets a command's flag.
func (f *Files) Has(command []string, flag string) bool {
	_, node := f.find(command, flag)
	return node != nil
}

// find returns the value of a command's flag, and the file that sets it; nil if none does.
func (f *Files) find(command []string, flag string) (string, *yaml.Node) {
	for _, v := range slices.Concat(f.preferred, f.list) {
		if node := v.find(command, flag); node != nil {
			return v.path, node
		}
	}
	return "", nil
}

// FromEnvironment reports whether a variable sets a flag. An empty one does not, so that it does not override a file.
func FromEnvironment(f *kong.Flag) bool {
	for _, name := range f.Envs {
		if value, ok := os.LookupEnv(name); ok { // kong takes the first
			return value != ""
		}
	}
	return false
}

// file has the contents of one file: a key for each flag, at the top level or under the name of a command, which takes
// precedence. Nested commands have nested levels. A key that is not a flag is an error, so that a misspelled one is not
// silently ignored.
type file struct {
	path string
	level
}

// level has the keys of one level of a file.
type level map[string]yaml.Node

// validate rejects keys that are neither a flag nor a command.
func (y level) validate(file string, node *kong.Node) error {
	known := make(map[string]bool)
	EachFlag(node, func(_ *kong.Node, f *kong.Flag) { known[f.Name] = true })
	for _, key := range slices.Sorted(maps.Keys(y)) {
		sub, isCommand := y.under(key)
		i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == key })
		switch {
		case !isCommand && !known[key]:
			return fmt.Errorf("%s, line %d: %s has no flag --%s", file, y[key].Line, node.FullPath(), key)
		case isCommand && i < 0:
			return fmt.Errorf("%s, line %d: there is no command %s %s", file, y[key].Line, node.FullPath(), key)
		case isCommand:
			if err := sub.validate(file, node.Children[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// under returns the keys below a key; false if it has a value.
func (y level) under(key string) (level, bool) {
	node := y[key]
	sub := make(level)
	isMap := node.Kind == yaml.MappingNode && node.Decode(&sub) == nil
	return sub, isMap
}

// find returns the value of a command's flag; nil if the file does not have it.
func (y level) find(command []string, flag string) *yaml.Node {
	if len(command) > 0 {
		sub, _ := y.under(command[0])
		if node := sub.find(command[1:], flag); node != nil {
			return node
		}
	}
	node, ok := y[flag]
	if !ok || node.Kind == yaml.MappingNode || node.Tag == "!!null" {
		return nil
	}
	return &node
}

// flagValue converts a value of a file to kong's form: a text as on the command line, or a list of texts. A value that the
// flag does not take is an error.
func flagValue(n *yaml.Node, flag *kong.Flag) (value any, err error) {
	texts := []string{n.Value}
	value = n.Value
	if n.Kind != yaml.ScalarNode {
		if flag.Target.Kind() != reflect.Slice || n.Decode(&texts) != nil {
			return nil, errors.New("want a text, a number or true or false, or a list of them for a flag that takes several")
		}
		items := make([]any, len(texts))
		for i, text := range texts {
			items[i] = text
		}
		value = items
	}
	for choice := range strings.SplitSeq(strings.Join(texts, ","), ",") {
		if flag.Enum != "" && !slices.Contains(flag.EnumSlice(), choice) {
			return nil, fmt.Errorf("%q is none of %s", choice, strings.ReplaceAll(strings.Trim(flag.Enum, ","), ",", ", "))
		}
	}
	parsed := flag.Parse(kong.Scan().PushTyped(value, kong.FlagValueToken), reflect.New(flag.Target.Type()).Elem())
	return value, errors.Unwrap(parsed) // without the flag, which kong puts before it
}

// CommandPath returns the names of a command and its parents, without the program.
func CommandPath(node *kong.Node) []string {
	var path []string
	for ; node != nil && node.Type == kong.CommandNode; node = node.Parent {
		path = append([]string{node.Name}, path...)
	}
	return path
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
