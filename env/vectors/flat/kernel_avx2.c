// AVX2 and FMA: codes widened to 16 bits, products summed in pairs.
#include "guard.h"
#if FLAT_HAS_AVX2
#include <immintrin.h>
#include <stdint.h>

#define TARGET __attribute__((target("avx2,fma")))
#define NAME(x) flat_##x##_avx2
#define WIDTH 4

static inline uint32_t probe_bias(const int8_t *probe, int64_t stride) {
	(void)probe, (void)stride;
	return 0;
}

static inline __attribute__((always_inline)) TARGET uint32_t
codes_inner(const int8_t *row, const int8_t *probe, int64_t stride) {
	const int16_t *q = (const int16_t *)(probe + 2 * stride);
	__m256i s[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
	for (int64_t i = 0; i < stride; i += 32)
		for (int k = 0; k < 2; k++) {
			__m256i v = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(row + i + 16 * k)));
			s[k] = _mm256_add_epi32(s[k], _mm256_madd_epi16(v, _mm256_loadu_si256((const __m256i *)(q + i + 16 * k))));
		}
	s[0] = _mm256_add_epi32(s[0], s[1]);
	__m128i h = _mm_add_epi32(_mm256_castsi256_si128(s[0]), _mm256_extracti128_si256(s[0], 1));
	h = _mm_add_epi32(h, _mm_shuffle_epi32(h, 0x4e));
	h = _mm_add_epi32(h, _mm_shuffle_epi32(h, 0xb1));
	return _mm_cvtsi128_si32(h);
}

#include "scan.h"
#endif
