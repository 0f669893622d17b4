package ingest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/ingest"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"b.pdf": "", "A.PDF": "", "notes.txt": "text", "sub/c.Pdf": "", "sub/deep/d.pdf": "", "download": "%PDF-1.5", "pdf": "",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name    string
		paths   []string
		want    []string
		wantErr string
	}{
		{"folder", []string{""}, []string{"A.PDF", "b.pdf", "sub/c.Pdf", "sub/deep/d.pdf"}, ""},
		{"files and folder, each once", []string{"b.pdf", "sub", "", "sub/../b.pdf"}, []string{"b.pdf", "sub/c.Pdf", "sub/deep/d.pdf", "A.PDF"}, ""},
		{"a PDF by its content", []string{"download"}, []string{"download"}, ""},
		{"a text file", []string{"b.pdf", "notes.txt"}, nil, "notes.txt: not a PDF"},
		{"missing", []string{"nowhere.pdf"}, nil, "nowhere.pdf"},
		{"nothing", nil, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var paths []string
			for _, p := range tt.paths {
				paths = append(paths, filepath.Join(dir, filepath.FromSlash(p)))
			}
			found, err := ingest.Find(paths)
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("got %v, want %q in it", err, tt.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				rel, err := filepath.Rel(dir, f)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(rel))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A data directory inside the folder holds copies of its papers, which must not be read again.
func TestFindPassesOverDataDirectories(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.pdf", "data/airqa.json", "data/pdfs/copy.pdf", "more/b.pdf"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("%PDF-1.4"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ingest.Find([]string{dir})
	if want := []string{filepath.Join(dir, "a.pdf"), filepath.Join(dir, "more", "b.pdf")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("found %v, %v; want %v", got, err, want)
	}
}
