package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// arxivMirror serves ten papers of cs.CL, one a day from 2031-01-01 on, and counts requests.
type arxivMirror struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newArxivMirror(t *testing.T) *arxivMirror {
	m := &arxivMirror{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		m.asked = append(m.asked, r.URL.Path)
		m.mu.Unlock()
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/pdf/3101.%d", &n); err == nil {
			_, _ = w.Write(tinyPDF(fmt.Sprintf("Preprint %d", n)))
			return
		}
		var entries strings.Builder
		query, total := r.URL.Query(), 0
		for n := range 10 {
			day := time.Date(2031, 1, 1+n, 12, 0, 0, 0, time.UTC)
			id := fmt.Sprintf("3101.%05d", n)
			var from, to string
			_, _ = fmt.Sscanf(query.Get("search_query"), "cat:cs.CL AND submittedDate:[%s TO %s", &from, &to)
			at := day.Format("200601021504")
			if strings.Contains(query.Get("id_list"), id) || from != "" && at >= from && at <= strings.TrimSuffix(to, "]") {
				total++
				fmt.Fprintf(&entries, `<entry><id>http://arxiv.org/abs/%sv1</id><title>The Title of Preprint %d</title><summary>An abstract.</summary>
					<published>%s</published><updated>%[3]s</updated><author><name>A. Author</name></author></entry>`, id, n, day.Format(time.RFC3339))
			}
		}
		_, _ = fmt.Fprintf(w, `<feed xmlns="http://www.w3.org/2005/Atom"><totalResults>%d</totalResults>%s</feed>`, total, entries.String())
	}))
	t.Cleanup(m.Close)
	return m
}

// pdfs are the papers that were asked for.
func (m *arxivMirror) pdfs() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	for _, path := range m.asked {
		if id, ok := strings.CutPrefix(path, "/pdf/"); ok {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}

func titlesIn(t *testing.T, data string) (titles []string) {
	t.Helper()
	held, err := holdings(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range held {
		titles = append(titles, fmt.Sprintf("%s, %s %d", h.Title, h.Conference, h.Year))
	}
	slices.Sort(titles)
	return titles
}

// A category is sampled, with the titles at arXiv, not in the PDFs; the same command fetches nothing again.
func TestFetchCategory(t *testing.T) {
	t.Parallel()
	m := newArxivMirror(t)
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	fetch := func(args ...string) (string, error) {
		return airqaIn(t, dir, append([]string{"papers", "fetch", "--data", "data", "--arxiv-url", m.URL, "--rate", "0", "--arxiv-category"}, args...)...)
	}
	sample := []string{"cs.CL", "--from", "2031-01-02", "--to", "2031-01-09", "--sample", "3", "--seed", "5"}
	out, err := fetch(append(sample, "--dry-run")...)
	if _, missing := os.Stat(data); err != nil || !strings.Contains(out, "3 of 8 papers, seed 5") || !strings.Contains(out, "3 papers to fetch") || !os.IsNotExist(missing) {
		t.Errorf("dry run: %v, %v\n%s", err, missing, out)
	}
	if out, err = fetch("cs.XX", "--from", "2031-01-02"); err == nil || !strings.Contains(out, "no papers of the category cs.XX from 2031-01-02") {
		t.Errorf("without papers: %v\n%s", err, out)
	}
	if out, err = fetch(sample...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	titles, pdfs := titlesIn(t, data), m.pdfs()
	if len(titles) != 3 || !strings.HasPrefix(titles[0], "The Title of Preprint ") || !strings.HasSuffix(titles[0], ", arXiv 2031") || len(pdfs) != 3 {
		t.Errorf("%q, %q", titles, pdfs)
	}
	if out, err = fetch(sample...); err != nil || !slices.Equal(m.pdfs(), pdfs) || !strings.Contains(out, "cs.CL  0          3                   3") {
		t.Errorf("again: %v, %q\n%s", err, m.pdfs(), out)
	}
	for want, args := range map[string][]string{
		"--arxiv-category needs --from": {"cs.CL"},
		"cannot be combined with":       {"cs.CL", "--from", "2031-01-01", "--questions", "q.jsonl"},
	} {
		if out, err = fetch(args...); err == nil || !strings.Contains(out, want) {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	if out, err = airqaIn(t, dir, "papers", "fetch", "--data", "data"); err == nil || !strings.Contains(out, "name the papers: --questions FILE") {
		t.Errorf("nothing to fetch: %v\n%s", err, out)
	}
}

// Papers by their arXiv ids have the title of arXiv, or of the PDF with a note.
func TestIngestArXiv(t *testing.T) {
	t.Parallel()
	m := newArxivMirror(t)
	dir := t.TempDir()
	out, err := airqaIn(t, dir, "ingest", "--data", "data", "--delay", "0s", "--arxiv-url", m.URL, "--arxiv", "3101.00004", "--arxiv", "3101.00099")
	if err != nil || !strings.Contains(out, "note: arXiv has no metadata of 3101.00099: read from the PDF") {
		t.Fatalf("%v\n%s", err, out)
	}
	if titles := titlesIn(t, filepath.Join(dir, "data")); !slices.Equal(titles, []string{"Preprint 99,  0", "The Title of Preprint 4, arXiv 2031"}) {
		t.Errorf("%q", titles)
	}
}
