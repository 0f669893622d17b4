package sources

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"airqa/env/datadir"
	"airqa/internal/files"
	"airqa/qa"
)

// Selection is a random sample of the papers of arXiv categories.
type Selection struct {
	Categories []string  `json:"categories" name:"arxiv-category" placeholder:"CATEGORY" help:"Fetch papers of an arXiv category such as cs.CL, cross-lists included, not of questions. Repeatable."`
	From       time.Time `json:"from" placeholder:"DATE" format:"2006-01-02" help:"First day on which papers of the category were submitted, such as 2024-01-31 (first version, UTC)."`
	To         time.Time `json:"to" placeholder:"DATE" format:"2006-01-02" help:"Last day on which they were submitted. Default: the day of the first call."`
	Sample     int       `json:"sample" placeholder:"N" help:"Fetch N of these papers at random. Default: all."`
	Seed       int64     `json:"seed" default:"1" placeholder:"N" help:"Seed of the sample: the same papers and the same seed give the same sample."`
}

// Drawing is the record of a sample.
type Drawing struct {
	Format int `json:"format"`
	Selection
	// Of is the number of papers that were listed, and Papers are the ids of the sample, in random order.
	Of     int      `json:"of"`
	Papers []string `json:"papers"`
}

// Select draws papers from arXiv categories: those whose hashes of seed and id are the smallest, so that a larger sample has all
// papers of a smaller one. The catalog has the sample of each category as a venue, in random order. The drawing and arXiv's
// responses are kept in the folder arxiv of Dir, unless Dir is empty: an interrupted call resumes, and the same call draws the
// same sample later. progress receives the number of papers of a category that are listed.
func (f Fetcher) Select(ctx context.Context, c Selection, progress func(category string, papers int)) (*Catalog, Drawing, error) {
	s := f.session(nil, 0)
	defer s.close()
	d := Drawing{Format: 1, Selection: c}
	folder, save := "", func() error { return nil }
	if f.Dir != "" {
		folder = filepath.Join(f.Dir, "arxiv")
		path := filepath.Join(folder, "sample-"+files.Hash(fmt.Sprint(c))[:12]+".json")
		if err := datadir.ReadRecord(path, &d); err != nil {
			return nil, d, err
		}
		save = func() error { return datadir.WriteRecord(path, d) }
	}
	if d.To.IsZero() {
		d.To = f.Now().UTC().Truncate(day)
	}
	if err := save(); err != nil {
		return nil, d, err
	}
	categories := make(map[string]string) // by id without version; the first that lists it
	var all []entry
	for _, name := range c.Categories {
		list, err := s.list(ctx, d, name, folder, progress)
		if err != nil {
			return nil, d, err
		}
		for _, e := range list {
			if id := unversioned(e.id()); categories[id] == "" {
				categories[id], all = name, append(all, e)
			}
		}
	}
	d.Of = len(all)
	catalog, err := d.draw(all, categories)
	if err == nil {
		err = save()
	}
	return catalog, d, err
}

// draw returns the records of the sample, and notes its ids.
func (d *Drawing) draw(all []entry, categories map[string]string) (*Catalog, error) {
	rank := func(e entry) string { return files.Hash(fmt.Sprint(d.Seed, " ", unversioned(e.id()))) }
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(rank(a), rank(b)) })
	if d.Sample > 0 {
		all = all[:min(d.Sample, len(all))]
	}
	c := &Catalog{byID: map[string]Entry{}, byVenue: map[string][]Entry{}}
	d.Papers = []string{}
	for _, e := range all {
		p := e.preprint()
		raw, err := json.Marshal(p)
		if err != nil {
			return nil, err
		}
		known := Entry{ID: p.UUID, Title: p.Title, Venue: qa.VenueYear(p.Conference, p.Year), URL: p.PDFURL, raw: raw}
		category := categories[unversioned(p.ArXivID)]
		c.byID[p.UUID], c.byVenue[category] = known, append(c.byVenue[category], known)
		d.Papers = append(d.Papers, p.ArXivID)
	}
	return c, nil
}

const day = 24 * time.Hour

// list lists the papers of a category that were submitted in a period, by months: arXiv serves at most 30,000 for a query, and the
// later ones slowly. (Its other interface, OAI-PMH, knows only the day of the last change.)
func (s *session) list(ctx context.Context, d Drawing, category, folder string, progress func(category string, papers int)) (all []entry, err error) {
	const month, page, minute = 30 * day, 1000, "200601021504"
	for from := d.From; !from.After(d.To); from = from.Add(month) {
		end := from.Add(month)
		if last := d.To.Add(day); last.Before(end) {
			end = last
		}
		query := url.Values{
			"search_query": {fmt.Sprintf("cat:%s AND submittedDate:[%s TO %s]", category, from.Format(minute), end.Add(-time.Minute).Format(minute))},
			"sortBy":       {"submittedDate"}, "sortOrder": {"ascending"}, "max_results": {strconv.Itoa(page)},
		}
		for start, total := 0, 1; start < total; start += page {
			query.Set("start", strconv.Itoa(start))
			f, err := s.ask(ctx, query, folder)
			if err != nil {
				return nil, fmt.Errorf("list %s: %w", category, err)
			}
			all, total = append(all, f.Entries...), f.Total
			progress(category, len(all))
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("arXiv has no papers of the category %s from %s to %s; arxiv.org/category_taxonomy lists the categories",
			category, d.From.Format(time.DateOnly), d.To.Format(time.DateOnly))
	}
	return all, nil
}
