// Sixteen lanes of float32 with AVX-512.
#include "guard.h"
#if MINILM_HAS_AVX512
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")))
#define INT16 0
#define INT8 0
#define FORWARD minilm_forward_avx512
#include "avx512.h"
#include "forward.h"
#endif
