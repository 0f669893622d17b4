// Package bigpapers writes data directories of many invented papers for measurements. The rows are made by SQL, in the
// numbers and sizes of real papers: 168 texts and 356 vectors each. Texts are cut from a pool of invented ones, vectors
// are random. [Write] gives every paper its own records with short vectors; [Link] repeats the records of the first
// papers, as hard links, with vectors of real length.
package bigpapers

import (
	"cmp"
	"context"
	"crypto/md5" //nolint:gosec // ids, not secrets
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"airqa/env/datadir"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/flat"
)

// parts lists the rows of a paper: each has one record, a passage several.
var parts = []struct {
	table, column, mark string
	rows, records, page int
}{
	{"metadata", "title", "p", 1, 1, -1},
	{"metadata", "abstract", "p", 1, 1, -1},
	{"metadata", "bibtex", "p", 1, 1, -1},
	{"pages", "page_content", "g", Pages, 1, 1},
	{"images", "image_caption", "m", 5, 1, 1},
	{"chunks", "text_content", "c", Chunks, 0, 1},
	{"tables", "table_caption", "t", 5, 1, 1},
	{"tables", "table_content", "t", 5, 1, 1},
	{"sections", "section_title", "s", 22, 1, -1},
	{"sections", "section_content", "s", 22, 1, -1},
	{"equations", "equation_content", "e", 10, 1, 1},
	{"reference", "reference_content", "r", 45, 1, 1},
}

// Numbers of pages and passages of a paper, and of its dense records: those of 13 research papers on average.
const (
	Pages   = 16
	Chunks  = 35
	Records = 356
)

// Model is the embedding model of a directory.
type Model struct {
	Name, Hash  string // as in vectors.Collection
	Embedder    string // as in airqa.json
	Collection  string
	Dim, Window int
}

// ID returns the id of paper i.
func ID(i int) string { return id("p", i, 0) }

func id(mark string, i, k int) string {
	text := fmt.Sprintf("%s%d", mark, i)
	if mark != "p" {
		text = fmt.Sprintf("%s%d-%d", mark, i, k)
	}
	return uuid.UUID(md5.Sum([]byte(text))).String() //nolint:gosec // see above
}

func source(i int) datadir.Source {
	return datadir.Source{PaperID: ID(i), SHA256: fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "f%d", i))), Parser: parser}
}

// parser is the version that the papers seem to be read by.
const parser = "airqa-2"

// Papers are those of a directory, by number.
type Papers struct{ First, Count int }

// Write writes a data directory with the database file, which is linked, from [WriteDatabase].
func Write(ctx context.Context, dir, database string, p Papers, m Model) error {
	return write(dir, database, p, m, func(s *flat.Store) error { return addAll(ctx, s, p, p.fingerprint(), m) })
}

// Link is Write with the records of only the first papers: their large segments are listed as often as makes the number of
// records right.
func Link(ctx context.Context, dir, database string, p Papers, first int, m Model) error {
	return write(dir, database, p, m, func(s *flat.Store) error {
		if err := addAll(ctx, s, Papers{p.First, first}, p.fingerprint(), m); err != nil {
			return err
		}
		for name, each := range map[string]int{bm25.Name: texts(), m.Collection: Records} {
			if err := repeat(filepath.Join(dir, "vectors", name), p.Count*each); err != nil {
				return err
			}
		}
		return nil
	})
}

// texts is the number of texts of a paper.
func texts() (n int) {
	for _, p := range parts {
		n += p.rows
	}
	return n
}

func write(dir, database string, p Papers, m Model, fill func(*flat.Store) error) error {
	d, err := datadir.Create(dir)
	if err != nil {
		return err
	}
	next, err := d.Next()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(next.Database()), 0o755); err != nil {
		return err
	}
	if err := os.Link(database, next.Database()); err != nil {
		return err
	}
	store, err := flat.Open(next.Vectors(), next.Generation())
	if err != nil {
		return err
	}
	if err := errors.Join(fill(store), store.Close()); err != nil {
		return err
	}
	info, err := next.Info()
	if err != nil {
		return err
	}
	chunks := datadir.DefaultChunking()
	info.Fingerprint, info.Papers, info.Chunks = p.fingerprint(), p.Count, &chunks
	info.Index = &datadir.Index{Embedder: m.Embedder, Vectors: "files"}
	if m.Embedder != "minilm" {
		info.Index.Window = m.Window
	}
	return next.Commit(info)
}

func (p Papers) fingerprint() string {
	sources := make([]datadir.Source, p.Count)
	for i := range sources {
		sources[i] = source(p.First + i)
	}
	return datadir.Fingerprint(sources)
}

// group is the number of papers that are added at a time.
const group = 512

// addAll adds the records of papers to both collections, which say that they are of the papers with a fingerprint.
func addAll(ctx context.Context, s *flat.Store, p Papers, print string, m Model) error {
	words := vectors.Collection{
		Name: bm25.Name, Kind: vectors.Words, Model: "bm25", Source: print, Corpus: vectors.Column{Table: "chunks", Column: "text_content"},
	}
	dense := vectors.Collection{
		Name: m.Collection, Kind: vectors.Dense, Dim: m.Dim, Model: m.Name, ModelHash: m.Hash, Window: m.Window, Source: print,
	}
	for _, c := range []vectors.Collection{words, dense} {
		if err := s.Replace(ctx, c, vectors.All(nil)); err != nil {
			return err
		}
	}
	for from := p.First; from < p.First+p.Count; from += group {
		var bags, rows []vectors.Record
		versions := make(map[string]string)
		for i := from; i < min(from+group, p.First+p.Count); i++ {
			versions[ID(i)] = source(i).Version()
			b, r := records(i, m.Dim)
			bags, rows = append(bags, b...), append(rows, r...)
		}
		slices.SortStableFunc(bags, byColumn)
		slices.SortStableFunc(rows, byColumn)
		if err := errors.Join(s.Add(ctx, words.Name, bags, versions), s.Add(ctx, dense.Name, rows, versions)); err != nil {
			return err
		}
	}
	return nil
}

// Question is a text of words that the papers have.
func Question() string { return word(3) + " " + word(40) + " " + word(500) }

// byColumn is the order in which an ingest adds records.
func byColumn(a, b vectors.Record) int {
	return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Column, b.Column))
}

// records returns the bags of words and the vectors of paper i.
func records(i, dim int) (bags, rows []vectors.Record) {
	random := rand.New(rand.NewPCG(3, uint64(i)))
	for _, p := range parts {
		for k := range p.rows {
			origin := vectors.Origin{PaperID: ID(i), Page: p.page, Table: p.table, Column: p.column, Key: id(p.mark, i, k)}
			bags = append(bags, vectors.Record{Origin: origin, Vector: vectors.Vector{Words: bag(random)}})
			n := p.records
			if n == 0 { // the rest of the records are windows of passages
				n = windows(k)
			}
			for range n {
				v := make([]float32, dim)
				for j := range v {
					v[j] = float32(random.NormFloat64())
				}
				rows = append(rows, vectors.Record{Origin: origin, Vector: vectors.Vector{Dense: v}})
			}
		}
	}
	return bags, rows
}

// windows is the number of windows of passage k: all texts together have [Records].
func windows(k int) int {
	others := 0
	for _, p := range parts {
		others += p.rows * p.records
	}
	rest := Records - others
	n := rest / Chunks
	if k < rest%Chunks {
		n++
	}
	return n
}

// bag is a text of about twenty words, a few frequent and most rare. Real passages have ten times as many.
func bag(random *rand.Rand) []vectors.Word {
	const n = 20
	seen := make(map[int]bool, n)
	for range n {
		seen[int(100000*random.Float64()*random.Float64()*random.Float64()*random.Float64())] = true
	}
	return wordsOf(seen)
}
