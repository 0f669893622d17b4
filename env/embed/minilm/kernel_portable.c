// Four lanes of float32, which every compiler turns into what the CPU at hand surely has (SSE2, NEON).
#define TARGET
#define VW 4
#define MR 4
#define NV 2
#define INT16 0
#define INT8 0
#define FORWARD minilm_forward_portable
#define VMAX(a, b) (largest_of(a, b))
#define VFMA(a, b, c) ((a) * (b) + (c))
#define VRCP(x) (1.0f / (x))
#define VSUM(v) ((v)[0] + (v)[1] + (v)[2] + (v)[3])
#define VTOP(v) (top_of(v))

typedef float lanes __attribute__((vector_size(16)));
typedef int lane_bits __attribute__((vector_size(16)));

static inline lanes largest_of(lanes a, lanes b) {
	lane_bits m = a > b;
	return (lanes)((m & (lane_bits)a) | (~m & (lane_bits)b));
}

static inline float top_of(lanes v) {
	float a = v[0] > v[1] ? v[0] : v[1], b = v[2] > v[3] ? v[2] : v[3];
	return a > b ? a : b;
}

#include "forward.h"
