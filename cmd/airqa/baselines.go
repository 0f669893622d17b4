package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"airqa/baselines"
)

type baselinesCmd struct {
	JSON bool `name:"json" help:"Print one JSON object per baseline."`
}

func (c baselinesCmd) Run(a *app) error {
	if c.JSON {
		enc := json.NewEncoder(a.out)
		for _, b := range baselines.All() {
			if err := enc.Encode(map[string]any{"name": b.Name, "summary": b.Summary, "tools": b.Tools}); err != nil {
				return err
			}
		}
		return nil
	}
	return printEach(a, false, baselines.All(), func(b baselines.Baseline) string {
		line := fmt.Sprintf("%-20s %s", b.Name, b.Summary)
		if len(b.Tools) > 0 {
			line += " (" + strings.Join(b.Tools, ", ") + ")"
		}
		return line
	})
}
