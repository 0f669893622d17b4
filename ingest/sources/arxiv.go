package sources

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"airqa/internal/files"
	"airqa/internal/httpclient"
	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// Preprint is the metadata record of a paper at arXiv, with what arXiv knows besides.
type Preprint struct {
	Metadata
	ArXivID         string `json:"arxiv_id"` // with the version, such as 2005.11401v4
	PrimaryCategory string `json:"primary_category"`
	// Published is the time of the first version, Updated of this one.
	Published time.Time `json:"published"`
	Updated   time.Time `json:"updated"`
}

// feed is a response of arXiv's interface, as described at info.arxiv.org/help/api/user-manual.html.
type feed struct {
	Total   int     `xml:"totalResults"`
	Entries []entry `xml:"entry"`
}

type entry struct {
	ID        string    `xml:"id"` // the address of the abstract
	Title     string    `xml:"title"`
	Summary   string    `xml:"summary"`
	Published time.Time `xml:"published"`
	Updated   time.Time `xml:"updated"`
	Authors   []string  `xml:"author>name"`
	Primary   struct {
		Term string `xml:"term,attr"`
	} `xml:"primary_category"`
}

// id is the arXiv id with the version.
func (e entry) id() string {
	_, id, _ := strings.Cut(strings.TrimSpace(e.ID), "/abs/")
	return id
}

// preprint returns the record of an entry. The year is the first version's: the paper's uuid depends on it.
func (e entry) preprint() Preprint {
	flat := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	p := Preprint{ArXivID: e.id(), PrimaryCategory: e.Primary.Term, Published: e.Published.UTC(), Updated: e.Updated.UTC()}
	p.Metadata = Metadata{
		Title: flat(e.Title), Abstract: flat(e.Summary), Conference: "arXiv", ConferenceFull: "arXiv", Year: p.Published.Year(),
		Volume: fmt.Sprintf("arXiv:%s [%s] %s", p.ArXivID, p.PrimaryCategory, p.Updated.Format("2 Jan 2006")), // as on page 1
		PDFURL: arxivPDF + p.ArXivID + ".pdf", Authors: []string{}, Tags: []string{},
	}
	p.UUID = qa.PaperUUID(p.Title, qa.VenueYear(p.Conference, p.Year))
	for _, name := range e.Authors {
		p.Authors = append(p.Authors, flat(name))
	}
	p.BibTeX = fmt.Sprintf("@misc{arxiv:%s,\n  title = {%s},\n  author = {%s},\n  year = {%d},\n  eprint = {%[1]s},\n"+
		"  archivePrefix = {arXiv},\n  primaryClass = {%[5]s},\n  url = {https://arxiv.org/abs/%[1]s}\n}\n",
		p.ArXivID, p.Title, strings.Join(p.Authors, " and "), p.Year, p.PrimaryCategory)
	return p
}

const arxivPDF = "https://arxiv.org/pdf/"

// arxivAt is the address of a host of arXiv, or of the mirror.
func (f Fetcher) arxivAt(host string) string {
	return cmp.Or(strings.TrimSuffix(f.ArXiv, "/"), "https://"+host)
}

// errRejected is the error of a query that the interface refuses, for example because of one id among many.
var errRejected = errors.New("arXiv refuses the query")

// ask sends a query to the interface, again while the server is busy. A response in the folder is not asked for again; an empty
// folder keeps none.
func (s *session) ask(ctx context.Context, query url.Values, folder string) (f feed, err error) {
	path := filepath.Join(folder, files.Hash(query.Encode())[:16]+".xml")
	if raw, err := os.ReadFile(path); folder != "" && err == nil {
		return f, xml.Unmarshal(raw, &f)
	}
	u, err := url.Parse(s.arxivAt("export.arxiv.org") + "/api/query?" + query.Encode())
	if err != nil {
		return f, err
	}
	h := s.host(u.Host)
	var raw []byte
	_, err = h.retry(ctx, func() error {
		return h.get(ctx, u.String(), http.Header{"Accept": {"application/atom+xml"}}, func(resp *http.Response, body io.Reader) error {
			const maxFeed = 64 << 20
			if resp.StatusCode == http.StatusBadRequest {
				return errRejected
			}
			if resp.StatusCode != http.StatusOK {
				return statusError(resp, h.Now())
			}
			if raw, err = httpclient.ReadAll(body, maxFeed); err == nil {
				f, err = parseFeed(raw, query)
			}
			return err
		})
	})
	if err == nil && folder != "" {
		err = files.WriteFile(path, raw)
	}
	return f, err
}

func parseFeed(raw []byte, query url.Values) (f feed, err error) {
	start, _ := strconv.Atoi(query.Get("start"))
	switch err := xml.Unmarshal(raw, &f); {
	case err != nil:
		return f, &httpclient.Transient{Err: fmt.Errorf("arXiv sent no metadata: %w", err)}
	case len(f.Entries) == 1 && strings.Contains(f.Entries[0].ID, "/api/errors"):
		return f, fmt.Errorf("%w: %s", errRejected, strings.TrimSpace(f.Entries[0].Summary))
	case len(f.Entries) == 0 && start < f.Total && query.Has("start"): // under load
		return f, &httpclient.Transient{Err: fmt.Errorf("arXiv sent an empty page of a list of %d papers", f.Total)}
	}
	return f, nil
}

// lookUp passes the records of papers to found, in any order. It returns the ids that arXiv does not know: one of them may make
// it refuse all, so a query that is refused is halved.
func (s *session) lookUp(ctx context.Context, ids []string, found func(id string, p Preprint) error) (unknown []string, err error) {
	f, err := s.ask(ctx, url.Values{"id_list": {strings.Join(ids, ",")}, "max_results": {strconv.Itoa(len(ids))}}, "")
	switch half := len(ids) / 2; {
	case errors.Is(err, errRejected) && half == 0:
		return ids, nil
	case errors.Is(err, errRejected):
		if unknown, err = s.lookUp(ctx, ids[:half], found); err != nil {
			return unknown, err
		}
		others, err := s.lookUp(ctx, ids[half:], found)
		return append(unknown, others...), err
	case err != nil:
		return nil, err
	}
	for _, id := range ids {
		i := slices.IndexFunc(f.Entries, func(e entry) bool { return e.id() == id || unversioned(e.id()) == id })
		if i < 0 {
			unknown = append(unknown, id)
		} else if err := found(id, f.Entries[i].preprint()); err != nil {
			return unknown, err
		}
	}
	return unknown, nil
}

var arxivVersion = lazyregexp.New(`v\d+$`)

func unversioned(id string) string { return arxivVersion.ReplaceAllString(id, "") }

// addRecords writes the records of arXiv papers that were not fetched before; those that were keep the metadata, and so the uuid,
// that they were read with. It returns the ids that arXiv does not know.
func (s *session) addRecords(ctx context.Context, items []Item) (unknown []string, err error) {
	const batch = 100 // the address of a query stays below 2,000 characters
	paths := make(map[string]string)
	var ids []string
	for _, item := range items {
		if _, fetched := s.registry.find(item); item.arxiv == "" || fetched || paths[item.arxiv] != "" {
			continue
		}
		path := filepath.Join(s.Dir, strings.TrimSuffix(s.registry.reserveName(item), ".pdf")+".json")
		if _, err := os.Stat(path); err != nil { // an interrupted call may have written it
			paths[item.arxiv], ids = path, append(ids, item.arxiv)
		}
	}
	for part := range slices.Chunk(ids, batch) {
		missing, err := s.lookUp(ctx, part, func(id string, p Preprint) error {
			return WriteMetadata(paths[id], p)
		})
		if unknown = append(unknown, missing...); err != nil {
			return unknown, fmt.Errorf("metadata of papers at arXiv: %w", err)
		}
	}
	return unknown, nil
}
