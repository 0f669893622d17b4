package minilm

// #cgo CFLAGS: -O3 -std=gnu11
// #cgo LDFLAGS: -lm
// #include "kernel.h"
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// kernel is an implementation of the encoder for a CPU.
type kernel struct {
	name    string
	id      C.int
	columns int // of a packed panel
	bits    int // of weights and activations inside the large products: 32 (float32), or 16 or 8 (integers)
}

// loudInputs is the number of columns of the residual stream that 8-bit products leave to float32.
const loudInputs = int(C.MINILM_LOUD)

// loud returns these columns.
func loud() (columns [loudInputs]int) {
	for i, c := range C.minilm_loud {
		columns[i] = int(c)
	}
	return columns
}

// kernels lists the kernels that this CPU supports, fastest first.
func kernels() []kernel {
	var out []kernel
	for _, k := range []kernel{
		{name: "vnni8", id: C.MINILM_VNNI8, bits: 8},
		{name: "vnni", id: C.MINILM_VNNI, bits: 16},
		{name: "madd", id: C.MINILM_MADD, bits: 16},
		{name: "avx512", id: C.MINILM_AVX512, bits: 32},
		{name: "avx2", id: C.MINILM_AVX2, bits: 32},
		{name: "portable", id: C.MINILM_PORTABLE, bits: 32},
	} {
		if k.columns = int(C.minilm_columns(k.id)); k.columns > 0 {
			out = append(out, k)
		}
	}
	return out
}

// Kernels lists the kernels that this CPU supports, fastest first: "vnni8" (8-bit integer products with AVX-512 VNNI, of
// 8-bit weights only), "vnni" (16-bit integer products with AVX-512 VNNI), "madd" (16-bit integer products with AVX2),
// "avx512", "avx2" and "portable" (float32). The last one is always available. Their vectors agree to a cosine of 0.999999,
// those of vnni8 with the others to 0.9993.
func Kernels() []string {
	var out []string
	for _, k := range kernels() {
		out = append(out, k.name)
	}
	return out
}

// pick returns the kernel with the name, or the fastest one for the weights if the name is empty.
func pick(name string, reduced bool) (kernel, error) {
	for _, k := range kernels() {
		switch fits := k.bits > 8 || reduced; {
		case name == k.name && !fits:
			return kernel{}, fmt.Errorf("kernel %q multiplies 8-bit weights; these are in full precision", name)
		case fits && (name == "" || name == k.name):
			return k, nil
		}
	}
	return kernel{}, fmt.Errorf("kernel %q: this CPU runs %s", name, strings.Join(Kernels(), ", "))
}

// forward runs the encoder on summed embeddings x (tokens x 384, overwritten) and writes len(lens) vectors to out.
func (k kernel) forward(packed []uint32, lens []int32, x, out []float32) {
	scratch := make([]float32, int(C.minilm_scratch(C.long(len(x)/Dim))))
	C.minilm_forward(k.id, (*C.uint32_t)(&packed[0]), (*C.int32_t)(unsafe.Pointer(&lens[0])), C.int(len(lens)),
		(*C.float)(&x[0]), (*C.float)(&scratch[0]), (*C.float)(&out[0]))
}
