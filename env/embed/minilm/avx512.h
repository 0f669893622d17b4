// What the two AVX-512 kernels share: their tile, and the operations that need an intrinsic.
#define VW 16
#ifndef MR
#define MR 8
#endif
#ifndef NV
#define NV 3
#endif
#define VMAX(a, b) ((vf)_mm512_max_ps(a, b))
#define VFMA(a, b, c) ((vf)_mm512_fmadd_ps(a, b, c))
#define VRCP(x) reciprocal(x)
#define VSUM(v) _mm512_reduce_add_ps(v)
#define VTOP(v) _mm512_reduce_max_ps(v)

static inline TARGET __attribute__((always_inline)) __m512 reciprocal(__m512 x) {
	__m512 r = _mm512_rcp14_ps(x); // 14 bits; one step of Newton doubles them
	return r * (_mm512_set1_ps(2.0f) - x * r);
}
