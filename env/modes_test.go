//go:build unix

package env_test

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"airqa/env"
	"airqa/internal/testkit"
)

// Other users can read every file of a directory after every change: a run of one user reads what another ingested.
func TestFilesAreReadable(t *testing.T) {
	testkit.OneGoroutine(t)
	old := syscall.Umask(0o022)
	defer syscall.Umask(old)
	model := &letters{model: "letters"}
	dir := filepath.Join(t.TempDir(), "data")
	readable := func(change string) {
		t.Helper()
		check(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if want := map[bool]fs.FileMode{true: 0o755, false: 0o644}[e.IsDir()]; err == nil && info.Mode().Perm() != want {
				t.Errorf("after %s: %s has mode %v, want %v", change, path, info.Mode().Perm(), want)
			}
			return err
		}))
	}
	cfg := env.WriterConfig{Dir: dir, Embedder: model}
	check(t, fillWith(t, cfg, attention, bert))
	readable("the first ingest")
	changes := writers(model)
	for _, change := range []string{"add", "nothing", "rebuild", "enrich", "remove"} {
		check(t, changes[change](t, dir))
		readable(change)
	}
	w, err := env.OpenWriter(t.Context(), cfg)
	check(t, err)
	check(t, w.Put(t.Context(), longer(bert, 3), []byte("%PDF")))
	check(t, w.Close())
	readable("an interrupted ingest")
	cfg.Embedder = &letters{model: "others"}
	check(t, fillWith(t, cfg))
	readable("another model")
}
