package datadir_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/env/datadir"
	"airqa/internal/files"
)

const paper = "9c5c3a63-3042-582a-9358-d0c61de3330d"

func TestCreateOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "data")
	d, err := datadir.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	want := datadir.Info{Format: 1, Fingerprint: "abc", Papers: 3}
	if err := d.WriteInfo(want); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(string) (*datadir.Dir, error){datadir.Create, datadir.Open} {
		again, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Info()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("info (-want +got):\n%s", diff)
		}
	}
}

func TestErrors(t *testing.T) {
	write := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	open := func(p string) error { _, err := datadir.Open(p); return err }
	create := func(p string) error { _, err := datadir.Create(p); return err }
	tests := []struct {
		name  string
		setup func(*testing.T, string)
		do    func(string) error
		want  string
	}{
		{"open missing", func(*testing.T, string) {}, func(p string) error { return open(p + "/no") }, "run: airqa ingest --data"},
		{"open empty", func(*testing.T, string) {}, open, "not a data directory; run: airqa ingest"},
		{"open another format", write("airqa.json", `{"format":3,"new":1}`), open, "format 3; this program reads format 1: make the data directory again with airqa ingest"},
		{"create another format", write("airqa.json", `{"format":3}`), create, "format 3; this program reads format 1: make the data directory again with airqa ingest"},
		{"open damaged", write("airqa.json", `{`), open, "restore the file"},
		{"open unknown field", write("airqa.json", `{"format":1,"x":2}`), open, `unknown field "x"`},
		{"create in a folder of others", write("thesis.tex", "x"), create, "choose a new or empty folder"},
		{"create below a file", write("f", "x"), func(p string) error { return create(p + "/f/data") }, "not a directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tt.setup(t, dir)
			err := tt.do(dir)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q in it", err, tt.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is more than a line", err)
			}
		})
	}
}

// A command that was killed while it made the folder left empty folders; anything else is a user's.
func TestCreateAgain(t *testing.T) {
	for _, tt := range []struct {
		dirs, file string
		ok         bool
	}{
		{"", "", true},
		{"vectors", "", true},
		{"vectors pdfs", "", true},
		{"pdfs vectors", "pdfs/a.pdf", false},
		{"pdfs papers", "", false},
		{"", "pdfs", false},
		{"vectors", "a.txt", false},
	} {
		dir := t.TempDir()
		for name := range strings.FieldsSeq(tt.dirs) {
			if err := os.Mkdir(filepath.Join(dir, name), 0o750); err != nil {
				t.Fatal(err)
			}
		}
		if tt.file != "" {
			if err := os.WriteFile(filepath.Join(dir, tt.file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := datadir.Create(dir); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt, err)
		}
		if _, err := os.Stat(filepath.Join(dir, tt.file)); err != nil {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

func TestOpenMissingIsErrNotDataDir(t *testing.T) {
	if _, err := datadir.Open(t.TempDir()); !errors.Is(err, datadir.ErrNotDataDir) {
		t.Fatalf("got %v", err)
	}
}

func TestCreateUnwritable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	path := t.TempDir()
	if _, err := datadir.Create(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o555); err != nil {
		t.Fatal(err)
	}
	_, err := datadir.Create(path)
	if err == nil || !strings.Contains(err.Error(), "change its permissions") {
		t.Fatalf("got %v", err)
	}
}

// The first ingest fixes the chunking; later ones may repeat or omit it.
func TestChunkAs(t *testing.T) {
	type chunking = datadir.Chunking
	characters := chunking{Size: 512, Unit: datadir.Characters}
	tests := []struct {
		name string
		info datadir.Info
		want chunking
		got  chunking
		err  string
	}{
		{"default", datadir.Info{}, chunking{}, datadir.DefaultChunking(), ""},
		{"given", datadir.Info{}, chunking{Unit: datadir.Characters}, characters, ""},
		{"again", datadir.Info{Papers: 1, Chunks: &characters}, characters, characters, ""},
		{"left out", datadir.Info{Papers: 1, Chunks: &characters}, chunking{}, characters, ""},
		{"another", datadir.Info{Chunks: &characters}, chunking{Size: 300}, chunking{}, "has chunks of at most 512 characters, not 300 characters"},
		{"too small", datadir.Info{}, chunking{Size: 63}, chunking{}, "chunk size 63: want 64 to 16384"},
		{"too large", datadir.Info{}, chunking{Size: 16385}, chunking{}, "chunk size 16385"},
		{"no such unit", datadir.Info{}, chunking{Unit: "words"}, chunking{}, `chunk unit "words": want tokens or characters`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := datadir.Create(filepath.Join(t.TempDir(), "data"))
			if err != nil {
				t.Fatal(err)
			}
			if err := d.WriteInfo(tt.info); err != nil {
				t.Fatal(err)
			}
			got, err := d.ChunkAs(tt.want)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want %q in it", err, tt.err)
				}
				return
			}
			info, readErr := d.Info()
			if err != nil || readErr != nil || got != tt.got || *info.Chunks != got || info.Papers != tt.info.Papers {
				t.Errorf("got %v, %v; recorded %+v, %v", got, err, info, readErr)
			}
		})
	}
}

func TestLock(t *testing.T) {
	d, err := datadir.Create(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Lock(); err == nil || !strings.Contains(err.Error(), "another ingest") {
		t.Fatalf("second lock: got %v", err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	second, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestLockSweeps(t *testing.T) {
	d, err := datadir.Create(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(d.Vectors(), "text", "000001.vec")
	left := []string{filepath.Join(d.Path(), ".tmp-1"), filepath.Join(d.Path(), "pdfs", ".tmp-2"), filepath.Join(d.Vectors(), "text", ".tmp-3")}
	for _, path := range append(left, kept) {
		if err := files.WriteFile(path, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	for _, path := range left {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", filepath.Base(path), err)
		}
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

func TestPDFPath(t *testing.T) {
	d, err := datadir.Create(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(d.Path(), "pdfs", paper+".pdf")
	for _, id := range []string{paper, strings.ToUpper(paper)} {
		if got, err := d.PDFPath(id); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	for _, bad := range []string{"", "..", "../../etc/passwd", paper + "/..", "{" + paper + "}"} {
		if got, err := d.PDFPath(bad); err == nil {
			t.Errorf("%q gave %q", bad, got)
		}
	}
}

func TestFingerprint(t *testing.T) {
	field := rapid.SampledFrom([]string{"", "a", "b", `a" "b`})
	source := rapid.Custom(func(t *rapid.T) datadir.Source {
		return datadir.Source{
			PaperID: rapid.StringMatching(`[a-d]{3}`).Draw(t, "id"), SHA256: field.Draw(t, "sha"),
			MetadataSHA256: field.Draw(t, "meta"), Parser: field.Draw(t, "parser"),
		}
	})
	id := func(s datadir.Source) string { return s.PaperID }
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfNDistinct(source, 1, 6, id).Draw(t, "sources")
		b := rapid.Permutation(a).Draw(t, "shuffled")
		if datadir.Fingerprint(a) != datadir.Fingerprint(b) {
			t.Fatal("order matters")
		}
		b[0].SHA256 += "x"
		if datadir.Fingerprint(a) == datadir.Fingerprint(b) {
			t.Fatal("a changed PDF does not matter")
		}
	})
}
