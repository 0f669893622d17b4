// Sixteen lanes with AVX-512; products of weights in 16-bit integers, two to a lane, summed in 32 bits.
#include "guard.h"
#if MINILM_HAS_VNNI
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")))
#define INT16 1
#define INT8 0
#define FORWARD minilm_forward_vnni
#define DOT16(acc, a, b) ((vi)_mm512_dpwssd_epi32((__m512i)(acc), (__m512i)(a), (__m512i)(b)))
#define NARROW16(to, v) _mm256_storeu_si256((__m256i *)(to), _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(v)))
#include "avx512.h"
#include "forward.h"
#endif
