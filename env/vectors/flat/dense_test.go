package flat

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/env/vectors"
)

// build makes a set in memory as if read from a file.
func build(c vectors.Collection, k kernel, records []vectors.Record) (*set, error) {
	var b bytes.Buffer
	d := newBuilder(c, k, &b)
	for _, r := range records {
		if err := d.add(r); err != nil {
			return nil, err
		}
	}
	if err := d.finish(); err != nil {
		return nil, err
	}
	data := aligned(b.Len())
	copy(data, b.Bytes())
	f, err := parse(data)
	if err != nil {
		return nil, err
	}
	return newSet(f)
}

// engines returns all search variants.
func engines() map[string]engine {
	out := make(map[string]engine)
	for _, k := range kernels() {
		for name, p := range map[string]path{"exact": exactOnly, "codes": codesFirst, "by cost": byCost} {
			for _, cores := range []int{1, 3} {
				out[fmt.Sprint(k.name, " ", name, " ", cores)] = engine{kernel: k, gate: make(gate, cores), path: p}
			}
		}
	}
	return out
}

// inner repeats the definition in kernel.h: 32 sums, then a tree.
func inner(a, b []float32) float64 {
	var s [32]float64
	for i, x := range a {
		s[i%32] += float64(x) * float64(b[i])
	}
	for j := range 8 {
		s[j] = (s[j] + s[j+8]) + (s[j+16] + s[j+24])
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

func score(q, v []float32) float64 {
	scale := math.Sqrt(inner(q, q)) * math.Sqrt(inner(v, v))
	if scale == 0 {
		return 0
	}
	return float64(float32(inner(q, v) / scale))
}

func sortAll(records []vectors.Record, q vectors.Query) []vectors.Hit {
	var hits []vectors.Hit
	for _, r := range records {
		if q.Filter.Match(r.Origin) {
			hits = append(hits, vectors.Hit{Origin: r.Origin, Score: score(q.Dense, r.Dense)})
		}
	}
	slices.SortStableFunc(hits, vectors.Compare)
	seen := make(map[vectors.Origin]bool)
	hits = slices.DeleteFunc(hits, func(h vectors.Hit) bool {
		again := seen[h.Origin]
		seen[h.Origin] = true
		return again
	})
	return hits[:min(q.K, len(hits))]
}

// shapes are distributions of data: the distances between vectors determine how many records the codes exclude.
var shapes = map[string]func(t *rapid.T, dim, n int) [][]float32{
	"random": func(t *rapid.T, dim, n int) [][]float32 { return some(t, dim, n, 1) },
	"clustered": func(t *rapid.T, dim, n int) [][]float32 {
		centres := some(t, dim, 3, 1)
		out := some(t, dim, n, rapid.SampledFrom([]float32{1e-1, 1e-3, 1e-6}).Draw(t, "width"))
		for i, v := range out {
			for j := range v {
				v[j] += centres[i%3][j]
			}
		}
		return out
	},
	"duplicated": func(t *rapid.T, dim, n int) [][]float32 {
		few := some(t, dim, 4, 1)
		out := make([][]float32, n)
		for i := range out {
			out[i] = few[i%4]
		}
		return out
	},
	"extreme": func(t *rapid.T, dim, n int) [][]float32 {
		extremes := []float32{0, 0, 1, -1, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 1e-30, 3}
		out := make([][]float32, n)
		for i := range out {
			out[i] = rapid.SliceOfN(rapid.SampledFrom(extremes), dim, dim).Draw(t, "vector")
		}
		return out
	},
}

func some(t *rapid.T, dim, n int, width float32) [][]float32 {
	r := random(rapid.Uint64().Draw(t, "seed"))
	out := make([][]float32, n)
	for i := range out {
		out[i] = make([]float32, dim)
		for j := range out[i] {
			out[i][j] = width * float32(r.NormFloat64())
		}
	}
	return out
}

func denseRecords(t *rapid.T, all [][]float32) []vectors.Record {
	var records []vectors.Record
	seed := random(rapid.Uint64().Draw(t, "origins"))
	keys := max(1, len(all)/rapid.SampledFrom([]int{1, 20}).Draw(t, "windows"))
	for i, v := range all {
		o := vectors.Origin{
			PaperID: fmt.Sprint("p", seed.IntN(4)), Page: 1 + seed.IntN(3), Table: fmt.Sprint("t", seed.IntN(2)),
			Column: "c", Key: fmt.Sprint(seed.IntN(keys)),
		}
		if i%5 == 0 {
			o.Page = -1
		}
		records = append(records, vectors.Record{Origin: o, Vector: vectors.Vector{Dense: v}})
	}
	return records
}

func drawQuery(t *rapid.T, q []float32) vectors.Query {
	f := vectors.Filter{
		Papers: rapid.SliceOfN(rapid.SampledFrom([]string{"p0", "p1", "p2", "p9"}), 0, 3).Draw(t, "papers"),
		Table:  rapid.SampledFrom([]string{"", "", "t0", "c"}).Draw(t, "table"),
		Column: rapid.SampledFrom([]string{"", "", "c", "t0"}).Draw(t, "column"),
		Page:   rapid.SampledFrom([]int{0, 0, -1, 1}).Draw(t, "page"),
	}
	if rapid.Bool().Draw(t, "all") {
		f = vectors.Filter{}
	}
	return vectors.Query{Vector: vectors.Vector{Dense: q}, K: rapid.SampledFrom([]int{1, 2, 5, 30, 5000}).Draw(t, "k"), Filter: f}
}

// Every path, kernel and number of cores returns the same bits as a full sort by the definition.
func TestPathsAgree(t *testing.T) {
	for name, draw := range shapes {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkPaths(t, draw) })
		})
	}
}

func checkPaths(t *rapid.T, draw func(t *rapid.T, dim, n int) [][]float32) {
	dim := rapid.SampledFrom([]int{1, 2, 7, 31, 32, 33, 64, 65, 130}).Draw(t, "dim")
	all := draw(t, dim, rapid.SampledFrom([]int{1, 2, 40, 300}).Draw(t, "n"))
	records := denseRecords(t, all)
	s, err := build(vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: dim}, kernels()[0], records)
	if err != nil {
		t.Fatal(err)
	}
	q := drawQuery(t, draw(t, dim, 1)[0])
	if rapid.Bool().Draw(t, "known") {
		q.Dense = all[0]
	}
	want := sortAll(records, q)
	for name, e := range engines() {
		got, err := s.search(t.Context(), e, q)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Several batches, so that workers share them and the floor rises between them.
func TestManyBatches(t *testing.T) {
	const dim, n = 40, 4*batchSize + 7
	r := random(3)
	records := make([]vectors.Record, n)
	for i := range records {
		v := make([]float32, dim)
		for j := range v {
			v[j] = float32(r.NormFloat64()) + float32(j%3)
		}
		if i%10 == 3 {
			copy(v, records[i-1].Dense)
		}
		window := i % 7 / 2 // same cell as before
		o := vectors.Origin{PaperID: fmt.Sprint(i / 100), Page: 1, Table: "t", Column: fmt.Sprint(i % 2), Key: fmt.Sprint(i - 2*window)}
		records[i] = vectors.Record{Origin: o, Vector: vectors.Vector{Dense: v}}
	}
	s, err := build(vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: dim}, kernels()[0], records)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{5, 700} {
		for _, f := range []vectors.Filter{{}, {Column: "1"}, {Papers: []string{"7", "31"}}} {
			q := vectors.Query{Vector: records[n/2].Vector, K: k, Filter: f}
			want := sortAll(records, q)
			for name, e := range engines() {
				got, err := s.search(t.Context(), e, q)
				if diff := gocmp.Diff(want, got); diff != "" || err != nil {
					t.Fatalf("%s, k %d, filter %+v: %v (-want +got):\n%s", name, k, f, err, diff)
				}
			}
		}
	}
}

// The bounds hold for records of any magnitude.
func TestCoarseBounds(t *testing.T) {
	for name, draw := range shapes {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkBounds(t, draw) })
		})
	}
}

func checkBounds(t *rapid.T, draw func(t *rapid.T, dim, n int) [][]float32) {
	dim := rapid.SampledFrom([]int{1, 3, 64, 100, 700}).Draw(t, "dim")
	all := draw(t, dim, 20)
	s, err := build(vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: dim}, kernels()[0], denseRecords(t, all))
	if err != nil {
		t.Fatal(err)
	}
	q := draw(t, dim, 1)[0]
	for _, k := range kernels() {
		p := newProbe(k, q)
		if p.length == 0 {
			return
		}
		p.quantize(dim)
		got := k.coarse(s.rows, p, batch{count: len(all), floor: float32(math.Inf(-1))}, make([]found, len(all)))
		if len(got) != len(all) {
			t.Fatalf("%s: %d rows of %d", k.name, len(got), len(all))
		}
		for i, f := range got {
			if exact := float32(score(q, all[i])); int(f.row) != i || f.low > exact || exact > f.high {
				t.Fatalf("%s: row %d: %v is not in [%v, %v]", k.name, i, exact, f.low, f.high)
			}
		}
	}
}

// With the maximum dimension and the largest codes, the sum fits 32 bits.
func TestCoarseWide(t *testing.T) {
	ones := slices.Repeat([]float32{1}, vectors.MaxDim)
	s, err := build(vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: vectors.MaxDim}, kernels()[0], []vectors.Record{{
		Origin: vectors.Origin{PaperID: "p", Page: 1, Table: "t", Column: "c", Key: "k"}, Vector: vectors.Vector{Dense: ones},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kernels() {
		p := newProbe(k, ones)
		p.quantize(vectors.MaxDim)
		got := k.coarse(s.rows, p, batch{count: 1, floor: -2}, make([]found, 1))
		if len(got) != 1 || math.Abs(float64(got[0].low)-1) > 0.01 || math.Abs(float64(got[0].high)-1) > 0.01 {
			t.Errorf("%s: got %v, want about 1", k.name, got)
		}
	}
}

func TestCancelled(t *testing.T) {
	s, err := build(vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: 1}, kernels()[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := engine{kernel: kernels()[0], gate: make(gate, 1)}
	if _, err := s.search(ctx, e, vectors.Query{Vector: vectors.Vector{Dense: []float32{1}}, K: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	e.gate = make(gate) // closed to extra workers
	if _, err := s.search(ctx, e, vectors.Query{Vector: vectors.Vector{Dense: []float32{1}}, K: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("at the gate: got %v", err)
	}
	if len(e.gate) != 0 {
		t.Errorf("%d places are still taken", len(e.gate))
	}
}

func TestTop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOf(rapid.IntRange(0, 20)).Draw(t, "items")
		best := newTop(rapid.IntRange(1, 9).Draw(t, "k"), cmp.Compare[int], nil)
		for _, x := range items {
			best.offer(x)
		}
		want := slices.Sorted(slices.Values(items))
		want = want[:min(best.k, len(want))]
		if got := best.sorted(); !slices.Equal(want, got) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// Only the best item of a cell counts.
func TestTopOfCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOf(rapid.IntRange(0, 100)).Draw(t, "items")
		best := newTop(rapid.IntRange(1, 9).Draw(t, "k"), cmp.Compare[int], func(x int) uint32 { return uint32(x % 10) })
		for _, x := range items {
			best.offer(x)
		}
		var want []int
		for _, x := range slices.Sorted(slices.Values(items)) {
			if !slices.ContainsFunc(want, func(y int) bool { return y%10 == x%10 }) {
				want = append(want, x)
			}
		}
		want = want[:min(best.k, len(want))]
		if got := best.sorted(); !slices.Equal(want, got) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}
