package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"airqa/internal/settings"
)

// The surface is what one person can hold. The numbers only fall.
func TestSurface(t *testing.T) {
	parser, err := kong.New(&cli{}, options(settings.Open(""))...)
	if err != nil {
		t.Fatal(err)
	}
	commands := slices.DeleteFunc(parser.Model.Leaves(false), func(n *kong.Node) bool { return n.Hidden })
	definitions, ofRun := make(map[string]bool), 0
	settings.EachFlag(parser.Model.Node, func(n *kong.Node, f *kong.Flag) {
		definitions[f.Name+" "+f.Help] = true // commands that share a definition share its help
		if strings.Join(settings.CommandPath(n), " ") == "run" {
			ofRun++
		}
	})
	for _, tt := range []struct {
		what       string
		have, most int
	}{{"commands", len(commands), 55}, {"definitions of flags", len(definitions), 348}, {"flags of airqa run", ofRun, 52}} {
		if tt.have != tt.most {
			t.Errorf("%d %s, want %d: lower the number here, or remove as many as you add", tt.have, tt.what, tt.most)
		}
	}
}
