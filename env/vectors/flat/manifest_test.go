package flat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"airqa/env/vectors"
)

// Every changed byte of a manifest is noticed, and every cut. One of another format names the command that rebuilds it.
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
	later := []byte(strings.Replace(string(text), `"format":1`, `"format":9`, 1))
	end := strings.Index(string(later), sumKey)
	later = fmt.Appendf(later[:end:end], "%s%d}\n", sumKey, sumOf(later[:end]))
	if err := os.WriteFile(path, later, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readManifest(folder, 3); !errors.Is(err, errFormat) || !strings.Contains(err.Error(), "format 9, not 1; airqa store vectors --rebuild") {
		t.Errorf("another format: %v", err)
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

// Merges end with few segments, and none makes a segment above the limit: a merge has memory for each record.
func TestMergesAreBounded(t *testing.T) {
	const limit = 1 << 14
	rapid.Check(t, func(t *rapid.T) {
		var parts []*part
		total := 0
		for range rapid.IntRange(1, 60).Draw(t, "segments") {
			n := rapid.IntRange(1, limit).Draw(t, "records")
			parts, total = append(parts, &part{set: &set{records: n}}), total+n
			for due := dueForMerge(parts, limit); due != nil; due = dueForMerge(parts, limit) {
				sum := 0
				for _, p := range due {
					sum += p.records
				}
				if len(due) < 2 || sum > limit {
					t.Fatalf("%d segments with %d records are merged", len(due), sum)
				}
				parts = slices.DeleteFunc(parts, func(p *part) bool { return slices.Contains(due, p) })
				parts = append(parts, &part{set: &set{records: sum}})
			}
		}
		const classes = 2 // up to limit / 2
		if most := classes*(fanout-1) + total/(limit/2); len(parts) > most {
			t.Errorf("%d segments of %d records, want at most %d", len(parts), total, most)
		}
	})
}
