// AVX-512 with VNNI. The instruction multiplies unsigned bytes by signed ones: the codes are made unsigned by adding
// 128, which adds 128 times the sum of the probe (the bias) to each inner product. All sums are modulo 2^32.
#include "guard.h"
#if FLAT_HAS_VNNI
#include <immintrin.h>
#include <stdint.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")))
#define NAME(x) flat_##x##_vnni
#define WIDTH 8

static inline uint32_t probe_bias(const int8_t *probe, int64_t stride) {
	uint32_t sum = 0;
	for (int64_t i = 0; i < stride; i++)
		sum += ((const int16_t *)(probe + 2 * stride))[i];
	return 128 * sum;
}

static inline __attribute__((always_inline)) TARGET uint32_t
codes_inner(const int8_t *row, const int8_t *probe, int64_t stride) {
	const __m512i flip = _mm512_set1_epi8(-128);
	__m512i high = _mm512_setzero_si512(), low = high;
	for (int64_t i = 0; i < stride; i += 64) {
		__m512i v = _mm512_xor_si512(_mm512_loadu_si512(row + i), flip);
		high = _mm512_dpbusd_epi32(high, v, _mm512_loadu_si512(probe + i));
		low = _mm512_dpbusd_epi32(low, v, _mm512_loadu_si512(probe + stride + i));
	}
	return _mm512_reduce_add_epi32(_mm512_add_epi32(_mm512_slli_epi32(high, 8), low));
}

#include "scan.h"
#endif
