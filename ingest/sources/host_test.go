package sources_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/ingest/sources"
)

// A slow host does not keep another one waiting, and a host gets one request at a time.
func TestHostsInParallel(t *testing.T) {
	second := make(chan struct{})
	var once sync.Once
	slow := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		<-second // the other host must be asked meanwhile
		whole(w, r, n)
	})
	var mu sync.Mutex
	busy := 0
	other := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		once.Do(func() { close(second) })
		mu.Lock()
		busy++
		if busy > 1 {
			t.Error("two requests at a time")
		}
		mu.Unlock()
		whole(w, r, n)
		mu.Lock()
		busy--
		mu.Unlock()
	})
	f, _ := fetcher(t)
	var ends []string
	f.Progress = func(e sources.Event) {
		if e.Path != "" {
			ends = append(ends, fmt.Sprint(filepath.Base(e.Path), " ", e.Done, " of ", e.Items))
		}
		if e.Done == 3 && e.Received != int64(3*len(pdf)) {
			t.Errorf("%d bytes received, want %d", e.Received, 3*len(pdf))
		}
	}
	sum := run(t, f, slow.URL+"/a.pdf", other.URL+"/b.pdf", other.URL+"/c.pdf")
	if diff := cmp.Diff([]string{"a.pdf", "b.pdf", "c.pdf"}, bases(sum.Paths)); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	if len(ends) != 3 || !strings.HasSuffix(ends[2], "3 of 3") {
		t.Errorf("events %q", ends)
	}
}

func bases(paths []string) (names []string) {
	for _, p := range paths {
		names = append(names, filepath.Base(p))
	}
	return names
}

// A redirect is a request to a host, too.
func TestRedirectsWaitTheirTurn(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if r.URL.Path == "/a.pdf" {
			http.Redirect(w, r, "/b.pdf", http.StatusMovedPermanently)
			return
		}
		whole(w, r, n)
	})
	f, slept := fetcher(t)
	f.Delay = 2 * time.Second
	if sum := run(t, f, s.URL+"/a.pdf"); sum.Downloaded != 1 {
		t.Fatalf("%+v", sum)
	}
	if diff := cmp.Diff([]time.Duration{2 * time.Second}, *slept); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
}

// Two papers with one name at two hosts do not overwrite each other, at the same time or later.
func TestOneNameTwice(t *testing.T) {
	a, b := serve(t, whole), serve(t, whole)
	f, _ := fetcher(t)
	lines := []string{a.URL + "/1.pdf paper", b.URL + "/2.pdf paper"}
	first := run(t, f, lines...)
	if len(first.Paths) != 2 || first.Paths[0] == first.Paths[1] {
		t.Fatalf("%+v", first)
	}
	if again := run(t, f, lines...); again.Skipped != 2 || !cmp.Equal(first.Paths, again.Paths) {
		t.Errorf("again: %+v, first %v", again, first.Paths)
	}
}

// A file that was changed is fetched again.
func TestChangedFile(t *testing.T) {
	s := serve(t, whole)
	f, _ := fetcher(t)
	sum := run(t, f, s.URL+"/a.pdf")
	changed := bytes.Clone(pdf)
	changed[len(changed)/2]++
	if err := os.WriteFile(sum.Paths[0], changed, 0o600); err != nil {
		t.Fatal(err)
	}
	if again := run(t, f, s.URL+"/a.pdf"); again.Downloaded != 1 {
		t.Errorf("%+v", again)
	}
	same(t, sum.Paths[0])
}

// A process that dies after the last byte of a file, before or after it is recorded, leaves nothing to download again.
func TestDiedAfterTheLastByte(t *testing.T) {
	for _, recorded := range []bool{false, true} {
		t.Run(fmt.Sprint("recorded ", recorded), func(t *testing.T) {
			var sent int
			s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
				whole(counted{w, &sent}, r, n)
			})
			f, _ := fetcher(t)
			mark, err := json.Marshal(map[string]any{"format": 1, "url": s.URL + "/a.pdf", "validator": `"v1"`})
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{"a.pdf.part": string(pdf), "a.pdf.part.json": string(mark)}
			if recorded {
				files["fetched.jsonl"] = fmt.Sprintf(`{"format":1,"url":"%s/a.pdf","file":"a.pdf","sha256":"%s","bytes":%d,"at":"2031-01-01T00:00:00Z"}`+"\n", s.URL, hashOf(pdf), len(pdf))
			}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(f.Dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			sum := run(t, f, s.URL+"/a.pdf")
			if len(sum.Paths) != 1 || sent >= len(pdf) || recorded && len(s.asked()) != 0 {
				t.Fatalf("%+v; %d bytes sent, asked %q", sum, sent, s.asked())
			}
			same(t, sum.Paths[0])
			if again := run(t, f, s.URL+"/a.pdf"); again.Skipped != 1 {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

// counted counts the bytes of a response.
type counted struct {
	http.ResponseWriter
	n *int
}

func (c counted) Write(data []byte) (int, error) {
	*c.n += len(data)
	return c.ResponseWriter.Write(data)
}

// A host that asks for a long wait, or fails for five papers in a row, gets no more requests.
func TestLeftInPeace(t *testing.T) {
	for name, test := range map[string]struct {
		after string
		asks  int
		want  string
	}{
		"asked to":   {"86400", 1, "asks to wait 24h0m0s"},
		"overloaded": {"1", 5 * 6, "failed for 5 papers in a row: after 6 requests"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				w.Header().Set("Retry-After", test.after)
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			f, _ := fetcher(t)
			var lines []string
			for i := range 8 {
				lines = append(lines, fmt.Sprintf("%s/%d.pdf", s.URL, i))
			}
			sum := run(t, f, lines...)
			if len(sum.Failed) != 8 || len(s.asked()) != test.asks || !strings.Contains(sum.Failed[7].Err.Error(), test.want) {
				t.Errorf("%d requests, %v", len(s.asked()), sum.Failed[len(sum.Failed)-1].Err)
			}
		})
	}
}

// A host that has answered may be unreachable for a moment.
func TestOfflineForAMoment(t *testing.T) {
	s := serve(t, whole)
	f, slept := fetcher(t)
	calls := 0
	f.Client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if calls++; calls == 2 {
			r = r.Clone(r.Context())
			r.URL.Host = "127.0.0.1:1"
		}
		return http.DefaultTransport.RoundTrip(r)
	})}
	if sum := run(t, f, s.URL+"/a.pdf", s.URL+"/b.pdf"); sum.Downloaded != 2 {
		t.Fatalf("%+v", sum)
	}
	if diff := cmp.Diff([]time.Duration{2 * time.Second}, *slept); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
