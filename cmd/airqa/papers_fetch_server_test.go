package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"airqa/qa"
)

// paperSites are web servers with a hundred small papers, some of which are slow, break off, move, or are not there.
type paperSites struct {
	hosts  []*httptest.Server
	papers []sitePaper

	mu    sync.Mutex
	asked map[string][]time.Time // by host and path
}

// sitePaper is a paper on a server. trouble is "" or what goes wrong with it.
type sitePaper struct {
	id, title, path, trouble string
	host                     int
	pdf                      []byte
}

// troubles of every tenth paper, in turn; those in lost are there at no time.
var (
	troubles = []string{"slow", "cut", "moved", "busy", "missing", "page", "found", "cut", "slow", "damaged"}
	lost     = map[string]string{"missing": "404 Not Found", "page": "a web page, not a PDF", "damaged": ""}
)

// newPaperSites starts the servers. Their papers are of the venue XCON 2031.
func newPaperSites(t *testing.T, n int) *paperSites {
	t.Helper()
	s := &paperSites{asked: map[string][]time.Time{}}
	for host := range 2 {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, host) }))
		t.Cleanup(server.Close)
		s.hosts = append(s.hosts, server)
	}
	for i := range n {
		p := sitePaper{title: fmt.Sprintf("Study %d of Small Things", i), path: fmt.Sprintf("/%d.pdf", i), host: i % 3 % 2}
		p.id, p.pdf = qa.PaperUUID(p.title, "xcon2031"), tinyPDF(p.title)
		if i%10 == 9 {
			p.trouble = troubles[i/10%len(troubles)]
		}
		if p.trouble == "damaged" {
			p.pdf = append([]byte("%PDF-1.5\n"), bytes.Repeat([]byte{0xFE, 0x00, 0x3C}, 4000)...)
		}
		s.papers = append(s.papers, p)
	}
	return s
}

// tinyPDF is a page with a title and a padding that makes the file worth cutting.
func tinyPDF(title string) []byte {
	text := "BT /F1 18 Tf 72 700 Td (" + title + ") Tj /F1 10 Tf 0 -40 Td (Small things are studied in " + title + " with great care.) Tj ET"
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	for i, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", 20_000, strings.Repeat("padding..\n", 2000)),
	} {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	b.WriteString("trailer << /Root 1 0 R >>\n%%EOF\n")
	return b.Bytes()
}

func (s *paperSites) serve(w http.ResponseWriter, r *http.Request, host int) {
	s.mu.Lock()
	key := fmt.Sprint(host, r.URL.Path)
	s.asked[key] = append(s.asked[key], time.Now())
	n := len(s.asked[key])
	s.mu.Unlock()
	var number int
	if _, err := fmt.Sscanf(strings.TrimPrefix(r.URL.Path, "/new"), "/%d.pdf", &number); err != nil || number >= len(s.papers) {
		http.NotFound(w, r)
		return
	}
	p := s.papers[number]
	trouble := p.trouble
	if strings.HasPrefix(r.URL.Path, "/new") {
		trouble = ""
	}
	w.Header().Set("ETag", `"`+p.id+`"`)
	switch {
	case trouble == "missing":
		http.NotFound(w, r)
		return
	case trouble == "page":
		_, _ = w.Write([]byte("<!DOCTYPE html><html><body>Please log in</body></html>"))
		return
	case trouble == "moved", trouble == "found":
		code := map[string]int{"moved": http.StatusMovedPermanently, "found": http.StatusFound}[trouble]
		http.Redirect(w, r, s.hosts[1-host].URL+"/new"+p.path, code) // to the other host
		return
	case trouble == "busy" && n == 1:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case trouble == "cut" && n == 1:
		w.Header().Set("Content-Length", fmt.Sprint(len(p.pdf)))
		_, _ = w.Write(p.pdf[:8000])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case trouble == "slow":
		w = slowWriter{w}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.pdf))
}

// slowWriter sends a little at a time.
type slowWriter struct{ http.ResponseWriter }

func (w slowWriter) Write(data []byte) (n int, err error) {
	for chunk := range bytes.SplitAfterSeq(data, []byte("\n")) {
		m, err := w.ResponseWriter.Write(chunk)
		if n += m; err != nil {
			return n, err
		}
		if n/4000 != (n-m)/4000 {
			_ = http.NewResponseController(w.ResponseWriter).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	}
	return n, nil
}

// metadata writes a folder of metadata files with the addresses of the papers.
func (s *paperSites) metadata(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	for _, p := range s.papers {
		raw, err := json.Marshal(map[string]any{
			"uuid": p.id, "title": p.title, "conference": "XCON", "year": 2031, "authors": []string{"A. Author"},
			"pdf_url": s.hosts[p.host].URL + p.path,
		})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, p.id+".json"), raw, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// counts is the number of requests by host and path.
func (s *paperSites) counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := map[string]int{}
	for key, times := range s.asked {
		n[key] = len(times)
	}
	return n
}

// span is the number of requests to a host, and the time from the first to the last.
func (s *paperSites) span(host int) (n int, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var first, last time.Time
	for key, times := range s.asked {
		if !strings.HasPrefix(key, fmt.Sprint(host)) {
			continue
		}
		for _, at := range times {
			if n++; n == 1 || at.Before(first) {
				first = at
			}
			if at.After(last) {
				last = at
			}
		}
	}
	return n, last.Sub(first)
}
