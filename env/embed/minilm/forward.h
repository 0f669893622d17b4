// The encoder, written once over vectors of VW floats and compiled once per instruction set. A file that includes
// this defines first:
//   TARGET     attribute of every function, for instance __attribute__((target("avx2,fma")))
//   VW         floats in a vector
//   MR, NV     tile of a product that stays in registers: MR rows by NV vectors of columns
//   FORWARD    name of the one function that others see
//   VMAX, VRCP largest of two vectors; 1/x to 2e-7 or better
//   VSUM, VTOP sum and largest number of a vector
//   VFMA       a*b + c, rounded in the same way wherever it stands: a text's vector must not depend on its company
//   INT16      1 for products of 16-bit integers, with DOT16(acc, a, b), which adds the products of two pairs to each
//              lane of acc, and NARROW16(to, v), which stores v rounded to 16-bit integers
//   INT8       1 for products of weights in 8-bit integers (bytes.h), with these two, VMIN, DOT8(acc, a, b), which adds the
//              products of four pairs, the first unsigned, and NARROW8(to, v), which stores v rounded to bytes
// No function here calls a library, and none keeps state.

#include "kernel.h"

#define FN static TARGET __attribute__((noinline))
#define INL static inline TARGET __attribute__((always_inline))
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#define D MINILM_DIM
#define NR (NV * VW)          // columns of a panel
#define QKV (3 * MINILM_HEAD) // columns of a head: queries, keys, values

_Static_assert(QKV % NR == 0 && D % NR == 0 && MINILM_HEAD % (2 * VW) == 0, "panels must divide a head's and a row's columns");

typedef float vf __attribute__((vector_size(4 * VW)));
typedef int32_t vi __attribute__((vector_size(4 * VW)));
typedef uint32_t vu __attribute__((vector_size(4 * VW)));
typedef float vf_mem __attribute__((vector_size(4 * VW), aligned(4), may_alias));
typedef int32_t vi_mem __attribute__((vector_size(4 * VW), aligned(4), may_alias));
typedef float f32 __attribute__((may_alias));
typedef int32_t i32_pair __attribute__((aligned(2), may_alias));
typedef int32_t i32_word __attribute__((may_alias));
typedef int32_t i32_bytes __attribute__((aligned(1), may_alias));

INL vf load(const f32 *p) { return *(const vf_mem *)p; }
INL void store(f32 *p, vf v) { *(vf_mem *)p = v; }
INL vf splat(float s) { return s - (vf){0}; }

INL float sum(vf v) { return VSUM(v); }
INL float largest(vf v) { return VTOP(v); }

// exp2v is 2^x for x <= 0, to 2e-7 of its value; below -125 it stays at 2^-125, which no sum here notices.
INL vf exp2v(vf x) {
	x = VMAX(x, splat(-125.0f));
	const vf round = splat(12582912.0f); // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
	vf r = x + round;
	vf f = x - (r - round);
	vf p = splat(1.5403530e-4f); // powers of ln 2 over factorials
	p = p * f + splat(1.3333558e-3f);
	p = p * f + splat(9.6181291e-3f);
	p = p * f + splat(5.5504109e-2f);
	p = p * f + splat(2.4022651e-1f);
	p = p * f + splat(6.9314718e-1f);
	p = p * f + splat(1.0f);
	return (vf)((vu)p + ((vu)r << 23));
}

// gelu is x/2 * (1 + erf(x/sqrt 2)). erf after Abramowitz and Stegun, formula 7.1.26, wrong by at most 1.5e-7.
INL vf gelu(vf x) {
	vf z = VMAX(x, -x);
	vf t = VRCP(z * splat(0.23164190f) + splat(1.0f)); // 0.3275911 / sqrt 2
	vf p = splat(1.061405429f);
	p = p * t + splat(-1.453152027f);
	p = p * t + splat(1.421413741f);
	p = p * t + splat(-0.284496736f);
	p = p * t + splat(0.254829592f);
	vf tail = p * t * exp2v(x * x * splat(-0.72134752f)); // 1 - erf|x/sqrt 2|;  exp(-x^2/2) as a power of 2
	// Positive x: x - x/2 * tail. Negative x: x/2 * tail. Both are max(x, 0) - |x|/2 * tail.
	return VMAX(x, (vf){0}) - splat(0.5f) * z * tail;
}

// normalise is LayerNorm over one row of D columns, in place; epsilon 1e-12 inside the root.
INL void normalise(float *x, const f32 *weight, const f32 *bias) {
	vf s = {0}, q = {0};
	for (int j = 0; j < D; j += VW)
		s += load(x + j);
	vf mean = splat(sum(s) / D);
	for (int j = 0; j < D; j += VW) {
		vf d = load(x + j) - mean;
		q += d * d;
	}
	vf scale = splat(1.0f / __builtin_sqrtf(sum(q) / D + 1e-12f));
	for (int j = 0; j < D; j += VW)
		store(x + j, (load(x + j) - mean) * scale * load(weight + j) + load(bias + j));
}

INL void prefetch(const void *p) {
	UNROLL
	for (int i = 0; i < NR * 4; i += 64)
		__builtin_prefetch((const char *)p + i, 0, 2);
}

// dot adds to acc the product of mr rows of a (lda apart) and k rows of b (ldb apart), nv vectors wide. mr and nv are
// constants wherever it is called, so that acc stays in registers.
INL void dot(const int mr, const int nv, vf acc[MR][NV], const float *a, const long lda, const f32 *b, const long ldb, const long k, long ahead) {
	for (long p = 0; p < k; p++) {
		if (ahead)
			prefetch(b + p * ldb + ahead);
		vf col[NV];
		UNROLL
		for (int j = 0; j < nv; j++)
			col[j] = load(b + p * ldb + j * VW);
		UNROLL
		for (int i = 0; i < mr; i++) {
			vf row = splat(a[i * lda + p]);
			UNROLL
			for (int j = 0; j < nv; j++)
				acc[i][j] = VFMA(row, col[j], acc[i][j]);
		}
	}
}

// rows calls f with the number of rows as a constant.
#if MR == 8
#define ROWS(n, f) \
	switch (n) { case 1: f(1); break; case 2: f(2); break; case 3: f(3); break; case 4: f(4); break; \
	case 5: f(5); break; case 6: f(6); break; case 7: f(7); break; default: f(8); }
#elif MR == 6
#define ROWS(n, f) \
	switch (n) { case 1: f(1); break; case 2: f(2); break; case 3: f(3); break; case 4: f(4); break; \
	case 5: f(5); break; default: f(6); }
#else
#define ROWS(n, f) \
	switch (n) { case 1: f(1); break; case 2: f(2); break; case 3: f(3); break; default: f(4); }
#endif

// height spreads n rows over the fewest tiles of up to MR rows, evenly: the rows of the tile that begins at row i.
INL long height(long n, long i) {
	long left = n - i, tiles = (left + MR - 1) / MR;
	return (left + tiles - 1) / tiles;
}

// product_tile writes an mr by nv tile of a*b to c.
INL void product_tile(const int mr, const int nv, const float *a, const long lda, const f32 *b, const long ldb, const long k, float *c, const long ldc) {
	vf acc[MR][NV] = {{{0}}};
	dot(mr, nv, acc, a, lda, b, ldb, k, 0);
	UNROLL
	for (int i = 0; i < mr; i++)
		UNROLL
		for (int j = 0; j < nv; j++)
			store(c + i * ldc + j * VW, acc[i][j]);
}

#if INT8

#include "bytes.h"

#elif INT16

// A row of activations: 384 integers and the value of one step.
typedef int16_t act;
#define SIDE 1 // floats of a row beside its integers
#define PANEL ((D / 2 + 1) * NR) // words of a panel: pairs of integers, then a float step per column

// The sums of products fit 32 bits because the length of a row and of a weight column, as integer vectors, stays
// below 46340 (Cauchy and Schwarz: the square of that is 2^31).
#define LENGTH 46300.0f
#define TOP 32700.0f

// quantise rounds a row of D floats to integers of the given step.
INL void quantise(const float *x, act *q, float *step, int loud) {
	(void)loud;
	vf s = {0}, m = {0};
	for (int j = 0; j < D; j += VW) {
		vf v = load(x + j);
		s += v * v;
		m = VMAX(m, VMAX(v, -v));
	}
	float length = __builtin_sqrtf(sum(s)), top = largest(m);
	if (!(length > 1e-30f)) {
		__builtin_memset(q, 0, D * sizeof *q);
		*step = 0;
		return;
	}
	float scale = LENGTH / length;
	if (scale > TOP / top)
		scale = TOP / top;
	vf by = splat(scale);
	for (int j = 0; j < D; j += VW)
		NARROW16(q + j, load(x + j) * by);
	*step = 1.0f / scale;
}

INL void weight_tile(const int mr, const act *a, const float *step, int loud, const uint32_t *w, long ahead, const f32 *bias, int add, float *c, const long ldc) {
	(void)loud;
	vi acc[MR][NV] = {{{0}}};
	for (long p = 0; p < D / 2; p++) {
		prefetch(w + p * NR + ahead);
		vi col[NV];
		UNROLL
		for (int j = 0; j < NV; j++)
			col[j] = *(const vi_mem *)(w + p * NR + j * VW);
		UNROLL
		for (int i = 0; i < mr; i++) {
			vi row = *(const i32_pair *)(a + i * D + 2 * p) - (vi){0};
			UNROLL
			for (int j = 0; j < NV; j++)
				acc[i][j] = DOT16(acc[i][j], row, col[j]);
		}
	}
	const f32 *steps = (const f32 *)(w + D / 2 * NR);
	UNROLL
	for (int i = 0; i < mr; i++)
		UNROLL
		for (int j = 0; j < NV; j++) {
			float *to = c + i * ldc + j * VW;
			vf from = add ? load(to) : (vf){0};
			if (bias)
				from += load(bias + j * VW);
			store(to, VFMA(__builtin_convertvector(acc[i][j], vf), splat(step[i]) * load(steps + j * VW), from));
		}
}

#else

typedef float act;
#define SIDE 1
#define PANEL (D * NR) // words of a panel

INL void quantise(const float *x, act *q, float *step, int loud) {
	(void)step, (void)loud;
	if (x != q)
		__builtin_memcpy(q, x, D * sizeof *q);
}

INL void weight_tile(const int mr, const act *a, const float *step, int loud, const uint32_t *w, long ahead, const f32 *bias, int add, float *c, const long ldc) {
	(void)step, (void)loud;
	vf acc[MR][NV] = {{{0}}};
	dot(mr, NV, acc, a, D, (const f32 *)w, NR, D, ahead);
	UNROLL
	for (int i = 0; i < mr; i++)
		UNROLL
		for (int j = 0; j < NV; j++) {
			float *to = c + i * ldc + j * VW;
			vf from = add ? load(to) : (vf){0};
			if (bias)
				from += load(bias + j * VW);
			store(to, acc[i][j] + from);
		}
}

#endif

// Rows of activations as the products read them.
typedef struct {
	act *q;
	float *side; // SIDE floats a row
	long n;
	int loud; // whether the largest inputs are kept apart (bytes.h)
} input;

// product is c = a*w + bias, or c += a*w + bias, over a whole number of panels; w is 384 rows deep.
FN void product(input a, const uint32_t *w, long panels, const f32 *bias, int add, float *c, const long ldc) {
	for (long p = 0; p < panels; p++, w += PANEL) {
		const f32 *b = bias ? bias + p * NR : 0;
		for (long i = 0, mr; i < a.n; i += mr) {
			mr = height(a.n, i);
			long ahead = i + mr < a.n ? 0 : PANEL; // the last tile fetches the next panel
#define TILE(m) weight_tile(m, a.q + i * D, a.side + i * SIDE, a.loud, w, ahead, b, add, c + i * ldc + p * NR, ldc)
			ROWS(mr, TILE)
#undef TILE
		}
	}
}

FN void quantise_rows(const float *x, input a) {
	for (long i = 0; i < a.n; i++)
		quantise(x + i * D, a.q + i * D, a.side + i * SIDE, a.loud);
}

FN void gelu_rows(float *x, input a) {
	for (long i = 0; i < a.n; i++) {
		for (int j = 0; j < D; j += VW)
			store(x + i * D + j, gelu(load(x + i * D + j)));
		quantise(x + i * D, a.q + i * D, a.side + i * SIDE, a.loud);
	}
}

FN void normalise_rows(float *x, const f32 *weight, const f32 *bias, input a) {
	for (long i = 0; i < a.n; i++) {
		normalise(x + i * D, weight, bias);
		quantise(x + i * D, a.q + i * D, a.side + i * SIDE, a.loud);
	}
}

// softmax turns a row of scores, given as powers of 2, into weights that still lack the division by the sum it returns.
INL float softmax(float *s, long n) {
	for (long j = n; j % VW; j++)
		s[j] = -1e30f;
	vf m = load(s), total = {0};
	for (long j = VW; j < n; j += VW)
		m = VMAX(m, load(s + j));
	vf top = splat(largest(m));
	for (long j = 0; j < n; j += VW) {
		vf e = exp2v(load(s + j) - top);
		total += e;
		store(s + j, e);
	}
	return sum(total);
}

#if INT16 || INT8
#include "attend16.h"
#else

// keys_to_panels turns n keys of 32 columns into panels of NR keys side by side; the last panel is filled with zeros.
FN void keys_to_panels(const float *qkv, long n, float *panels) {
	for (long j = 0; j < n; j++) {
		float *to = panels + j / NR * (MINILM_HEAD * NR) + j % NR;
		UNROLL
		for (int k = 0; k < MINILM_HEAD; k++)
			to[k * NR] = qkv[j * QKV + MINILM_HEAD + k];
	}
	for (long j = n; j % NR; j++)
		for (int k = 0; k < MINILM_HEAD; k++)
			panels[j / NR * (MINILM_HEAD * NR) + k * NR + j % NR] = 0;
}

// attend is one head over one text: qkv holds n rows of 32 queries (already over sqrt 32 and ln 2), keys, values.
FN void attend(const float *qkv, long n, float *panels, float *scores, float *c) {
	const long wide = (n + NR - 1) / NR * NR;
	keys_to_panels(qkv, n, panels);
	for (long i = 0, mr; i < n; i += mr) {
		mr = height(n, i);
		for (long p = 0; p < wide; p += NR) {
#define TILE(m) product_tile(m, NV, qkv + i * QKV, QKV, panels + p * MINILM_HEAD, NR, MINILM_HEAD, scores + p, wide)
			ROWS(mr, TILE)
#undef TILE
		}
		float total[MR];
		for (long r = 0; r < mr; r++)
			total[r] = softmax(scores + r * wide, n);
		for (long j = 0; j < MINILM_HEAD; j += 2 * VW) {
#define TILE(m) product_tile(m, 2, scores, wide, qkv + 2 * MINILM_HEAD + j, QKV, n, c + i * D + j, D)
			ROWS(mr, TILE)
#undef TILE
		}
		for (long r = 0; r < mr; r++)
			for (long j = 0; j < MINILM_HEAD; j += VW)
				store(c + (i + r) * D + j, load(c + (i + r) * D + j) * splat(1.0f / total[r]));
	}
}

#endif

// Working space of a batch.
typedef struct {
	float *x, *h, *c, *qkv, *panels, *scores;
	input in, mid;
	const int32_t *lens;
	int count;
} space;

FN void attention(space *s, const uint32_t **w, const f32 *bias) {
	for (int head = 0; head < MINILM_HEADS; head++) {
		product(s->in, *w, QKV / NR, bias + head * QKV, 0, s->qkv, QKV);
		*w += QKV / NR * PANEL;
		for (long t = 0, row = 0; t < s->count; row += s->lens[t++])
			attend(s->qkv + row * QKV, s->lens[t], s->panels, s->scores, s->c + row * D + head * MINILM_HEAD);
	}
}

FN void layer(space *s, const uint32_t **at) {
	const f32 *bias = (const f32 *)*at;
	const f32 *qkv = bias, *o = qkv + 3 * D, *b1 = o + D, *b2 = b1 + MINILM_HIDDEN, *norm = b2 + D;
	const uint32_t *w = *at + 3 * D + D + MINILM_HIDDEN + D + 4 * D;
	attention(s, &w, qkv);
	quantise_rows(s->c, s->mid);
	product(s->mid, w, D / NR, o, 1, s->x, D);
	w += D / NR * PANEL;
	normalise_rows(s->x, norm, norm + D, s->in);
	for (int part = 0; part < MINILM_HIDDEN / D; part++) { // 384 columns of the hidden layer at a time: they stay in the cache
		product(s->in, w, D / NR, b1 + part * D, 0, s->h, D);
		w += D / NR * PANEL;
		gelu_rows(s->h, s->mid);
		product(s->mid, w, D / NR, part ? 0 : b2, 1, s->x, D);
		w += D / NR * PANEL;
	}
	normalise_rows(s->x, norm + 2 * D, norm + 3 * D, s->in);
	*at = w;
}

// pool is the mean over n rows, brought to length 1.
FN void pool(const float *x, long n, float *out) {
	vf square = {0};
	for (int j = 0; j < D; j += VW) {
		vf s = {0};
		for (long i = 0; i < n; i++)
			s += load(x + i * D + j);
		s = s * splat(1.0f / n);
		square += s * s;
		store(out + j, s);
	}
	float length = __builtin_sqrtf(sum(square));
	vf by = splat(1.0f / (length > 1e-12f ? length : 1e-12f));
	for (int j = 0; j < D; j += VW)
		store(out + j, load(out + j) * by);
}

TARGET void FORWARD(const uint32_t *params, const int32_t *lens, int count, float *x, float *scratch, float *out);

TARGET void FORWARD(const uint32_t *params, const int32_t *lens, int count, float *x, float *scratch, float *out) {
	long n = 0;
	for (int t = 0; t < count; t++)
		n += lens[t];
	space s = {.x = x, .lens = lens, .count = count};
	s.h = scratch, scratch += n * D;
	s.c = scratch, scratch += n * D;
	s.qkv = scratch, scratch += n * QKV;
	s.panels = scratch, scratch += (n + NR) * (MINILM_HEAD + 2);
	s.scores = scratch, scratch += (n + NR) * MR;
	s.in.n = s.mid.n = n;
	s.in.loud = 1;
	s.in.side = scratch, scratch += n * SIDE;
	s.mid.side = scratch, scratch += n * SIDE;
#if INT16 || INT8
	s.in.q = (act *)scratch, scratch += n * D * sizeof(act) / sizeof(float);
	s.mid.q = (act *)scratch;
#else
	s.in.q = scratch; // a copy, since products add to x while they read it
	s.mid.q = s.c;
#endif
	const uint32_t *at = params + 2 * D;
	normalise_rows(x, (const f32 *)params, (const f32 *)params + D, s.in);
	for (int l = 0; l < MINILM_LAYERS; l++)
		layer(&s, &at);
	for (int t = 0; t < count; x += lens[t++] * D)
		pool(x, lens[t], out + t * D);
}
