package main

import (
	"fmt"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/vectors"
	"airqa/internal/terminal"
)

type vectorsStatsCmd struct {
	dataFlags
	JSON bool `name:"json" env:"-" help:"Print JSON."`
}

// vectorsStats is the output of airqa vectors stats --json.
type vectorsStats struct {
	Format      int              `json:"format"`
	Collections []collectionSize `json:"collections"`
}

// collectionSize is a collection in the output of airqa vectors stats.
type collectionSize struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Model     string `json:"model"`
	Dim       int    `json:"dim,omitempty"`
	Records   int    `json:"records"`
	Deleted   int    `json:"deleted"`
	Segments  int    `json:"segments"`
	Bytes     int64  `json:"bytes"`
	Documents int    `json:"documents,omitempty"`
	Words     int    `json:"words,omitempty"`
}

func (c vectorsStatsCmd) Run(a *app) error {
	if err := env.CheckVectors(c.Vectors); err != nil {
		return withCode(exitUsage, err)
	}
	if err := c.settle(a, false); err != nil {
		return err
	}
	list, err := env.Collections(a.ctx, c.Data, c.Vectors)
	if err != nil {
		return err
	}
	sizes := make([]collectionSize, len(list))
	for i, v := range list {
		sizes[i] = collectionSize{
			Name: v.Name, Kind: string(v.Kind), Model: v.Model, Dim: v.Dim, Records: v.Records, Deleted: v.Deleted, Segments: v.Segments,
			Bytes: v.Bytes, Documents: v.Documents, Words: v.Words,
		}
	}
	if c.JSON {
		return a.printJSON(vectorsStats{Format: 1, Collections: sizes})
	}
	for _, s := range sizes {
		if err := a.print(s.text()); err != nil {
			return err
		}
	}
	return nil
}

// text is a line about the collection.
func (s collectionSize) text() string {
	line := fmt.Sprintf("%s: %s", s.Name, terminal.Plural(s.Records, "record"))
	if s.Kind == string(vectors.Dense) {
		line += fmt.Sprintf(" of %d numbers (%s)", s.Dim, s.Model)
	}
	if s.Documents > 0 {
		line += fmt.Sprintf(", %s with %s", terminal.Plural(s.Documents, "passage"), terminal.Plural(s.Words, "distinct word"))
	}
	if s.Segments > 0 {
		line += fmt.Sprintf("; %s, %.1f MB", terminal.Plural(s.Segments, "segment"), float64(s.Bytes)/(1<<20))
	}
	if s.Deleted > 0 {
		line += fmt.Sprintf(", %d deleted", s.Deleted)
	}
	return line
}

type vectorsRepairCmd struct {
	embedderFlags
}

func (c vectorsRepairCmd) Run(a *app) error {
	from := dataFlags{embedderFlags: c.embedderFlags}
	texts, err := from.index(a, false)
	if err != nil {
		return err
	}
	if _, err := datadir.Open(c.Data); err != nil { // a writer would create it
		return err
	}
	ctx, _, stop := a.interrupts()
	defer stop()
	cfg := env.WriterConfig{Dir: c.Data, Vectors: from.Vectors, Embedder: texts, Recount: true}
	err = a.session().Write(ctx, cfg, "repair", func(*env.Writer) error { return nil })
	if err != nil {
		return err
	}
	return vectorsCheckCmd{dataFlags: from}.verify(a, texts)
}
