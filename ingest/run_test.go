package ingest_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
	"airqa/fixtures"
	"airqa/ingest"
	"airqa/internal/testkit"
)

// memory is a store in memory; its fields change its behaviour.
type memory struct {
	mu     sync.Mutex // a run calls Has concurrently
	order  []string   // file names in the order of Put
	papers map[string]paperdb.Paper
	putErr error
	onPut  func()
	onOwn  func() // called when a paper has an owner
}

func newMemory() *memory { return &memory{papers: map[string]paperdb.Paper{}} }

func (m *memory) Has(_ context.Context, f paperdb.File) (string, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, p := range m.papers {
		same := p.File.SHA256 == f.SHA256 && p.File.MetadataSHA256 == f.MetadataSHA256 && p.File.Parser == f.Parser
		if same {
			return id, true, nil
		}
	}
	return "", false, nil
}

func (m *memory) Put(_ context.Context, p paperdb.Paper, pdf []byte) error {
	if m.onPut != nil {
		m.onPut()
	}
	if m.putErr != nil {
		return m.putErr
	}
	if len(pdf) == 0 {
		return errors.New("no PDF")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.papers[p.Metadata.PaperID] = p
	m.order = append(m.order, p.File.Name)
	return nil
}

func (m *memory) Owner(_ context.Context, id string) (paperdb.File, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.papers[id]
	if ok && m.onOwn != nil {
		m.onOwn()
	}
	return p.File, ok, nil
}

func (m *memory) Title(_ context.Context, id string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.papers[id].Metadata.Title, nil
}

// samples copies sample papers into a folder, without their metadata, and returns their paths.
func samples(t *testing.T, dir string, slugs ...string) []string {
	t.Helper()
	var paths []string
	for _, slug := range slugs {
		data, err := fs.ReadFile(fixtures.Papers(), slug+".pdf")
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, put(t, dir, slug+".pdf", data))
	}
	return paths
}

func put(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunTakesWhatItCan(t *testing.T) {
	dir := t.TempDir()
	paths := samples(t, dir, "tallow", "prunella", "lumenparse", "saltmarsh")
	whole, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	paths = append(paths[:2:2], append([]string{
		put(t, dir, "page.pdf", []byte("<html>not found</html>")),
		put(t, dir, "cut.pdf", whole[:len(whole)/10]),
		put(t, dir, "empty.pdf", nil),
	}, paths[2:]...)...)
	put(t, dir, "saltmarsh.json", []byte(`{"year": }`))
	store := newMemory()
	done := 0
	cfg := ingest.Config{Reader: reader(t), Store: store, Options: ingest.Options{Workers: 3}, Progress: func(e ingest.Event) {
		if e.State != ingest.Reading {
			done++
		}
		if e.Done != done || e.Total != 7 { // files in progress do not decrease the count
			t.Errorf("event %+v, want %d of 7", e, done)
		}
	}}
	got, err := ingest.Run(t.Context(), cfg, paths)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"tallow.pdf", "prunella.pdf", "lumenparse.pdf"}, store.order); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	if got.Added != 3 || got.Skipped != 0 || got.Pages != 11 {
		t.Errorf("summary %+v", got)
	}
	var failed []string
	for _, f := range got.Failed {
		failed = append(failed, filepath.Base(f.Path))
		if strings.ContainsAny(f.Err.Error(), "\n\r") {
			t.Errorf("%q is not one line", f.Err)
		}
	}
	if diff := cmp.Diff([]string{"page.pdf", "cut.pdf", "empty.pdf", "saltmarsh.pdf"}, failed); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
	again, err := ingest.Run(t.Context(), ingest.Config{Reader: cfg.Reader, Store: store}, paths[:2])
	if err != nil || again.Skipped != 2 || again.Added != 0 {
		t.Errorf("second run: %+v, %v", again, err)
	}
}

func run(t *testing.T, cfg ingest.Config, paths ...string) ingest.Summary {
	t.Helper()
	got, err := ingest.Run(t.Context(), cfg, paths)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTwoFilesWithOneTitle(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := t.TempDir()
	path := samples(t, dir, "tallow")[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := put(t, dir, "tallow-v2.pdf", append(whole, "% another version\n"...))
	store := newMemory()
	var beside []string
	cfg := ingest.Config{Reader: reader(t), Store: store, Progress: func(e ingest.Event) {
		if e.Beside != "" {
			beside = append(beside, e.Beside, e.Title)
		}
	}}
	got := run(t, cfg, path, copied)
	title := "Tallow: A Slow-Cooling Schedule for Training Sparse Expert Mixtures without Warm-Up"
	if diff := cmp.Diff([]string{"tallow.pdf", title + " (tallow-v2.pdf)"}, beside); diff != "" {
		t.Errorf("beside (-want +got):\n%s", diff)
	}
	if got.Added != 2 || got.Beside != 1 || len(got.Failed) != 0 || len(store.papers) != 2 {
		t.Fatalf("got %+v, %d papers", got, len(store.papers))
	}
	first := maps.Clone(store.papers)
	// Again, in reverse order and forced: the same two papers under the same ids.
	if got = run(t, cfg, copied, path); got.Skipped != 2 {
		t.Errorf("again: %+v", got)
	}
	cfg.Again = true
	if got = run(t, cfg, copied, path); got.Added != 2 || len(store.papers) != 2 {
		t.Errorf("read again: %+v", got)
	}
	for id := range first {
		if store.papers[id].File.SHA256 != first[id].File.SHA256 {
			t.Errorf("paper %s is another file now", id)
		}
	}
}

func TestReplace(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := t.TempDir()
	path := samples(t, dir, "tallow")[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second := put(t, dir, "second.pdf", append(whole, "% second\n"...))
	third := put(t, dir, "third.pdf", append(whole, "% third\n"...))
	store := newMemory()
	cfg := ingest.Config{Reader: reader(t), Store: store}
	run(t, cfg, path)
	cfg.Replace = true
	// The second replaces the first; the third belongs to the same run and replaces nothing.
	if got := run(t, cfg, second, third); got.Added != 2 || got.Beside != 1 || len(store.papers) != 2 {
		t.Fatalf("got %+v, %d papers", got, len(store.papers))
	}
	// A paper whose title merely has the same Latin letters and digits is not replaced.
	for id, p := range store.papers {
		p.Metadata.Title += " λ"
		store.papers[id] = p
	}
	if got := run(t, cfg, path); got.Beside != 1 || len(store.papers) != 3 {
		t.Errorf("another title: %+v, %d papers", got, len(store.papers))
	}
	// The id of a record takes precedence.
	put(t, dir, "second.json", []byte(`{"uuid": "0b2e9a4c-5d8b-5f1e-9c77-0a8d6e2f4b10"}`))
	if got := run(t, cfg, second); got.Added != 1 || got.Beside != 0 || len(store.papers) != 4 {
		t.Errorf("with its own metadata: %+v, %d papers", got, len(store.papers))
	}
}

func TestAnImportedPaperStays(t *testing.T) {
	store := newMemory()
	path := samples(t, t.TempDir(), "tallow")[0]
	cfg := ingest.Config{Reader: reader(t), Store: store}
	run(t, cfg, path)
	for id, p := range store.papers {
		p.File = paperdb.File{SHA256: "x", Name: "released.duckdb", Parser: "released-1"}
		store.papers[id] = p
	}
	got := run(t, cfg, path)
	const want = "its paper was imported from released.duckdb; use --replace to read it from this file instead"
	if len(got.Failed) != 1 || !errors.Is(got.Failed[0].Err, ingest.ErrImported) || got.Failed[0].Err.Error() != want {
		t.Errorf("got %+v", got)
	}
}

func TestCancellingStopsBetweenPapers(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	store := newMemory()
	store.onPut = cancel
	paths := samples(t, t.TempDir(), "tallow", "prunella", "lumenparse")
	got, err := ingest.Run(ctx, ingest.Config{Reader: reader(t), Store: store}, paths)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"tallow.pdf"}, store.order); diff != "" || got.Added != 1 {
		t.Errorf("written (-want +got):\n%s\nsummary %+v", diff, got)
	}
}

// A file that is interrupted while it is read again did not fail.
func TestCancellingWhileReadingAgain(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	store := newMemory()
	store.onOwn = cancel
	dir := t.TempDir()
	path := samples(t, dir, "tallow")[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ingest.Run(ctx, ingest.Config{Reader: reader(t), Store: store}, []string{path, put(t, dir, "tallow-v2.pdf", append(whole, "% v2\n"...))})
	if !errors.Is(err, context.Canceled) || got.Added != 1 || len(got.Failed) != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestALostStoreEndsTheRun(t *testing.T) {
	store := newMemory()
	store.putErr = errors.New("disk full")
	_, err := ingest.Run(t.Context(), ingest.Config{Reader: reader(t), Store: store}, samples(t, t.TempDir(), "tallow", "prunella"))
	if !errors.Is(err, store.putErr) {
		t.Errorf("got %v", err)
	}
}

// A device or a pipe may never end, so it is refused before it is read.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	for _, path := range []string{"/dev/zero", t.TempDir()} {
		if _, err := ingest.Open(path); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
