// The choice among the kernels that were compiled in, after asking the CPU (and the system, which must save the wide
// registers: __builtin_cpu_supports asks both).

#include "kernel.h"
#include "guard.h"

#define DECLARE(name) \
	double flat_inner_##name(const float *a, const double *b, int64_t dim); \
	int64_t flat_exact_##name(flat_job job, const float *vectors, const double *lengths, const double *query, \
			       const uint32_t *list, flat_found *found); \
	int64_t flat_coarse_##name(flat_job job, const int8_t *codes, const flat_grid *grid, const int8_t *probe, \
				const uint32_t *list, flat_found *found);

DECLARE(portable)
#if FLAT_HAS_AVX2
DECLARE(avx2)
#endif
#if FLAT_HAS_VNNI
DECLARE(vnni)
#endif

int flat_can(int32_t kernel) {
	switch (kernel) {
	case FLAT_PORTABLE:
		return 1;
#if FLAT_HAS_AVX2
	case FLAT_AVX2:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
#if FLAT_HAS_VNNI
	case FLAT_VNNI:
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
		       __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("fma");
#endif
	}
	return 0;
}

double flat_inner(int32_t kernel, const float *a, const double *b, int64_t dim) {
#if FLAT_HAS_VNNI
	if (kernel == FLAT_VNNI)
		return flat_inner_vnni(a, b, dim);
#endif
#if FLAT_HAS_AVX2
	if (kernel == FLAT_AVX2)
		return flat_inner_avx2(a, b, dim);
#endif
	return flat_inner_portable(a, b, dim);
}

int64_t flat_exact(flat_job job, const float *vectors, const double *lengths, const double *query, const uint32_t *list,
		flat_found *found) {
#if FLAT_HAS_VNNI
	if (job.kernel == FLAT_VNNI)
		return flat_exact_vnni(job, vectors, lengths, query, list, found);
#endif
#if FLAT_HAS_AVX2
	if (job.kernel == FLAT_AVX2)
		return flat_exact_avx2(job, vectors, lengths, query, list, found);
#endif
	return flat_exact_portable(job, vectors, lengths, query, list, found);
}

int64_t flat_coarse(flat_job job, const int8_t *codes, const flat_grid *grid, const int8_t *probe, const uint32_t *list,
		 flat_found *found) {
#if FLAT_HAS_VNNI
	if (job.kernel == FLAT_VNNI)
		return flat_coarse_vnni(job, codes, grid, probe, list, found);
#endif
#if FLAT_HAS_AVX2
	if (job.kernel == FLAT_AVX2)
		return flat_coarse_avx2(job, codes, grid, probe, list, found);
#endif
	return flat_coarse_portable(job, codes, grid, probe, list, found);
}
