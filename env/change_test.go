package env_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env"
	"airqa/env/embed"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/milvus"
	"airqa/internal/testkit/milvustest"
	"airqa/tools"
)

// traffic counts the requests of a store, and may end them.
type traffic struct {
	mu       sync.Mutex
	requests int
	rows     int // inserted, without the catalog and the terms
	// allowed is the number of changes until the server stops to respond; negative for no limit.
	allowed int
	// insert is called before the first records are inserted; it may be nil.
	insert func(collection string)
}

func (c *traffic) before(r milvustest.Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests++; !strings.HasSuffix(r.Collection, "airqa_catalog") && !strings.HasSuffix(r.Collection, "__terms") {
		c.rows += r.Rows
		if r.Rows > 0 && c.insert != nil {
			c.insert(r.Collection)
			c.insert = nil
		}
	}
	if c.allowed == 0 {
		return errors.New("out of order")
	}
	if r.Changes() {
		c.allowed--
	}
	return nil
}

// reset begins a new count.
func (c *traffic) reset(allowed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests, c.rows, c.allowed = 0, 0, allowed
}

// served is a data directory with its collections on a server, and one with the same papers in files.
type served struct {
	*traffic
	server     *milvustest.Server
	dir, local string
	url        string
	model      embed.Embedder
}

func serve(t *testing.T, model embed.Embedder) *served {
	t.Helper()
	s := &served{server: milvustest.Start(t), traffic: &traffic{allowed: -1}, dir: filepath.Join(t.TempDir(), "data"), local: filepath.Join(t.TempDir(), "data"), model: model}
	s.url = "milvus://" + s.server.Proxy(t, s.before) + "?prefix=changes_&timeout=5s"
	return s
}

// step is a change of the papers.
type step struct {
	put    []paperdb.Paper
	remove []string
}

// write applies a change to the collections on the server.
func (s *served) write(t *testing.T, change step) error {
	t.Helper()
	return s.writeTo(t, env.WriterConfig{Dir: s.dir, Embedder: s.model, Vectors: s.url}, change)
}

// open opens the store on the server past the traffic.
func (s *served) open(t *testing.T) *milvus.Store {
	t.Helper()
	store, err := milvus.Open(t.Context(), milvus.Config{Address: s.server.Address, Prefix: "changes_"})
	check(t, err)
	t.Cleanup(func() { check(t, store.Close()) })
	return store
}

func (s *served) writeTo(t *testing.T, cfg env.WriterConfig, change step) error {
	t.Helper()
	w, err := env.OpenWriter(t.Context(), cfg)
	if err != nil {
		return err
	}
	for _, p := range change.put {
		check(t, w.Put(t.Context(), p, []byte("%PDF")))
	}
	var gone []env.Removing
	for _, id := range change.remove {
		gone = append(gone, env.Removing{PaperID: id})
	}
	if len(gone) > 0 {
		check(t, w.Remove(t.Context(), gone))
	}
	return w.Finish(t.Context())
}

// apply applies a change to both directories and compares them. It returns the number of records that were inserted.
func (s *served) apply(t *testing.T, change step) int {
	t.Helper()
	s.reset(-1)
	check(t, s.write(t, change))
	rows := s.rows
	s.mirror(t, change, "w1 w20 w300", "w5 w5 w77777 w12 language model training", "w0 eight", "residual zebra")
	return rows
}

// mirror applies a change to the directory with files, and compares the hits of queries.
func (s *served) mirror(t *testing.T, change step, queries ...string) {
	t.Helper()
	check(t, s.writeTo(t, env.WriterConfig{Dir: s.local, Embedder: s.model}, change))
	s.verify(t)
	for _, mode := range []env.Mode{env.Dense, env.BM25} {
		s.compare(t, mode, queries...)
	}
}

// verify checks that each collection has exactly the records of the papers.
func (s *served) verify(t *testing.T) {
	t.Helper()
	list, err := index.Verify(t.Context(), index.VerifyConfig{Dir: s.dir, Vectors: s.url, Embedder: s.model})
	check(t, err)
	for _, v := range list {
		if len(v.Faults) > 0 {
			t.Errorf("%s: %v", v.Name, v.Faults)
		}
	}
}

// compare searches in both directories. Passages may change places if their scores are equal, in BM25 up to the drift.
func (s *served) compare(t *testing.T, mode env.Mode, queries ...string) {
	t.Helper()
	slack := 1e-5
	if mode == env.BM25 {
		slack += bm25.MaxDrift
	}
	const k = 10
	all, found := s.search(t, s.local, "", mode, queries), s.search(t, s.dir, s.url, mode, queries)
	for q, query := range queries {
		want, got := all[q], found[q]
		if len(want) != len(got) {
			t.Errorf("%s %q: %d hits, want %d", mode, query, len(got), len(want))
			continue
		}
		scores := make(map[string]float64)
		for _, h := range want {
			scores[h.ID] = h.Score
		}
		for i, h := range got[:min(k, len(got))] {
			expected, ok := scores[h.ID]
			if most := slack*math.Abs(expected) + 1e-6; !ok || math.Abs(expected-h.Score) > most || math.Abs(want[i].Score-h.Score) > most {
				t.Errorf("%s %q: hit %d %s has score %v, want %v, and %v in this place", mode, query, i, h.ID, h.Score, expected, want[i].Score)
			}
		}
	}
}

// search returns the hits of each query. The directory is opened once: that takes longer than the searches.
func (s *served) search(t *testing.T, dir, url string, mode env.Mode, queries []string) (hits [][]tools.Hit) {
	t.Helper()
	e, err := env.Open(t.Context(), env.Config{Dir: dir, Vectors: url, Embedder: s.model, Mode: mode, QueryInProcess: true})
	check(t, err)
	defer func() { check(t, e.Close()) }()
	for _, query := range queries {
		list, err := e.Retrieve(t.Context(), query, 1000, tools.Scope{})
		check(t, err)
		hits = append(hits, list)
	}
	return hits
}

// longer is a paper in another version, with a passage of n more words.
func longer(p paperdb.Paper, n int) paperdb.Paper {
	p.File.SHA256 += fmt.Sprint(" longer by ", n)
	p.Chunks = append([]paperdb.Chunk(nil), p.Chunks...)
	p.Chunks[0].Text += strings.Repeat(" zebra", n)
	return p
}

// small is a paper of 31 records in each collection: its title, 10 pages and 20 passages of 30 words.
func small(seed int) paperdb.Paper {
	p := invented(seed)
	p.Metadata.Abstract, p.Sections, p.References = "", nil, nil
	p.Pages, p.Chunks = p.Pages[:10], p.Chunks[:20]
	for i := range p.Chunks {
		p.Chunks[i].Text = strings.Join(strings.Fields(p.Chunks[i].Text)[:30], " ")
	}
	return p
}

// A collection on a server gets only what changes, and has the content and the hits of one in files.
func TestChangesOnServer(t *testing.T) {
	s := serve(t, cheap{})
	id := func(seed int) string { return small(seed).Metadata.PaperID }
	const one = 31
	tests := []struct {
		name   string
		change step
		rows   int
	}{
		{"new directory", step{put: []paperdb.Paper{small(0), small(1), small(2), small(3)}}, 2 * 4 * one},
		{"one more", step{put: []paperdb.Paper{small(4)}}, 2 * one},
		{"nothing", step{}, 0},
		{"another version", step{put: []paperdb.Paper{longer(small(1), 20)}}, 2 * one},
		{"one less", step{remove: []string{id(0)}}, 0},
		{"all at once", step{put: []paperdb.Paper{small(5), small(0), longer(small(3), 5)}, remove: []string{id(2)}}, 2 * 3 * one},
		{"most papers", step{put: []paperdb.Paper{longer(small(0), 1), longer(small(1), 2), longer(small(3), 3)}}, 2 * 5 * one},
		{"another average length", step{put: []paperdb.Paper{longer(small(4), 1000)}}, 5*one + one},
		{"one left", step{remove: []string{id(0), id(1), id(3), id(5)}}, 2 * one},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := s.apply(t, tt.change); got != tt.rows {
				t.Errorf("%d records were inserted, want %d", got, tt.rows)
			}
		})
	}
}

// A change is complete when it is repeated, wherever it was interrupted, also together with more papers.
func TestInterruptedChange(t *testing.T) {
	s := serve(t, &letters{model: "letters"})
	text := func(i, k int) string { return fmt.Sprintf("attention layers w%d w%d zebra number%d", i%3, k, i) }
	page := func(i int) paperdb.Paper { return paper(fmt.Sprint("Paper ", i), text(i, 1), text(i, 2), text(i, 3)) }
	first := step{}
	for i := range 6 {
		first.put = append(first.put, page(i))
	}
	s.apply(t, first)
	for n, ended := 1, false; !ended; n += 7 { // with 0, the writer does not begin
		version := page(4 + 2*n)
		version.File.SHA256 = fmt.Sprint("version ", n)
		change := step{put: []paperdb.Paper{page(6 + 2*n), version}, remove: []string{page(2 * n).Metadata.PaperID}}
		s.reset(n)
		ended = s.write(t, change) == nil
		s.reset(-1)
		more := step{put: []paperdb.Paper{page(7 + 2*n)}, remove: []string{page(1 + 2*n).Metadata.PaperID}}
		if n%2 == 0 {
			check(t, s.write(t, step{})) // the same ingest again
			s.verify(t)
		}
		check(t, s.write(t, more))
		change.put, change.remove = append(change.put, more.put...), append(change.remove, more.remove...)
		s.mirror(t, change, "attention layers", "w1 number7")
		if t.Failed() {
			t.Fatalf("after %d changes", n)
		}
	}
}

// A collection is built again when its statistics are of another format or are damaged, or when the server has other
// records after a change than it should have.
func TestRebuiltOnServer(t *testing.T) {
	s := serve(t, cheap{})
	s.apply(t, step{put: []paperdb.Paper{small(0), small(1), small(2)}})
	store := s.open(t)
	const one = 31
	tests := []struct {
		name   string
		spoil  func(info vectors.Collection)
		rows   int
		notice string
	}{
		{"another format", func(info vectors.Collection) {
			check(t, store.Describe(t.Context(), info.Name, info.Source, []byte(`{"format":2,"documents":1,"average":1}`), nil))
		}, 4*one + one, ""},
		{"damaged statistics", func(info vectors.Collection) {
			check(t, store.Describe(t.Context(), info.Name, info.Source, []byte(`{`), nil))
		}, 5*one + one, ""},
		{"statistics of other papers", func(info vectors.Collection) {
			check(t, store.Describe(t.Context(), info.Name, info.Source, []byte(`{"format":1,"average":30}`), nil))
		}, 6*one + one, ""},
		{"a record of another program", func(info vectors.Collection) {
			s.insert = func(string) {
				o := vectors.Origin{PaperID: small(0).Metadata.PaperID, Page: 1, Table: "chunks", Column: "text_content", Key: "x"}
				r := vectors.Record{Origin: o, Vector: vectors.Vector{Sparse: []vectors.Term{{Position: 1, Weight: 1}}}}
				check(t, store.Insert(t.Context(), info.Name, []vectors.Record{r}))
			}
		}, one + 7*one + one, fmt.Sprintf("collection text_bm25_en on the server has %d records, not %d; it is built again", 7*one+1, 7*one)},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			info, err := store.Info(t.Context(), bm25.Name)
			check(t, err)
			tt.spoil(info)
			s.reset(-1)
			var notice string
			cfg := env.WriterConfig{Dir: s.dir, Embedder: s.model, Vectors: s.url, Notice: func(line string) { notice += line }}
			change := step{put: []paperdb.Paper{small(3 + i)}}
			if i == 2 {
				change.put = append(change.put, longer(small(0), 1)) // its earlier passages cannot be removed
				tt.rows += one
			}
			check(t, s.writeTo(t, cfg, change))
			if s.rows != tt.rows || notice != tt.notice {
				t.Errorf("%d records were inserted, want %d, notice %q, want %q", s.rows, tt.rows, notice, tt.notice)
			}
			s.mirror(t, change, "w1 w20 w300")
		})
	}
}

// A reader that opened the collections earlier finds only papers that it has. One that comes during a change gets an
// error.
func TestReadersDuringChange(t *testing.T) {
	model := &letters{model: "letters"}
	s := serve(t, model)
	check(t, s.write(t, step{put: []paperdb.Paper{attention, bert, resnet}}))
	cfg := env.Config{Dir: s.dir, Vectors: s.url, Embedder: model, Mode: env.Hybrid, QueryInProcess: true}
	reader, err := env.Open(t.Context(), cfg)
	check(t, err)
	defer func() { check(t, reader.Close()) }()

	more := paper("More", "Attention heads relate words.") // as long as the one that goes, so that BM25 is not built again
	change := step{put: []paperdb.Paper{more}, remove: []string{resnet.Metadata.PaperID}}
	model.fail = errors.New("endpoint is down")
	if err := s.write(t, change); err == nil {
		t.Fatal("the model did not fail")
	}
	model.fail = nil
	during, err := env.Open(t.Context(), cfg)
	check(t, err) // embedding changes nothing
	check(t, during.Close())
	check(t, s.write(t, step{}))
	hits, err := reader.Retrieve(t.Context(), "attention layers", 10, tools.Scope{})
	check(t, err)
	var titles []string
	for _, h := range hits {
		titles = append(titles, h.PDFID)
		if h.Text == "" {
			t.Errorf("hit %+v has no text", h)
		}
	}
	a, b := attention.Metadata.PaperID, bert.Metadata.PaperID
	if diff := cmp.Diff(map[string]bool{a: true, b: true}, setOf(titles)); diff != "" {
		t.Errorf("papers (-want +got):\n%s", diff)
	}
	check(t, reader.Close())
	reader, err = env.Open(t.Context(), cfg)
	check(t, err)
	if got := first(t, reader, more.Chunks[0].Text); got != more.Chunks[0].Text {
		t.Errorf("first hit %q", got)
	}
	s.reset(2)
	if err := s.write(t, step{put: []paperdb.Paper{resnet}}); err == nil {
		t.Fatal("the server did not fail")
	}
	s.reset(-1)
	_, err = env.Open(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), "an ingest is changing the search index on the server; wait for it, or, if it was interrupted, run the same") {
		t.Errorf("a reader during a change: %v", err)
	}
	check(t, s.write(t, step{}))
	s.verify(t)
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool)
	for _, x := range list {
		set[x] = true
	}
	return set
}
