// Four lanes of float32, which every compiler turns into what the CPU at hand surely has (SSE2, NEON).
#define TARGET
#define VW 4
#define MR 4
#define NV 2
#define INT16 0
#define FORWARD minilm_forward_portable
#define VMAX(a, b) (largest_of(a, b))
#define VFMA(a, b, c) ((a) * (b) + (c))
#define VRCP(x) (1.0f / (x))

typedef float lanes __attribute__((vector_size(16)));
typedef int lane_bits __attribute__((vector_size(16)));

static inline lanes largest_of(lanes a, lanes b) {
	lane_bits m = a > b;
	return (lanes)((m & (lane_bits)a) | (~m & (lane_bits)b));
}

#include "forward.h"
