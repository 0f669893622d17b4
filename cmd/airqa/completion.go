package main

import (
	_ "embed" // the scripts
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/baselines"
	"airqa/qa"
)

// The scripts have a line "@NAME@" in place of each table of words. Zsh runs that of bash.
var (
	//go:embed completion.bash
	bashScript string
	//go:embed completion.fish
	fishScript string
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c completionCmd) Run(a *app) error {
	parser, err := kong.New(&cli{}, options(a.files)...)
	if err != nil {
		return err
	}
	script, write := bashScript, func(r completionRow) string {
		return strings.ReplaceAll(strings.Join(r.patterns, "|"), " ", `\ `) + ") list='" + strings.Join(r.words, " ") + "' ;;\n"
	}
	switch c.Shell {
	case "zsh":
		script = "autoload -U +X bashcompinit && bashcompinit\n" + script
	case "fish":
		script, write = fishScript, func(r completionRow) string {
			return "case '" + strings.Join(r.patterns, "' '") + "'\nset list " + strings.Join(r.words, " ") + "\n"
		}
	}
	program := parser.Model.Node
	words := completions{program: program, commands: make([]completionRow, 1), values: make(map[string][]string)}
	words.visit("airqa", program)
	values := qa.Map(slices.Sorted(maps.Keys(words.values)), func(patterns string) completionRow {
		return completionRow{words.values[patterns], strings.Fields(patterns)}
	})
	tables := map[string][]completionRow{"commands": words.commands, "flags": words.flags, "words": words.words, "values": values}
	for name, rows := range tables {
		script = strings.ReplaceAll(script, "@"+name+"@\n", strings.Join(qa.Map(rows, write), ""))
	}
	return a.print(script)
}

// completionRow are the words to offer where the command line matches one of some patterns.
type completionRow struct{ patterns, words []string }

// completions are the tables that a script needs.
type completions struct {
	program *kong.Node
	// commands is one row of all commands, flags has those of each, and words what may follow it.
	commands, flags, words []completionRow
	// values are commands with a flag, by the words that the flag takes; none if any other value may be given, such as a file.
	values map[string][]string
}

// visit adds a command and those below it.
func (c *completions) visit(path string, node *kong.Node) {
	c.commands[0].patterns = append(c.commands[0].patterns, path)
	words, flags := c.wordsAfter(node), slices.Concat(node.AllFlags(true)...)
	if node.DefaultCmd != nil {
		words, flags = append(words, c.wordsAfter(node.DefaultCmd)...), append(flags, node.DefaultCmd.Flags...)
	}
	if len(words) > 0 {
		c.words = append(c.words, completionRow{[]string{path}, words})
	}
	var names []string
	for _, f := range flags {
		own := []string{"--" + f.Name}
		if f.Short != 0 {
			own = append(own, "-"+string(f.Short))
		}
		names = append(names, own...)
		if f.Tag.Negatable != "" {
			names = append(names, "--no-"+f.Name)
		}
		list := strings.Join(c.valuesOf(f.Value), " ")
		for _, name := range own {
			if !f.IsBool() {
				c.values[list] = append(c.values[list], path+" "+name)
			}
		}
	}
	c.flags = append(c.flags, completionRow{[]string{path}, names})
	for _, child := range node.Children {
		c.visit(path+" "+child.Name, child)
	}
}

// wordsAfter are the commands below a command, or the values of its first argument if they are known.
func (c *completions) wordsAfter(node *kong.Node) (words []string) {
	for _, child := range node.Children {
		words = append(words, child.Name)
	}
	if len(node.Positional) > 0 {
		words = append(words, c.valuesOf(node.Positional[0])...)
	}
	return words
}

// valuesOf are the values of a flag or an argument; none if any other, such as a file, may be given.
func (c *completions) valuesOf(v *kong.Value) []string {
	switch v.Tag.Get("complete") {
	case "baseline":
		return append([]string{"all"}, baselines.Names()...)
	case "command":
		return c.wordsAfter(c.program)
	}
	return slices.DeleteFunc(v.EnumSlice(), func(s string) bool { return s == "" })
}
