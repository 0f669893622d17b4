// Eight lanes with AVX2; products of weights in 16-bit integers, two to a lane, summed in 32 bits.
#include "guard.h"
#if MINILM_HAS_AVX2
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define INT16 1
#define INT8 0
#define FORWARD minilm_forward_madd
#define DOT16(acc, a, b) ((vi)_mm256_add_epi32((__m256i)(acc), _mm256_madd_epi16((__m256i)(a), (__m256i)(b))))
#define NARROW16(to, v) narrow16(to, _mm256_cvtps_epi32(v))
#include "avx2.h"

static inline TARGET __attribute__((always_inline)) void narrow16(int16_t *to, __m256i v) {
	__m256i pairs = _mm256_permute4x64_epi64(_mm256_packs_epi32(v, v), 0x08); // the low halves of both lanes together
	_mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(pairs));
}

#include "forward.h"
#endif
