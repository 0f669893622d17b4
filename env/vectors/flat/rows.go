package flat

import (
	"fmt"
	"math"
)

// rows holds the vectors of a dense collection in their on-disk form.
type rows struct {
	dim     int
	vectors []float32
	lengths []float64
	codes   []int8 // padded(dim, stride) per row
	grid    []grid
}

func openRows(f *file) (*rows, error) {
	n, dim := f.head.Records, int64(f.head.Collection.Dim)
	for name, size := range map[string]int64{
		"vectors": n * dim * 4, "lengths": n * 8, "codes": n * int64(padded(int(dim), stride)), "grid": n * 8,
	} {
		if int64(len(f.parts[name])) != size {
			return nil, fmt.Errorf("section %s: %w", name, errDamaged)
		}
	}
	return &rows{
		dim: int(dim), vectors: view[float32](f.parts["vectors"]), lengths: view[float64](f.parts["lengths"]),
		codes: view[int8](f.parts["codes"]), grid: view[grid](f.parts["grid"]),
	}, nil
}

func (r *rows) vector(i int) []float32 { return r.vectors[i*r.dim : (i+1)*r.dim] }

// quantize writes the codes of a vector of the given length and returns their grid. With u the vector divided by its
// length, the error is |u - step × codes|, computed in float64 and rounded up.
func quantize(codes []int8, v []float32, length float64) grid {
	if length == 0 {
		clear(codes)
		return grid{}
	}
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	step := roundUp(largest / length / 127)
	rest := 0.0
	for i, x := range v {
		u := float64(x) / length
		c := math.RoundToEven(u / float64(step))
		codes[i] = int8(c)
		rest += (u - c*float64(step)) * (u - c*float64(step))
	}
	return grid{step: step, err: roundUp(math.Sqrt(rest))}
}

// roundUp converts a non-negative x to a float32 that is not below it.
func roundUp(x float64) float32 { return float32(x * (1 + 1e-6)) }

// slack covers rounding errors that the bounds ignore: float32 rounding in flat_coarse (numbers up to about 2, fewer
// than ten roundings of 6e-8) and rounding of the exact score to float32.
const slack = 4e-6

// probe is a query prepared for the kernels.
type probe struct {
	wide   []float64 // padded(dim, lanes)
	length float64

	// codes × step is the direction of the query; see flat_coarse for their order.
	codes []int8
	step  float32
	// With u and v of length 1, u' and v' their codes, e and f the distances |u - u'| and |v - v'|: |<u, v> - <u', v'>|
	// = |<u, v - v'> + <u - u', v'>| <= f + e (1 + f). With e the row's error, stretch is 1 + f.
	stretch, slack float32
}

// newProbe prepares a query. Its length comes from the same kernel as the inner products.
func newProbe(k kernel, q []float32) *probe {
	p := &probe{wide: make([]float64, padded(len(q), lanes))}
	widen(p.wide, q)
	p.length = k.length(q, p.wide)
	return p
}

// quantize computes the codes. Their scale is the largest for which a code fits 15 bits and the sum of 127 × |code|
// stays below 2^31.
func (p *probe) quantize(dim int) {
	largest, sum := 0.0, 0.0
	for _, x := range p.wide {
		largest, sum = max(largest, math.Abs(x)/p.length), sum+math.Abs(x)/p.length
	}
	const top, total = 32639, 16.8e6 // 32639 has a high byte of 127; 127 × (16.8e6 + 32768 / 2) < 2^31
	p.step = roundUp(max(largest/top, sum/total))
	width := padded(dim, stride)
	words := make([]int16, 2*width)
	p.codes = view[int8](raw(words))
	rest := 0.0
	for i, x := range p.wide[:dim] {
		c := math.RoundToEven(x / p.length / float64(p.step))
		d := x/p.length - c*float64(p.step)
		rest += d * d
		high := (int(c) + 128) >> 8
		p.codes[i], p.codes[width+i], words[width+i] = int8(high), int8(int(c)-256*high), int16(c)
	}
	p.stretch = roundUp(1 + math.Sqrt(rest))
	p.slack = roundUp(math.Sqrt(rest) + slack)
}
