package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// emptyChoice matches the value "" in kong's list of choices, which means that the flag is not given.
var emptyChoice = lazyregexp.New(`( must be one of (?:"[^"]+",)*)"",?`)

// fromVariable matches the variable that a value is from, as kong writes it.
var fromVariable = lazyregexp.New(` \(from envar (\w+)="[^"]*"\)`)

// missingFile matches a message about a missing file that is not the fault of the flag that kong puts before it.
var missingFile = lazyregexp.New(`^--[\w-]+: (.*: no such file or directory)$`)

// missingArgument matches kong's message about a missing argument, and unknownFlag the one about a flag that it likens to no
// other.
var (
	missingArgument = lazyregexp.New(`^expected "<([^" >]+)`)
	unknownFlag     = lazyregexp.New(`^unknown flag --([\w-]+)$`)
)

// plainTerms are kong's terms for values and what they are called here.
var plainTerms = strings.NewReplacer(
	"expected a float", "expected a number", "expected a valid 64 bit int", "expected a whole number",
	"expected a valid 64 bit uint", "expected a whole number from 0", " (string)", "",
)

// wrongUse puts an error of the command line into words: what is wrong, and what to do.
func wrongUse(err error) error {
	if usage, ok := errors.AsType[*qa.UsageError](err); ok {
		return usage // about a file that a flag names
	}
	parse, ok := errors.AsType[*kong.ParseError](err)
	if !ok {
		return err
	}
	text := emptyChoice.ReplaceAllString(err.Error(), "$1")
	text = plainTerms.Replace(fromVariable.ReplaceAllString(text, " (from $$$1)"))
	text = missingFile.ReplaceAllString(text, "$1")
	command := "airqa"
	if parse.Context != nil && parse.Context.Selected() != nil {
		node := parse.Context.Selected()
		command = node.FullPath()
		text = missingPart(text, node)
	}
	return qa.Usagef("%s\n  help: %s --help", text, command)
}

// missingPart explains a missing argument, and names the flags that share a word with an unknown one.
func missingPart(text string, node *kong.Node) string {
	if m := missingArgument.FindStringSubmatch(text); m != nil {
		for _, p := range node.Positional {
			if p.Name == m[1] {
				return fmt.Sprintf("missing argument <%s>: %s", p.Name, p.Help)
			}
		}
	}
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		words := strings.Split(m[1], "-")
		var like []string
		for _, f := range node.Flags {
			if slices.ContainsFunc(strings.Split(f.Name, "-"), func(w string) bool { return slices.Contains(words, w) }) {
				like = append(like, "--"+f.Name)
			}
		}
		if len(like) > 0 && len(like) <= 3 {
			return text + ", did you mean " + strings.Join(like, " or ") + "?"
		}
	}
	return text
}
