// What the two AVX2 kernels share: their tile, and the operations that need an intrinsic.
#define VW 8
#define MR 6
#define NV 2
#define VMAX(a, b) ((vf)_mm256_max_ps(a, b))
#define VFMA(a, b, c) ((vf)_mm256_fmadd_ps(a, b, c))
#define VRCP(x) reciprocal(x)

static inline TARGET __attribute__((always_inline)) __m256 reciprocal(__m256 x) {
	__m256 r = _mm256_rcp_ps(x); // 12 bits; one step of Newton doubles them
	return r * (_mm256_set1_ps(2.0f) - x * r);
}
