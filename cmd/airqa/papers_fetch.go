package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"airqa/env"
	"airqa/ingest"
	"airqa/ingest/sources"
	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/papers"
	"airqa/run/shard"
)

type papersFetchCmd struct {
	indexFlags
	shardFlag
	Questions string `short:"q" placeholder:"FILE" help:"Questions: JSON Lines, a JSON array, CSV, or a folder of *.json files."`
	sources.Selection
	arxivFlag
	Metadata []string `sep:"none" placeholder:"PATH" help:"Folder or zip archive of metadata files UUID.json with pdf_url (AirQA paper, A.2). Repeatable."`
	Named    bool     `help:"Only papers that questions name, without the papers of the venues that they search."`
	Limit    int      `placeholder:"N" help:"Fetch at most N papers now. Default: all."`
	Rate     float64  `default:"1" help:"Maximum requests per second to one host; 0 = no limit. For arXiv, at most one in three seconds."`
	MaxMB    int      `name:"max-mb" default:"100" placeholder:"N" help:"Maximum size of a file in MB."`
	Workers  int      `short:"j" default:"2" placeholder:"N" help:"Concurrent workers."`
	chunkFlags
	Missing string `name:"missing-list" placeholder:"FILE" help:"Write the papers that are still missing to FILE, as JSON lines with id, title, address and reason."`
	dryRunFlag
	jsonFlag
}

func (c papersFetchCmd) check() error {
	switch {
	case c.Rate < 0:
		return qa.Usagef("--rate %v: cannot be negative", c.Rate)
	case c.MaxMB < 1:
		return qa.Usagef("--max-mb %d: must be at least 1", c.MaxMB)
	case c.Workers < 1:
		return qa.Usagef("-j %d: must be at least 1", c.Workers)
	case c.Limit < 0:
		return qa.Usagef("--limit %d: cannot be negative", c.Limit)
	}
	return c.checkPapers()
}

// checkPapers refuses what names neither the papers of questions nor a category.
func (c papersFetchCmd) checkPapers() error {
	switch {
	case len(c.Categories) == 0 && (c.Questions == "" || len(c.Metadata) == 0):
		return qa.Usagef("name the papers: --questions FILE and their --metadata PATH, or --arxiv-category CATEGORY --from DATE")
	case len(c.Categories) > 0 && (c.Questions != "" || len(c.Metadata) > 0):
		return qa.Usagef("--arxiv-category brings papers and metadata of its own, and cannot be combined with --questions or --metadata")
	case len(c.Categories) > 0 && c.From.IsZero():
		return qa.Usagef("--arxiv-category needs --from DATE, the first day of submission")
	}
	return nil
}

// sources identify what is fetched.
func (c papersFetchCmd) sources() []string {
	from := append([]string{c.Questions}, c.Metadata...)
	if len(c.Categories) > 0 {
		from[0] = fmt.Sprintf("arxiv://%v", c.Selection)
	}
	if c.Named || c.Limit > 0 { // this does not end a fetch of all
		from[0] += "/some"
	}
	return from
}

func (c papersFetchCmd) Run(a *app) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	chunks, err := c.chunking()
	if err != nil {
		return err
	}
	to, err := c.target(a, true)
	if err != nil {
		return err
	}
	if to, err = c.of(a, to, c.sources(), false); err != nil {
		return err
	}
	w := a.writer(to)
	if err := w.CompleteRemoval(a.ctx); err != nil { // before downloads, which it would remove
		return err
	}
	fetcher := sources.Fetcher{MaxBytes: int64(c.MaxMB) << 20, Delay: c.delay(), UserAgent: "airqa/" + version, ArXiv: c.ArXivURL}
	metadata, err := c.catalog(w, fetcher)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, metadata.Close()) }()
	questions, plan, err := c.plan(a, metadata)
	if err != nil {
		return err
	}
	var received int64
	var stopped error
	if !c.DryRun {
		received, stopped = w.Acquire(papers.Acquisition{
			Plan: plan, Limit: c.Limit, Reading: ingest.Config{Options: ingest.Options{Workers: c.Workers}}, Chunks: chunks, Fetcher: fetcher,
		})
	}
	report := fetchReport{
		Format: 1, DryRun: c.DryRun, Questions: questions, Received: received,
		Papers: plan.Counts(), Reasons: plan.Reasons(), Venues: plan.Venues,
	}
	if err := errors.Join(c.print(a, report), c.writeMissing(plan)); err != nil {
		return errors.Join(stopped, err)
	}
	return c.end(a, plan, stopped)
}

// catalog opens the metadata of the papers.
func (c papersFetchCmd) catalog(w papers.Writer, f sources.Fetcher) (*sources.Catalog, error) {
	if len(c.Categories) > 0 {
		return w.Select(f, c.Selection, c.DryRun)
	}
	metadata, err := sources.OpenCatalog(c.Metadata)
	if err != nil {
		return nil, withCode(exitUsage, err)
	}
	return metadata, nil
}

// plan lists the papers of the questions or categories, and the number of questions.
func (c papersFetchCmd) plan(a *app, metadata *sources.Catalog) (int, sources.Plan, error) {
	for i, fault := range metadata.Faults {
		if i == 3 {
			a.say("warning: and %d more files are not paper metadata", len(metadata.Faults)-i)
			break
		}
		a.say("warning: metadata %s", fault)
	}
	var questions []qa.Example
	var err error
	if c.Questions != "" {
		if questions, err = a.session().QuestionsForPapers(c.Questions); err != nil {
			return 0, sources.Plan{}, err
		}
	}
	held, err := env.VenuesIn(a.ctx, c.Data)
	plan := sources.MakePlan(sources.PlanConfig{Questions: questions, Metadata: metadata, Held: held, Named: c.Named, Categories: c.Categories})
	all := len(plan.Papers)
	plan.Papers = slices.DeleteFunc(plan.Papers, func(p sources.Paper) bool { return !c.Shard.Has(p.ID) })
	if c.Shard != (shard.Part{}) {
		a.say("shard %s: %d of %d papers", c.Shard, len(plan.Papers), all)
	}
	return len(questions), plan, err
}

// delay returns the time between two requests; in sources.Fetcher, a negative one is none.
func (c papersFetchCmd) delay() time.Duration {
	if c.Rate == 0 {
		return -1
	}
	return time.Duration(float64(time.Second) / c.Rate)
}

// end prints what is left to do and sets the exit code.
func (c papersFetchCmd) end(a *app, plan sources.Plan, stopped error) error {
	counts := make(map[sources.State]int)
	for _, n := range plan.Counts() {
		counts[n.State] = n.Total
	}
	waiting, failed := counts[sources.Waiting], counts[sources.Failed]
	switch {
	case stopped != nil:
		return stopped
	case c.DryRun && waiting > 0:
		a.say("dry run: nothing was fetched. %s to fetch, %s or more at %v a second to each host", terminal.Plural(waiting, "paper"), plan.LeastTime(c.delay()), c.Rate)
	case waiting > 0:
		a.say("%s left to fetch; the same command fetches the next", terminal.Plural(waiting, "paper"))
	}
	if failed > 0 {
		return withCode(exitFailedExamples, fmt.Errorf("%s could not be fetched; the same command retries them", terminal.Plural(failed, "paper")))
	}
	return nil
}

// fetchReport is the JSON of airqa papers fetch.
type fetchReport struct {
	Format    int                     `json:"format"`
	DryRun    bool                    `json:"dry_run"`
	Questions int                     `json:"questions"`
	Papers    []sources.Count         `json:"papers"`
	Reasons   []sources.Reason        `json:"reasons"`
	Venues    []sources.SearchedVenue `json:"venues"`
	Received  int64                   `json:"received_bytes"`
}

func (c papersFetchCmd) print(a *app, r fetchReport) error {
	if c.JSON {
		return a.printJSON(r)
	}
	var texts []string
	for _, t := range r.tables() {
		texts = append(texts, t.Text(a.width))
	}
	return a.print(strings.Join(texts, "\n\n"))
}

// tables are the papers by state, the venues and the reasons.
func (r fetchReport) tables() []terminal.Table {
	papers := terminal.Table{Head: []string{"papers", "anchor", "reference", "venue", "total"}}
	needed := sources.Count{State: "needed"}
	for _, n := range r.Papers {
		needed.Anchor, needed.Reference, needed.Venue = needed.Anchor+n.Anchor, needed.Reference+n.Reference, needed.Venue+n.Venue
		needed.Total += n.Total
	}
	for _, n := range append([]sources.Count{needed}, r.Papers...) {
		papers.Rows = append(papers.Rows, append([]string{string(n.State)}, numbers(n.Anchor, n.Reference, n.Venue, n.Total)...))
	}
	tables := []terminal.Table{papers}
	if len(r.Venues) > 0 {
		venues := terminal.Table{Head: []string{"venue", "questions", "papers in metadata", "present before"}}
		for _, v := range r.Venues {
			venues.Rows = append(venues.Rows, append([]string{v.Venue}, numbers(v.Questions, v.Papers, v.Present)...))
		}
		tables = append(tables, venues)
	}
	if len(r.Reasons) == 0 {
		return tables
	}
	missing := terminal.Table{Head: []string{"missing", "papers", "reason"}}
	for i, n := range r.Reasons {
		if i == 12 {
			missing.Rows = append(missing.Rows, []string{"", "", fmt.Sprintf("and %d more reasons; --json lists them", len(r.Reasons)-i)})
			break
		}
		missing.Rows = append(missing.Rows, []string{string(n.State), strconv.Itoa(n.Papers), n.Reason})
	}
	return append(tables, missing)
}

func numbers(list ...int) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return texts
}

// writeMissing writes the file of --missing-list.
func (c papersFetchCmd) writeMissing(plan sources.Plan) error {
	if c.Missing == "" {
		return nil
	}
	var b bytes.Buffer
	for _, p := range plan.Missing() {
		line, err := json.Marshal(p)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return files.WriteFile(c.Missing, b.Bytes())
}
