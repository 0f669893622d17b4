package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"airqa/internal/settings"

	"github.com/alecthomas/kong"
)

// The help of a command fits on one screen: at most ten flags of its own, and two examples.
const (
	firstPage  = 10
	screenRows = 40
)

func TestHelpIsShort(t *testing.T) {
	parser, err := kong.New(&cli{}, options(settings.Open(""))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("COLUMNS", "100")
	known := make(map[string]bool)
	for _, node := range parser.Model.Leaves(false) {
		command := strings.Join(settings.CommandPath(node), " ")
		shown := 0
		for _, f := range node.Flags {
			known[f.Name], known[settings.CommandPath(node)[0]+"/"+f.Name] = true, true
			if f.Group == nil {
				shown++
			}
		}
		if shown > firstPage {
			t.Errorf("airqa %s --help shows %d flags, want at most %d: name them in firstFlags", command, shown, firstPage)
		}
		if n := strings.Count(node.Detail, "\n  airqa ") + strings.Count(node.Detail, "\n  OPENAI_"); n > 2 {
			t.Errorf("airqa %s has %d examples, want at most two", command, n)
		}
		if node.Hidden {
			continue
		}
		var page bytes.Buffer
		parser.Stdout = &page
		ctx, err := kong.Trace(parser, strings.Fields(command))
		if err == nil {
			err = writeHelp(ctx, false)
		}
		if n := bytes.Count(page.Bytes(), []byte("\n")); err != nil || n > screenRows {
			t.Errorf("airqa %s --help has %d lines, want at most %d (%v)", command, n, screenRows, err)
		}
	}
	for _, g := range flagGroups {
		for name := range strings.FieldsSeq(g.flags) {
			if !known[name] {
				t.Errorf("flagGroups names --%s, and no command has it", name)
			}
		}
	}
	for command, flags := range firstFlags {
		ctx, err := kong.Trace(parser, strings.Fields(command))
		if err != nil || ctx.Error != nil {
			t.Errorf("firstFlags names airqa %s: %v, %v", command, err, ctx.Error)
			continue
		}
		for name := range strings.FieldsSeq(flags) {
			if !strings.Contains(" "+flagNames(ctx.Selected())+" ", " "+name+" ") {
				t.Errorf("firstFlags: airqa %s has no --%s", command, name)
			}
		}
	}
}

// Every command has examples in help.txt, and every section of it is about a command.
func TestHelpTexts(t *testing.T) {
	parser, err := kong.New(&cli{}, options(settings.Open(""))...)
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range parser.Model.Leaves(false) {
		if !strings.Contains(node.Detail, "Examples:\n  ") {
			t.Errorf("airqa %s has no examples in help.txt", strings.Join(settings.CommandPath(node), " "))
		}
	}
	for section := range strings.SplitSeq(helpTexts, "## airqa ") {
		command, _, _ := strings.Cut(section, "\n")
		if ctx, err := kong.Trace(parser, strings.Fields(command)); err != nil || ctx.Error != nil {
			t.Errorf("help.txt has a section about airqa %s, which is no command", command)
		}
	}
}

func flagNames(node *kong.Node) string {
	var names []string
	for _, f := range node.Flags {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

func TestBuildOf(t *testing.T) {
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0a1b"}, {Key: "vcs.modified", Value: "true"}}}
	if got := buildOf(info).String(); !strings.HasPrefix(got, program+", commit 0a1b (modified), go") {
		t.Errorf("got %q", got)
	}
	if got := buildOf(nil); got.Commit != "unknown" || got.Modified {
		t.Errorf("without build information: %+v", got)
	}
}

// mostVariables is the maximum number of environment variables.
const mostVariables = 60

// Only keys, headers, addresses, the data directory and the program's own flags have variables: a forgotten variable must not change a run.
func TestVariables(t *testing.T) {
	parser, err := kong.New(&cli{}, options(settings.Open(""))...)
	if err != nil {
		t.Fatal(err)
	}
	may := []string{"config", "quiet", "verbose", "data", "vectors", "base-url", "judge-base-url", "embed-base-url"}
	settings.EachFlag(parser.Model.Node, func(n *kong.Node, f *kong.Flag) {
		if len(f.Envs) > 0 && !slices.Contains(may, f.Name) {
			t.Errorf("%s --%s has the variable %s", n.FullPath(), f.Name, f.Envs[0])
		}
	})
	page, err := os.ReadFile("../../docs/environment.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := make(map[string]bool)
	for row := range strings.Lines(string(page)) {
		if cells := strings.Split(row, "|"); len(cells) == 4 {
			for _, name := range regexp.MustCompile(`[A-Z][A-Z0-9_]{3,}`).FindAllString(cells[1], -1) {
				documented[name] = true
			}
		}
	}
	if n := len(documented); n > mostVariables {
		t.Errorf("docs/environment.md has %d variables, and at most %d are allowed", n, mostVariables)
	}
	literal := regexp.MustCompile(`"((?:AIRQA|OPENAI|ANTHROPIC|GOOGLE|GEMINI|OLLAMA|MISTRAL|COHERE)_[A-Z_]+)"`)
	err = filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "internal/testkit/") {
			return err
		}
		raw, err := os.ReadFile(path)
		for _, m := range literal.FindAllStringSubmatch(string(raw), -1) {
			if !documented[m[1]] {
				t.Errorf("%s: docs/environment.md lacks the variable %s", path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
