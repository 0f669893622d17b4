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

type vectorsCmd struct {
	indexFlags
	Deep       bool   `help:"Also read all texts of the papers, and compare the number of records with theirs."`
	Rebuild    bool   `help:"Make the collections again from the papers and the vectors that are there, and check them."`
	To         string `placeholder:"URL" help:"Copy the collections to this store: milvus://..., or files for files in the data directory."`
	EmbedAgain bool   `help:"With --to: do not read the recorded server, for instance because it is lost. Texts without a vector elsewhere are embedded again."`
}

func (c vectorsCmd) Run(a *app) error {
	switch {
	case c.To != "" && (c.Rebuild || c.Deep):
		return qa.Usagef("--to is incompatible with --rebuild and --deep: check the copy with airqa store vectors --vectors %s", c.To)
	case c.EmbedAgain && c.To == "":
		return qa.Usagef("--embed-again needs --to; --rebuild makes the collections again where they are")
	}
	if err := index.CheckVectors(cmp.Or(c.To, c.Vectors)); err != nil {
		return withCode(exitUsage, err)
	}
	switch {
	case c.To != "":
		return c.copy(a)
	case c.Rebuild:
		return c.rebuild(a)
	}
	recorded := c.dataFlags
	recorded.Vectors, recorded.unused = "", c.Vectors != ""
	texts, err := recorded.index(a, false)
	if err != nil {
		return err
	}
	c.Vectors = cmp.Or(c.Vectors, recorded.Vectors)
	return c.verify(a, texts)
}

func (c vectorsCmd) copy(a *app) error {
	from := c.dataFlags
	if c.EmbedAgain {
		from.Vectors, from.unused = "", true
	}
	texts, err := from.index(a, true)
	if err != nil {
		return err
	}
	cfg := env.WriterConfig{Dir: c.Data, Vectors: c.To, Embedder: texts}
	if !c.EmbedAgain {
		cfg.From = from.Vectors
	}
	if err = c.write(a, cfg, "copy"); err == nil {
		a.next("airqa store vectors --data %s --vectors %s", c.Data, c.To)
	}
	return err
}

func (c *vectorsCmd) rebuild(a *app) error {
	texts, err := c.index(a, false)
	if err != nil {
		return err
	}
	if _, err := datadir.Open(c.Data); err != nil { // a writer would create it
		return err
	}
	if err = c.write(a, env.WriterConfig{Dir: c.Data, Vectors: c.Vectors, Embedder: texts, Rebuild: true}, "rebuild"); err != nil {
		return err
	}
	return c.verify(a, texts)
}

// write brings the collections up to date, without other changes.
func (c vectorsCmd) write(a *app, cfg env.WriterConfig, step string) error {
	ctx, _, stop := a.interrupts()
	defer stop()
	return a.writer(cfg).Write(ctx, step, func(*env.Writer) error { return nil })
}

func (c vectorsCmd) verify(a *app, texts embed.Embedder) error {
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
		return fmt.Errorf("%s; airqa store vectors --rebuild --data %s makes the collections again", terminal.Plural(faults, "fault"), c.Data)
	}
	return nil
}
