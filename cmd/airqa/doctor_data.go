package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/internal/checkup"
	"airqa/internal/terminal"
	"airqa/tools"
)

// dataChecks look at a data directory without its vectors.
func (c doctorCmd) dataChecks() []checkup.Check {
	return []checkup.Check{
		{Name: "data directory", Run: c.directory},
		{Name: "sandboxed query", Run: func(ctx context.Context) checkup.Finding { return c.inside(ctx, query) }},
		{Name: "page", Run: func(ctx context.Context) checkup.Finding { return c.inside(ctx, drawn) }},
		check("disk", func() checkup.Finding { return disk(c.Data) }),
		check("writing", func() checkup.Finding { return writing(c.Data) }),
	}
}

// directory opens the database and counts.
func (c doctorCmd) directory(ctx context.Context) checkup.Finding {
	list, err := env.Holdings(ctx, c.Data)
	if errors.Is(err, datadir.ErrNotDataDir) {
		return checkup.Bad(err, "") // it names the command
	}
	if err != nil {
		return checkup.Bad(err, "if airqa ingest is running, wait for it; else run the same airqa ingest again")
	}
	pages, chunks := 0, 0
	for _, h := range list {
		pages, chunks = pages+h.Counts.Pages, chunks+h.Counts.Chunks
	}
	text := fmt.Sprintf("format %d, %s, %s, %s", datadir.Format, terminal.Plural(len(list), "paper"), terminal.Plural(pages, "page"), terminal.Plural(chunks, "chunk"))
	if len(list) == 0 {
		return checkup.Doubtful(text, "airqa ingest --data "+c.Data+" PDFS puts papers in")
	}
	return checkup.Good("%s", text)
}

// inside looks at something of the opened directory.
func (c doctorCmd) inside(ctx context.Context, look func(context.Context, *env.Env) checkup.Finding) checkup.Finding {
	e, err := env.OpenConfig(ctx, env.Config{Dir: c.Data, NoSearch: true})
	if err != nil {
		return checkup.Bad(err, "run the same airqa ingest again")
	}
	defer func() { _ = e.Close() }()
	return look(ctx, e)
}

func query(ctx context.Context, e *env.Env) checkup.Finding {
	start := time.Now()
	rows, err := e.Query(ctx, "SELECT count(*) FROM metadata")
	if err != nil {
		return checkup.Bad(err, "the program starts itself again for queries: may it start processes, and is there memory for them?")
	}
	confined := "no Landlock in this kernel, so that only the engine's own locks keep files from queries"
	if version := paperdb.Landlock(); version > 0 {
		confined = fmt.Sprintf("confined by Landlock (version %d)", version)
	}
	return checkup.Good("%d row in %s, from a process of its own, %s", len(rows.Values), time.Since(start).Round(time.Millisecond), confined)
}

func drawn(ctx context.Context, e *env.Env) checkup.Finding {
	papers, err := e.Papers(ctx)
	if err != nil {
		return checkup.Bad(err, "run the same airqa ingest again")
	}
	if len(papers) == 0 {
		return checkup.Left("there is no paper to draw")
	}
	start := time.Now()
	im, err := e.View(ctx, papers[0].PaperID, 1, nil)
	if err != nil {
		return checkup.Doubtful(asFault(err).Error(), "View needs the PDFs: airqa ingest keeps them, airqa import takes them from --pdfs")
	}
	return checkup.Good("page 1 of %s is drawn, %d × %d pixels, in %s", papers[0].PaperID, im.Width, im.Height, time.Since(start).Round(time.Millisecond))
}

// vectorChecks look at the search index.
func (c doctorCmd) vectorChecks(a *app) []checkup.Check {
	if _, err := datadir.Open(c.Data); err != nil {
		return left("vectors", "not checked, since data directory failed")
	}
	fix := "the same airqa ingest again makes the index; --embedder must be the one that it was made with"
	if c.Vectors != "" {
		fix = "is the server running, and are address, user and prefix right? airqa vectors copy fills it"
	}
	return []checkup.Check{
		{Name: "vectors", Run: func(ctx context.Context) checkup.Finding { return c.collections(ctx, fix) }},
		{Name: "search", Run: func(ctx context.Context) checkup.Finding { return c.search(ctx, a, fix) }},
	}
}

func (c doctorCmd) collections(ctx context.Context, fix string) checkup.Finding {
	if err := env.CheckVectors(c.Vectors); err != nil {
		return checkup.Bad(err, "--vectors is milvus://user:pass@host:19530/db")
	}
	list, err := env.Collections(ctx, c.Data, c.Vectors)
	if err != nil {
		return checkup.Bad(err, fix)
	}
	where := "files"
	if c.Vectors != "" {
		where = maskURL(c.Vectors)
	}
	var names []string
	for _, v := range list {
		if v.Kind == vectors.Dense {
			names = append(names, fmt.Sprintf("%s (%s, %d numbers)", v.Name, v.Model, v.Dim))
		} else {
			names = append(names, v.Name)
		}
	}
	if len(names) == 0 {
		return checkup.Doubtful(where+": no collection", fix)
	}
	return checkup.Good("%s: %s", where, strings.Join(names, ", "))
}

// search finds something, and so that the index is of these papers and of this model.
func (c doctorCmd) search(ctx context.Context, a *app, fix string) checkup.Finding {
	texts, err := c.once(a)
	if err != nil {
		return checkup.Bad(err, "--embedder is minilm or openai:NAME")
	}
	notice := ""
	e, err := env.OpenConfig(ctx, env.Config{
		Dir: c.Data, Vectors: c.Vectors, Embedder: texts, Notice: func(line string) { notice = line },
	})
	if err != nil {
		return checkup.Bad(err, fix)
	}
	defer func() { _ = e.Close() }()
	start := time.Now()
	hits, err := e.Retrieve(ctx, "results", 5, tools.Scope{})
	if err != nil {
		return checkup.Bad(err, fix)
	}
	text := fmt.Sprintf("%s in %s", terminal.Plural(len(hits), "passage"), time.Since(start).Round(time.Millisecond))
	if problem, fix, ok := strings.Cut(notice, "; rebuild it: "); ok {
		return checkup.Doubtful(text+", but "+problem, fix)
	}
	return checkup.Good("%s", text)
}

// Thresholds of the system checks.
const (
	littleDisk = 2 << 30
	noDisk     = 100 << 20
	fewFiles   = 1024
)

func (c doctorCmd) systemChecks(a *app) [][]checkup.Check {
	return [][]checkup.Check{
		{check("open files", openFiles)},
		{check("clock", func() checkup.Finding { return c.clock(a.now()) })},
	}
}

// disk looks for room for vectors, pictures and run directories.
func disk(dir string) checkup.Finding {
	free, err := checkup.Free(dir)
	if err != nil {
		return checkup.Left(err.Error())
	}
	text := fmt.Sprintf("%.1f GB free", float64(free)/(1<<30))
	const fix = "make room: a run writes some 60 KB an episode, and pictures come on top"
	switch {
	case free < noDisk:
		return checkup.Finding{State: checkup.Failed, Text: text, Fix: fix}
	case free < littleDisk:
		return checkup.Doubtful(text, fix)
	}
	return checkup.Good("%s", text)
}

func writing(dir string) checkup.Finding {
	if !checkup.Writable(dir) {
		return checkup.Doubtful("the data directory is read-only for this user", "running needs no more; airqa ingest and enrich do")
	}
	return checkup.Good("the data directory may be written")
}

func openFiles() checkup.Finding {
	n, err := checkup.OpenFiles()
	switch {
	case err != nil:
		return checkup.Left(err.Error())
	case n < fewFiles:
		return checkup.Doubtful(fmt.Sprintf("at most %d at once", n), "ulimit -n 4096, where many episodes are to run at once")
	}
	return checkup.Good("at most %d at once", n)
}

// clock notices one that was never set: logs and prices go by it, and certificates fail.
func (c doctorCmd) clock(now time.Time) checkup.Finding {
	const fix = "set the clock: logs go by it, and encrypted connections fail"
	text := now.UTC().Format(time.RFC3339)
	if now.Year() < 2025 {
		return checkup.Finding{State: checkup.Failed, Text: text, Fix: fix}
	}
	if c.Data == "" {
		return checkup.Good("%s", text)
	}
	info, err := os.Stat(filepath.Join(c.Data, "airqa.json"))
	if err == nil && info.ModTime().After(now.Add(time.Minute)) {
		return checkup.Doubtful(text+", and the data directory is of "+info.ModTime().UTC().Format(time.RFC3339), fix)
	}
	return checkup.Good("%s", text)
}
