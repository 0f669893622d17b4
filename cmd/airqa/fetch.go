package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"airqa/env/datadir"
	"airqa/env/ingest"
	"airqa/env/ingest/sources/fetch"
	"airqa/internal/exit"
	"airqa/run/session"
)

// downloads is the folder of fetched papers in a data directory.
const downloads = "downloads"

// fetchFlags say which papers are downloaded before they are read.
type fetchFlags struct {
	URL   []string      `name:"url" sep:"none" placeholder:"URL" help:"Fetch a PDF from an http or https address. Repeatable."`
	ArXiv []string      `name:"arxiv" placeholder:"ID" help:"Fetch a paper from arXiv, such as 2005.11401. Repeatable."`
	List  []string      `name:"list" sep:"none" placeholder:"FILE" help:"Fetch what a file lists: an address or arXiv id a line, then sha256:HEX and a file name if wanted. Repeatable."`
	MaxMB int           `name:"max-mb" default:"100" placeholder:"N" help:"Largest file to fetch in MB."`
	Delay time.Duration `default:"3s" help:"Least time between two requests to one host (arXiv asks for 3 seconds)."`
}

// items reads what is to be fetched. It contacts nobody.
func (f fetchFlags) items() ([]fetch.Item, error) {
	if f.MaxMB < 1 || f.Delay < 0 {
		return nil, exit.Misuse("--max-mb must be at least 1, and --delay cannot be negative")
	}
	var items []fetch.Item
	for _, text := range append(append([]string(nil), f.URL...), f.ArXiv...) {
		item, err := fetch.Parse(text)
		if err != nil {
			return nil, exit.With(exit.Usage, err)
		}
		items = append(items, item)
	}
	for _, name := range f.List {
		list, err := readList(name)
		if err != nil {
			return nil, exit.With(exit.Usage, err)
		}
		items = append(items, list...)
	}
	return items, nil
}

// checkSources makes sure that there is something to read, before anything is fetched.
func (c ingestCmd) checkSources() error {
	items, err := c.items()
	if err != nil {
		return err
	}
	if len(c.Paths)+len(items) == 0 {
		return exit.Misuse("nothing to ingest: name PDFs or folders, or papers to fetch with --url, --arxiv or --list\n  help: airqa ingest --help")
	}
	_, _, err = ingest.FindOpen(c.Paths)
	return err
}

// gathered is what an ingest is to read.
type gathered struct {
	files []string
	// closed are the folders that could not be listed; missing counts the papers that could not be fetched.
	closed  []ingest.Failure
	missing int
}

// gather fetches what is to be fetched and lists all PDFs to read.
func (c ingestCmd) gather(a *app) (g gathered, err error) {
	items, err := c.items()
	if err != nil {
		return g, err
	}
	fetched, err := a.fetch(c.Data, c.fetchFlags, items)
	if err != nil {
		return g, err
	}
	g.missing = len(fetched.Failed)
	g.files, g.closed, err = ingest.FindOpen(append(c.Paths, fetched.Paths...))
	if err == nil && len(g.files) == 0 && g.missing > 0 {
		err = fmt.Errorf("none of %d papers could be fetched", len(items))
	}
	return g, err
}

func readList(name string) ([]fetch.Item, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return fetch.ParseList(name, file)
}

// fetch downloads papers into a data directory, which is made when it is missing, and reports the ones that did not come.
func (a *app) fetch(data string, f fetchFlags, items []fetch.Item) (sum fetch.Summary, err error) {
	if len(items) == 0 {
		return sum, nil
	}
	dir, err := datadir.Create(data)
	if err != nil {
		return sum, err
	}
	ctx, drain, stop := a.interrupts()
	defer stop()
	ctx, cancel := session.UntilDrained(ctx, drain) // what came is kept: nothing to wait for
	defer cancel()
	delay := f.Delay
	if delay == 0 {
		delay = -1 // in fetch.Fetcher 0 is the default and a negative time is none
	}
	stage := a.progress.Stage("fetch", len(items))
	sum, err = fetch.Fetcher{
		Dir: filepath.Join(dir.Path(), downloads), MaxBytes: int64(f.MaxMB) << 20, Delay: delay, UserAgent: "airqa/" + version, Now: a.now,
		Progress: func(e fetch.Event) {
			stage.Set(e.Done, fmt.Sprintf("%s %.1f MB", e.Item.Name, float64(e.Bytes)/(1<<20)))
		},
	}.Fetch(ctx, items)
	stage.Close(fmt.Sprintf("%d fetched, %d there before, %d failed", sum.Downloaded, sum.Skipped, len(sum.Failed)))
	for _, failed := range sum.Failed {
		a.say("error: %s: %v", failed.Item.URL, failed.Err)
	}
	if errors.Is(err, context.Canceled) {
		return sum, errors.New("stopped while fetching; the same command goes on from here")
	}
	return sum, err
}
