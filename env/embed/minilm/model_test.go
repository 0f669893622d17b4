package minilm_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/embed/minilm"
)

// fullDir is a folder with the full-precision model and all of its reference texts; tests that need it are skipped
// where AIRQA_MINILM_DIR is not set.
func fullDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("AIRQA_MINILM_DIR")
	if dir == "" {
		t.Skip("AIRQA_MINILM_DIR names no folder with the full-precision model")
	}
	return dir
}

// reference is one text with the ids and the vector that sentence-transformers gives it.
type reference struct {
	Kind   string
	Text   string
	IDs    []int
	Vector []float32
}

func readReferences(t testing.TB, path string) []reference {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []reference
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r reference
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

// leastCosine embeds all texts at once and returns the least cosine to the references, and its text.
func leastCosine(t *testing.T, m *minilm.Model, want []reference) (least float64, text string) {
	t.Helper()
	texts := make([]string, len(want))
	for i, r := range want {
		texts[i] = r.Text
	}
	got, err := m.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	least = 2
	for i, r := range want {
		if c := cosine(got[i], r.Vector); c < least || math.IsNaN(c) {
			least, text = c, r.Text
		}
	}
	return least, text
}

func open(t testing.TB, c minilm.Config) *minilm.Model {
	t.Helper()
	m, err := minilm.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFullReferences(t *testing.T) {
	dir := fullDir(t)
	want := readReferences(t, filepath.Join(dir, "reference.jsonl"))
	m := open(t, minilm.Config{Dir: dir})
	for _, r := range want {
		if diff := cmp.Diff(r.IDs, m.Tokenize(r.Text)); diff != "" {
			t.Errorf("Tokenize(%q) (-want +got):\n%s", r.Text, diff)
		}
	}
	for _, k := range minilm.Kernels() {
		for _, form := range []struct {
			name, dir string
			least     float64
		}{{"full", dir, 0.99999}, {"int8", "", 0.999}} {
			t.Run(form.name+"/"+k, func(t *testing.T) {
				least, text := leastCosine(t, open(t, minilm.Config{Dir: form.dir, Kernel: k}), want)
				t.Logf("least cosine of %d texts: %.8f", len(want), least)
				if !(least >= form.least) {
					t.Errorf("cosine %.7f of %.60q, want at least %v", least, text, form.least)
				}
			})
		}
	}
}
