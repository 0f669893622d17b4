// Products of 8-bit integers, a part of forward.h: weights as stored, in groups of 32 inputs with a step each, and
// activations from 0 to 255 above the row's lowest, in blocks of 64 with a step each. Sums over a group are exact.

typedef uint8_t act;
#define GROUP 32                 // inputs that share a step of the weights
#define BLOCK (2 * GROUP)        // activations that share a step
#define BLOCKS (D / BLOCK)
#define SIDE (BLOCKS + 1 + MINILM_LOUD) // floats of a row: the blocks' steps, the lowest value, the loud values
#define GROUP_ROWS (GROUP / 4 + 1)      // of a panel: four inputs a word, then the steps
#define SUMS (D / GROUP * GROUP_ROWS)   // the row of a panel with the sums of the weights; those of loud inputs follow as floats
#define PANEL ((SUMS + 1 + MINILM_LOUD) * NR) // words of a panel

// quantise rounds a row of D floats to integers. If loud is set, the loud values stay floats: one of them would coarsen the
// step of its block.
INL void quantise(const float *x, act *q, float *side, int loud) {
	float quiet[D];
	if (loud) {
		__builtin_memcpy(quiet, x, sizeof quiet);
		for (int k = 0; k < MINILM_LOUD; k++) {
			side[BLOCKS + 1 + k] = x[minilm_loud[k]];
			quiet[minilm_loud[k]] = 0;
		}
		x = quiet;
	}
	vf low = load(x), high[BLOCKS];
	UNROLL
	for (int b = 0; b < BLOCKS; b++) {
		high[b] = load(x + b * BLOCK);
		UNROLL
		for (int j = 0; j < BLOCK; j += VW) {
			low = VMIN(low, load(x + b * BLOCK + j));
			high[b] = VMAX(high[b], load(x + b * BLOCK + j));
		}
	}
	side[BLOCKS] = -largest(-low);
	low = splat(side[BLOCKS]);
	UNROLL
	for (int b = 0; b < BLOCKS; b++) {
		float range = largest(high[b]) - side[BLOCKS];
		side[b] = range * (1.0f / 255);
		vf by = splat(range > 1e-30f ? 255 / range : 0);
		UNROLL
		for (int j = b * BLOCK; j < (b + 1) * BLOCK; j += VW)
			NARROW8(q + j, (load(x + j) - low) * by);
	}
}

// group_tile adds to f the product of mr rows of a group with its weights.
INL void group_tile(const int mr, const act *a, const uint32_t *w, long ahead, vf f[MR][NV]) {
	vi acc[MR][NV] = {{{0}}};
	UNROLL
	for (int p = 0; p < GROUP / 4; p++) {
		if (ahead)
			prefetch(w + p * NR + ahead);
		vi col[NV];
		UNROLL
		for (int j = 0; j < NV; j++)
			col[j] = *(const vi_mem *)(w + p * NR + j * VW);
		UNROLL
		for (int i = 0; i < mr; i++) {
			vi row = *(const i32_bytes *)(a + i * D + 4 * p) - (vi){0};
			UNROLL
			for (int j = 0; j < NV; j++)
				acc[i][j] = DOT8(acc[i][j], row, col[j]);
		}
	}
	const f32 *steps = (const f32 *)(w + GROUP / 4 * NR);
	UNROLL
	for (int j = 0; j < NV; j++) {
		vf step = load(steps + j * VW);
		UNROLL
		for (int i = 0; i < mr; i++)
			f[i][j] = VFMA(__builtin_convertvector(acc[i][j], vf), step, f[i][j]);
	}
}

// begin_tile writes what the blocks add to: the bias, what c held, the lowest values, the loud inputs.
INL void begin_tile(const int mr, const float *side, int loud, const f32 *sums, const f32 *bias, int add, float *c, const long ldc) {
	vf t[MR][NV];
	UNROLL
	for (int i = 0; i < mr; i++)
		UNROLL
		for (int j = 0; j < NV; j++) {
			t[i][j] = add ? load(c + i * ldc + j * VW) : (vf){0};
			if (bias)
				t[i][j] += load(bias + j * VW);
		}
	dot(mr, NV, t, side + BLOCKS, SIDE, sums, NR, loud ? 1 + MINILM_LOUD : 1, 0);
	UNROLL
	for (int i = 0; i < mr; i++)
		UNROLL
		for (int j = 0; j < NV; j++)
			store(c + i * ldc + j * VW, t[i][j]);
}

INL void weight_tile(const int mr, const act *a, const float *side, int loud, const uint32_t *w, long ahead, const f32 *bias, int add, float *c, const long ldc) {
	begin_tile(mr, side, loud, (const f32 *)(w + SUMS * NR), bias, add, c, ldc);
	for (int b = 0; b < BLOCKS; b++) {
		vf f[MR][NV] = {{{0}}};
		for (int g = 0; g < BLOCK / GROUP; g++, a += GROUP, w += GROUP_ROWS * NR)
			group_tile(mr, a, w, ahead, f);
		UNROLL
		for (int i = 0; i < mr; i++)
			UNROLL
			for (int j = 0; j < NV; j++) {
				float *to = c + i * ldc + j * VW;
				store(to, VFMA(f[i][j], splat(side[i * SIDE + b]), load(to)));
			}
	}
}
