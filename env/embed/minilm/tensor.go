package minilm

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// groupSize is the number of consecutive row elements that share a step in the reduced form.
const groupSize = 32

// stepSuffix is the suffix of the tensor with the steps of an 8-bit matrix.
const stepSuffix = ".scale"

// matrix reads the rows of a stored matrix of any form as float32.
type matrix struct {
	Rows, Cols int

	dtype string
	data  []byte
	steps []float32 // of I8: Rows x Cols/groupSize
}

// matrix returns a matrix of rows x cols numbers, stored as F32, F16, or as I8 with steps (one F16 per [groupSize]).
func (f *weightsFile) matrix(name string, rows, cols int) (matrix, error) {
	data, dtype, err := f.tensor(name, rows, cols)
	if err != nil {
		return matrix{}, err
	}
	m := matrix{Rows: rows, Cols: cols, dtype: dtype, data: data}
	switch dtype {
	case "F32", "F16":
		return m, nil
	case "I8":
		m.steps, err = f.steps(name, rows, cols)
		return m, err
	}
	return m, fmt.Errorf("%w: tensor %q: dtype %s is not supported", errWeights, name, dtype)
}

// Vector returns a copy of a tensor of n numbers, stored as F32 or F16.
func (f *weightsFile) Vector(name string, n int) ([]float32, error) {
	data, dtype, err := f.tensor(name, n)
	if err != nil {
		return nil, err
	}
	if dtype != "F32" && dtype != "F16" {
		return nil, fmt.Errorf("%w: tensor %q: dtype %s is not supported", errWeights, name, dtype)
	}
	out := make([]float32, n)
	matrix{Cols: n, dtype: dtype, data: data}.Row(out, 0, 0)
	return out, nil
}

// Row copies len(dst) numbers of a row, starting at column from. In an 8-bit matrix, from and len(dst) must be
// multiples of [groupSize]. It panics if the range is outside the matrix.
func (m matrix) Row(dst []float32, row, from int) {
	at := row*m.Cols + from
	switch m.dtype {
	case "F32":
		floats(dst, m.data[4*at:])
	case "F16":
		halves(dst, m.data[2*at:])
	default:
		for g := 0; g < len(dst); g += groupSize {
			to, step := dst[g:g+groupSize], m.steps[(at+g)/groupSize]
			for i, b := range m.data[at+g:][:groupSize] {
				to[i] = float32(int8(b)) * step
			}
		}
	}
}

// Reduced reports whether the matrix is stored as 8-bit integers, which matrix.Ints reads.
func (m matrix) Reduced() bool { return m.dtype == "I8" }

// Ints copies len(dst) integers of a row, starting at column from, and the steps of their groups. The matrix must be
// reduced; from and len(dst) must be multiples of [groupSize]. It panics if the range is outside the matrix.
func (m matrix) Ints(dst []int8, steps []float32, row, from int) {
	at := row*m.Cols + from
	for i, b := range m.data[at:][:len(dst)] {
		dst[i] = int8(b)
	}
	copy(steps, m.steps[at/groupSize:][:len(dst)/groupSize])
}

func (f *weightsFile) steps(name string, rows, cols int) ([]float32, error) {
	if cols%groupSize != 0 {
		return nil, fmt.Errorf("%w: tensor %q: %d columns are not a multiple of %d", errWeights, name, cols, groupSize)
	}
	data, dtype, err := f.tensor(name+stepSuffix, rows, cols/groupSize)
	if err != nil {
		return nil, err
	}
	if dtype != "F16" {
		return nil, fmt.Errorf("%w: tensor %q: dtype %s, want F16", errWeights, name+stepSuffix, dtype)
	}
	out := make([]float32, rows*cols/groupSize)
	halves(out, data)
	return out, nil
}

func (f *weightsFile) tensor(name string, shape ...int) ([]byte, string, error) {
	e, ok := f.header[name]
	if !ok {
		return nil, "", fmt.Errorf("%w: no tensor %q", errWeights, name)
	}
	if !slices.Equal(e.Shape, shape) {
		return nil, "", fmt.Errorf("%w: tensor %q has shape %v, want %v", errWeights, name, e.Shape, shape)
	}
	return f.payload[e.Offsets[0]:e.Offsets[1]], e.Dtype, nil
}

func floats(dst []float32, data []byte) {
	data = data[:4*len(dst)]
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
}

func halves(dst []float32, data []byte) {
	data = data[:2*len(dst)]
	for i := range dst {
		dst[i] = fromHalf(binary.LittleEndian.Uint16(data[2*i:]))
	}
}

// fromHalf converts an IEEE 754 binary16 number exactly.
func fromHalf(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exp {
	case 0:
		v := float32(frac) / (1 << 24)
		return math.Float32frombits(sign | math.Float32bits(v))
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}
