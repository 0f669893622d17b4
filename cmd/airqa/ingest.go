package main

import (
	"errors"
	"fmt"
	"strings"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/ingest"
	"airqa/env/ingest/sources/mineru"
	"airqa/env/ingest/sources/records"
	"airqa/internal/exit"
)

type ingestCmd struct {
	dataFlags
	fetchFlags
	Paths    []string `arg:"" optional:"" name:"path" help:"PDFs, and folders of them. A metadata file of the same name ending in .json beside a PDF wins over what is guessed."`
	Workers  int      `short:"j" default:"2" help:"Papers read at once."`
	Metadata string   `placeholder:"DIR" help:"Folder with metadata files UUID.json (AirQA paper, A.2). A PDF without one beside it takes the one that it is named for, or else the one with its title."`
	MinerU   string   `name:"mineru" placeholder:"DIR" help:"Folder with MinerU's output (ID/auto/ID_middle.json and ID_content_list.json). Its tables, figures and equations take the place of those found here."`
	Chunks   struct {
		Size int          `placeholder:"512" help:"Maximum length of a passage, 64 to 16384. The first ingest settles it for the data directory; by default 512 tokens, as in the paper."`
		Unit datadir.Unit `placeholder:"tokens" enum:"tokens,characters," default:"" help:"What the length is counted in: tokens (paper) or characters (the authors' code: 512 characters)."`
	} `embed:"" prefix:"chunk-"`
	Again   bool `help:"Read papers again that are in already."`
	Replace bool `help:"Let a file take the place of another one with the same title and venue. Without it both are kept."`
}

func (ingestCmd) Help() string {
	return `Examples:
  airqa ingest --data papers paper.pdf
  airqa ingest --data papers ~/Downloads/acl2023 extra/attention.pdf
  airqa ingest --data papers --metadata metadata --mineru processed_data ~/Downloads/acl2023
  airqa ingest --data reference --chunk-size 512 --chunk-unit characters paper.pdf
  airqa ingest --data papers --arxiv 2005.11401 --list more.txt

Running it again skips what is in. A broken file is reported and does not stop the rest.`
}

func (c ingestCmd) Run(a *app) error {
	if c.Workers < 1 {
		return exit.Misuse("-j %d: at least one paper at once", c.Workers)
	}
	if err := c.checkSources(); err != nil {
		return err
	}
	texts, err := c.index(a, true)
	if err != nil {
		return err
	}
	chunks := datadir.Chunking{Size: c.Chunks.Size, Unit: c.Chunks.Unit}
	if err := chunks.Or(datadir.DefaultChunking()).Check(); err != nil {
		return exit.Misuse("%v", err)
	}
	to := env.WriterConfig{Dir: c.Data, Vectors: c.Vectors, Embedder: texts}
	cfg := c.config()
	if cfg.Extras, err = c.extras(); err != nil {
		return err
	}
	g, err := c.gather(a)
	if err != nil {
		return err
	}
	sum, err := a.session().Ingest(to, g.files, cfg, chunks)
	if err != nil {
		return err
	}
	for _, f := range g.closed {
		a.say("error: folder %s cannot be listed: %v", f.Path, f.Err)
	}
	err = a.ingestEnd(c.Data, len(g.files), sum)
	switch {
	case err != nil:
		return err
	case g.missing > 0:
		return exit.With(exit.FailedExamples, fmt.Errorf("%d papers could not be fetched; the same command tries them again", g.missing))
	case len(g.closed) > 0:
		return exit.With(exit.FailedExamples, fmt.Errorf("%d folders could not be listed; what is in them is missing", len(g.closed)))
	}
	return nil
}

func (c ingestCmd) config() ingest.Config {
	return ingest.Config{Workers: c.Workers, Again: c.Again, Replace: c.Replace}
}

// extras lists what there is in the folders of --metadata and --mineru.
func (c ingestCmd) extras() (e ingest.Extras, err error) {
	if c.Metadata != "" {
		if e.Records, err = records.Open(c.Metadata); err != nil {
			return e, err
		}
	}
	if c.MinerU != "" {
		e.MinerU, err = mineru.Open(c.MinerU)
	}
	return e, err
}

// ingestEnd says what to do next, and turns the summary into an exit code.
func (a *app) ingestEnd(dir string, files int, sum ingest.Summary) error {
	imported := 0
	for _, f := range sum.Failed {
		if errors.Is(f.Err, ingest.ErrImported) {
			imported++
		}
	}
	var reasons []string
	if n := len(sum.Failed) - imported; n > 0 {
		reasons = append(reasons, fmt.Sprintf("%d of %d files could not be read", n, files))
	}
	if imported > 0 {
		reasons = append(reasons, fmt.Sprintf("%d of %d files were not read: their papers were imported", imported, files))
	}
	if len(reasons) == 0 {
		a.say("next: airqa search --data %s \"what you look for\"", dir)
		return nil
	}
	code := exit.FailedExamples
	if len(sum.Failed) == files {
		code = exit.Failed
	}
	return exit.With(code, fmt.Errorf("%s; the others are in %s", strings.Join(reasons, ", "), dir))
}
