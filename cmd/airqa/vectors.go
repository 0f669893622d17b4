package main

import (
	"cmp"
	"fmt"
	"strings"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/index"
	"airqa/internal/terminal"
	"airqa/qa"
)

type vectorsCopyCmd struct {
	dataFlags
	To         string `required:"" placeholder:"URL" help:"Target store: milvus://..., or files for files in the data directory."`
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
	cfg := env.WriterConfig{Dir: c.Data, Vectors: c.To, Embedder: texts}
	if !c.EmbedAgain {
		cfg.From = from.Vectors
	}
	err = a.session().Write(ctx, cfg, "copy", func(*env.Writer) error { return nil })
	if err == nil {
		a.next("airqa store vectors check --data %s --vectors %s", c.Data, c.To)
	}
	return err
}

type vectorsCheckCmd struct {
	dataFlags
	Deep bool `help:"Also read all texts of the papers, and compare the number of records with theirs."`
}

func (c vectorsCheckCmd) Run(a *app) error {
	if err := index.CheckVectors(c.Vectors); err != nil {
		return withCode(exitUsage, err)
	}
	recorded := dataFlags{embedderFlags: c.embedderFlags, unused: c.Vectors != ""}
	texts, err := recorded.index(a, false)
	if err != nil {
		return err
	}
	c.Vectors = cmp.Or(c.Vectors, recorded.Vectors)
	return c.verify(a, texts)
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
		return fmt.Errorf("%s; airqa store vectors rebuild --data %s makes the collections again", terminal.Plural(faults, "fault"), c.Data)
	}
	return nil
}

type vectorsRebuildCmd struct {
	dataFlags
}

func (c vectorsRebuildCmd) Run(a *app) error {
	texts, err := c.index(a, false)
	if err != nil {
		return err
	}
	if _, err := datadir.Open(c.Data); err != nil { // a writer would create it
		return err
	}
	ctx, _, stop := a.interrupts()
	defer stop()
	cfg := env.WriterConfig{Dir: c.Data, Vectors: c.Vectors, Embedder: texts, Rebuild: true}
	err = a.session().Write(ctx, cfg, "rebuild", func(*env.Writer) error { return nil })
	if err != nil {
		return err
	}
	return vectorsCheckCmd{dataFlags: c.dataFlags}.verify(a, texts)
}
