/* peers.h - the same sequences by calls of a BLAS library, to be measured beside
 * Fusible in one process. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stddef.h>

#include "bench/sequences.h"

struct bench_peer {
  const char *name;                       /* "cuBLAS", "OpenBLAS"             */
  /* Gets ready for a case with m x n matrices, or with vectors of len elements;
   * 0 or a sentence in *error. */
  int (*prepare)(enum bench_case c, long m, long n, long len, const char **error);
  /* Runs the case once and gives the seconds it took on the device. */
  double (*run)(enum bench_case c);
  void (*finish)(void);
};

extern const struct bench_peer bench_cublas, bench_openblas;

#endif
