// The two scans, compiled once for each instruction set. Before it is included: TARGET (attributes of a function),
// NAME(x) (the name of x in this kernel), WIDTH (float64 numbers in a register), codes_inner (inner product of a row of
// codes with a probe, plus a bias) and probe_bias. However wide the registers, the 32 sums and their tree are the same;
// products of float32 are exact in float64, so that fusing them with the addition changes nothing.

#include <string.h>

#include "kernel.h"

typedef double lanes __attribute__((vector_size(8 * WIDTH)));
typedef double lanes_of __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));
typedef float floats_of __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));

#define INLINE static inline __attribute__((always_inline)) TARGET
#define PARTS (FLAT_LANES / WIDTH)

enum {
	AHEAD_EXACT = 4096, // bytes from the use of a row to the one asked for: the hardware stops at the end of a 4 KB page
	AHEAD_COARSE = 2048,
};

INLINE void add(lanes *sums, const float *a, const double *b) {
	for (int k = 0; k < PARTS; k++)
		sums[k] += __builtin_convertvector(((const floats_of *)a)[k], lanes) * ((const lanes_of *)b)[k];
}

INLINE double inner(const float *a, const double *b, int64_t dim) {
	lanes s[PARTS] = {{0}};
	int64_t i = 0;
	for (; i + FLAT_LANES <= dim; i += FLAT_LANES)
		add(s, a + i, b + i);
	if (i < dim) {
		float rest[FLAT_LANES] = {0};
		memcpy(rest, a + i, (dim - i) * sizeof *a);
		add(s, rest, b + i);
	}
	const int q = PARTS / 4;
	for (int k = 0; k < q; k++)
		s[k] = (s[k] + s[k + q]) + (s[k + 2 * q] + s[k + 3 * q]);
#define LANE(j) s[(j) / WIDTH][(j) % WIDTH]
	return ((LANE(0) + LANE(4)) + (LANE(2) + LANE(6))) + ((LANE(1) + LANE(5)) + (LANE(3) + LANE(7)));
#undef LANE
}

INLINE void fetch(const char *row, int64_t size) {
	for (int64_t i = 0; i < size; i += 64)
		__builtin_prefetch(row + i);
}

TARGET double NAME(inner)(const float *a, const double *b, int64_t dim) { return inner(a, b, dim); }

TARGET int64_t NAME(exact)(flat_job job, const float *vectors, const double *lengths, const double *query,
			const uint32_t *list, flat_found *found) {
	const int64_t dim = job.dim;
	int64_t n = 0;
	for (uint32_t i = 0; i < job.count; i++) {
		const uint32_t row = list ? list[i] : job.first + i;
		const float *at = vectors + row * dim;
		if (!list)
			fetch((const char *)at + AHEAD_EXACT, dim * sizeof *at);
		else if (i + 1 < job.count)
			fetch((const char *)(vectors + list[i + 1] * dim), dim * sizeof *at);
		const double scale = job.length * lengths[row];
		const float score = scale > 0 ? (float)(inner(at, query, dim) / scale) : 0;
		if (score >= job.floor)
			found[n++] = (flat_found){row, score, score};
	}
	return n;
}

TARGET int64_t NAME(coarse)(flat_job job, const int8_t *codes, const flat_grid *grid, const int8_t *probe,
			 const uint32_t *list, flat_found *found) {
	const int64_t stride = (job.dim + FLAT_STRIDE - 1) / FLAT_STRIDE * FLAT_STRIDE;
	const uint32_t bias = probe_bias(probe, stride);
	int64_t n = 0;
	for (uint32_t i = 0; i < job.count; i++) {
		const uint32_t row = list ? list[i] : job.first + i;
		const int8_t *at = codes + row * stride;
		if (!list)
			fetch((const char *)at + AHEAD_COARSE, stride);
		else if (i + 2 < job.count)
			fetch((const char *)(codes + list[i + 2] * stride), stride);
		const int32_t sum = (int32_t)(codes_inner(at, probe, stride) - bias);
		const float score = (float)sum * (grid[row].step * job.step);
		const float error = grid[row].error * job.stretch + job.slack;
		if (score + error >= job.floor)
			found[n++] = (flat_found){row, score + error, score - error};
	}
	return n;
}
