package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"airqa/internal/settings"
)

// agreed are flags that share their short forms although their types or defaults differ: they mean the same.
var agreed = map[string]bool{
	"again": true, "judge": true, "json": true, "replace": true, "format": true, "retrieve": true, "model": true, "paper": true, "temperature": true, "workers": true, "scoring": true, "baseline": true,
	"data": true, "template": true, "metadata": true,
}

// A variable or a key at the top of airqa.yaml must not mean one thing to one command and another to the next.
func TestSharedFlagsMeanTheSame(t *testing.T) {
	parser, err := kong.New(&cli{}, options(layers.Open(""))...)
	if err != nil {
		t.Fatal(err)
	}
	type use struct {
		command, def string
		of           reflect.Type
	}
	first, owner := make(map[string]use), make(map[string]string)
	settings.EachFlag(parser.Model.Node, func(n *kong.Node, f *kong.Flag) {
		command := strings.Join(settings.CommandPath(n), " ")
		for i, name := range f.Envs {
			if i > 0 && name != settings.Variable(f.Name) {
				continue // declared on purpose
			}
			if was, taken := owner[name]; taken && was != f.Name {
				t.Errorf("%s belongs to --%s and to --%s of airqa %s", name, was, f.Name, command)
			}
			owner[name] = f.Name
		}
		if agreed[f.Name] || !layers.IsShort(settings.CommandPath(n), f.Name) || f.Name == "help" {
			return
		}
		now := use{command, f.Default, f.Target.Type()}
		was, seen := first[f.Name]
		if !seen {
			first[f.Name] = now
		} else if was.def != now.def || was.of != now.of {
			t.Errorf("--%s is %v (default %q) in airqa %s and %v (default %q) in airqa %s: name it in layers with the commands that keep %s, or in agreed when it means the same",
				f.Name, was.of, was.def, was.command, now.of, now.def, now.command, settings.Variable(f.Name))
		}
	})
	for name, commands := range layers.Short {
		if _, there := first[name]; !there && !agreed[name] && len(commands) > 0 {
			t.Errorf("layers has --%s for %v, and none of them has it", name, commands)
		}
	}
}
