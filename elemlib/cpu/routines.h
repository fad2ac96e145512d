/* routines.h - the CPU target's elementary routines, compiled ahead of time.
 *
 * The sources of this folder are compiled once per instruction set (FS_ISA =
 * plain, avx2, avx512); each pass exports one table, fs_routines_<isa>. The
 * walker (core/device/cpu) picks a table at start and calls the routines on
 * pieces of rows ("strips") that stay in the first-level caches.
 *
 * Contract of all routines:
 *  - an element's result depends on its operands only, never on its position in
 *    the strip, the strip's length or alignment;
 *  - map results are those of IEEE arithmetic, one rounding per operation;
 *  - reductions use a fixed order that depends on n only;
 *  - `out` may be the same strip as an operand of the same element size;
 *    otherwise strips do not overlap. n may be 0.
 */
#ifndef FS_CPU_ROUTINES_H
#define FS_CPU_ROUTINES_H

#include "core/graph/graph.h"

/* What arithmetic is done in: f16 and bf16 values live as (rounded) f32, small integers as
 * (wrapped) i32, those of u32 as i64. */
enum fs_ctype {
  FS_CT_BOOL,   /* bool: 0 or 1 */
  FS_CT_I32,
  FS_CT_I64,
  FS_CT_U64,
  FS_CT_F32,
  FS_CT_F64,
  FS_CT_COUNT
};

/* Operations that can share a pass; RSUB is c - (a first b). */
enum fs_pair_op {
  FS_PAIR_ADD,
  FS_PAIR_SUB,
  FS_PAIR_MUL,
  FS_PAIR_RSUB,
  FS_PAIR_COUNT
};

/* Accumulators of row and full reductions are 8-byte cells: f for f32 and f64
 * operands, u for u64, i for the others. */
union fs_cell {
  double f;
  int64_t i;
  uint64_t u;
};

/* Operand k is a strip of n elements, or one element where bit k of the
 * routine's pattern is set. */
typedef void fs_map_fn(void *out, const void *a, const void *b, const void *c,
                       int64_t n);
typedef void fs_convert_fn(void *out, const void *in, int64_t n);
/* in[k * stride] -> out[k] and back; strides in elements. */
typedef void fs_gather_fn(void *out, const void *in, int64_t stride, int64_t n);
typedef void fs_scatter_fn(void *out, int64_t stride, const void *in,
                           int64_t n);
/* out[r * pitch + k] = in[k * stride + r]: a tile of a transposed matrix. */
typedef void fs_transpose_fn(void *out, int64_t pitch, const void *in,
                             int64_t stride, int64_t rows, int64_t n);
/* Reduces one strip into *acc. */
typedef void fs_row_fn(const void *x, int64_t n, union fs_cell *acc);
/* States of several words (reductions.def), in a cell each. A strip joins the one in acc.
 * Of a spot acc[0] is the value, acc[1] where it is: element k at first + k*step, step >= 0. */
typedef void fs_state_row_fn(const void *x, int64_t n, int64_t first, int64_t step,
                             union fs_cell *acc);
/* The same in columns. Their first words are `heads`, of fs_col_type(); of the others each
 * has a plane, `pitch` cells behind the one before. Elements of row r all are at
 * first + r*step; step > 0: spots in columns are of places before, or the least value at
 * `first`. 0: in any order. */
typedef void fs_state_col_fn(const void *const *rows, int n_rows, int64_t first, int64_t step,
                             int64_t n, void *heads, union fs_cell *rest, int64_t pitch);
/* States in cells that are merged with others: with those of columns, or with those in part. */
typedef void fs_state_fold_fn(const void *heads, const union fs_cell *rest, int64_t pitch,
                              int64_t n, union fs_cell *cells);
typedef void fs_state_merge_fn(const union fs_cell *part, int64_t n, union fs_cell *cells);
/* The results of n states: floats of f64, places of i64. */
typedef void fs_state_finish_fn(const union fs_cell *cells, int64_t n, union fs_cell *out);
/* acc[r] += dot(rows[r], x), by fma. */
typedef void fs_rowdot_fn(const void *const *rows, int n_rows, const void *x,
                          int64_t n, union fs_cell *acc);
/* acc[k] = acc[k] op (rows[0][k] op rows[1][k] ...), groups of rows first. */
typedef void fs_col_fn(const void *const *rows, int n_rows, int64_t n,
                       void *acc);
/* acc[k] += rows[0][k]*coef[0] + rows[1][k]*coef[1] + ..., by fma within groups
 * of eight, four or one rows, whose sums are then added to acc[k]. */
typedef void fs_coldot_fn(const void *const *rows, int n_rows,
                          const void *coef, int64_t n, void *acc);
/* acc[k] += a[0][k]*b[0][k] + a[1][k]*b[1][k] + ..., by fma within groups of four
 * rows (eight where a and b are the same rows) or one, whose sums are then added to
 * acc[k]. */
typedef void fs_colmul_fn(const void *const *a, const void *const *b, int n_rows,
                          int64_t n, void *acc);
/* cells[k] = cells[k] op part[k], part of a column accumulator's type. */
typedef void fs_fold_fn(const void *part, int64_t n, union fs_cell *cells);
/* Cells to a strip of the compute type; from_float says which member counts. */
typedef void fs_finish_fn(void *out, const union fs_cell *cells, int64_t n,
                          bool from_float);
/* Elements base, base + step, ... of a random sequence; see philox.h. */
typedef void fs_random_fn(void *out, int64_t base, int64_t step, int64_t n,
                          uint64_t seed, uint64_t stream);
/* start + step * (base + k * stride), in the type's arithmetic. */
typedef void fs_iota_fn(void *out, const void *start, const void *step,
                        int64_t base, int64_t stride, int64_t n);

/* One pass over lines that lie side by side, complex numbers whose parts lie apart: of radix*m
 * runs of `run` numbers as many are made. roots[k] = exp(-2 pi i k/n), k < n; n = step*radix*m. */
struct fs_fourier_pass {
  int radix;
  int64_t m, run, step;
  const void *roots_re, *roots_im, *from_re, *from_im;
  void *to_re, *to_im;   /* other memory */
};
/* Its part begin <= p < end, of m. */
typedef void fs_fourier_fn(const struct fs_fourier_pass *f, int64_t begin, int64_t end);

struct fs_routines {
  const char *isa;
  int vector_bytes;

  /* By operation, type of the operands (WHERE: of the last two) and pattern;
   * NULL where the language has no such operation (see ops.def). */
  fs_map_fn *const (*map)[FS_CT_COUNT][8];
  /* (a first b) second c in one pass, each rounded, by first operation (not
   * RSUB), type ([0] f32, [1] f64), second operation and pattern. */
  fs_map_fn *const (*pair)[2][FS_PAIR_COUNT][8];
  /* a*x + b*y, each operation rounded; called (out, x, y, {a, b}). */
  fs_map_fn *axpby[2];

  fs_convert_fn *const (*convert)[FS_CT_COUNT]; /* [from][to] */
  fs_convert_fn *load[FS_DTYPE_COUNT];  /* stored -> compute; NULL: the same */
  fs_convert_fn *store[FS_DTYPE_COUNT]; /* compute -> stored; NULL: the same */
  /* In the compute type, f16 and bf16 to the nearest, integers wrapped; NULL: as it is. */
  fs_convert_fn *round[FS_DTYPE_COUNT];
  fs_convert_fn *clip[FS_DTYPE_COUNT]; /* the nearest integer, of what a float became */

  /* By log2 of the element size. */
  fs_gather_fn *gather[4];
  fs_scatter_fn *scatter[4];
  fs_transpose_fn *transpose[4];
  fs_convert_fn *fill[4];               /* out[k] = *in */
  fs_convert_fn *stream; /* copies n bytes past the caches */

  fs_row_fn *const (*row)[FS_CT_COUNT]; /* by operation and type */
  fs_rowdot_fn *rowdot[FS_CT_COUNT];    /* f32, f64 */
  fs_rowdot_fn *rowdot_wide;            /* of f32, all of it in f64 */

  /* Column accumulators: of type acc_type, each at most ~1000 terms of f32. */
  fs_col_fn *const (*col)[FS_CT_COUNT];
  fs_coldot_fn *coldot[FS_CT_COUNT];    /* f32, f64 */
  fs_colmul_fn *colmul[FS_CT_COUNT];    /* f32, f64 */
  fs_fold_fn *const (*fold)[FS_CT_COUNT]; /* by accumulator type */
  fs_finish_fn *finish[FS_CT_COUNT];

  /* Reductions whose states have several words, by operation and type. */
  fs_state_row_fn *const (*state_row)[FS_CT_COUNT];
  fs_state_col_fn *const (*state_col)[FS_CT_COUNT];
  fs_state_fold_fn *const (*state_fold)[FS_CT_COUNT];
  fs_state_merge_fn *const (*state_merge)[FS_CT_COUNT];
  fs_state_finish_fn *const *state_finish;

  fs_random_fn *uniform[2], *normal[2]; /* [0] f32, [1] f64 */
  fs_iota_fn *iota[FS_CT_COUNT];
  fs_fourier_fn *fourier[2];            /* [0] f32, [1] f64 */
};

extern const struct fs_routines fs_routines_plain, fs_routines_avx2,
    fs_routines_avx512;

/* Those for `isa` ("plain", "avx2", "avx512"; NULL: all that this machine has), or for
 * less where the machine lacks it. In core/device/cpu/cpu.c. */
const struct fs_routines *fs_cpu_routines(const char *isa);

/* The type of a column accumulator for operands of type ct. */
static inline enum fs_ctype fs_col_type(enum fs_reduce_op op,
                                        enum fs_ctype ct) {
  bool sum = op == FS_RD_SUM || op == FS_RD_PROD;
  if (fs_reduce_ops[op].words > 1 && !fs_reduces_to_place(op)) return FS_CT_F64;
  return sum && (ct == FS_CT_BOOL || ct == FS_CT_I32) ? FS_CT_I64 : ct;
}

static inline enum fs_ctype fs_ctype_of(enum fs_dtype dt) {
  static const uint8_t computed[] = {
#define FS_DTYPE(id, name, class, bytes, components, compute, ...) [FS_##id] = FS_CT_##compute,
#include "core/graph/dtypes.def"
  };
  return (enum fs_ctype)computed[dt];
}

/* What makes a value of the type of what a conversion or an operation gave. */
static inline fs_convert_fn *fs_rounds(const struct fs_routines *r, enum fs_dtype to,
                                       bool cast, enum fs_dtype from) {
  return cast && fs_dtype_is_float(from) && r->clip[to] ? r->clip[to] : r->round[to];
}

static inline int fs_ctype_size(enum fs_ctype ct) {
  return ct == FS_CT_BOOL ? 1 : ct == FS_CT_I32 || ct == FS_CT_F32 ? 4 : 8;
}

#endif
