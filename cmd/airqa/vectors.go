package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/index"
	"airqa/env/vectors"
	"airqa/internal/terminal"
	"airqa/qa"
)

// vectorsCmd shows, moves, compares and repairs the collections of a data directory.
type vectorsCmd struct {
	Copy   vectorsCopyCmd   `cmd:"" help:"Copy the collections of a data directory to another store."`
	Check  vectorsCheckCmd  `cmd:"" help:"Check the collections of a data directory, or compare two stores."`
	Stats  vectorsStatsCmd  `cmd:"" help:"Show the size of each collection: records, segments, bytes."`
	Repair vectorsRepairCmd `cmd:"" help:"Rebuild damaged or missing parts of the collections."`
}

type vectorsCopyCmd struct {
	dataFlags
	To         string `required:"" placeholder:"URL" help:"Target store: milvus://..., or files for files in the data directory."`
	TakeOver   bool   `help:"Replace collections that another copy of the data directory wrote last."`
	EmbedAgain bool   `help:"Do not read the recorded server, for instance because it is lost. Texts without a vector elsewhere are embedded again."`
}

func (c vectorsCopyCmd) Run(a *app) error {
	if c.To == "" {
		return qa.Usagef("name a store: milvus://..., or files")
	}
	if err := index.CheckVectors(c.To); err != nil {
		return withCode(exitUsage, err)
	}
	from := c.dataFlags
	if c.EmbedAgain {
		from.Vectors, from.unused = "", true
	}
	texts, err := from.index(a, true)
	if err != nil {
		return err
	}
	ctx, _, stop := a.interrupts()
	defer stop()
	cfg := env.WriterConfig{Dir: c.Data, Vectors: c.To, Embedder: texts, TakeOver: c.TakeOver}
	if !c.EmbedAgain {
		cfg.From = from.Vectors
	}
	err = a.session().Write(ctx, cfg, "copy", func(*env.Writer) error { return nil })
	if err == nil {
		a.say("next: airqa store vectors check --data %s --vectors %s --with %s", c.Data, from.Vectors, c.To)
	}
	return err
}

type vectorsCheckCmd struct {
	dataFlags
	With   string `placeholder:"URL" help:"Store to compare with --vectors: milvus://..., or files. Default: check one store, by its checksums."`
	Deep   bool   `help:"Also read all texts of the papers, and compare the number of records with theirs."`
	Sample int    `default:"100" help:"Number of texts to search in both stores."`
}

func (c vectorsCheckCmd) Run(a *app) error {
	if c.Deep && c.With != "" {
		return qa.Usagef("--deep checks one store; leave out --with")
	}
	if err := errors.Join(index.CheckVectors(c.Vectors), index.CheckVectors(c.With)); err != nil {
		return withCode(exitUsage, err)
	}
	recorded := dataFlags{embedderFlags: c.embedderFlags, unused: c.Vectors != ""}
	texts, err := recorded.index(a, false)
	if err != nil {
		return err
	}
	c.Vectors = cmp.Or(c.Vectors, recorded.Vectors)
	if c.With == "" {
		return c.verify(a, texts)
	}
	if c.Sample < 1 {
		return qa.Usagef("--sample %d: must be at least 1", c.Sample)
	}
	result, err := index.Compare(a.ctx, c.comparison(c.With, texts))
	if err != nil {
		return err
	}
	if x := result.Approximate; x != nil {
		if err := a.print(fmt.Sprintf("%s: %s, recorded", x.Name, indexText(x.Index, x.Recall))); err != nil {
			return err
		}
	}
	if n := len(result.Differences); n > 0 {
		return cmp.Or(a.print(strings.Join(result.Differences, "\n")), errors.New(terminal.Plural(n, "difference")))
	}
	return a.print("both stores match")
}

// indexText describes an approximate index.
func indexText(index string, r *vectors.Recall) string {
	if r == nil {
		return "approximate index " + index + ", recall unknown"
	}
	return fmt.Sprintf("approximate index %s, recall %.3f at 1, %.3f at 5, %.3f at 10 (%s)", index, r.At1, r.At5, r.At10, terminal.Plural(r.Queries, "text"))
}

// comparison is with another store.
func (c vectorsCheckCmd) comparison(with string, texts embed.Embedder) index.CompareConfig {
	return index.CompareConfig{Dir: c.Data, A: c.Vectors, B: with, Embedder: texts, Sample: c.Sample, K: 10}
}

// verify checks one store.
func (c vectorsCheckCmd) verify(a *app, texts embed.Embedder) error {
	list, err := index.Verify(a.ctx, index.VerifyConfig{Dir: c.Data, Vectors: c.Vectors, Embedder: texts, Deep: c.Deep})
	if err != nil {
		return err
	}
	faults := 0
	for _, v := range list {
		line := fmt.Sprintf("%s: %d records", v.Name, v.Records)
		if c.Deep {
			line += fmt.Sprintf(" of %d texts", v.Texts)
		}
		if v.Checksums {
			line += ", checksums OK"
		}
		if len(v.Faults) > 0 {
			line = v.Name + ": " + strings.Join(v.Faults, "; ")
		}
		faults += len(v.Faults)
		if err := a.print(line); err != nil {
			return err
		}
	}
	if faults > 0 {
		return fmt.Errorf("%s; airqa store vectors repair --data %s rebuilds what is damaged", terminal.Plural(faults, "fault"), c.Data)
	}
	return nil
}

type vectorsStatsCmd struct {
	dataFlags
	JSON bool `name:"json" help:"Print JSON."`
}

// vectorsStats is the output of airqa store vectors stats --json.
type vectorsStats struct {
	Format      int              `json:"format"`
	Collections []collectionSize `json:"collections"`
}

// collectionSize is a collection in the output of airqa store vectors stats.
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
	// Index is an approximate index, Recall what it was measured to find.
	Index  string          `json:"index,omitempty"`
	Recall *vectors.Recall `json:"recall,omitempty"`
}

func (c vectorsStatsCmd) Run(a *app) error {
	if err := index.CheckVectors(c.Vectors); err != nil {
		return withCode(exitUsage, err)
	}
	if err := c.settle(a, false); err != nil {
		return err
	}
	list, err := index.Collections(a.ctx, c.Data, c.Vectors)
	if err != nil {
		return err
	}
	sizes := make([]collectionSize, len(list))
	for i, v := range list {
		sizes[i] = collectionSize{
			Name: v.Name, Kind: string(v.Kind), Model: v.Model, Dim: v.Dim, Records: v.Records, Deleted: v.Deleted, Segments: v.Segments,
			Bytes: v.Bytes, Documents: v.Documents, Words: v.Words, Index: v.Index, Recall: v.Recall,
		}
	}
	if c.JSON {
		return a.printJSON(vectorsStats{Format: 1, Collections: sizes})
	}
	return printEach(a, false, sizes, collectionSize.text)
}

// text is a line about the collection.
func (s collectionSize) text() string {
	line := fmt.Sprintf("%s: %s", s.Name, terminal.Plural(s.Records, "record"))
	if s.Kind == string(vectors.Dense) {
		line += fmt.Sprintf(" of %d numbers (%s)", s.Dim, s.Model)
	}
	if s.Index != "" {
		line += "; " + indexText(s.Index, s.Recall)
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
	cfg := env.WriterConfig{Dir: c.Data, Vectors: from.Vectors, Embedder: texts, Repair: true}
	err = a.session().Write(ctx, cfg, "repair", func(*env.Writer) error { return nil })
	if err != nil {
		return err
	}
	return vectorsCheckCmd{dataFlags: from}.verify(a, texts)
}
