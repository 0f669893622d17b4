package flat

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"airqa/env/vectors"
	"airqa/internal/testkit"
)

var dense3 = vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: 3}

func record(key string, v ...float32) vectors.Record {
	return vectors.Record{
		Origin: vectors.Origin{PaperID: "p", Page: -1, Table: "t", Column: "c", Key: key},
		Vector: vectors.Vector{Dense: v},
	}
}

func samples(f testing.TB) [][]byte {
	words := vectors.Collection{Name: "w", Kind: vectors.Words, Corpus: vectors.Column{Table: "t", Column: "c"}}
	bags := []vectors.Record{record("1"), record("2")}
	bags[0].Words = []vectors.Word{{Text: "a", Count: 1}, {Text: "b", Count: 3}}
	bags[1].Words = []vectors.Word{{Text: "b", Count: 1}, {Text: "c", Count: 1}}
	var out [][]byte
	for _, c := range []struct {
		info    vectors.Collection
		records []vectors.Record
	}{
		{dense3, []vectors.Record{record("a", 1, 2, 3), record("b", 0, 0, 0)}},
		{dense3, []vectors.Record{record("a", 1, 2, 3), record("b", 0, 1, 0), record("a", 3, 2, 1)}},
		{dense3, nil},
		{words, bags},
	} {
		s, err := build(c.info, kernels()[0], c.records)
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, s.file.data)
	}
	return out
}

// FuzzParse fixes the checksum and offset of the head in the fuzzer's input, so that parsing gets past them, and leaves
// the sections as they are. Nothing may panic. A file that opens can be searched, counted and copied, or returns
// errDamaged.
func FuzzParse(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data)
	}
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, fuzzed []byte) {
		data := aligned(len(fuzzed))
		copy(data, fuzzed)
		fixHead(data)
		opened, err := parse(data)
		if err != nil {
			return
		}
		s, err := newSet(opened)
		if err != nil || s.info.Dim > 1000 {
			return
		}
		for name, err := range useAll(t.Context(), s) {
			if err != nil && !errors.Is(err, errDamaged) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestEveryByte corrupts a file at every byte of its sections, without checksums, and truncates it at every length.
func TestEveryByte(t *testing.T) {
	testkit.OneGoroutine(t)
	for i, whole := range samples(t) {
		opened, err := parse(whole)
		if err != nil {
			t.Fatal(err)
		}
		last := opened.head.Sections[len(opened.head.Sections)-1]
		data := aligned(len(whole))
		for at := startSize; at < int(last.At+last.Size); at++ {
			for _, value := range []byte{0, 0xff} {
				copy(data, whole)
				data[at] = value
				damaged(t, fmt.Sprintf("sample %d, byte %d = %d", i, at, value), data)
			}
		}
		for n := range len(whole) {
			if _, err := parse(data[:n]); !errors.Is(err, errDamaged) {
				t.Errorf("cut to %d bytes: %v", n, err)
			}
		}
	}
}

func damaged(t *testing.T, what string, data []byte) {
	t.Helper()
	opened, err := parse(data)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	s, err := newSet(opened)
	if err != nil {
		return
	}
	for name, err := range useAll(t.Context(), s) {
		if err != nil && !errors.Is(err, errDamaged) {
			t.Errorf("%s: %s: %v", what, name, err)
		}
	}
}

func fixHead(data []byte) {
	if len(data) < startSize+tailSize {
		return
	}
	tail := data[len(data)-tailSize:]
	length := min(binary.LittleEndian.Uint32(tail[16:]), uint32(len(data)-tailSize))
	at := len(data) - tailSize - int(length)
	binary.LittleEndian.PutUint64(tail, uint64(at))
	binary.LittleEndian.PutUint64(tail[8:], uint64(len(data)))
	binary.LittleEndian.PutUint32(tail[16:], length)
	binary.LittleEndian.PutUint32(tail[20:], crc32.Checksum(data[at:len(data)-tailSize], castagnoli()))
}

// useAll reads everything in a set.
func useAll(ctx context.Context, s *set) map[string]error {
	out := make(map[string]error)
	for _, filter := range []vectors.Filter{{}, {Papers: []string{"p"}}, {Table: "t", Page: -1}} {
		q := vectors.Query{K: 5, Filter: filter, Vector: vectors.Vector{Words: []vectors.Word{{Text: "a", Count: 1}, {Text: "c", Count: 2}}}}
		if s.info.Kind == vectors.Dense {
			q.Vector = vectors.Vector{Dense: make([]float32, s.info.Dim)}
			q.Dense[0] = 1
		}
		for _, p := range []path{exactOnly, codesFirst} {
			_, err := s.search(ctx, engine{kernel: kernels()[0], gate: make(gate, 1), path: p}, q)
			out[fmt.Sprint("search ", p, filter)] = err
		}
		_, err := s.count(filter)
		out[fmt.Sprint("count ", filter)] = err
	}
	d := newBuilder(s.info, kernels()[0], io.Discard)
	if out["copy"] = d.merge(ctx, []*part{{set: s}}); out["copy"] == nil {
		out["finish"] = d.finish()
	}
	return out
}

// A file that is read behaves like one that is mapped.
func TestWithoutMapping(t *testing.T) {
	s, err := build(dense3, kernels()[0], []vectors.Record{record("a", 1, 2, 3)})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "000001.vec")
	if err := os.WriteFile(path, s.file.data, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	no := func(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }
	data, mapped, err := contents(f, no)
	if err != nil || mapped || !bytes.Equal(s.file.data, data) {
		t.Errorf("got %d bytes, mapped %v, %v", len(data), mapped, err)
	}
}

// makeWide writes a collection too large to be verified when it is opened.
func makeWide(t *testing.T) (s *Store, path string) {
	t.Helper()
	s, err := Open(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	c := vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: vectors.MaxDim}
	v := make([]float32, c.Dim)
	v[0] = 1
	err = s.Replace(t.Context(), c, func(yield func(vectors.Record, error) bool) {
		for i := range maxCheckedAtOpen/(5*c.Dim) + 1 {
			if !yield(record(fmt.Sprint(i), v...), nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, filepath.Join(s.folder("d"), "000001.vec")
}

func TestVerify(t *testing.T) {
	s, path := makeWide(t)
	if err := s.Verify(t.Context(), "d"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{9}, maxCheckedAtOpen/2); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Count(t.Context(), "d", vectors.Filter{}); err != nil {
		t.Errorf("opening it: %v", err)
	}
	err = s.Verify(t.Context(), "d")
	if !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), "verify collection d: checksum of section vectors") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Verify(ctx, "d"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Searches continue while the collection is replaced; each sees either the old or the new version as a whole.
func TestReplaceUnderSearches(t *testing.T) {
	s, err := Open(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	fill := func(generation int) {
		err := s.Replace(t.Context(), dense3, func(yield func(vectors.Record, error) bool) {
			for i := range 2*batchSize + 1 {
				r := record(fmt.Sprint(i), 1, float32(i), 0)
				r.PaperID = fmt.Sprint(generation)
				if !yield(r, nil) {
					return
				}
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
	fill(0)
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for range 10 {
				hits, err := s.Search(t.Context(), "d", vectors.Query{Vector: vectors.Vector{Dense: []float32{1, 0, 0}}, K: 3})
				if err != nil || len(hits) != 3 || hits[0].PaperID != hits[2].PaperID {
					t.Errorf("got %v, %v", hits, err)
				}
			}
		})
	}
	for generation := range 5 {
		fill(generation + 1)
	}
	wg.Wait()
	if len(s.engine.gate) != 0 {
		t.Errorf("%d places of the gate are still taken", len(s.engine.gate))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The memory of a replaced collection stays until its last search is done.
func TestHoldersKeepMemory(t *testing.T) {
	s, err := Open(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	one := func(v float32) {
		t.Helper()
		err := s.Replace(t.Context(), dense3, func(yield func(vectors.Record, error) bool) { yield(record("a", v, v, v), nil) })
		if err != nil {
			t.Fatal(err)
		}
	}
	one(1)
	err = s.with("d", func(c *collection) error {
		old := c.parts[0]
		one(2)
		if diff := gocmp.Diff([]float32{1, 1, 1}, old.rows.vector(0)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if !old.file.mapped {
			t.Skip("files are not mapped here")
		}
		if s.Close() != nil || !old.file.mapped {
			t.Error("the memory is gone before its time")
		}
		t.Cleanup(func() {
			if old.file.mapped {
				t.Error("the memory was never given back")
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A search allocates far less memory than the vectors take.
func TestNoCopy(t *testing.T) {
	s, path := makeWide(t)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	q := vectors.Query{Vector: vectors.Vector{Dense: make([]float32, vectors.MaxDim)}, K: 3}
	q.Dense[1] = 1
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	hits, err := s.Search(t.Context(), "d", q)
	if err != nil || len(hits) != 3 {
		t.Fatal(hits, err)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.TotalAlloc - before.TotalAlloc); grown > info.Size()/10 {
		t.Errorf("%d bytes for a file of %d", grown, info.Size())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
