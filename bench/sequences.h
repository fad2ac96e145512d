/* sequences.h - the table sequences.def for C. */
#ifndef BENCH_SEQUENCES_H
#define BENCH_SEQUENCES_H

enum bench_case {
#define SEQUENCE(id, ...) BENCH_##id,
#include "bench/sequences.def"
#undef SEQUENCE
  BENCH_COUNT
};

/* Texts of the language; in `setup`, n and len are variables of whoever runs it. */
static const struct bench_sequence {
  const char *name, *setup, *block;
  int matrices, vectors;
} bench_sequences[BENCH_COUNT] = {
#define SEQUENCE(id, ...) {__VA_ARGS__},
#include "bench/sequences.def"
#undef SEQUENCE
};

#endif
