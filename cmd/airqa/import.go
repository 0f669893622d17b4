package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/paperdb"
	"airqa/ingest/sources"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/importer"
)

type importDatabaseCmd struct {
	indexFlags
	shardFlag
	Database string `arg:"" name:"database" help:"Released AirQA database, such as ai_research.duckdb, or a data directory."`
	PDFs     string `name:"pdfs" placeholder:"DIR" help:"Folder with the PDFs, as UUID.pdf at any depth or at the path stored in the database. Default: the pdfs folder of a data directory; for a database, the paths stored in it, relative to the working directory."`
	Replace  bool   `help:"Replace papers with the same id that came from a PDF or another database."`
}

func (c importDatabaseCmd) Run(a *app) (err error) {
	if ext := filepath.Ext(c.Database); ext == ".json" || ext == ".jsonl" || ext == ".eval" {
		return qa.Usagef("%s is not a database; to import trajectories, run: airqa import run %[1]s --out RUN", c.Database)
	}
	to, err := c.target(a, true)
	if err != nil {
		return err
	}
	if to, err = c.of(a, to, []string{c.Database}, c.Replace); err != nil {
		return err
	}
	if err := c.resolve(a); err != nil {
		return err
	}
	from, err := paperdb.OpenReleased(a.ctx, c.Database)
	if errors.Is(err, fs.ErrNotExist) {
		return withCode(exitUsage, err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	pdfs, err := sources.OpenPDFs(c.PDFs)
	if err != nil {
		return withCode(exitUsage, err)
	}
	defer func() { err = errors.Join(err, pdfs.Close()) }()
	cfg := sources.ImportConfig{From: from, Name: c.source(), PDFs: pdfs, Replace: c.Replace, Take: c.Shard.Has}
	sum, err := a.writer(to).Import(c.Database, cfg)
	if err != nil {
		return err
	}
	return c.end(a, to, sum)
}

func (c *importDatabaseCmd) resolve(a *app) error {
	if info, err := os.Stat(c.Database); err != nil || !info.IsDir() {
		return nil //nolint:nilerr // opening the database reports it
	}
	d, err := datadir.Open(c.Database)
	if err != nil {
		return withCode(exitUsage, err)
	}
	a.say("note: airqa papers join %s --data %s keeps vectors and file names, and embeds nothing", c.Database, c.Data)
	c.Database = d.Database()
	c.PDFs = cmp.Or(c.PDFs, filepath.Join(d.Path(), "pdfs"))
	return nil
}

// source identifies the database: by the name of its file, and that of a data directory, which all have the same name, by the
// id of the directory as well.
func (c importDatabaseCmd) source() string {
	name := filepath.Base(c.Database)
	d, err := datadir.Open(filepath.Dir(c.Database)) // a generation has a description like that of the directory
	if err != nil {
		return name
	}
	info, err := d.Info()
	if err != nil {
		return name
	}
	return name + " of " + info.ID
}

// end reports problems and failures and sets the exit code.
func (c importDatabaseCmd) end(a *app, to env.WriterConfig, sum sources.ImportSummary) error {
	if to.Shard != "" {
		a.say("shard %s: %d of %d papers", to.Shard, sum.Total, sum.All)
	}
	if n := len(sum.Warned); n > 0 {
		a.say("note: %d papers have problems, such as table boxes stored as corners; see airqa papers --data %s", n, c.Data)
	}
	for i, f := range sum.Failed {
		if i == 20 { // an unsuitable database has thousands
			a.say("error: and %d more", len(sum.Failed)-i)
			break
		}
		a.say("error: paper %s: %v", f.Paper, f.Err)
	}
	switch n := len(sum.Failed); {
	case sum.All == 0:
		return fmt.Errorf("%s has no papers", c.Database)
	case n > 0 && n == sum.Total && to.Shard == "":
		return fmt.Errorf("none of %d papers could be imported", n)
	case n > 0:
		return withCode(exitFailedExamples, fmt.Errorf("%d of %d papers could not be imported; the others are in %s", n, sum.Total, c.Data))
	}
	a.nextAfter(to)
	return nil
}

type importRunCmd struct {
	Files []string `arg:"" name:"file" help:"ATIF trajectories (a .json file, JSON Lines or a folder), or inspect_ai logs (.eval or .json files, or a folder)."`
	Out   string   `short:"o" required:"" placeholder:"DIR" help:"Run directory to create, or the folder of run directories if the files contain several agents, models or runs."`
}

func (c importRunCmd) Run(a *app) error {
	r, err := importer.Import(a.ctx, importer.Config{
		Paths: c.Files, Out: c.Out, Program: program, Redact: a.redactor(), Notify: a.notify, Progress: a.progress,
	})
	if err != nil {
		return err
	}
	for _, loss := range r.Losses.List() {
		a.say("lost or changed: %s", loss)
	}
	return a.print(fmt.Sprintf("%s: %s in %s", c.Out, terminal.Plural(r.Episodes, "episode"), terminal.Plural(len(r.Runs), "run")))
}
