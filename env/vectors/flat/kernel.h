// What Go calls: the two scans over rows of a dense collection, on one core, with the instruction set of choice.
#ifndef FLAT_KERNEL_H
#define FLAT_KERNEL_H

#include <stdint.h>

// The kernels, slowest first. All give the same bits in exact scores; the bounds of the coarse scan may differ in the last.
enum {
	FLAT_PORTABLE, // any CPU
	FLAT_AVX2,     // AVX2 and FMA
	FLAT_VNNI,     // AVX-512 with VNNI
};

enum {
	FLAT_LANES = 32,  // partial sums of an inner product; a query in float64 is padded with zeros to a multiple
	FLAT_STRIDE = 64, // a row of codes, and each part of a probe, is padded with zeros to a multiple
};

// flat_job says which rows to look at and what to compare them with.
typedef struct {
	int32_t kernel;
	int32_t dim;
	uint32_t first; // of count rows, when there is no list of rows
	uint32_t count;
	float floor;   // rows that are surely below it are left out
	float step;    // of the probe: coarse scan
	float stretch; // of a row's error: coarse scan
	float slack;   // added to every row's error: coarse scan
	double length; // of the query: exact scan
} flat_job;

// flat_found is a row with the highest and the lowest score it may have: the same for the exact scan.
typedef struct {
	uint32_t row;
	float high;
	float low;
} flat_found;

// flat_grid turns the codes of a row into its direction: a vector of length 1 is nowhere further than error from
// step times the codes.
typedef struct {
	float step;
	float error;
} flat_grid;

// flat_can tells whether the kernel is compiled in and this CPU can run it.
int flat_can(int32_t kernel);

// flat_inner is the inner product of dim numbers; b is padded to FLAT_LANES. It is the one definition that every score
// and length comes from: products in float64, which are exact, summed in 32 lanes and then in a fixed tree.
double flat_inner(int32_t kernel, const float *a, const double *b, int64_t dim);

// flat_exact scores rows (those of the list, or job.first on when it is NULL), writes those not below job.floor to
// found, which has room for job.count, and returns how many.
//   vectors  rows of dim numbers
//   lengths  one a row
//   query    in float64, padded
int64_t flat_exact(flat_job job, const float *vectors, const double *lengths, const double *query, const uint32_t *list,
		flat_found *found);

// flat_coarse does the same with codes, for scores that are known within bounds.
//   codes  rows of dim codes, padded
//   grid   one a row
//   probe  the query as integers: the high bytes, the low bytes (signed, so that high x 256 + low is the number), then
//          the numbers in 16 bits; each part padded like a row of codes. 127 times the sum of their sizes is below 2^31
int64_t flat_coarse(flat_job job, const int8_t *codes, const flat_grid *grid, const int8_t *probe, const uint32_t *list,
		 flat_found *found);

#endif
