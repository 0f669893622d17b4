package sources_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/ingest/sources"
	"airqa/qa"
)

// atomEntry is an entry as arXiv writes it, with the line breaks in titles and abstracts.
const atomEntry = `  <entry>
    <id>http://arxiv.org/abs/%[1]sv2</id>
    <title>Study %[1]s of
  Small &amp; Made-up Things</title>
    <updated>2031-03-02T23:00:00Z</updated>
    <link href="https://arxiv.org/abs/%[1]sv2" rel="alternate" type="text/html"/>
    <link href="https://arxiv.org/pdf/%[1]sv2" rel="related" type="application/pdf" title="pdf"/>
    <summary>  Things are small.
We   study them.
    </summary>
    <category term="cs.CL" scheme="http://arxiv.org/schemas/atom"/>
    <category term="cs.AI" scheme="http://arxiv.org/schemas/atom"/>
    <published>%[2]s</published>
    <arxiv:comment>9 pages</arxiv:comment>
    <arxiv:primary_category term="cs.CL"/>
    <author>
      <name>Ada Writer</name>
      <arxiv:affiliation>Nowhere</arxiv:affiliation>
    </author>
    <author>
      <name>Bo Reader</name>
    </author>
  </entry>
`

func atomFeed(total int, entries ...string) string {
	return `<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/cHxbiOdZaP56ODnBPIenZhzg5f8</id>
  <title>arXiv Query</title>
  <updated>2031-04-01T00:00:00Z</updated>
  <opensearch:itemsPerPage>1000</opensearch:itemsPerPage>
  <opensearch:totalResults>` + strconv.Itoa(total) + `</opensearch:totalResults>
` + strings.Join(entries, "") + "</feed>\n"
}

// arxivSite is a mirror of arXiv with papers by category and day.
type arxivSite struct {
	*server
	papers map[string][]time.Time // of cs.CL and cs.LG; paper i of day d is DDDD.0000i
	mishap func(w http.ResponseWriter, query url.Values, n int) bool
}

func newArxiv(t *testing.T) *arxivSite {
	s := &arxivSite{papers: map[string][]time.Time{}}
	s.server = serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if strings.HasPrefix(r.URL.Path, "/pdf/") {
			whole(w, r, n)
			return
		}
		if s.mishap == nil || !s.mishap(w, r.URL.Query(), n) {
			_, _ = w.Write([]byte(s.answer(w, r.URL.Query())))
		}
	})
	return s
}

func arxivName(category string, i int) string {
	return fmt.Sprintf("%s.%05d", map[string]string{"cs.CL": "3101", "cs.LG": "3102"}[category], i)
}

func (s *arxivSite) answer(w http.ResponseWriter, query url.Values) string {
	if ids := query.Get("id_list"); ids != "" {
		var entries []string
		for id := range strings.SplitSeq(ids, ",") {
			switch {
			case strings.HasPrefix(id, "0000."): // no such month
				w.WriteHeader(http.StatusBadRequest)
				return atomFeed(1, "<entry><id>http://arxiv.org/api/errors#incorrect_id_format_for_"+id+"</id><title>Error</title><summary>incorrect id</summary></entry>")
			case !strings.HasPrefix(id, "9999."):
				entries = append([]string{fmt.Sprintf(atomEntry, strings.TrimSuffix(id, "v2"), "2030-12-31T23:59:00Z")}, entries...)
			}
		}
		return atomFeed(len(entries), entries...)
	}
	var category, from, to string
	if _, err := fmt.Sscanf(query.Get("search_query"), "cat:%s AND submittedDate:[%s TO %s", &category, &from, &to); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return ""
	}
	var entries []string
	for i, at := range s.papers[category] {
		if day := at.Format("200601021504"); day >= from && day <= strings.TrimSuffix(to, "]") {
			entries = append(entries, fmt.Sprintf(atomEntry, arxivName(category, i), at.Format(time.RFC3339)))
		}
	}
	start, _ := strconv.Atoi(query.Get("start"))
	page, _ := strconv.Atoi(query.Get("max_results"))
	total := len(entries)
	return atomFeed(total, entries[min(start, total):min(start+page, total)]...)
}

func date(text string) time.Time {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return t
}

// Papers get the metadata of arXiv, unless they were there before; an id that arXiv refuses does not keep it from the others.
func TestArXivRecords(t *testing.T) {
	site := newArxiv(t)
	f, slept := fetcher(t)
	f.ArXiv, f.UserAgent = site.URL+"/", "airqa/test"
	if _, err := f.Fetch(t.Context(), items(t, "3101.00007")); err != nil {
		t.Fatal(err)
	}
	f.Records = true
	busy := 0
	site.mishap = func(w http.ResponseWriter, _ url.Values, _ int) bool {
		if busy++; busy == 1 {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return busy == 1
	}
	list := items(t, "3101.00007", "3101.00001", "0000.00002", "9999.00003", "arXiv:3101.00004v2 own name")
	sum, err := f.Fetch(t.Context(), list)
	slices.Sort(sum.Unknown)
	if diff := cmp.Diff([]string{"0000.00002", "9999.00003"}, sum.Unknown); err != nil || len(sum.Paths) != 5 || diff != "" {
		t.Fatalf("%v, %v, %s", err, sum, diff)
	}
	if !slices.Contains(*slept, 7*time.Second) {
		t.Errorf("slept %v, want 7 s in it", *slept)
	}
	for name, want := range map[string]bool{"3101.00007": false, "3101.00001": true, "0000.00002": false, "9999.00003": false, "own_name": true} {
		raw, err := os.ReadFile(filepath.Join(f.Dir, name+".json"))
		if got := err == nil; got != want {
			t.Errorf("%s has a record: %v", name, got)
		}
		if name != "3101.00001" {
			continue
		}
		var p sources.Preprint
		if err := json.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
		const title = "Study 3101.00001 of Small & Made-up Things"
		want := sources.Preprint{
			Metadata: sources.Metadata{
				UUID: qa.PaperUUID(title, "arxiv2030"), Title: title, Abstract: "Things are small. We study them.", Conference: "arXiv",
				ConferenceFull: "arXiv", Year: 2030, Volume: "arXiv:3101.00001v2 [cs.CL] 2 Mar 2031", Authors: []string{"Ada Writer", "Bo Reader"},
				PDFURL: "https://arxiv.org/pdf/3101.00001v2.pdf", Tags: []string{}, BibTeX: p.BibTeX,
			},
			ArXivID: "3101.00001v2", PrimaryCategory: "cs.CL",
			Published: time.Date(2030, 12, 31, 23, 59, 0, 0, time.UTC), Updated: time.Date(2031, 3, 2, 23, 0, 0, 0, time.UTC),
		}
		if diff := cmp.Diff(want, p); diff != "" || !strings.Contains(p.BibTeX, "author = {Ada Writer and Bo Reader},\n  year = {2030}") {
			t.Errorf("-want +got:\n%s\n%s", diff, p.BibTeX)
		}
	}
	before := len(site.asked())
	if sum, err = f.Fetch(t.Context(), list); err != nil || sum.Skipped != 5 || len(site.asked()) != before {
		t.Errorf("again: %v, %+v, %d requests", err, sum, len(site.asked())-before)
	}
}

// Without its metadata, a paper would get another uuid: it is not fetched.
func TestArXivInterfaceIsDown(t *testing.T) {
	site := newArxiv(t)
	site.mishap = func(w http.ResponseWriter, _ url.Values, _ int) bool {
		_, _ = w.Write([]byte("Rate exceeded."))
		return true
	}
	f, _ := fetcher(t)
	f.ArXiv, f.Records, f.Tries = site.URL, true, 2
	_, err := f.Fetch(t.Context(), items(t, "3101.00001"))
	if err == nil || !strings.Contains(err.Error(), "metadata of papers at arXiv: after 2 requests") || slices.Contains(site.asked(), "/pdf/3101.00001") {
		t.Errorf("%v, %v", err, site.asked())
	}
}

// fill gives each category some papers a day, from 2031-01-01 on.
func (s *arxivSite) fill(perDay map[string][]int) {
	for category, days := range perDay {
		for day, n := range days {
			for i := range n {
				s.papers[category] = append(s.papers[category], date("2031-01-01").AddDate(0, 0, day).Add(time.Duration(i)*time.Second))
			}
		}
	}
}

func TestSelect(t *testing.T) {
	site := newArxiv(t)
	perDay := make([]int, 41)
	perDay[0], perDay[29], perDay[30], perDay[39], perDay[40] = 4000, 1, 1500, 2, 10
	site.fill(map[string][]int{"cs.CL": perDay, "cs.LG": {3}})
	f, _ := fetcher(t)
	f.ArXiv = site.URL
	choice := sources.Selection{Categories: []string{"cs.CL"}, From: date("2031-01-01"), To: date("2031-02-09"), Sample: 20, Seed: 7}
	empty := true
	site.mishap = func(w http.ResponseWriter, query url.Values, _ int) bool { // an empty page, once
		if query.Get("start") == "3000" && empty {
			empty = false
			_, _ = w.Write([]byte(atomFeed(4001)))
			return true
		}
		return false
	}
	ignore := func(string, int) {}
	drawn := func(c sources.Selection) sources.Drawing {
		t.Helper()
		_, d, err := f.Select(t.Context(), c, ignore)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	// Ctrl-C in the middle.
	ctx, cancel := context.WithCancel(t.Context())
	stop := func(_ string, listed int) {
		if listed > 2000 {
			cancel()
		}
	}
	if _, _, err := f.Select(ctx, choice, stop); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	halfway := len(site.asked())
	first := drawn(choice)
	if first.Of != 5503 || len(first.Papers) != 20 || !slices.ContainsFunc(first.Papers, func(id string) bool { return strings.HasSuffix(id, "v2") }) {
		t.Errorf("%d of %d papers: %v", len(first.Papers), first.Of, first.Papers)
	}
	// Five pages of a month, one of them empty at first, and two of ten days.
	if n := len(site.asked()); halfway != 3 || n != 6+2 {
		t.Errorf("%d requests, then %d in all", halfway, n)
	}
	before := len(site.asked())
	if again := drawn(choice); !cmp.Equal(again, first) || len(site.asked()) != before {
		t.Errorf("again: %d requests (-want +got):\n%s", len(site.asked())-before, cmp.Diff(first, again))
	}
	larger, other := choice, choice
	larger.Sample, other.Seed = 50, 8
	if d := drawn(larger); !slices.Equal(d.Papers[:20], first.Papers) {
		t.Error("a larger sample has other papers")
	}
	if d := drawn(other); slices.Equal(d.Papers, first.Papers) {
		t.Error("another seed draws the same papers")
	}
	none := choice
	none.Categories = []string{"cs.LG", "cs.XX"}
	if _, _, err := f.Select(t.Context(), none, ignore); err == nil || !strings.Contains(err.Error(), "no papers of the category cs.XX from 2031-01-01 to 2031-02-09") {
		t.Errorf("a category without papers: %v", err)
	}
}

// An open period ends on the day of the first call, and a paper of two categories is one paper.
func TestSelectOpen(t *testing.T) {
	site := newArxiv(t)
	site.fill(map[string][]int{"cs.CL": {2, 2, 2}})
	f, _ := fetcher(t)
	f.ArXiv, f.Now = site.URL, func() time.Time { return date("2031-01-02").Add(5 * time.Hour) }
	choice := sources.Selection{Categories: []string{"cs.CL", "cs.CL"}, From: date("2031-01-01")}
	for range 2 {
		catalog, d, err := f.Select(t.Context(), choice, func(string, int) {})
		if err != nil || d.Of != 4 || len(catalog.Venue("cs.CL")) != 4 {
			t.Fatalf("%v, %+v", err, d)
		}
		f.Now = func() time.Time { return date("2031-01-03") }
	}
	f.Dir = ""
	catalog, d, err := f.Select(t.Context(), choice, func(string, int) {})
	if err != nil || d.Of != 6 {
		t.Fatalf("dry run: %v, %+v", err, d)
	}
	plan := sources.MakePlan(sources.PlanConfig{Metadata: catalog, Categories: choice.Categories})
	if raw, err := plan.Papers[0].Read(); err != nil || plan.Papers[0].State != sources.Waiting || !strings.Contains(string(raw), plan.Papers[0].ID) {
		t.Errorf("%v, %+v", err, plan.Papers[0])
	}
}
