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
	columns int  // of a packed panel
	ints    bool // weights and activations are 16-bit integers inside the large products
}

// kernels lists the kernels that this CPU supports, fastest first.
func kernels() []kernel {
	var out []kernel
	for _, k := range []kernel{
		{name: "vnni", id: C.MINILM_VNNI, ints: true},
		{name: "avx512", id: C.MINILM_AVX512},
		{name: "madd", id: C.MINILM_MADD, ints: true},
		{name: "avx2", id: C.MINILM_AVX2},
		{name: "portable", id: C.MINILM_PORTABLE},
	} {
		if k.columns = int(C.minilm_columns(k.id)); k.columns > 0 {
			out = append(out, k)
		}
	}
	return out
}

// Kernels lists the kernels that this CPU supports, fastest first: "vnni" (16-bit integer products with AVX-512 VNNI),
// "avx512" (float32), "madd" (16-bit integer products with AVX2), "avx2" and "portable" (float32). The last one is
// always available. Their vectors agree to a cosine of 0.999999.
func Kernels() []string {
	var out []string
	for _, k := range kernels() {
		out = append(out, k.name)
	}
	return out
}

func pick(name string) (kernel, error) {
	for _, k := range kernels() {
		if name == "" || name == k.name {
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
