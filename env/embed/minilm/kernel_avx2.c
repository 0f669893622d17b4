// Eight lanes of float32 with AVX2 and FMA.
#include "guard.h"
#if MINILM_HAS_AVX2
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define VW 8
#define MR 6
#define NV 2
#define INT16 0
#define FORWARD minilm_forward_avx2
#define VMAX(a, b) ((vf)_mm256_max_ps(a, b))
#define VRCP(x) reciprocal(x)

static inline TARGET __attribute__((always_inline)) __m256 reciprocal(__m256 x) {
	__m256 r = _mm256_rcp_ps(x); // 12 bits; one step of Newton doubles them
	return r * (_mm256_set1_ps(2.0f) - x * r);
}

#include "forward.h"
#endif
