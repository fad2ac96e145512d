/* fourier.h - what a Fourier transform along an axis comes to: its length, its operations, and what
 * a GPU moves for it. */
#ifndef FS_FOURIER_H
#define FS_FOURIER_H

#include "core/graph/graph.h"

/* A GPU makes those of lines that fit in a block's memory (FS_FOURIER_BYTES) in
 * one trip, by a kernel of the target's own. Others are a library's, around which the parts of
 * numbers are put beside each other and apart again. */
enum { FS_FOURIER_BYTES = 32 << 10 };
/* Whether lines of n numbers with parts of type dt fit; only lengths whose primes are 2, 3 and 5
 * do. */
bool fs_fourier_fits(int64_t n, enum fs_dtype dt);

/* The radices of as few passes as there are with up to 16 numbers of a line in registers, into
 * out[FS_FOURIER_PASSES]; gives how many. Needs a length whose primes are 2, 3 and 5. */
enum { FS_FOURIER_PASSES = 16 };
int fs_fourier_radices(int64_t n, int *out);

/* The length n of a node; operands are cut to it, or zeros follow. */
int64_t fs_fourier_length(const struct fs_node *nd);
/* 5 n log2 n for n complex numbers, for real ones half as many. */
double fs_fourier_flops(const struct fs_node *nd);
/* Bytes that are read, and as many written, of numbers whose parts lie beside each other, where a
 * GPU's library is called: it goes over them some 4096 at a time. */
double fs_fourier_around(const struct fs_node *nd);

#endif
