package minilm

import (
	"math"
)

// A panel of 8-bit integers has the stored weights, unchanged, in groups of 32 inputs: eight rows of words with four
// inputs each, lowest byte first, and a row of float32 steps. After the groups come, as float32, a row with the sum of each
// column's weights, and the weights of the loud inputs, which are zero among the integers. See bytes.h.
const (
	groupRows = groupSize/4 + 1
	sumRow    = Dim / groupSize * groupRows
	byteRows  = sumRow + 1 + loudInputs
)

// bytes writes c as column at of the current panel.
func (p *packer) bytes(at int, c column) {
	var q [Dim]int8
	var steps [Dim / groupSize]float32
	c.m.Ints(q[:], steps[:], c.row, c.input)
	put := func(row int, bits uint32) { p.to[row*p.columns+at] = bits }
	for i, k := range loud() {
		weight := float32(0)
		if c.loud {
			weight = float32(q[k]) * steps[k/groupSize] * c.scale
			q[k] = 0
		}
		put(sumRow+1+i, math.Float32bits(weight))
	}
	var sum float32
	for g, step := range steps {
		total := 0
		for i := 0; i < groupSize; i += 4 {
			v := q[g*groupSize+i:][:4]
			put(g*groupRows+i/4, uint32(uint8(v[0]))|uint32(uint8(v[1]))<<8|uint32(uint8(v[2]))<<16|uint32(uint8(v[3]))<<24)
			total += int(v[0]) + int(v[1]) + int(v[2]) + int(v[3])
		}
		put((g+1)*groupRows-1, math.Float32bits(step*c.scale))
		sum += float32(total) * step * c.scale
	}
	put(sumRow, math.Float32bits(sum))
}
