package main

import (
	"fmt"
	"os"
	"time"

	"airqa/ingest"
	"airqa/ingest/fetch"
	"airqa/qa"
)

// fetchFlags select papers to download before ingestion.
type fetchFlags struct {
	URL   []string      `names:"source" name:"url" sep:"none" placeholder:"URL" help:"Fetch a PDF from an http or https URL. Repeatable."`
	ArXiv []string      `name:"arxiv" placeholder:"ID" help:"Fetch a paper from arXiv, such as 2005.11401. Repeatable."`
	List  []string      `names:"source" name:"list" sep:"none" placeholder:"FILE" help:"Fetch the papers listed in FILE, one URL or arXiv id per line, optionally followed by sha256:HEX and a file name. Repeatable."`
	MaxMB int           `name:"max-mb" default:"100" placeholder:"N" help:"Maximum size of a file in MB."`
	Delay time.Duration `default:"3s" help:"Minimum delay between requests to one host (arXiv requires 3 seconds)."`
}

// items parses the list of papers to fetch. It makes no requests.
func (f fetchFlags) items() ([]fetch.Item, error) {
	if f.MaxMB < 1 || f.Delay < 0 {
		return nil, qa.Usagef("--max-mb must be at least 1, and --delay cannot be negative")
	}
	var items []fetch.Item
	for _, text := range append(append([]string(nil), f.URL...), f.ArXiv...) {
		item, err := fetch.Parse(text)
		if err != nil {
			return nil, withCode(exitUsage, err)
		}
		items = append(items, item)
	}
	for _, name := range f.List {
		list, err := readList(name)
		if err != nil {
			return nil, withCode(exitUsage, err)
		}
		items = append(items, list...)
	}
	return items, nil
}

// checkSources checks the arguments before anything is fetched.
func (c ingestCmd) checkSources() error {
	items, err := c.items()
	if err != nil {
		return err
	}
	if len(c.Paths)+len(items) == 0 {
		return qa.Usagef("nothing to ingest: name PDFs or folders, or papers to fetch with --url, --arxiv or --list\n  help: airqa ingest --help")
	}
	_, _, err = ingest.FindOpen(c.Paths)
	return err
}

// gathered is the input of an ingest.
type gathered struct {
	files []string
	// closed are the folders that could not be listed; missing counts the papers that could not be fetched.
	closed  []ingest.Failure
	missing int
}

// gather fetches papers and lists all PDFs to read.
func (c ingestCmd) gather(a *app) (g gathered, err error) {
	items, err := c.items()
	if err != nil {
		return g, err
	}
	delay := c.Delay
	if delay == 0 {
		delay = -1 // in fetch.Fetcher, 0 is the default and a negative time is none
	}
	fetched, err := a.session().Fetch(c.Data, fetch.Fetcher{MaxBytes: int64(c.MaxMB) << 20, Delay: delay, UserAgent: "airqa/" + version}, items)
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
