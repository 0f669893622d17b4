package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/pdf"
	"airqa/ingest"
	"airqa/ingest/mineru"
	"airqa/ingest/sources"
	"airqa/internal/settings"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/papers"
	"airqa/run/shard"
)

// chunkFlags fix how pages are split into passages.
type chunkFlags struct {
	Chunks struct {
		Size int          `placeholder:"512" help:"Maximum length of a passage, 64 to 16384. Fixed by the first ingest of a data directory. Default: 512 tokens (paper)."`
		Unit datadir.Unit `placeholder:"tokens" enum:"tokens,characters," default:"" help:"Unit of --chunk-size: tokens (paper) or characters (authors' code: 512 characters)."`
	} `embed:"" prefix:"chunk-"`
}

func (f chunkFlags) chunking() (datadir.Chunking, error) {
	chunks := datadir.Chunking{Size: f.Chunks.Size, Unit: f.Chunks.Unit}
	if err := chunks.Or(datadir.DefaultChunking()).Check(); err != nil {
		return chunks, qa.Usagef("%v", err)
	}
	return chunks, nil
}

// shardFlag divides papers among data directories.
type shardFlag struct {
	Shard shard.Part `placeholder:"I/N" help:"Add only the I-th of N parts of the papers, such as 3/16, to a data directory of its own; airqa papers join combines them."`
}

// errReplace refuses to replace papers that a shard may not have.
var errReplace = qa.Usagef("--replace needs all papers: what it replaces may be in another shard; join the shards first")

// of returns the data directory for adding papers to a shard, after a check that it is for this shard.
func (f shardFlag) of(a *app, to env.WriterConfig, papers []string, replace bool) (_ env.WriterConfig, err error) {
	if replace && f.Shard != (shard.Part{}) {
		return to, errReplace
	}
	to.Shard = f.Shard.String()
	if to.Task, err = a.task(papers); err != nil {
		return to, err
	}
	return to, datadir.CheckShard(to.Dir, to.Shard)
}

// task is the command line as a task, without its keys and passwords.
func (a *app) task(papers []string) (*datadir.Task, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	hide := func(text string) string { return string(a.session().RedactKeys([]byte(settings.MaskURL(text)))) }
	t := &datadir.Task{Command: "cd " + terminal.ShellWord(here) + " &&"}
	if data := os.Getenv("AIRQA_DATA"); data != "" {
		t.Command += " AIRQA_DATA=" + terminal.ShellWord(data)
	}
	t.Command += " airqa"
	for _, arg := range a.args {
		t.Command += " " + terminal.ShellWord(hide(arg))
	}
	for _, p := range papers {
		if !strings.Contains(p, "://") {
			if p, err = filepath.Abs(p); err != nil {
				return nil, err
			}
		}
		t.Papers = append(t.Papers, hide(p))
	}
	return t, nil
}

type ingestCmd struct {
	indexFlags
	fetchFlags
	shardFlag
	graceFlag
	Paths []string `arg:"" optional:"" name:"path" help:"PDFs or folders of PDFs. Metadata in NAME.json next to NAME.pdf overrides extracted metadata."`
	ingest.Options
	paperFlag
	Metadata string `placeholder:"DIR" help:"Folder with metadata files UUID.json (AirQA paper, A.2), matched by file name, then by title."`
	MinerU   string `name:"mineru" placeholder:"DIR" help:"Folder with MinerU output (ID/auto/ID_middle.json and ID_content_list.json; ID.json or ID/middle_json.json of MinerU 4). Its tables, figures and equations replace the extracted ones."`
	chunkFlags
	jsonFlag
}

func (c ingestCmd) Run(a *app) error {
	a.grace = c.Grace
	chunks, err := c.check()
	if err != nil {
		return err
	}
	items, err := c.sources() // before anything is fetched
	if err != nil {
		return err
	}
	if _, _, err := ingest.FindOpen(c.Paths); err != nil {
		return err
	}
	to, err := c.target(a, true)
	if err != nil {
		return err
	}
	from := slices.Concat(c.Paths, qa.Map(items, func(i sources.Item) string { return i.URL }))
	if to, err = c.of(a, to, from, c.Replace); err != nil {
		return err
	}
	cfg := ingest.Config{Options: c.Options}
	if c.Metadata != "" {
		if cfg.Extras.Records, err = sources.OpenRecords(c.Metadata); err != nil {
			return err
		}
	}
	if c.MinerU != "" {
		if cfg.Extras.MinerU, err = mineru.Open(c.MinerU); err != nil {
			return err
		}
	}
	w := a.writer(to)
	if err := w.CompleteRemoval(a.ctx); err != nil { // before downloads, which it would remove
		return err
	}
	return c.ingest(a, w, cfg, chunks)
}

func (c ingestCmd) check() (datadir.Chunking, error) {
	switch {
	case c.Workers < 1:
		return datadir.Chunking{}, qa.Usagef("-j %d: must be at least 1", c.Workers)
	case c.MaxPages < 1:
		return datadir.Chunking{}, qa.Usagef("--max-pages %d: must be at least 1", c.MaxPages)
	}
	return c.chunking()
}

func (c ingestCmd) ingest(a *app, w papers.Writer, cfg ingest.Config, chunks datadir.Chunking) error {
	g, err := c.gather(a, w)
	if err != nil {
		return err
	}
	sum, err := w.Ingest(g.files, cfg, chunks)
	if err != nil {
		return err
	}
	for _, f := range g.closed {
		a.say("error: folder %s cannot be listed: %v", f.Path, f.Err)
	}
	if c.JSON {
		r := ingestResult{
			Shard: w.To.Shard, Added: sum.Added, Present: sum.Skipped, Pages: sum.Pages,
			Poor: append([]ingest.Poor{}, sum.Poor...), Failed: qa.Map(sum.Failed, func(f ingest.Failure) ingestFailure { return ingestFailure{f.Path, f.Err.Error()} }),
		}
		if err := a.printJSON(r); err != nil {
			return err
		}
	}
	err = a.ingestEnd(w.To, len(g.files), sum)
	switch {
	case err != nil:
		return err
	case g.missing > 0:
		return withCode(exitFailedExamples, fmt.Errorf("%d papers could not be fetched; the same command retries them", g.missing))
	case len(g.closed) > 0:
		return withCode(exitFailedExamples, fmt.Errorf("%d folders could not be listed; their files are missing", len(g.closed)))
	}
	return nil
}

type ingestResult struct {
	Shard   string          `json:"shard,omitempty"`
	Added   int             `json:"added"`
	Present int             `json:"present"`
	Pages   int             `json:"pages"`
	Poor    []ingest.Poor   `json:"read_badly"`
	Failed  []ingestFailure `json:"failed"`
}

type ingestFailure struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// ingestEnd prints the next command and sets the exit code.
func (a *app) ingestEnd(to env.WriterConfig, files int, sum ingest.Summary) error {
	imported := 0
	for _, f := range sum.Failed {
		if errors.Is(f.Err, ingest.ErrImported) {
			imported++
		}
		if open, ok := errors.AsType[*pdf.OpenError](f.Err); ok && open.Kind == pdf.TooManyPages {
			a.say("hint: --max-pages raises the limit for %s", f.Path)
		}
	}
	var reasons []string
	if n := len(sum.Failed) - imported; n > 0 {
		reasons = append(reasons, fmt.Sprintf("%d of %d files could not be read", n, files))
	}
	if imported > 0 {
		reasons = append(reasons, fmt.Sprintf("%d of %d files were not read: their papers come from an imported database", imported, files))
	}
	if len(reasons) == 0 {
		a.nextAfter(to)
		return nil
	}
	code := exitFailedExamples
	if len(sum.Failed) == files && to.Shard == "" { // a shard may have a single file
		code = exitFailed
	}
	return withCode(code, fmt.Errorf("%s; the others are in %s", strings.Join(reasons, ", "), to.Dir))
}

// nextAfter prints what to do with a data directory that is complete.
func (a *app) nextAfter(to env.WriterConfig) {
	if to.Shard != "" {
		a.say("next, when all shards are complete: airqa papers join SHARD... --data DIR")
		return
	}
	a.next("airqa search --data %s \"your query\"", to.Dir)
}

type arxivFlag struct {
	ArXivURL string `name:"arxiv-url" placeholder:"URL" help:"Address of a mirror of arXiv: metadata is at URL/api/query, papers at URL/pdf/ID. Default: export.arxiv.org and arxiv.org."`
}

// fetchFlags select papers to download before ingestion.
type fetchFlags struct {
	arxivFlag
	URL   []string      `name:"url" sep:"none" placeholder:"URL" help:"Fetch a PDF from an http or https URL. Repeatable."`
	ArXiv []string      `name:"arxiv" placeholder:"ID" help:"Fetch a paper from arXiv, such as 2005.11401. Repeatable."`
	List  []string      `name:"list" sep:"none" placeholder:"FILE" help:"Fetch the papers listed in FILE, one URL or arXiv id per line, optionally followed by sha256:HEX and a file name. Repeatable."`
	MaxMB int           `name:"max-mb" default:"100" placeholder:"N" help:"Maximum size of a file in MB."`
	Delay time.Duration `default:"3s" help:"Minimum delay between requests to one host (arXiv requires 3 seconds)."`
}

// items parses the list of papers to fetch. It makes no requests.
func (f fetchFlags) items() ([]sources.Item, error) {
	if f.MaxMB < 1 || f.Delay < 0 {
		return nil, qa.Usagef("--max-mb must be at least 1, and --delay cannot be negative")
	}
	var items []sources.Item
	for _, text := range append(append([]string(nil), f.URL...), f.ArXiv...) {
		item, err := sources.Parse(text)
		if err != nil {
			return nil, withCode(exitUsage, err)
		}
		items = append(items, item)
	}
	for _, name := range f.List {
		list, err := sources.ReadList(name)
		if err != nil {
			return nil, withCode(exitUsage, err)
		}
		items = append(items, list...)
	}
	return items, nil
}

// sources are the papers to fetch. Without them and without paths, there is nothing to ingest.
func (c ingestCmd) sources() ([]sources.Item, error) {
	items, err := c.items()
	if err == nil && len(c.Paths)+len(items) == 0 {
		err = qa.Usagef("nothing to ingest: name PDFs or folders, or papers to fetch with --url, --arxiv or --list\n" +
			"  help: airqa ingest --help")
	}
	return items, err
}

type gathered struct {
	files []string
	// closed are the folders that could not be listed; missing counts the papers that could not be fetched.
	closed  []ingest.Failure
	missing int
}

// gather fetches papers and lists all PDFs to read.
func (c ingestCmd) gather(a *app, w papers.Writer) (g gathered, err error) {
	items, err := c.items()
	if err != nil {
		return g, err
	}
	listed := len(items)
	items = slices.DeleteFunc(items, func(i sources.Item) bool { return !c.Shard.Has(i.URL) })
	if listed > 0 && c.Shard != (shard.Part{}) {
		a.say("shard %s: %d of %d papers to fetch", c.Shard, len(items), listed)
	}
	delay := c.Delay
	if delay == 0 {
		delay = -1 // in sources.Fetcher, 0 is the default and a negative time is none
	}
	fetched, err := w.Fetch(sources.Fetcher{MaxBytes: int64(c.MaxMB) << 20, Delay: delay, UserAgent: "airqa/" + version, ArXiv: c.ArXivURL}, items)
	if err != nil {
		return g, err
	}
	g.missing = len(fetched.Failed)
	if g.files, g.closed, err = c.find(a); err != nil {
		return g, err
	}
	downloads, _, err := ingest.FindOpen(fetched.Paths)
	g.files = append(g.files, downloads...)
	if err == nil && len(g.files) == 0 && g.missing > 0 && c.Shard == (shard.Part{}) {
		err = fmt.Errorf("none of %d papers could be fetched", len(items))
	}
	return g, err
}

// find lists the PDFs of the paths that belong to the shard.
func (c ingestCmd) find(a *app) (files []string, closed []ingest.Failure, err error) {
	files, closed, err = ingest.FindOpen(c.Paths)
	if err != nil || len(files) == 0 || c.Shard == (shard.Part{}) {
		return files, closed, err
	}
	found := len(files)
	if files, err = ingest.Select(a.ctx, files, c.Shard.Has); err == nil {
		a.say("shard %s: %d of %d files", c.Shard, len(files), found)
	}
	return files, closed, err
}
