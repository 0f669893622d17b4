package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/internal/lazyregexp"
)

// longFlag matches what is a flag, known or mistyped, and never a value.
var longFlag = lazyregexp.New(`^--[a-z][a-z0-9-]*(=|$)`)

// joinValues joins a value that begins with a hyphen and its flag, since kong would take it for flags of one letter:
// --answer -0.5 becomes --answer=-0.5. What may be a flag of the command stays one: a flag may lack its value.
func joinValues(node *kong.Node, args []string) (joined []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(joined, args[i:]...)
		}
		if at := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == args[i] }); at >= 0 {
			node = node.Children[at]
		}
		flags := slices.Concat(node.AllFlags(false)...)
		if node.DefaultCmd != nil {
			flags = append(flags, node.DefaultCmd.Flags...)
		}
		at := slices.IndexFunc(flags, func(f *kong.Flag) bool { return args[i] == "--"+f.Name || args[i] == "-"+string(f.Short) })
		if at < 0 || flags[at].IsBool() || i+1 == len(args) || isFlag(flags, args[i+1]) {
			joined = append(joined, args[i])
			continue
		}
		if i++; len(args[i]) > 1 && args[i][0] == '-' {
			joined = append(joined, "--"+flags[at].Name+"="+args[i])
		} else {
			joined = append(joined, args[i-1], args[i])
		}
	}
	return joined
}

// isFlag reports whether an argument is a flag: a long one, or one or several of a letter without a space.
func isFlag(flags []*kong.Flag, arg string) bool {
	letter, short := strings.CutPrefix(arg, "-")
	return arg == "--" || longFlag.MatchString(arg) || short && !strings.ContainsAny(arg, " \t\n") &&
		slices.ContainsFunc(flags, func(f *kong.Flag) bool { return f.Short != 0 && strings.HasPrefix(letter, string(f.Short)) })
}
