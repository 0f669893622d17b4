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
	enc := json.NewEncoder(a.out)
	for _, b := range baselines.All() {
		var err error
		if c.JSON {
			err = enc.Encode(map[string]any{"name": b.Name, "summary": b.Summary, "tools": b.Tools})
		} else {
			err = a.print(fmt.Sprintf("%-20s %s%s", b.Name, b.Summary, withTools(b.Tools)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func withTools(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}
