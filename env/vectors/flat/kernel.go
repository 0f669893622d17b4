package flat

// #cgo CFLAGS: -O3 -std=gnu11
// #include "kernel.h"
import "C"

import (
	"math"
	"slices"
	"unsafe"
)

// lanes and stride are the row and query padding that the kernels require.
const (
	lanes  = C.FLAT_LANES
	stride = C.FLAT_STRIDE
)

// kernel is an implementation of the scans for a CPU. All return the same scores, bit for bit.
type kernel struct {
	name string
	id   C.int32_t
}

// kernels lists the kernels that this CPU supports, fastest first. The last one is portable.
func kernels() []kernel {
	all := []kernel{{"vnni", C.FLAT_VNNI}, {"avx2", C.FLAT_AVX2}, {"portable", C.FLAT_PORTABLE}}
	return slices.DeleteFunc(all, func(k kernel) bool { return C.flat_can(k.id) == 0 })
}

// found is a row with the upper and lower bound of its score (flat_found).
type found struct {
	row       uint32
	high, low float32
}

// batch is the input of one kernel call: the rows of list, or count rows starting at first. Rows certain to score below
// floor are skipped.
type batch struct {
	first, count int
	list         []uint32
	floor        float32
}

func (b batch) job(k kernel, dim int) C.flat_job {
	return C.flat_job{
		kernel: k.id, dim: C.int32_t(dim), first: C.uint32_t(b.first), count: C.uint32_t(b.count),
		floor: C.float(b.floor),
	}
}

func (b batch) rows() *C.uint32_t { return (*C.uint32_t)(unsafe.SliceData(b.list)) }

// inner returns the inner product of a with widened numbers (see widen).
func (k kernel) inner(a []float32, wide []float64) float64 {
	return float64(C.flat_inner(k.id, (*C.float)(unsafe.SliceData(a)), (*C.double)(unsafe.SliceData(wide)), C.int64_t(len(a))))
}

// length returns the square root of the inner product of a vector with itself.
func (k kernel) length(a []float32, wide []float64) float64 { return math.Sqrt(k.inner(a, wide)) }

// widen converts numbers to float64. The slice to has padded(len(numbers), lanes) elements, zero beyond the numbers.
func widen(to []float64, numbers []float32) {
	for i, x := range numbers {
		to[i] = float64(x)
	}
}

// padded rounds n up to a multiple of unit.
func padded(n, unit int) int { return (n + unit - 1) / unit * unit }

// exact scores a batch; out must have room for all of it.
func (k kernel) exact(r *rows, q *probe, b batch, out []found) []found {
	job := b.job(k, r.dim)
	job.length = C.double(q.length)
	n := C.flat_exact(job, (*C.float)(unsafe.SliceData(r.vectors)), (*C.double)(unsafe.SliceData(r.lengths)),
		(*C.double)(unsafe.SliceData(q.wide)), b.rows(), (*C.flat_found)(unsafe.Pointer(unsafe.SliceData(out))))
	return out[:n]
}

// coarse bounds the scores of a batch using the codes.
func (k kernel) coarse(r *rows, q *probe, b batch, out []found) []found {
	job := b.job(k, r.dim)
	job.step, job.stretch, job.slack = C.float(q.step), C.float(q.stretch), C.float(q.slack)
	n := C.flat_coarse(job, (*C.int8_t)(unsafe.SliceData(r.codes)), (*C.flat_grid)(unsafe.Pointer(unsafe.SliceData(r.grid))),
		(*C.int8_t)(unsafe.SliceData(q.codes)), b.rows(), (*C.flat_found)(unsafe.Pointer(unsafe.SliceData(out))))
	return out[:n]
}
