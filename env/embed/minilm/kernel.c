// The choice among the kernels that were compiled in, after asking the CPU (and the system, which must save the wide
// registers: __builtin_cpu_supports asks both).

#include "kernel.h"
#include "guard.h"

typedef void forward(const uint32_t *params, const int32_t *lens, int count, float *x, float *scratch, float *out);

forward minilm_forward_portable;
#if MINILM_HAS_AVX2
forward minilm_forward_avx2;
forward minilm_forward_madd;
#endif
#if MINILM_HAS_AVX512
forward minilm_forward_avx512;
#endif
#if MINILM_HAS_VNNI
forward minilm_forward_vnni;
forward minilm_forward_vnni8;
#endif

const int32_t minilm_loud[MINILM_LOUD] = {63, 99, 127, 157, 223, 267, 303, 319};

#if MINILM_HAS_AVX512
static int has_avx512(void) {
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}
#endif

int minilm_columns(int kernel) {
	switch (kernel) {
	case MINILM_PORTABLE:
		return 8;
#if MINILM_HAS_AVX2
	case MINILM_AVX2:
	case MINILM_MADD:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 16 : 0;
#endif
#if MINILM_HAS_AVX512
	case MINILM_AVX512:
		return has_avx512() ? 48 : 0;
#endif
#if MINILM_HAS_VNNI
	case MINILM_VNNI:
		return has_avx512() && __builtin_cpu_supports("avx512vnni") ? 48 : 0;
	case MINILM_VNNI8:
		return has_avx512() && __builtin_cpu_supports("avx512vnni") ? 32 : 0;
#endif
	}
	return 0;
}

void minilm_forward(int kernel, const uint32_t *params, const int32_t *lens, int count, float *x, float *scratch, float *out) {
	switch (kernel) {
#if MINILM_HAS_AVX2
	case MINILM_AVX2:
		minilm_forward_avx2(params, lens, count, x, scratch, out);
		return;
	case MINILM_MADD:
		minilm_forward_madd(params, lens, count, x, scratch, out);
		return;
#endif
#if MINILM_HAS_AVX512
	case MINILM_AVX512:
		minilm_forward_avx512(params, lens, count, x, scratch, out);
		return;
#endif
#if MINILM_HAS_VNNI
	case MINILM_VNNI:
		minilm_forward_vnni(params, lens, count, x, scratch, out);
		return;
	case MINILM_VNNI8:
		minilm_forward_vnni8(params, lens, count, x, scratch, out);
		return;
#endif
	}
	minilm_forward_portable(params, lens, count, x, scratch, out);
}

long minilm_scratch(long tokens) {
	const long rows = 3L * MINILM_DIM + 3 * MINILM_HEAD + 2; // h, c, activations; a head; two steps
	const long panel = 48;                                   // columns of the widest tile, which has 8 rows
	return tokens * rows + (tokens + panel) * (MINILM_HEAD + 2 + 8);
}
