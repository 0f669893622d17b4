// Eight lanes of float32 with AVX2 and FMA.
#include "guard.h"
#if MINILM_HAS_AVX2
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define INT16 0
#define INT8 0
#define FORWARD minilm_forward_avx2
#include "avx2.h"
#include "forward.h"
#endif
