// What the two AVX2 kernels share: their tile, and the operations that need an intrinsic.
#define VW 8
#define MR 6
#define NV 2
#define VMAX(a, b) ((vf)_mm256_max_ps(a, b))
#define VFMA(a, b, c) ((vf)_mm256_fmadd_ps(a, b, c))
#define VRCP(x) reciprocal(x)
#define VSUM(v) sum_of(v)
#define VTOP(v) top_of(v)

static inline TARGET __attribute__((always_inline)) __m256 reciprocal(__m256 x) {
	__m256 r = _mm256_rcp_ps(x); // 12 bits; one step of Newton doubles them
	return r * (_mm256_set1_ps(2.0f) - x * r);
}

static inline TARGET __attribute__((always_inline)) float sum_of(__m256 v) {
	__m128 h = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
	h = _mm_add_ps(h, _mm_movehl_ps(h, h));
	return _mm_cvtss_f32(_mm_add_ss(h, _mm_movehdup_ps(h)));
}

static inline TARGET __attribute__((always_inline)) float top_of(__m256 v) {
	__m128 h = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
	h = _mm_max_ps(h, _mm_movehl_ps(h, h));
	return _mm_cvtss_f32(_mm_max_ss(h, _mm_movehdup_ps(h)));
}
