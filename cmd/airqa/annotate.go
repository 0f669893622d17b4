package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"airqa/bench/dorismae/annotate"
	"airqa/internal/terminal"
	"airqa/qa"
)

type annotateCmd struct {
	Dataset string `placeholder:"FILE" help:"File or folder of the benchmark's data."`
	Model   string `short:"m" placeholder:"PROVIDER:NAME" help:"Model: openai:NAME (any OpenAI-compatible endpoint), openai-responses:NAME, anthropic:NAME, google:NAME, ollama:NAME, scripted:FILE (recorded replies) or offline (rules, no language model)."`
	workFlag
	Pairs     string   `default:"pools" enum:"pools,test" help:"Pairs: pools (aspects and sub-aspects of each query with its pool) or test (the pairs that people annotated)."`
	PoolsFrom string   `placeholder:"FILE" help:"Candidate pools from airqa bench stats --pools-out, used instead of the dataset's own (doris-mae)."`
	Queries   []string `placeholder:"N" help:"Only queries with these numbers, comma-separated: 0,3-5."`
	Limit     int      `placeholder:"N" help:"Only the first N pairs."`
	promptsFlag
	Retry  string `default:"none" enum:"none,unparsed" help:"Ask again about pairs whose reply has no verdict: none or unparsed. Failed requests are always repeated."`
	Compat bool   `help:"Parse verdicts like the benchmark's authors: the only label anywhere in the reply. Default: the last label of the last line."`
	workersFlag
	Export string `placeholder:"FILE" help:"Ask nothing: write the scores of --out to FILE in the benchmark's format."`
	endpointFlags
	budgetFlags
	jsonFlag
}

func (c annotateCmd) Run(a *app) error {
	if c.Export != "" {
		return c.export(a)
	}
	config, err := c.config()
	if err != nil {
		return err
	}
	r, err := annotate.Run(config, a.session())
	if c.JSON && r.Pairs > 0 {
		return errors.Join(a.printJSON(r), err)
	}
	if err == nil {
		a.next("airqa bench annotate -o %s --export annotations.json", c.Out)
	}
	return err
}

func (c annotateCmd) config() (f annotate.Config, err error) {
	switch {
	case c.Dataset == "" || c.Model == "":
		return f, qa.Usagef("give --dataset FILE and --model PROVIDER:NAME, or --export FILE for the scores in %s", c.Out)
	case c.Workers < 1:
		return f, qa.Usagef("-j %d: must be at least 1", c.Workers)
	case c.Limit < 0:
		return f, qa.Usagef("--limit %d: must not be negative", c.Limit)
	case c.Pairs == "test" && len(c.Queries) > 0:
		return f, qa.Usagef("--queries selects pools; it cannot be used with --pairs test")
	}
	f = annotate.Config{
		Dataset: c.Dataset, Model: c.Model, Dir: c.Out, Test: c.Pairs == "test", Pools: c.PoolsFrom, Limit: c.Limit, Prompts: c.Prompts,
		RetryUnparsed: c.Retry == "unparsed", Rule: verdictRule(c.Compat), Workers: c.Workers,
	}
	if f.Queries, err = annotate.ParseNumbers(c.Queries); err != nil {
		return f, fmt.Errorf("--queries %w", err)
	}
	f.Limits = c.Budget
	f.Calls, err = calling(c.endpointFlags, c.budgetFlags, qa.QuestionLimits{})
	return f, err
}

func verdictRule(compat bool) annotate.Rule {
	if compat {
		return annotate.Compat
	}
	return annotate.LastLabel
}

// export writes the scores of the replies in the benchmark's format.
func (c annotateCmd) export(a *app) error {
	extension := filepath.Ext(c.Export)
	unparsed := strings.TrimSuffix(c.Export, extension) + "-unparsed" + extension
	e, err := annotate.Export(annotate.ExportConfig{Dir: c.Out, Out: c.Export, Unparsed: unparsed, Rule: verdictRule(c.Compat)})
	if err != nil {
		return err
	}
	if e.Damaged > 0 {
		a.say("warning: %s of the log cannot be read", terminal.Plural(e.Damaged, "line"))
	}
	if c.JSON {
		return a.printJSON(e)
	}
	if e.Unparsed > 0 {
		a.say("note: unparsed replies: %d, in %s; airqa bench annotate --retry unparsed repeats them", e.Unparsed, unparsed)
	}
	a.say("%s: %s", c.Export, terminal.Plural(e.Annotations, "annotation"))
	return nil
}
