package main

import (
	_ "embed"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/internal/settings"
	"airqa/qa"
)

//go:embed paper.yaml
var paperSettings []byte

// paperFlag sets the flags of a command as in the paper.
type paperFlag struct {
	AsInPaper asInPaper `name:"as-in-paper" help:"Set what the AirQA paper sets (no gates, no filters, its limits), and list and record what still differs. Other flags of the command line win."`
}

type asInPaper bool

// paperFile is the name of the settings of --as-in-paper in messages.
const paperFile = "--as-in-paper"

// BeforeResolve is a hook of kong, called if the command line has the flag.
func (asInPaper) BeforeResolve(_ *kong.Context, _ *kong.Path, files *settings.Files) error {
	return files.Prefer(paperFile, paperSettings)
}

// sampling are flags whose defaults, by model, are the paper's.
var sampling = []string{"temperature", "reasoning-effort", "extra-body"}

// standing are differences from the paper that no setting removes, or only the flag unless.
var standing = []struct{ command, unless, text string }{
	{"ingest", "mineru", "PDFs are read by PDFium and airqa's own layout analysis; the paper uses PyMuPDF and MinerU (--mineru takes its output)"},
	{"run", "prompts", "the texts of prompts and tools are airqa's own (--prompts)"},
	{"run", "", "Retrieve searches the papers that the question names, as the authors' code does; the paper's text does not say so (--scope all searches all)"},
	{"synth make", "prompts", "the texts of prompts are airqa's own (--prompts)"},
	{"score", "prompts", "the judge's prompt is airqa's own (--prompts)"},
	{"ingest", "embed-model", "the built-in weights of all-MiniLM-L6-v2 have 8 bits (--embed-model takes the full ones)"},
}

// paperOf describes an invocation with --as-in-paper; nil without it.
func paperOf(ctx *kong.Context, files *settings.Files) *qa.AsInPaper {
	node := ctx.Selected()
	command := settings.CommandPath(node)
	given := givenFlags(ctx)
	if !given["as-in-paper"] {
		return nil
	}
	p := &qa.AsInPaper{Sets: []string{}, Differs: []string{}}
	for _, f := range node.Flags {
		value := strings.Trim(fmt.Sprint(reflect.Indirect(reflect.ValueOf(ctx.FlagValue(f)))), "[]")
		wanted, known := files.Value(paperFile, command, f.Name)
		switch {
		case known && wanted == strings.ReplaceAll(value, " ", ","):
			p.Sets = append(p.Sets, f.Name+" "+wanted)
		case known:
			p.Differs = append(p.Differs, fmt.Sprintf("--%s is %s, in the paper %s", f.Name, value, wanted))
		case given[f.Name] && slices.Contains(sampling, f.Name):
			p.Differs = append(p.Differs, fmt.Sprintf("--%s is %s, in the paper by model", f.Name, value))
		}
	}
	for _, s := range standing {
		if s.command == strings.Join(command, " ") && !given[s.unless] {
			p.Differs = append(p.Differs, s.text)
		}
	}
	return p
}

// givenFlags are the names of the flags that the command line or a file sets.
func givenFlags(ctx *kong.Context) map[string]bool {
	given := make(map[string]bool)
	for _, p := range ctx.Path {
		if p.Flag != nil {
			given[p.Flag.Name] = true
		}
	}
	return given
}

// sayPaper lists what --as-in-paper set, and what differs.
func (a *app) sayPaper() {
	if a.paper == nil {
		return
	}
	a.say("as in the paper: %s", strings.Join(a.paper.Sets, ", "))
	for _, text := range a.paper.Differs {
		a.say("differs from the paper: %s", text)
	}
}
