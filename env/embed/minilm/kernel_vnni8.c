// Sixteen lanes with AVX-512; products of weights in 8-bit integers, four to a lane, summed in 32 bits.
#include "guard.h"
#if MINILM_HAS_VNNI
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")))
#define INT16 0
#define INT8 1
#define FORWARD minilm_forward_vnni8
#define DOT16(acc, a, b) ((vi)_mm512_dpwssd_epi32((__m512i)(acc), (__m512i)(a), (__m512i)(b)))
#define NARROW16(to, v) _mm256_storeu_si256((__m256i *)(to), _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(v)))
#define DOT8(acc, a, b) ((vi)_mm512_dpbusd_epi32((__m512i)(acc), (__m512i)(a), (__m512i)(b)))
#define NARROW8(to, v) _mm_storeu_si128((__m128i *)(to), _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(v)))
#define VMIN(a, b) ((vf)_mm512_min_ps(a, b))
#define MR 6
#define NV 2
#include "avx512.h"
#include "forward.h"
#endif
