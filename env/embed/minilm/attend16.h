// Attention with products of 16-bit integers, a part of forward.h.

#define PAIRS (MINILM_HEAD / 2)
#define KEYS ((PAIRS + 1) * NR) // words of a panel of keys: pairs of integers, then a float step per key
#define KEY_TOP 8191.0f         // the sum of 32 products of integers up to this fits 32 bits
#define VALUE_TOP 32700.0f
#define SHARES 32767.0f // the weights of a row of scores sum to about this, so that 32 bits hold a sum of weighted values

// narrow_head rounds 32 floats to integers and returns the step.
INL float narrow_head(const float *x, int16_t *q) {
	vf m = {0};
	UNROLL
	for (int j = 0; j < MINILM_HEAD; j += VW)
		m = VMAX(m, VMAX(load(x + j), -load(x + j)));
	float top = largest(m);
	vf by = splat(top > 1e-30f ? KEY_TOP / top : 0);
	UNROLL
	for (int j = 0; j < MINILM_HEAD; j += VW)
		NARROW16(q + j, load(x + j) * by);
	return top * (1 / KEY_TOP);
}

// keys_to_panels turns n keys of 32 columns into panels of NR keys side by side; the last panel is filled with zeros.
FN void keys_to_panels(const float *qkv, long n, i32_word *panels) {
	for (long j = 0; j < n || j % NR; j++) {
		i32_word *to = panels + j / NR * KEYS + j % NR;
		int16_t q[MINILM_HEAD] = {0};
		float step = j < n ? narrow_head(qkv + j * QKV + MINILM_HEAD, q) : 0;
		UNROLL
		for (int k = 0; k < PAIRS; k++)
			to[k * NR] = ((const i32_pair *)q)[k];
		((f32 *)to)[PAIRS * NR] = step;
	}
}

// values_to_pairs rounds n values of 32 columns to integers, two rows to a row of words, and returns the step.
FN float values_to_pairs(const float *v, long n, i32_word *pairs) {
	vf m = {0};
	for (long i = 0; i < n; i++)
		for (int j = 0; j < MINILM_HEAD; j += VW)
			m = VMAX(m, VMAX(load(v + i * QKV + j), -load(v + i * QKV + j)));
	float top = largest(m);
	vf by = splat(top > 1e-30f ? VALUE_TOP / top : 0), round = splat(12582912.0f); // see exp2v
	for (long i = 0; i < n; i += 2)
		for (int j = 0; j < MINILM_HEAD; j += VW) {
			vi low = (vi)(load(v + i * QKV + j) * by + round), high = {0};
			if (i + 1 < n)
				high = (vi)(load(v + (i + 1) * QKV + j) * by + round);
			*(vi_mem *)(pairs + i / 2 * MINILM_HEAD + j) = (low & 0xffff) | (high << 16);
		}
	return top * (1 / VALUE_TOP);
}

// dot16 adds to acc the product of mr rows of a (lda apart), pairs of integers, and as many rows of words of b (ldb apart).
INL void dot16(const int mr, const int nv, vi acc[MR][NV], const int16_t *a, const long lda, const i32_word *b, const long ldb, const long pairs) {
	for (long p = 0; p < pairs; p++) {
		vi col[NV];
		UNROLL
		for (int j = 0; j < nv; j++)
			col[j] = *(const vi_mem *)(b + p * ldb + j * VW);
		UNROLL
		for (int i = 0; i < mr; i++) {
			vi row = *(const i32_pair *)(a + i * lda + 2 * p) - (vi){0};
			UNROLL
			for (int j = 0; j < nv; j++)
				acc[i][j] = DOT16(acc[i][j], row, col[j]);
		}
	}
}

INL void score_tile(const int mr, const int16_t *q, const float *step, const i32_word *keys, float *c, const long ldc) {
	vi acc[MR][NV] = {{{0}}};
	dot16(mr, NV, acc, q, MINILM_HEAD, keys, NR, PAIRS);
	UNROLL
	for (int i = 0; i < mr; i++)
		UNROLL
		for (int j = 0; j < NV; j++)
			store(c + i * ldc + j * VW, __builtin_convertvector(acc[i][j], vf) * (splat(step[i]) * load((const f32 *)keys + PAIRS * NR + j * VW)));
}

INL void context_tile(const int mr, const int16_t *weights, const long lda, const i32_word *values, long n, float step, float *c) {
	vi acc[MR][NV] = {{{0}}};
	dot16(mr, 2, acc, weights, lda, values, MINILM_HEAD, (n + 1) / 2);
	UNROLL
	for (int i = 0; i < mr; i++)
		UNROLL
		for (int j = 0; j < 2; j++)
			store(c + i * D + j * VW, __builtin_convertvector(acc[i][j], vf) * splat(step));
}

// attend is one head over one text: qkv holds n rows of 32 queries (already over sqrt 32 and ln 2), keys, values.
FN void attend(const float *qkv, long n, float *panels, float *scores, float *c) {
	const long wide = (n + NR - 1) / NR * NR;
	i32_word *keys = (i32_word *)panels, *values = keys + wide / NR * KEYS;
	keys_to_panels(qkv, n, keys);
	const float step = values_to_pairs(qkv + 2 * MINILM_HEAD, n, values) * (1 / SHARES);
	for (long i = 0, mr; i < n; i += mr) {
		mr = height(n, i);
		int16_t q[MR * MINILM_HEAD];
		float steps[MR];
		for (long r = 0; r < mr; r++)
			steps[r] = narrow_head(qkv + (i + r) * QKV, q + r * MINILM_HEAD);
		for (long p = 0; p < wide; p += NR) {
#define TILE(m) score_tile(m, q, steps, keys + p / NR * KEYS, scores + p, wide)
			ROWS(mr, TILE)
#undef TILE
		}
		for (long r = 0; r < mr; r++) {
			float *row = scores + r * wide;
			vf by = splat(SHARES / softmax(row, n));
			for (long j = 0; j < n; j += VW) // each vector takes half of the place that it was read from
				NARROW16((int16_t *)row + j, load(row + j) * by);
		}
		for (long j = 0; j < MINILM_HEAD; j += 2 * VW) {
#define TILE(m) context_tile(m, (const int16_t *)scores, 2 * wide, values + j, n, step, c + i * D + j)
			ROWS(mr, TILE)
#undef TILE
		}
	}
}
