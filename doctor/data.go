package doctor

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
	"airqa/env/embed"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/internal/terminal"
	"airqa/tools"
)

// Dir is a data directory with the search index to check.
type Dir struct {
	Path string
	// Vectors is the vector store's address, empty for files; Shown is the same without credentials.
	Vectors, Shown string
	Embedder       func() (embed.Embedder, error)
}

// Checks check the directory without its vectors.
func (c Dir) Checks() []Check {
	return []Check{
		{Name: "data directory", Run: c.contents},
		{Name: "sandboxed query", Run: func(ctx context.Context) Finding { return c.inside(ctx, query) }},
		{Name: "page", Run: func(ctx context.Context) Finding { return c.inside(ctx, drawn) }},
		check("disk", func() Finding { return disk(c.Path) }),
		check("writing", func() Finding {
			if !Writable(c.Path) {
				return Doubtful("the data directory is read-only for this user", "sufficient for airqa run, but not for airqa ingest and enrich")
			}
			return Good("the data directory is writable")
		}),
	}
}

// contents opens the database and counts its contents.
func (c Dir) contents(ctx context.Context) Finding {
	var n paperdb.Totals
	var illegible string
	papers, err := env.OpenPapers(ctx, c.Path)
	if err == nil {
		var unmarked error
		n, err = papers.Totals(ctx)
		illegible, unmarked = papers.IllegibleFiles(ctx)
		err = errors.Join(err, unmarked, papers.Close())
	}
	if errors.Is(err, datadir.ErrNotDataDir) {
		return Bad(err, "") // it names the command
	}
	if err != nil {
		return Bad(err, "if airqa ingest is running, wait for it; otherwise run the same airqa ingest command again")
	}
	text := fmt.Sprintf("format %d, %s, %s, %s", datadir.Format, terminal.Plural(n.Papers, "paper"), terminal.Plural(n.Pages, "page"), terminal.Plural(n.Chunks, "chunk"))
	switch {
	case n.Papers == 0:
		return Doubtful(text, "airqa ingest --data "+c.Path+" PDFS adds papers")
	case illegible != "":
		return Doubtful(text+"; "+illegible, env.LegibleAgain)
	}
	return Good("%s", text)
}

// inside runs a check on the opened directory.
func (c Dir) inside(ctx context.Context, look func(context.Context, *env.Env) Finding) Finding {
	e, err := env.Open(ctx, env.Config{Dir: c.Path, NoSearch: true})
	if err != nil {
		return Bad(err, "run the same airqa ingest command again")
	}
	defer func() { _ = e.Close() }()
	return look(ctx, e)
}

func query(ctx context.Context, e *env.Env) Finding {
	start := time.Now()
	rows, err := e.Query(ctx, "SELECT count(*) FROM metadata")
	if err != nil {
		return Bad(err, "queries run in a child process: check the process limit and free memory")
	}
	confined := "no Landlock in this kernel: only the database engine's own restrictions keep queries from files"
	if version := paperdb.Landlock(); version > 0 {
		confined = fmt.Sprintf("confined by Landlock (version %d)", version)
	}
	return Good("%d row in %s, from a separate process, %s", len(rows.Values), time.Since(start).Round(time.Millisecond), confined)
}

func drawn(ctx context.Context, e *env.Env) Finding {
	ids, err := e.Papers().IDs(ctx, 1)
	if err != nil {
		return Bad(err, "run the same airqa ingest command again")
	}
	if len(ids) == 0 {
		return Unchecked("no paper to render")
	}
	start := time.Now()
	im, err := e.View(ctx, ids[0], 1, nil)
	if err != nil {
		return Doubtful(err.Error(), "View needs the PDFs: airqa ingest keeps them, airqa import takes them from --pdfs")
	}
	return Good("page 1 of %s rendered, %d × %d pixels, in %s", ids[0], im.Width, im.Height, time.Since(start).Round(time.Millisecond))
}

// VectorChecks check the search index.
func (c Dir) VectorChecks() []Check {
	if _, err := datadir.Open(c.Path); err != nil {
		return Omitted("vectors", "skipped because data directory failed")
	}
	fix := "run the same airqa ingest command again, with the --embedder that built the index"
	if c.Vectors != "" && c.Vectors != index.Files {
		fix = "check that the server runs, and its address, user and prefix; airqa store vectors --to fills it"
	}
	return []Check{
		{Name: "vectors", Run: func(ctx context.Context) Finding { return c.collections(ctx, fix) }},
		{Name: "search", Run: func(ctx context.Context) Finding { return c.search(ctx, fix) }},
	}
}

func (c Dir) collections(ctx context.Context, fix string) Finding {
	if err := index.CheckVectors(c.Vectors); err != nil {
		return Bad(err, "--vectors must be a URL such as milvus://user:pass@host:19530/db")
	}
	list, err := index.Collections(ctx, c.Path, c.Vectors)
	if err != nil {
		return Bad(err, fix)
	}
	where := c.Shown
	if c.Vectors == "" {
		where = index.Files
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
		return Doubtful(where+": no collection", fix)
	}
	return Good("%s: %s", where, strings.Join(names, ", "))
}

// search runs a query, which shows that the index matches the papers and the model.
func (c Dir) search(ctx context.Context, fix string) Finding {
	texts, err := c.Embedder()
	if err != nil {
		return Bad(err, "--embedder must be minilm or openai:NAME")
	}
	e, err := env.Open(ctx, env.Config{Dir: c.Path, Vectors: c.Vectors, Embedder: texts})
	if err != nil {
		return Bad(err, fix)
	}
	defer func() { _ = e.Close() }()
	start := time.Now()
	hits, err := e.Retrieve(ctx, "results", 5, tools.Scope{})
	if err != nil {
		return Bad(err, fix)
	}
	return Good("%s in %s", terminal.Plural(len(hits), "passage"), time.Since(start).Round(time.Millisecond))
}

// Thresholds of the system checks.
const (
	littleDisk = 2 << 30
	noDisk     = 100 << 20
	fewFiles   = 1024
)

// System checks limits and the clock of this machine; data is the data directory, or empty.
func System(now time.Time, data string) [][]Check {
	return [][]Check{
		{check("open files", func() Finding {
			n, err := OpenFiles()
			switch {
			case err != nil:
				return Unchecked(err.Error())
			case n < fewFiles:
				return Doubtful(fmt.Sprintf("at most %d at once", n), "ulimit -n 4096 allows more concurrent episodes")
			}
			return Good("at most %d at once", n)
		})},
		{check("clock", func() Finding { return clock(now, data) })},
	}
}

// disk checks the space for vectors, images and run directories.
func disk(dir string) Finding {
	free, err := Free(dir)
	if err != nil {
		return Unchecked(err.Error())
	}
	text := fmt.Sprintf("%.1f GB free", float64(free)/(1<<30))
	const fix = "free some space: a run writes about 60 KB per episode, plus images"
	switch {
	case free < noDisk:
		return Finding{State: Failed, Text: text, Fix: fix}
	case free < littleDisk:
		return Doubtful(text, fix)
	}
	return Good("%s", text)
}

// clock detects a clock that was never set, which spoils logs and prices and breaks TLS.
func clock(now time.Time, data string) Finding {
	const fix = "set the clock: logs use it, and TLS connections fail if it is wrong"
	text := now.UTC().Format(time.RFC3339)
	if now.Year() < 2025 {
		return Finding{State: Failed, Text: text, Fix: fix}
	}
	if data == "" {
		return Good("%s", text)
	}
	info, err := os.Stat(filepath.Join(data, "airqa.json"))
	if err == nil && info.ModTime().After(now.Add(time.Minute)) {
		return Doubtful(text+", and the data directory is of "+info.ModTime().UTC().Format(time.RFC3339), fix)
	}
	return Good("%s", text)
}
