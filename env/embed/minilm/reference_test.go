package minilm_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"airqa/env/embed/minilm"
	"airqa/internal/testkit"
)

// fullDir is a folder with the full-precision model and reference.jsonl, which has a vector for every text.
func fullDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("AIRQA_MINILM_DIR")
	if dir == "" {
		t.Skip("AIRQA_MINILM_DIR names no folder with the full-precision model")
	}
	return dir
}

// reference is a text with its ids, and often its vector, from sentence-transformers 6.2.0 in float32.
type reference struct {
	Kind   string    `json:"kind"`
	Text   string    `json:"text"`
	IDs    []int     `json:"ids"`
	Vector []float32 `json:"vector"`
}

func readReferences(t testing.TB, path string) []reference {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
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

func withVector(all []reference) []reference {
	return slices.DeleteFunc(slices.Clone(all), func(r reference) bool { return r.Vector == nil })
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

// compare embeds the texts of want together and reports every vector whose cosine is below least or whose length is not
// 1.
func compare(t *testing.T, m *minilm.Model, want []reference, least float64) {
	t.Helper()
	var texts []string
	for _, r := range want {
		texts = append(texts, r.Text)
	}
	worst, total := 1.0, 0.0
	for i, v := range embed(t, m, texts...) {
		c := cosine(v, want[i].Vector)
		if !(c >= least) {
			t.Errorf("cosine %.7f of %.60q, want at least %v", c, want[i].Text, least)
		}
		if length := math.Sqrt(dot(v, v)); !(math.Abs(length-1) < 1e-5) {
			t.Errorf("length %v of %.60q, want 1", length, want[i].Text)
		}
		worst, total = min(worst, c), total+c
	}
	t.Logf("least cosine of %d texts: %.8f, mean %.8f", len(want), worst, total/float64(len(want)))
}

func dot(a, b []float32) float64 {
	var s float64
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

func TestCarriedWeights(t *testing.T) {
	want := withVector(readReferences(t, "testdata/reference.jsonl"))
	if len(want) < 40 {
		t.Fatalf("%d references with a vector", len(want))
	}
	for _, k := range minilm.Kernels() {
		t.Run(k, func(t *testing.T) {
			want := want
			if k == "portable" && !testkit.IsLong() {
				want = want[:len(want)/3] // it is slow
			}
			compare(t, open(t, minilm.Config{Kernel: k}), want, 0.999)
		})
	}
}

// Vectors of different machines, in one data directory, are close.
func TestKernelsAgree(t *testing.T) {
	testkit.Long(t, "many texts, one call at a time")
	want := readReferences(t, "testdata/reference.jsonl")
	want = share(slices.DeleteFunc(want, func(r reference) bool { return len(r.Text) > 300 }), 3)
	portable := open(t, minilm.Config{Kernel: "portable"})
	for i := range want {
		want[i].Vector = embed(t, portable, want[i].Text)[0]
	}
	for _, k := range minilm.Kernels() {
		least := 0.999999
		if bytesKernel(k) {
			least = 0.9993
		}
		t.Run(k, func(t *testing.T) { compare(t, open(t, minilm.Config{Kernel: k}), want, least) })
	}
}

func TestFullPrecision(t *testing.T) {
	testkit.Long(t, "many texts, one call at a time")
	dir := fullDir(t)
	want := withVector(readReferences(t, filepath.Join(dir, "reference.jsonl")))
	for i, k := range fullKernels() {
		t.Run("full/"+k, func(t *testing.T) {
			compare(t, open(t, minilm.Config{Dir: dir, Kernel: k}), share(want, sparse(i)), 0.99999)
		})
	}
	for i, k := range minilm.Kernels() {
		t.Run("int8/"+k, func(t *testing.T) { compare(t, open(t, minilm.Config{Kernel: k}), share(want, sparse(i)), 0.999) })
	}
}

// share returns every nth text. AIRQA_TEST_KERNELS=all returns all.
func share(all []reference, n int) []reference {
	if os.Getenv("AIRQA_TEST_KERNELS") == "all" {
		return all
	}
	var some []reference
	for i := 0; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}

// sparse is the share for the ith kernel of a list; the first is the one in use.
func sparse(i int) int {
	if i == 0 {
		return 3
	}
	return 12
}

// used returns the kernel in use of a list, or all with AIRQA_TEST_KERNELS=all.
func used(kernels []string) []string {
	if os.Getenv("AIRQA_TEST_KERNELS") == "all" {
		return kernels
	}
	return kernels[:1]
}

// bytesKernel reports whether a kernel multiplies 8-bit numbers, which it can with the 8-bit weights only.
func bytesKernel(name string) bool { return name == "vnni8" }

func fullKernels() []string { return slices.DeleteFunc(minilm.Kernels(), bytesKernel) }
