package ingest_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/ingest"
	"airqa/env/paperdb"
	"airqa/fixtures"
)

// memory is a store that keeps what it is given; its fields change how it behaves.
type memory struct {
	mu     sync.Mutex // a run asks Has from several goroutines
	order  []string   // file names, as they were put
	papers map[string]paperdb.Paper
	putErr error
	onPut  func()
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
	return p.File, ok, nil
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
	cfg := ingest.Config{Reader: reader(t), Store: store, Workers: 3, Progress: func(e ingest.Event) {
		if e.State != ingest.Reading {
			done++
			if e.Done != done || e.Total != 7 {
				t.Errorf("event %+v, want %d of 7", e, done)
			}
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

func TestTwoFilesWithOneTitle(t *testing.T) {
	dir := t.TempDir()
	path := samples(t, dir, "tallow")[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := put(t, dir, "tallow-v2.pdf", append(whole, "% another version\n"...))
	store := newMemory()
	cfg := ingest.Config{Reader: reader(t), Store: store}
	got, err := ingest.Run(t.Context(), cfg, []string{path, copied})
	if err != nil {
		t.Fatal(err)
	}
	const want = "same title as another file, tallow.pdf, which is in already: --replace puts this one in its place, or give it its own metadata in tallow-v2.json"
	if got.Added != 1 || len(got.Failed) != 1 || got.Failed[0].Err.Error() != want {
		t.Fatalf("got %+v", got)
	}
	// The same name in another folder is another file all the same.
	other := t.TempDir()
	namesake := put(t, other, "tallow.pdf", append(whole, "% a third version\n"...))
	if got, err = ingest.Run(t.Context(), cfg, []string{namesake}); err != nil || len(got.Failed) != 1 {
		t.Fatalf("a namesake: %+v, %v", got, err)
	}
	cfg.Replace = true
	if got, err = ingest.Run(t.Context(), cfg, []string{copied}); err != nil || got.Added != 1 {
		t.Fatalf("with replace: %+v, %v", got, err)
	}
	put(t, dir, "tallow-v2.json", []byte(`{"uuid": "0b2e9a4c-5d8b-5f1e-9c77-0a8d6e2f4b10"}`))
	cfg.Replace = false
	if got, err = ingest.Run(t.Context(), cfg, []string{copied}); err != nil || got.Added != 1 || len(store.papers) != 2 {
		t.Fatalf("with its own metadata: %+v, %v", got, err)
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

func TestALostStoreEndsTheRun(t *testing.T) {
	store := newMemory()
	store.putErr = errors.New("disk full")
	_, err := ingest.Run(t.Context(), ingest.Config{Reader: reader(t), Store: store}, samples(t, t.TempDir(), "tallow", "prunella"))
	if !errors.Is(err, store.putErr) {
		t.Errorf("got %v", err)
	}
}

// A device or a pipe may never end: it is refused before it is read.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	for _, path := range []string{"/dev/zero", t.TempDir()} {
		if _, err := ingest.Open(path); err == nil || !strings.Contains(err.Error(), "is no regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
