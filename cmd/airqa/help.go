package main

import (
	"bytes"
	"cmp"
	_ "embed" // the texts of help
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/eval/author"
	"airqa/internal/lazyregexp"
	"airqa/internal/settings"
	"airqa/internal/terminal"
)

// helpTexts has the examples and the description of every command, each after a line "## airqa COMMAND".
//
//go:embed help.txt
var helpTexts string

// addDetails adds the texts of helpTexts to the commands.
func addDetails(k *kong.Kong) error {
	details := make(map[string]string)
	for section := range strings.SplitSeq(helpTexts, "## airqa ") {
		command, text, _ := strings.Cut(section, "\n")
		details[command] = strings.TrimRight(text, "\n")
	}
	details["questions new"] += " " + strings.Join(author.Kinds(), ", ") + "."
	return kong.Visit(k.Model, func(n kong.Visitable, next kong.Next) error {
		if node, ok := n.(*kong.Node); ok && node.Type == kong.CommandNode {
			node.Detail = details[strings.Join(settings.CommandPath(node), " ")]
		}
		return next(nil)
	})
}

// flagGroups are the flags that only --help-all shows, by heading. "export/max-tokens" is that flag of "export" commands.
var flagGroups = []struct{ title, flags string }{
	{"Which questions:", "id tag of retry run/shard weak-rewards"},
	{"Model:", "prompts tracker-model base-url temperature top-p seed max-tokens reasoning-effort extra-body models price"},
	{"Connection:", "timeout retries"},
	{"Limits:", "question-budget question-deadline query-seconds"},
	{"Agent:", "turns window rows protocol format-errors repeat-limit context-tokens observation-tokens passages"},
	{"Search:", "retrieve scope embedder embed-model embed-threads vectors-per-chunk embed-tokens embed-connections embed-batch embed-base-url embed-extra-body embed-query-prefix embed-text-prefix vectors"},
	{"Judges:", "scoring judge judge-base-url judge-extra-body judge-rule judge-concurrency"},
	{"Sampling and gates:", "categories max-candidates draw-seed gates solve-again pictures resume"},
	{"Other sources:", "metadata mineru arxiv-url max-mb delay"},
	{"Passages:", "chunk-size chunk-unit"},
	{"Which episodes:", "include min-score max-score outcome of-model of-baseline min-turns max-turns min-tokens export/max-tokens max-repetition max-per-question max-per-paper ids episodes errors"},
	{"Duplicates and leaks:", "duplicates against leaks leak redact-emails"},
	{"Repeats and rows:", "columns best-of pass-rate whole-episodes"},
	{"Interrupted work:", "grace run/from cache"},
	{"Model server:", "serve serve-image gpus ready startup setup"},
	{"Containers:", "sidecar-image image-data agent-image"},
}

// firstFlags are the flags that --help shows, at most ten, of commands that have more. --help-all shows all of them.
var firstFlags = map[string]string{
	"run":             "data questions baseline model out base-url workers limit budget score",
	"ask":             "data model baseline file continue base-url html json out budget",
	"ingest":          "data workers arxiv url list embedder metadata mineru again json",
	"import database": "data pdfs replace shard embedder embed-base-url vectors",
	"papers fetch":    "data questions metadata arxiv-category from to sample seed dry-run json",
	"enrich":          "data model fields workers max-calls pictures again base-url budget",
	"score":           "gold pred out benchmark answered-only scoring judge judge-base-url explain json",
	"report":          "table by format out figures intervals with-paper scoring judge training-size",
	"compare":         "format out json min-questions power scoring judge flips",
	"trace":           "status cause lost-at grep sort limit tag json",
	"fork":            "at reply observation edit message model out data base-url",
	"doctor":          "data model base-url judge tools images embedder vectors json",
	"questions new":   "question answer type point paper reference conference tag append data",
	"synth make":      "data model count out until categories gates preview dry-run budget",
	"synth act":       "data model out baseline repeats workers judge base-url budget",
	"export write":    "out format include split cutoff-len tokenizer leaks replace",
	"export tasks":    "data questions out format with-gold server-url split scoring weak-rewards replace",
	"serve":           "data questions out baseline listen token-file split scoring judge idle",
	"mcp":             "data question questions baseline listen out scoring judge",
	"store vectors":   "data to rebuild deep vectors embedder embed-base-url",
	"shards slurm":    "shards parallel cpus mem time sbatch keys setup serve from",
	"shards k8s":      "shards parallel cpus mem image claim data-claim secret serve from",
	"bench baseline":  "dataset method run embedder scoring bootstrap setting format out export",
	"bench stats":     "dataset item history similarity pools pools-out embedder format out",
	"bench annotate":  "dataset model out pairs queries limit retry export workers budget",
	"bench collect":   "participants papers out listen pair paper export calendar",
}

// groupFlags assigns the flags that only --help-all shows to groups, and orders them as in flagGroups.
func groupFlags(k *kong.Kong) error {
	k.Model.HelpFlag.Help = "Show help."
	groups := make(map[string]*kong.Group)
	rank := make(map[string]int)
	for _, g := range flagGroups {
		for name := range strings.FieldsSeq(g.flags) {
			groups[name] = &kong.Group{Key: g.title, Title: g.title}
			rank[name] = len(rank) + 1
		}
	}
	others := &kong.Group{Key: "Other flags:", Title: "Other flags:"}
	commands := &kong.Group{Key: "Commands:", Title: "Commands:"}
	for _, node := range k.Model.Leaves(false) {
		if node.Parent != k.Model.Node {
			node.Group = commands // such as questions stats
		}
		path := settings.CommandPath(node)
		first, more := firstFlags[strings.Join(path, " ")]
		if !more {
			continue
		}
		place := make(map[*kong.Flag]int) // 0 on the first page
		for _, f := range node.Flags {
			if !slices.Contains(strings.Fields(first), f.Name) {
				f.Group = cmp.Or(groups[path[0]+"/"+f.Name], groups[f.Name], others)
				place[f] = cmp.Or(rank[path[0]+"/"+f.Name], rank[f.Name], len(rank)+1)
			}
		}
		slices.SortStableFunc(node.Flags, func(a, b *kong.Flag) int { return place[a] - place[b] })
	}
	return nil
}

// helpAllFlag prints the help with all flags.
type helpAllFlag bool

// BeforeReset is a hook of kong. As with --help, required flags may be missing.
func (helpAllFlag) BeforeReset(ctx *kong.Context) error {
	if n := ctx.Selected(); n != nil && n.Parent.DefaultCmd == n && !slices.Contains(ctx.Args, n.Name) { // --help shows the group, too
		ctx.Path = slices.DeleteFunc(ctx.Path, func(p *kong.Path) bool { return p.Command == n })
	}
	if err := writeHelp(ctx, true); err != nil {
		return err
	}
	ctx.Exit(0)
	return nil
}

// writeHelp prints the help of the selected command. Grouped flags are shown only if all is true.
func writeHelp(ctx *kong.Context, all bool) error {
	node, out := ctx.Selected(), ctx.Stdout
	hidden := hideFlags(ctx.Model.Node, node, all)
	commands := ctx.Model.Children
	var rare []string
	if node == nil && !all {
		ctx.Model.Children = nil
		for _, c := range commands {
			switch {
			case c.Hidden:
			case c.Group != nil && c.Group.Title == "More:": // for maintenance
				rare = append(rare, c.Name)
			default:
				ctx.Model.Children = append(ctx.Model.Children, c)
			}
		}
	}
	defer func() {
		for _, f := range hidden {
			f.Hidden = false
		}
		ctx.Model.Children, ctx.Stdout = commands, out
	}()
	width := min(100, cmp.Or(terminalWidth(os.Stdout), 100))
	var text bytes.Buffer
	ctx.Stdout = &text
	err := kong.DefaultHelpPrinter(kong.HelpOptions{
		Compact: true, WrapUpperBound: width, FlagsLast: true, NoExpandSubcommands: true, ValueFormatter: kong.DefaultHelpValueFormatter,
	}, ctx)
	if err != nil {
		return err
	}
	grouped := slices.DeleteFunc(slices.Clone(hidden), func(f *kong.Flag) bool { return f.Group == nil })
	if n := len(grouped); n > 0 {
		fmt.Fprintf(&text, "\n%s --help-all shows %s.\n", node.FullPath(), terminal.Plural(n, "more flag"))
	}
	if len(rare) > 0 {
		fmt.Fprintf(&text, "airqa --help-all shows more commands: %s.\n", strings.Join(rare, ", "))
	}
	_, err = io.WriteString(out, heading.ReplaceAllStringFunc(text.String(), terminal.StyleOf(os.Stdout, os.Getenv).Bold))
	return err
}

// hideFlags hides flags from the help of a command and returns them. The program's own flags are shown on its first page only.
func hideFlags(program, command *kong.Node, all bool) []*kong.Flag {
	if command == nil || all {
		return nil
	}
	var hidden []*kong.Flag
	for _, f := range command.Flags {
		if f.Group != nil && !f.Hidden {
			hidden = append(hidden, f)
		}
	}
	for _, f := range program.Flags {
		if f.Name != "help" {
			hidden = append(hidden, f)
		}
	}
	for _, f := range hidden {
		f.Hidden = true
	}
	return hidden
}

// heading matches lines such as "Flags:".
var heading = lazyregexp.New(`(?m)^(?:Usage|[A-Z][a-z ]+):`)

type helpCmd struct {
	Command []string `arg:"" optional:"" complete:"command" help:"Command, such as run or store vectors."`
}

func (c helpCmd) Run(a *app) error {
	parser, err := kong.New(&cli{}, options(a.files)...)
	if err != nil {
		return err
	}
	ctx, err := kong.Trace(parser, c.Command)
	if err == nil {
		err = ctx.Error
	}
	if err != nil {
		return withCode(exitUsage, err)
	}
	return writeHelp(ctx, false)
}
