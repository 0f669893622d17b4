package flat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/env/vectors"
)

// Every changed byte of a manifest is noticed, and every cut; one without a checksum, of an earlier version, is read.
func TestManifestDamage(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	at := vectors.Column{Table: "chunks", Column: "text"}
	c := vectors.Collection{Name: "words", Kind: vectors.Words, Source: "papers", Corpus: at}
	r := vectors.Record{Origin: vectors.Origin{PaperID: "p", Page: 1, Table: "chunks", Column: "text", Key: "k"}, Vector: vectors.Vector{
		Words: []vectors.Word{{Text: "word", Count: 2}},
	}}
	if err := s.Replace(t.Context(), c, vectors.All([]vectors.Record{r})); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "words")
	path := filepath.Join(folder, manifestFile(3))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fails := func(what string, at int, text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readManifest(folder, 3); !errors.Is(err, errDamaged) {
			t.Errorf("%s at %d: %v", what, at, err)
		}
	}
	for i := range len(text) - 1 { // but the line feed
		fails("cut", i, text[:i])
		for _, bit := range []byte{1, 2, 16} {
			changed := append([]byte(nil), text...)
			changed[i] ^= bit
			fails("changed byte", i, changed)
		}
	}
	earlier, _, _ := strings.Cut(strings.Replace(string(text), `"format":2`, `"format":1`, 1), sumKey)
	if err := os.WriteFile(path, []byte(earlier+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := readManifest(folder, 3); err != nil || m.Corpus.Tokens != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	later := []byte(strings.Replace(string(text), `"format":2`, `"format":9`, 1))
	end := strings.Index(string(later), sumKey)
	later = fmt.Appendf(later[:end:end], "%s%d}\n", sumKey, sumOf(later[:end]))
	if err := os.WriteFile(path, later, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readManifest(folder, 3); err == nil || errors.Is(err, errDamaged) || !strings.Contains(err.Error(), "format 9") {
		t.Errorf("a later format: %v", err)
	}
}

// A damaged manifest of another generation keeps its segments, and stops no change.
func TestDamagedManifestKeepsSegments(t *testing.T) {
	dir := t.TempDir()
	ones := []vectors.Record{record("a", 1, 0)}
	first, err := Open(dir, 1)
	if err == nil {
		err = first.Replace(t.Context(), vectors.Collection{Name: "c", Kind: vectors.Dense, Dim: 2}, vectors.All(ones))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c", manifestFile(1)), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := Open(dir, 2)
	if err == nil {
		err = second.Branch(1)
	}
	if err == nil {
		err = second.Replace(t.Context(), vectors.Collection{Name: "c", Kind: vectors.Dense, Dim: 2}, vectors.All(ones))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"000001.vec", "000002.vec"} {
		if _, err := os.Stat(filepath.Join(dir, "c", name)); err != nil {
			t.Error(err)
		}
	}
	if err := second.Keep(func(n int) bool { return n == 2 }); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "c", "000001.vec")); err == nil {
		t.Error("the segment of the generation that is gone is left")
	}
}

// Large segments are not merged: a merge has memory for each record.
func TestLargeSegmentsStay(t *testing.T) {
	parts := func(n, records int) (list []*part) {
		for range n {
			list = append(list, &part{set: &set{records: records}})
		}
		return list
	}
	if due := dueForMerge(parts(fanout, 1<<18)); len(due) != fanout {
		t.Errorf("%d segments are merged", len(due))
	}
	if due := dueForMerge(parts(3*fanout, 1<<20)); due != nil {
		t.Errorf("%d large segments are merged", len(due))
	}
}
