package sources_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/ingest/sources"
)

// pdf is the file on the servers.
var pdf = append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("0123456789abcdef\n"), 20_000)...)

func hashOf(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// server is a web server that records requests.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	asks []string
}

// serve starts a server; handle receives the number of the request, from 1.
func serve(t *testing.T, handle func(w http.ResponseWriter, r *http.Request, n int)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asks = append(s.asks, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Range")))
		n := len(s.asks)
		s.mu.Unlock()
		handle(w, r, n)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks
}

// whole serves the PDF correctly.
func whole(w http.ResponseWriter, r *http.Request, _ int) {
	w.Header().Set("ETag", `"v1"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(pdf))
}

// cut sends the beginning of the PDF and closes the connection.
func cut(w http.ResponseWriter, bytes int) {
	w.Header().Set("Content-Length", fmt.Sprint(len(pdf)))
	_, _ = w.Write(pdf[:bytes])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// fetcher records waits instead of sleeping.
func fetcher(t *testing.T) (sources.Fetcher, *[]time.Duration) {
	t.Helper()
	var slept []time.Duration
	return sources.Fetcher{
		Dir: t.TempDir(), Delay: -1, Now: func() time.Time { return time.Unix(1e9, 0) },
		Sleep: func(ctx context.Context, d time.Duration) error {
			slept = append(slept, d)
			return ctx.Err()
		},
	}, &slept
}

func items(t *testing.T, lines ...string) []sources.Item {
	t.Helper()
	var list []sources.Item
	for _, line := range lines {
		item, err := sources.Parse(line)
		check(t, err)
		list = append(list, item)
	}
	return list
}

func run(t *testing.T, f sources.Fetcher, lines ...string) sources.FetchSummary {
	t.Helper()
	sum, err := f.Fetch(t.Context(), items(t, lines...))
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// refused checks that the only paper of a summary failed with words and left no file.
func refused(t *testing.T, f sources.Fetcher, sum sources.FetchSummary, words string) {
	t.Helper()
	if len(sum.Failed) != 1 || !strings.Contains(sum.Failed[0].Err.Error(), words) {
		t.Fatalf("failures %v, want one with %q", sum.Failed, words)
	}
	if diff := cmp.Diff([]string{"fetched.jsonl"}, names(t, f.Dir)); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func same(t *testing.T, path string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, pdf) {
		t.Errorf("%v; %d bytes, want %d", err, len(got), len(pdf))
	}
}

func TestFetchAndSkip(t *testing.T) {
	s := serve(t, whole)
	f, _ := fetcher(t)
	lines := []string{s.URL + "/a/paper.pdf sha256:" + hashOf(pdf), s.URL + "/b/paper.pdf", s.URL + "/c other name.pdf"}
	sum := run(t, f, lines...)
	if sum.Downloaded != 3 || len(sum.Failed) != 0 {
		t.Fatalf("%+v", sum)
	}
	for _, path := range sum.Paths {
		same(t, path)
	}
	if got := filepath.Base(sum.Paths[0]) + " " + filepath.Base(sum.Paths[2]); got != "paper.pdf other_name.pdf" {
		t.Errorf("names %s", got)
	}
	again := run(t, f, lines...)
	if again.Skipped != 3 || len(s.asked()) != 3 {
		t.Errorf("%+v after %d requests", again, len(s.asked()))
	}
	if diff := cmp.Diff(sum.Paths, again.Paths); diff != "" {
		t.Errorf("paths (-first +second):\n%s", diff)
	}
	if err := os.Remove(sum.Paths[1]); err != nil {
		t.Fatal(err)
	}
	if third := run(t, f, lines...); third.Downloaded != 1 || third.Paths[1] != sum.Paths[1] {
		t.Errorf("after a file was removed: %+v", third)
	}
}

func TestResumeAfterCuts(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			w.Header().Set("ETag", `"v1"`)
			cut(w, 50_000)
		}
		whole(w, r, n)
	})
	f, slept := fetcher(t)
	sum := run(t, f, s.URL+"/x.pdf")
	if len(sum.Paths) != 1 {
		t.Fatalf("%+v", sum)
	}
	same(t, sum.Paths[0])
	if asks := s.asked(); len(asks) != 2 || !strings.HasPrefix(asks[1], "/x.pdf bytes=") {
		t.Errorf("asked %q", asks)
	}
	if diff := cmp.Diff([]time.Duration{2 * time.Second}, *slept); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"fetched.jsonl", "x.pdf"}, names(t, f.Dir)); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
}

// A new process resumes an interrupted download unless the file has changed.
func TestResumeInAnotherProcess(t *testing.T) {
	for _, changed := range []bool{false, true} {
		t.Run(fmt.Sprint("changed ", changed), func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
				if n == 1 {
					w.Header().Set("ETag", `"v0"`)
					if !changed {
						w.Header().Set("ETag", `"v1"`)
					}
					cut(w, 100_000)
				}
				whole(w, r, n)
			})
			f, _ := fetcher(t)
			f.Tries = 1
			if sum := run(t, f, s.URL+"/x.pdf"); len(sum.Failed) != 1 {
				t.Fatalf("%+v", sum)
			}
			if diff := cmp.Diff([]string{"fetched.jsonl", "x.pdf.part", "x.pdf.part.json"}, names(t, f.Dir)); diff != "" {
				t.Fatalf("folder (-want +got):\n%s", diff)
			}
			sum := run(t, f, s.URL+"/x.pdf")
			if len(sum.Paths) != 1 {
				t.Fatalf("%+v", sum)
			}
			same(t, sum.Paths[0])
		})
	}
}

func TestServersThatMisbehave(t *testing.T) {
	endless := func(w http.ResponseWriter, _ *http.Request, _ int) {
		_, _ = w.Write(pdf[:9])
		for {
			if _, err := w.Write(pdf[9:4096]); err != nil {
				return
			}
		}
	}
	tests := []struct {
		name   string
		handle func(w http.ResponseWriter, r *http.Request, n int)
		want   string // in the error; empty: the download succeeds
	}{
		{"ignores Range", func(w http.ResponseWriter, _ *http.Request, n int) {
			w.Header().Set("ETag", `"v1"`)
			if n == 1 {
				cut(w, 70_000)
			}
			_, _ = w.Write(pdf)
		}, ""},
		{"sends another range", func(w http.ResponseWriter, r *http.Request, n int) {
			w.Header().Set("ETag", `"v1"`)
			if n == 1 {
				cut(w, 70_000)
			}
			if r.Header.Get("Range") != "" {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-99/%d", len(pdf)))
				w.WriteHeader(http.StatusPartialContent)
				_, _ = w.Write(pdf[:100])
				return
			}
			_, _ = w.Write(pdf)
		}, ""},
		{"cannot satisfy a range", func(w http.ResponseWriter, r *http.Request, n int) {
			w.Header().Set("ETag", `"v1"`)
			if n == 1 {
				cut(w, 70_000)
			}
			if r.Header.Get("Range") != "" {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return
			}
			_, _ = w.Write(pdf)
		}, ""},
		{"names no version and cuts once", func(w http.ResponseWriter, _ *http.Request, n int) {
			if n == 1 {
				cut(w, 70_000)
			}
			_, _ = w.Write(pdf)
		}, ""},
		{"promises more than it sends", func(w http.ResponseWriter, _ *http.Request, _ int) { cut(w, 100) }, "after 6 requests"},
		{"promises too much", func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Content-Length", "50000000")
			_, _ = w.Write(pdf)
		}, "the file has 47 MB; the limit is 1 MB"},
		{"endless", endless, "the file is too large; the limit is 1 MB"},
		{"web page", func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Content-Type", "application/pdf")
			_, _ = w.Write([]byte("<!DOCTYPE html><html><body>Please log in</body></html>"))
		}, "sent a web page, not a PDF"},
		{"text", func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = w.Write([]byte("hello")) }, "something other than a PDF"},
		{"nothing", func(http.ResponseWriter, *http.Request, int) {}, "an empty file"},
		{"not found", func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(http.StatusNotFound) }, "404 Not Found"},
		{"broken", func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(http.StatusBadGateway) }, "after 6 requests"},
		{"redirect loop", func(w http.ResponseWriter, r *http.Request, _ int) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, "redirect loop"},
		{"redirects to a file", func(w http.ResponseWriter, r *http.Request, _ int) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		}, "not an http or https URL"},
		{"silent", func(w http.ResponseWriter, r *http.Request, _ int) {
			_, _ = w.Write(pdf[:2000])
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, "the server stopped sending data"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.handle)
			f, _ := fetcher(t)
			f.MaxBytes = 1 << 20
			f.Stall = 200 * time.Millisecond
			sum := run(t, f, s.URL+"/x.pdf")
			if tt.want != "" {
				refused(t, f, sum, tt.want)
				return
			}
			if len(sum.Failed) > 0 || len(sum.Paths) != 1 {
				t.Fatalf("%+v", sum)
			}
			same(t, sum.Paths[0])
		})
	}
}

func TestChecksum(t *testing.T) {
	s := serve(t, whole)
	f, _ := fetcher(t)
	sum := run(t, f, s.URL+"/x.pdf sha256:"+hashOf([]byte("other")))
	refused(t, f, sum, hashOf(pdf)+", not "+hashOf([]byte("other")))
}

func TestPoliteness(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n <= 3 {
			w.Header().Set("Retry-After", []string{"90", "1", "1"}[n-1])
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		whole(w, r, n)
	})
	f, slept := fetcher(t)
	f.Delay = 0
	if sum := run(t, f, s.URL+"/a.pdf", s.URL+"/b.pdf"); sum.Downloaded != 2 {
		t.Fatalf("%+v", sum)
	}
	want := []time.Duration{
		90 * time.Second, 3 * time.Second, time.Second, 3 * time.Second, time.Second, 3 * time.Second, 3 * time.Second,
	}
	if diff := cmp.Diff(want, *slept); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
}

func TestTooLongAWait(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	f, slept := fetcher(t)
	refused(t, f, run(t, f, s.URL+"/a.pdf"), "asks to wait 24h0m0s")
	if len(*slept) != 0 {
		t.Errorf("waited %v", *slept)
	}
}

// An unreachable host is contacted once, and the other downloads continue.
func TestOffline(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	s := serve(t, whole)
	f, _ := fetcher(t)
	sum := run(t, f, gone.URL+"/a.pdf", gone.URL+"/b.pdf", s.URL+"/c.pdf")
	if len(sum.Failed) != 2 || sum.Downloaded != 1 {
		t.Fatalf("%+v", sum)
	}
	for _, failed := range sum.Failed {
		if !strings.Contains(failed.Err.Error(), "download the file yourself and pass its path") {
			t.Errorf("error %v", failed.Err)
		}
	}
}

// onPublicNet sends everything to the loopback, as if it were a public address.
func onPublicNet(s *server) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, s.Listener.Addr().String())
	}}}
}

// A public server cannot redirect the program into the local network.
func TestRedirectInward(t *testing.T) {
	for _, target := range []string{"http://127.0.0.1:1/x", "http://[::1]/x", "http://169.254.169.254/latest", "http://10.0.0.1/", "http://[::ffff:192.168.0.1]/"} {
		t.Run(target, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { http.Redirect(w, r, target, http.StatusFound) })
			f, _ := fetcher(t)
			f.Client = onPublicNet(s)
			refused(t, f, run(t, f, "http://8.8.8.8/x.pdf"), "an address in the local network")
			if len(s.asked()) != 1 {
				t.Errorf("asked %q", s.asked())
			}
		})
	}
}

func TestRedirectOutward(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			http.Redirect(w, r, "http://8.8.4.4/y.pdf", http.StatusMovedPermanently)
			return
		}
		whole(w, r, n)
	})
	f, _ := fetcher(t)
	f.Client = onPublicNet(s)
	sum := run(t, f, "http://8.8.8.8/x.pdf")
	if len(sum.Paths) != 1 || filepath.Base(sum.Paths[0]) != "x.pdf" {
		t.Fatalf("%+v", sum)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, func(_ http.ResponseWriter, r *http.Request, _ int) {
		cancel()
		<-r.Context().Done()
	})
	f, _ := fetcher(t)
	if _, err := f.Fetch(ctx, items(t, s.URL+"/x.pdf")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestRegistry(t *testing.T) {
	s := serve(t, whole)
	f, _ := fetcher(t)
	run(t, f, s.URL+"/a.pdf")
	path := filepath.Join(f.Dir, "fetched.jsonl")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^\{"format":1,"url":"` + regexp.QuoteMeta(s.URL) + `/a\.pdf","file":"a\.pdf","sha256":"[0-9a-f]{64}","bytes":\d+,"at":"[^"]+Z"\}\n$`)
	if !form.Match(good) {
		t.Errorf("the bytes of a line changed: %s", good)
	}
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(string(good) + `{"format":1,"url":"htt`)
	if sum := run(t, f, s.URL+"/a.pdf", s.URL+"/b.pdf"); sum.Skipped != 1 || sum.Downloaded != 1 {
		t.Errorf("after a torn line: %+v", sum)
	}
	write("{}\n")
	if _, err := f.Fetch(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "fetched.jsonl: line 1: format 0") {
		t.Errorf("error %v", err)
	}
}
