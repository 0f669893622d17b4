package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"airqa/baselines"
	"airqa/internal/terminal"
	"airqa/llm/catalog"
	"airqa/qa"
)

type modelsCmd struct {
	Filter string `arg:"" optional:"" help:"Part of a name, or a name as given to --model."`
	listFlags
	ownModels
}

func (c modelsCmd) Run(a *app) error {
	list, err := catalog.Open(c.Models)
	if err != nil {
		return withCode(exitUsage, err)
	}
	part := strings.ToLower(c.Filter)
	found := slices.DeleteFunc(list.Models(), func(m catalog.Model) bool {
		return !slices.ContainsFunc(append(m.Also, m.Name), func(name string) bool {
			return strings.Contains(strings.ToLower(name), part)
		})
	})
	if m, ok := list.Find(c.Filter); ok && len(found) == 0 { // the one that --model would select
		found = []catalog.Model{m}
	}
	if len(found) == 0 {
		return fmt.Errorf("no listed model matches %q", c.Filter)
	}
	if c.isTable() {
		t := terminal.Table{Head: []string{"model", "context", "output", "$ in", "$ cached", "$ out", "from", "traits"}, Drop: []string{"from", "$ cached", "traits", "output"}}
		for _, m := range found {
			in, cached, out := priceCells(m.Price)
			t.Rows = append(t.Rows, []string{m.Name, known(m.Context), known(m.Output), in, cached, out, m.File, modelTraits(m)})
		}
		return a.print(t.Text(a.width))
	}
	lines := qa.Map(found, func(m catalog.Model) modelLine { return modelLine{m, m.File} })
	return writeRows(a, c.Format, lines, []string{
		"name", "also", "context", "output", "price.input", "price.cached", "price.output", "reasoning", "images", "default_sampling",
		"one_sampling", "max_completion_tokens", "system_as_user", "source", "comment", "file",
	})
}

type modelLine struct {
	catalog.Model
	File string `json:"file"`
}

func priceCells(p *catalog.Price) (in, cached, out string) {
	if p == nil {
		return "-", "-", "-"
	}
	cached = "-"
	if p.Cached != nil {
		cached = perMillion(*p.Cached)
	}
	return perMillion(p.Input), cached, perMillion(p.Output)
}

func perMillion(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func known(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func modelTraits(m catalog.Model) string {
	var traits []string
	for _, t := range []struct {
		on   bool
		name string
	}{
		{m.Reasoning, "reasoning"},
		{m.Images, "images"},
		{m.DefaultSampling, "default sampling only"},
		{m.OneSampling, "temperature or top_p"},
		{m.MaxCompletionTokens, "max_completion_tokens"},
		{m.SystemAsUser, "no system message"},
		{m.Responses, "Responses API"},
	} {
		if t.on {
			traits = append(traits, t.name)
		}
	}
	return strings.Join(traits, ", ")
}

type baselinesCmd struct {
	jsonFlag
}

func (c baselinesCmd) Run(a *app) error {
	if c.JSON {
		enc := json.NewEncoder(a.out)
		for _, b := range baselines.All() {
			if err := enc.Encode(map[string]any{"name": b.Name, "summary": b.Summary, "tools": b.Tools}); err != nil {
				return err
			}
		}
		for _, b := range benchmarks() {
			if err := enc.Encode(b); err != nil {
				return err
			}
		}
		return nil
	}
	err := printEach(a, false, baselines.All(), func(b baselines.Baseline) string {
		line := fmt.Sprintf("%-20s %s", b.Name, b.Summary)
		if len(b.Tools) > 0 {
			line += " (" + strings.Join(b.Tools, ", ") + ")"
		}
		return line
	})
	if err != nil {
		return err
	}
	if err := a.print("\nCompanion benchmarks (airqa bench) and their baselines:"); err != nil {
		return err
	}
	return listBenchmarks(a)
}
