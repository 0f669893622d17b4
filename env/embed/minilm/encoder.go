package minilm

import (
	"cmp"
	"context"
	"math"
)

// encoder is the model packed for one kernel.
type encoder struct {
	kernel kernel
	tables embeddings
	kind   [Dim]float32 // token type 0, which is added to every token
	packed []uint32
}

func newEncoder(f *weightsFile, k kernel, c cores) (*encoder, error) {
	t, err := readTables(f)
	if err != nil {
		return nil, err
	}
	e := &encoder{kernel: k, tables: t, packed: make([]uint32, 2*Dim+layers*k.layerWords())}
	t.kind.Row(e.kind[:], 0, 0)
	for i := range Dim {
		e.packed[i] = math.Float32bits(t.norm.weight[i])
		e.packed[Dim+i] = math.Float32bits(t.norm.bias[i])
	}
	var errs [layers]error
	_ = c.each(context.Background(), layers, func(l int) { // without a deadline, each does not fail
		var from layer
		if from, errs[l] = readLayer(f, l); errs[l] == nil {
			words := k.layerWords()
			packLayer(e.packed[2*Dim+l*words:][:words], k, from)
		}
	})
	return e, cmp.Or(errs[:]...)
}

// embed stores the vectors of the texts with the indexes in group in out. It returns the vectors of all tokens in
// the order of the group.
func (e *encoder) embed(group []int, ids [][]int32, out [][]float32) (x []float32) {
	lens := make([]int32, len(group))
	tokens := 0
	for i, text := range group {
		lens[i] = int32(len(ids[text]))
		tokens += len(ids[text])
	}
	x = make([]float32, tokens*Dim)
	at := x // each token's row: the sum of its word, position and type embedding
	var position [Dim]float32
	for _, text := range group {
		for i, id := range ids[text] {
			e.tables.word.Row(at[:Dim], int(id), 0)
			e.tables.position.Row(position[:], i, 0)
			for j := range at[:Dim] {
				at[j] += position[j] + e.kind[j]
			}
			at = at[Dim:]
		}
	}
	vectors := make([]float32, len(group)*Dim)
	e.kernel.forward(e.packed, lens, x, vectors)
	for i, text := range group {
		out[text] = vectors[i*Dim : (i+1)*Dim : (i+1)*Dim]
	}
	return x
}
