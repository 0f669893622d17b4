// What every CPU can run.
#define TARGET
#define NAME(x) flat_##x##_portable
#define WIDTH 2
#include <stdint.h>

static inline uint32_t probe_bias(const int8_t *probe, int64_t stride) {
	(void)probe, (void)stride;
	return 0;
}

static inline uint32_t codes_inner(const int8_t *row, const int8_t *probe, int64_t stride) {
	const int16_t *q = (const int16_t *)(probe + 2 * stride);
	int32_t sum = 0;
	for (int64_t i = 0; i < stride; i++)
		sum += row[i] * q[i];
	return sum;
}

#include "scan.h"
