package minilm

import (
	"math"
)

// The packed model is one block of 32-bit words, in the order in which the encoder reads it:
//
//	embedding norm: weight, bias
//	each layer: biases of 12 heads (32 query, 32 key, 32 value each), of the output, of the first and the second
//	feed-forward matrix; the two norms, weight and bias each; then panels: of each head (96 columns), of the output,
//	and four times 384 columns of the first matrix, then the 384 inputs of the second that these feed.
//
// A panel has as many adjacent output columns as the kernel requires and is 384 inputs deep; it stores the columns'
// weights for each input. For a kernel of 16-bit integers, a word holds two inputs, low half first, and each column's
// float32 step follows the 192 rows of words. For 8-bit integers, see pack_bytes.go.

// columnLength (root of the sum of squares) and columnTop (largest magnitude) limit integer columns: with activations
// limited to the same length, no sum of products overflows 32 bits. See forward.h.
const (
	columnLength = 46300
	columnTop    = 32700
)

type packer struct {
	kernel
	to  []uint32
	row [Dim]float32
}

func (k kernel) panelWords() int {
	switch k.bits {
	case 8:
		return byteRows * k.columns
	case 16:
		return (Dim/2 + 1) * k.columns
	}
	return Dim * k.columns
}

func (k kernel) layerWords() int {
	const rows = 3*Dim + Dim + hidden + hidden // output columns, with the second matrix counted as four of 384 inputs
	const vectors = 3*Dim + Dim + hidden + Dim + 4*Dim
	return vectors + rows/k.columns*k.panelWords()
}

func packLayer(to []uint32, k kernel, l layer) {
	const queryScale = 0.17677669529663687 * math.Log2E // converts attention scores to exponents of 2: 1/sqrt(32), over ln 2
	p := packer{kernel: k, to: to}
	for h := range heads {
		from, end := h*headDim, (h+1)*headDim
		p.floats(l.query.bias[from:end], queryScale)
		p.floats(l.key.bias[from:end], 1)
		p.floats(l.value.bias[from:end], 1)
	}
	for _, v := range [][]float32{
		l.out.bias, l.first.bias, l.second.bias,
		l.afterOut.weight, l.afterOut.bias, l.afterSecond.weight, l.afterSecond.bias,
	} {
		p.floats(v, 1)
	}
	for h := range heads {
		for i := range 3 * headDim { // query, key and value columns may share a panel
			m, scale := [3]matrix{l.query.weight, l.key.weight, l.value.weight}[i/headDim], float32(1)
			if i < headDim {
				scale = queryScale
			}
			p.column(i, column{m: m, row: h*headDim + i%headDim, scale: scale, loud: true})
		}
	}
	p.matrix(column{m: l.out.weight})
	for part := 0; part < hidden; part += Dim {
		p.matrix(column{m: l.first.weight, row: part, loud: true})
		p.matrix(column{m: l.second.weight, input: part})
	}
}

func (p *packer) floats(v []float32, scale float32) {
	for i, x := range v {
		p.to[i] = math.Float32bits(x * scale)
	}
	p.to = p.to[len(v):]
}

// column is an output column of a product: 384 numbers of a row of the stored matrix, times scale. loud reports whether
// its inputs are a row of the residual stream, in which some are much larger than the others.
type column struct {
	m          matrix
	row, input int
	scale      float32
	loud       bool
}

// matrix packs 384 output columns, beginning with c.
func (p *packer) matrix(c column) {
	c.scale = 1
	for i := range Dim {
		p.column(i, c)
		c.row++
	}
}

// column writes the i-th column of a product and moves to the next panel after the last column of one.
func (p *packer) column(i int, c column) {
	i %= p.columns
	switch p.bits {
	case 8:
		p.bytes(i, c)
	case 16:
		c.m.Row(p.row[:], c.row, c.input)
		p.integers(i, c.scale)
	default:
		c.m.Row(p.row[:], c.row, c.input)
		for row, x := range p.row {
			p.to[row*p.columns+i] = math.Float32bits(x * c.scale)
		}
	}
	if i == p.columns-1 {
		p.to = p.to[p.panelWords():]
	}
}

// integers writes p.row as column c of the current panel. The length of the row is computed from four partial sums, so that
// additions do not wait for each other.
func (p *packer) integers(c int, scale float32) {
	var squares [4]float32
	var top uint32 // bits of the largest magnitude
	for i := 0; i < Dim; i += 4 {
		a, b, c, d := p.row[i], p.row[i+1], p.row[i+2], p.row[i+3]
		squares[0] += a * a
		squares[1] += b * b
		squares[2] += c * c
		squares[3] += d * d
		top = max(top, magnitude(a), magnitude(b), magnitude(c), magnitude(d))
	}
	sum := float64(squares[0]) + float64(squares[1]) + float64(squares[2]) + float64(squares[3])
	by := float32(0)
	if length := float32(math.Sqrt(sum)); length > 0 {
		by = min(columnLength/length, columnTop/math.Float32frombits(top))
		p.to[Dim/2*p.columns+c] = math.Float32bits(scale / by)
	}
	to := p.to[c : (Dim/2-1)*p.columns+c+1]
	for i := 0; i < Dim; i += 2 {
		low, high := nearest(p.row[i]*by), nearest(p.row[i+1]*by)
		to[i/2*p.columns] = low&0xffff | high<<16
	}
}

// magnitude returns the bits of |x|, which sort like the numbers.
func magnitude(x float32) uint32 { return math.Float32bits(x) &^ (1 << 31) }

// nearest rounds a number of magnitude below 2^22, ties to even, and returns it modulo 2^23 in the low bits.
func nearest(x float32) uint32 {
	const round = 3 << 22 // adding it leaves the nearest integer, in two's complement, in the low 22 bits
	return math.Float32bits(x + round)
}
