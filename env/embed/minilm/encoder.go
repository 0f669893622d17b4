package minilm

import (
	"math"
	"sync"

	"airqa/env/embed/minilm/weights"
)

// encoder is the model packed for one kernel.
type encoder struct {
	kernel kernel
	tables embeddings
	kind   [Dim]float32 // token type 0, which is added to every token
	packed []uint32
}

func newEncoder(f *weights.File, k kernel, threads int) (*encoder, error) {
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
	return e, e.packLayers(f, threads)
}

func (e *encoder) packLayers(f *weights.File, threads int) error {
	var wait sync.WaitGroup
	var errs [layers]error
	for first := range min(threads, layers) {
		wait.Go(func() {
			for l := first; l < layers; l += threads {
				errs[l] = e.packLayer(f, l)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) packLayer(f *weights.File, l int) error {
	from, err := readLayer(f, l)
	if err != nil {
		return err
	}
	words := e.kernel.layerWords()
	packLayer(e.packed[2*Dim+l*words:][:words], e.kernel, from)
	return nil
}

// embed stores the vectors of the texts with the indexes in group in out.
func (e *encoder) embed(group []int, ids [][]int32, out [][]float32) {
	lens := make([]int32, len(group))
	tokens := 0
	for i, text := range group {
		lens[i] = int32(len(ids[text]))
		tokens += len(ids[text])
	}
	x := make([]float32, tokens*Dim)
	at := x
	for _, text := range group {
		at = e.lookUp(at, ids[text])
	}
	vectors := make([]float32, len(group)*Dim)
	e.kernel.forward(e.packed, lens, x, vectors)
	for i, text := range group {
		out[text] = vectors[i*Dim : (i+1)*Dim : (i+1)*Dim]
	}
}

// lookUp writes the sum of word, position and type embedding of each token to x and returns the rest of x.
func (e *encoder) lookUp(x []float32, ids []int32) []float32 {
	var position [Dim]float32
	for i, id := range ids {
		e.tables.word.Row(x[:Dim], int(id), 0)
		e.tables.position.Row(position[:], i, 0)
		for j := range x[:Dim] {
			x[j] += position[j] + e.kind[j]
		}
		x = x[Dim:]
	}
	return x
}
