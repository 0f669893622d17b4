package embed_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/embed"
)

// model makes a vector of a text's length and first byte, and counts the texts.
type model struct {
	hash  string
	asked []string
	err   error
}

func (m *model) Info() embed.Info { return embed.Info{Model: "test", Hash: m.hash, Dim: 2} }

func (m *model) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if m.err != nil {
		return nil, m.err
	}
	m.asked = append(m.asked, texts...)
	var out [][]float32
	for _, t := range texts {
		out = append(out, []float32{float32(len(t)), 0.5})
	}
	return out, nil
}

func (m *model) Windows(text string) []string { return []string{text} }

// none fails a test whose cache has damaged records.
func none(t *testing.T) func(int) {
	return func(n int) { t.Errorf("%d damaged records", n) }
}

func open(t *testing.T, path string, m *model) *embed.Cache {
	t.Helper()
	return openDamaged(t, path, m, none(t))
}

func openDamaged(t *testing.T, path string, m *model, damaged func(int)) *embed.Cache {
	t.Helper()
	c, err := embed.OpenCache(path, m, damaged)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func vectors(t *testing.T, c *embed.Cache, texts ...string) [][]float32 {
	t.Helper()
	v, err := c.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEachTextOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors", "test.cache")
	m := &model{}
	c := open(t, path, m)
	want := [][]float32{{1, 0.5}, {2, 0.5}, {1, 0.5}, {0, 0.5}}
	if diff := cmp.Diff(want, vectors(t, c, "a", "bb", "a", "")); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = open(t, path, m)
	defer func() { _ = c.Close() }()
	if diff := cmp.Diff(want, vectors(t, c, "a", "bb", "a", "")); diff != "" {
		t.Errorf("vectors after reopening (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "bb", ""}, m.asked); diff != "" {
		t.Errorf("asked of the model (-want +got):\n%s", diff)
	}
	if !has(t, c, "bb") || has(t, c, "ccc") || size(t, c) != 3 || c.Info().Dim != 2 {
		t.Errorf("has %v %v, len %d, info %+v", has(t, c, "bb"), has(t, c, "ccc"), size(t, c), c.Info())
	}
}

func has(t *testing.T, c *embed.Cache, text string) bool {
	t.Helper()
	ok, err := c.Has(text)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func size(t *testing.T, c *embed.Cache) int {
	t.Helper()
	n, err := c.Len()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Opening a cache reads only the head, however large the file is. The records are read when the first text is looked up, which
// then reports a damaged file.
func TestOpenReadsTheHead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.cache")
	c := open(t, path, &model{})
	vectors(t, c, "a")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	const huge = 1 << 42 // sparse: reading it takes hours
	if err := os.Truncate(path, huge); err != nil {
		t.Skip(err)
	}
	c = open(t, path, &model{})
	if c.Info().Dim != 2 {
		t.Errorf("info %+v", c.Info())
	}
	if err := c.Clear(); err != nil {
		t.Fatal(err)
	}
	if size(t, c) != 0 || has(t, c, "a") {
		t.Error("a vector is left")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// A file truncated at any byte can be opened and keeps its complete records.
func TestCutAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.cache")
	c := open(t, path, &model{})
	vectors(t, c, "a", "bb", "ccc")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const headLen = 8 + 4 + 4 + len("test\n\n2")
	for n := headLen; n < len(whole); n++ {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		m := &model{}
		c := open(t, path, m)
		kept := (n - headLen) / recordLen
		if got := size(t, c); got != kept {
			t.Fatalf("%d bytes: %d vectors kept, want %d", n, got, kept)
		}
		vectors(t, c, "a", "bb", "ccc")
		if len(m.asked) != 3-kept {
			t.Errorf("%d bytes: asked for %v", n, m.asked)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A flipped bit in any byte of a record affects only that record. Its text is embedded again into the same space, so
// the next reader finds an intact file of the same size.
func TestFlippedBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.cache")
	c := open(t, path, &model{})
	texts := []string{"a", "bb", "ccc"}
	want := vectors(t, c, texts...)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := len(whole) - 3*recordLen; at < len(whole); at++ {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1 << (at % 8)
		hit := (at - len(whole) + 3*recordLen) / recordLen
		reopen(t, path, damaged, want, 1, texts[hit:hit+1])
		repaired, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(repaired, whole) {
			t.Errorf("byte %d: the file differs from the one before the damage", at)
		}
		reopen(t, path, repaired, want, 0, nil)
	}
}

// Two damaged records and an incomplete one at the end cost two texts, and new texts are appended.
func TestSeveralFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.cache")
	c := open(t, path, &model{})
	texts := []string{"a", "bb", "ccc", "dddd"}
	want := vectors(t, c, texts...)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	damaged, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := len(damaged) - 4*recordLen
	damaged[first] ^= 0x80
	damaged[first+2*recordLen+20] ^= 1
	damaged = append(damaged, damaged[first:first+recordLen-1]...)
	reopen(t, path, damaged, want, 2, []string{"a", "ccc"})
	c = open(t, path, &model{})
	defer func() { _ = c.Close() }()
	vectors(t, c, "eeeee")
	if got := size(t, c); got != 5 {
		t.Errorf("%d vectors, want 5", got)
	}
}

// recordLen is the length of a record of two numbers.
const recordLen = 16 + 8 + 4

// reopen opens a cache with the given bytes and embeds a, bb, …: want are the vectors, asked the texts that reach the
// model.
func reopen(t *testing.T, path string, content []byte, want [][]float32, damaged int, asked []string) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	m := &model{}
	got := 0
	c := openDamaged(t, path, m, func(n int) { got += n })
	if diff := cmp.Diff(want, vectors(t, c, []string{"a", "bb", "ccc", "dddd"}[:len(want)]...)); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(asked, m.asked); diff != "" || got != damaged {
		t.Errorf("%d damaged records, want %d; asked of the model (-want +got):\n%s", got, damaged, diff)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "test.cache")
	c := open(t, path, &model{})
	vectors(t, c, "a")
	if _, err := embed.OpenCache(path, &model{}, none(t)); err == nil {
		t.Error("two programs hold one cache")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := embed.OpenCache(path, &model{hash: "other weights"}, none(t)); !errors.Is(err, embed.ErrMismatch) {
		t.Errorf("another model: %v", err)
	}
	for _, text := range []string{"no cache at all", "AIRQAEMB\x02\x00\x00\x00\x00\x00\x00\x00", "AIRQAEMB\x01\x00\x00\x00\xff\xff\xff\xff"} {
		other := filepath.Join(dir, "other.cache")
		if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := embed.OpenCache(other, &model{}, none(t)); err == nil {
			t.Errorf("%q was opened as a cache", text)
		}
	}
}

func TestFailureKeepsNothing(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "test.cache"), &model{err: errors.New("503")})
	defer func() { _ = c.Close() }()
	if _, err := c.Embed(t.Context(), []string{"a"}); err == nil || size(t, c) != 0 {
		t.Errorf("%d vectors, %v", size(t, c), err)
	}
}
