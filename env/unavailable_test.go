package env_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/env"
	"airqa/env/index"
	"airqa/internal/testkit"
)

// If the vector store cannot be opened, searching fails with one line, but tables and pages are available.
func TestStoreThatCannotBeOpened(t *testing.T) {
	testkit.OneGoroutine(t)
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	address := free.Addr().String()
	check(t, free.Close())

	dir := t.TempDir()
	fill(t, dir, attention)
	tests := []struct {
		name, url, want string
		spoil           bool
	}{
		{name: "no server", url: "milvus://" + address + "?timeout=2s", want: "milvus at " + address + " is unreachable"},
		{name: "folder is a file", spoil: true, want: "open vector store"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.spoil {
				check(t, os.Rename(filepath.Join(dir, "vectors"), filepath.Join(dir, "elsewhere")))
				check(t, os.WriteFile(filepath.Join(dir, "vectors"), nil, 0o600))
			}
			_, err := env.Open(t.Context(), env.Config{Dir: dir, Vectors: tt.url, Mode: env.BM25, QueryInProcess: true})
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, tt.want)
			}
			if _, err := index.Collections(t.Context(), dir, tt.url); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("collections: got %v, want %q", err, tt.want)
			}
			e, err := env.Open(t.Context(), env.Config{Dir: dir, Vectors: tt.url, NoSearch: true, QueryInProcess: true})
			check(t, err)
			check(t, e.Close())
		})
	}
}

// A path that the database does not support is refused before the folder is created.
func TestWriterChecksThePathFirst(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "100%")
	if _, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir}); err == nil || !strings.Contains(err.Error(), "choose another folder") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is left behind: %v", err)
	}
}
