// What Go calls: one pass of the encoder over a batch of texts, on one core, with the instruction set of choice.
#ifndef MINILM_KERNEL_H
#define MINILM_KERNEL_H

#include <stdint.h>

enum {
	MINILM_DIM = 384,     // columns of the residual stream, and of a text's vector
	MINILM_HEADS = 12,    // attention heads of a layer
	MINILM_HEAD = 32,     // columns of a head
	MINILM_HIDDEN = 1536, // columns of the feed-forward layer
	MINILM_LAYERS = 6,
	MINILM_LOUD = 8,      // inputs of queries, keys, values and the first feed-forward matrix that exceed the others
};

// The kernels, slowest first. Each but the first asks for instructions that a machine may lack.
enum {
	MINILM_PORTABLE, // float32, four lanes, any CPU
	MINILM_AVX2,     // float32, AVX2 and FMA
	MINILM_AVX512,   // float32, AVX-512
	MINILM_MADD,     // 16-bit integer products, AVX2
	MINILM_VNNI,     // 16-bit integer products, AVX-512 VNNI
	MINILM_VNNI8,    // 8-bit integer products, AVX-512 VNNI
};

// minilm_loud are the columns of the residual stream with the largest values, up to 17 times those of others. In every
// layer they are the same few.
extern const int32_t minilm_loud[MINILM_LOUD];

// minilm_columns is the width of a packed panel in output columns, which is the layout that a kernel reads.
// It is 0 when the kernel is not compiled in or this CPU cannot run it.
int minilm_columns(int kernel);

// minilm_forward turns count texts into count vectors of length 1.
//   params   the packed model (see pack.go, which writes it in the order in which this reads it)
//   lens     tokens of each text, at least 1
//   x        summed embeddings, (sum of lens) x 384; used as working space
//   scratch  minilm_scratch(sum of lens) floats
//   out      count x 384
void minilm_forward(int kernel, const uint32_t *params, const int32_t *lens, int count, float *x, float *scratch, float *out);

// minilm_scratch is the working space, in floats, that a batch of the given number of tokens asks for.
long minilm_scratch(long tokens);

#endif
