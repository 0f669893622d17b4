package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"airqa/internal/settings"
)

// A value may begin with a hyphen, for every flag that takes one; what is or looks like a flag is none.
func TestHyphenatedValues(t *testing.T) {
	tests := []struct{ command, value, want string }{
		{"questions try q.jsonl --answer", "-0.5", "-0.5"},
		{"questions try q.jsonl --answer", "-.5", "-.5"},
		{"questions try q.jsonl --answer", "-x", "-x"},
		{"questions try q.jsonl --answer", "-1, -2", "-1, -2"},
		{"questions try q.jsonl --answer", "- a list\n- of two", "- a list\n- of two"},
		{"questions try q.jsonl --answer", "-define is a flag of C", "-define is a flag of C"},
		{"questions try q.jsonl --answer", "--x is written so", "--x is written so"},
		{"questions try q.jsonl --answer", "---", "---"},
		{"questions try q.jsonl --answer", "-\u221e", "-\u221e"},
		{"questions try q.jsonl --answer", "-", "-"},
		{"questions try q.jsonl --answer", "--json", ""},
		{"questions try q.jsonl --answer", "--jsn", ""},
		{"questions try q.jsonl --answer", "--judge=offline", ""},
		{"questions try q.jsonl --answer", "-h", ""},
		{"questions try q.jsonl --answer", "--", ""},
		{"trace runs --grep", "-1 dB", "-1 dB"},
		{"trace runs --grep", "-7", "-7"},
		{"export runs -o", "-folder", "-folder"},
		{"export runs --out d --license", "-x", "-x"},
		{"page --page 1 --paper p --box", "-5,-5,10,10", "-5,-5,10,10"},
		{"notes add r q", "-5", ""}, // an argument, not the value of a flag
	}
	for _, tt := range tests {
		var c cli
		parser, err := kong.New(&c, options(settings.Open(""))...)
		if err != nil {
			t.Fatal(err)
		}
		args := append(strings.Fields(tt.command), tt.value)
		joined := joinValues(parser.Model.Node, args)
		if again := joinValues(parser.Model.Node, slices.Clone(joined)); !slices.Equal(again, joined) {
			t.Errorf("%q becomes %q", joined, again)
		}
		if tt.want == "" {
			if !slices.Equal(joined, args) {
				t.Errorf("%q became %q", args, joined)
			}
			continue
		}
		ctx, err := parser.Parse(joined)
		if err != nil {
			t.Errorf("%q: %v", args, err)
			continue
		}
		found := false
		for _, p := range ctx.Path {
			found = found || p.Flag != nil && p.Flag.Target.String() == tt.want
		}
		if !found {
			t.Errorf("%q: no flag has the value %q", args, tt.want)
		}
	}
}
