/* product.c - products of matrices on host memory: floats by BLAS, integers wrapping around.
 * What is not already one of the two orders is packed.
 */
#include <math.h>

#include "core/device/cpu/blas.h"
#include "core/device/cpu/lapack.h"
#include "core/device/cpu/packed.h"

/* Gives a symmetric matrix, of which syrk computes the rows up to the diagonal, the
 * others: element (i, j) at i*ld + j is (j, i). In tiles, as fs_pack() does. */
#define FS_MIRROR(TYPE)                                                                 \
  for (int64_t i0 = 0; i0 < n; i0 += FS_PACKED_TILE)                                    \
    for (int64_t j0 = i0; j0 < n; j0 += FS_PACKED_TILE)                                 \
      for (int64_t i = i0; i < FS_MIN(i0 + FS_PACKED_TILE, n); i++)                     \
        for (int64_t j = FS_MAX(j0, i + 1); j < FS_MIN(j0 + FS_PACKED_TILE, n); j++)    \
          ((TYPE *)data)[i * ld + j] = ((TYPE *)data)[j * ld + i];
static void mirror(void *data, int64_t n, int64_t ld, int wide) {
  if (wide) FS_MIRROR(double) else FS_MIRROR(float)
}
#undef FS_MIRROR

/* A product as BLAS computes it: `out`, column-major, = left * right. Memory in row-major
 * order is the transpose already, so C = A*B is C' = B'*A' of operands as they lie. */
struct product {
  struct fs_blas_operand left, right;
  char *out;
  int ld, wide;
  int64_t rows, cols, depth;
  bool symmetric; /* right is left transposed: rows up to the diagonal are computed */
};

/* A part of it: `rows` from row i on, and so forth. */
struct part {
  int64_t i, j, l;
  int rows, cols, depth;
};

/* A call of the library cannot be interrupted, so none has more operations than this: a
 * fifth of a second in f64 on two processors. Half of it made a product of 4000 x 4000
 * slower by a tenth, this by 3 %. The parts depend on the shape alone, for last bits may
 * depend on them. */
static const double most_operations = 0x1p34;
enum { LEAST_SIDE = 512, MOST_DEPTH = 1 << 15, STEP = 192 /* whole tiles of any library */ };

/* n cut into equal parts of at most `most`, in steps. */
static int64_t equal_parts(int64_t n, int64_t most) {
  int64_t count = (n + most - 1) / most, part = (n + count - 1) / count;
  return count == 1 ? n : FS_MIN(n, (part + STEP - 1) / STEP * STEP);
}

/* The size of all parts but the last. */
static struct part part_size(const struct product *p) {
  int64_t side = FS_MAX(p->rows, p->cols), rows = p->rows, cols = p->cols;
  double each = 2.0 * (double)p->depth;
  while (side > LEAST_SIDE && each * (double)rows * (double)cols > most_operations) {
    side /= 2;
    rows = FS_MIN(p->rows, side), cols = FS_MIN(p->cols, side);
  }
  bool deep = each * (double)rows * (double)cols > most_operations;
  return (struct part){.rows = (int)equal_parts(p->rows, rows),
                       .cols = (int)equal_parts(p->cols, cols),
                       .depth = deep ? (int)FS_MIN(p->depth, MOST_DEPTH) : (int)p->depth};
}

/* Adds to the part of `out` after its first piece of the depth. */
static void multiply_part(const struct product *p, const struct part *t) {
  const double one64 = 1, zero64 = 0;
  const float one32 = 1, zero32 = 0;
  int wide = p->wide, lda = (int)p->left.ld, ldb = (int)p->right.ld, size = wide ? 8 : 4;
  const void *one = wide ? (const void *)&one64 : &one32;
  const void *zero = wide ? (const void *)&zero64 : &zero32, *beta = t->l ? one : zero;
  bool plain = p->left.order == 'R', turned = p->right.order != 'R';
  const char *a = (const char *)p->left.ptr +
                  size * (plain ? t->i + t->l * p->left.ld : t->i * p->left.ld + t->l);
  const char *b = (const char *)p->right.ptr +
                  size * (turned ? t->j + t->l * p->right.ld : t->j * p->right.ld + t->l);
  char *c = p->out + size * (t->i + t->j * p->ld);
  int step = plain ? lda : 1; /* of a vector on the left */
  if (p->rows == 1)
    fs_blas.gemv[wide](turned ? "N" : "T", turned ? &t->cols : &t->depth,
                       turned ? &t->depth : &t->cols, one, b, &ldb, a, &step, beta, c, &p->ld, 1);
  else if (p->symmetric && t->i == t->j)
    fs_blas.syrk[wide]("U", plain ? "N" : "T", &t->cols, &t->depth, one, a, &lda, beta, c,
                       &p->ld, 1, 1);
  else
    fs_blas.gemm[wide](plain ? "N" : "T", turned ? "T" : "N", &t->rows, &t->cols, &t->depth, one,
                       a, &lda, b, &ldb, beta, c, &p->ld, 1, 1);
}

/* FS_INTERRUPTED where an interrupt is seen between two parts. */
static enum fs_status multiply(const struct product *p) {
  struct part size = part_size(p), t;
  for (t.j = 0; t.j < p->cols; t.j += size.cols)
    for (t.i = 0; t.i < (p->symmetric ? t.j + 1 : p->rows); t.i += size.rows)
      for (t.l = 0; t.l < p->depth; t.l += size.depth) {
        if (fs_interrupted()) return FS_INTERRUPTED;
        t.rows = (int)FS_MIN(size.rows, p->rows - t.i);
        t.cols = (int)FS_MIN(size.cols, p->cols - t.j);
        t.depth = (int)FS_MIN(size.depth, p->depth - t.l);
        multiply_part(p, &t);
      }
  return FS_OK;
}

static enum fs_status gemm_float(const struct fs_lib_call *call, int wide,
                                 struct fs_diags *d) {
  struct fs_lib_call c = *call;
  int64_t ld;
  if (c.out.dtype == (wide ? FS_F64 : FS_F32) && fs_blas_order(&c.out, &ld) == 'C') {
    c.a = fs_lib_transposed(call->b), c.b = fs_lib_transposed(call->a);
    c.out = fs_lib_transposed(c.out);
  }
  struct fs_lib_scratch s = {0};
  struct fs_blas_operand a = fs_blas_operand(&s, &c.a, wide, false);
  struct fs_blas_operand b = c.with_itself ? a : fs_blas_operand(&s, &c.b, wide, false);
  struct fs_blas_operand out = fs_blas_operand(&s, &c.out, wide, true);
  if (s.failed) {
    fs_lib_drop(&s);
    return fs_lib_no_memory(call, d);
  }
  /* Of a product with itself, the left operand is the other one transposed. */
  if (c.with_itself) b.order = a.order == 'R' ? 'C' : 'R';
  struct product p = {.left = b, .right = a, .out = out.ptr, .ld = (int)out.ld,
                      .wide = wide, .rows = c.out.dim[1], .cols = c.out.dim[0],
                      .depth = c.a.dim[1], .symmetric = c.with_itself};
  enum fs_status status = multiply(&p);
  if (status == FS_OK && c.with_itself) mirror(out.ptr, p.rows, out.ld, wide);
  if (status == FS_OK && out.ptr != c.out.ptr) {
    struct fs_packed packed = {.data = out.ptr, .wide = wide, .si = out.ld, .sj = 1};
    fs_unpack(&c.out, &packed);
  }
  fs_lib_drop(&s);
  return status;
}

static int64_t read_int(enum fs_dtype dt, const char *p) {
  switch (dt) {
#define FS_DTYPE_C(id, stored, value, number, ...)      \
  case FS_##id: {                                       \
    stored x = *(const stored *)p;                      \
    return (int64_t)(number);                           \
  }
#include "core/graph/dtypes.def"
    default: return 0;
  }
}

static double largest(const struct fs_lib_array *a) {
  double most = 0;
  for (int64_t i = 0; i < a->dim[0]; i++)
    for (int64_t j = 0; j < a->dim[1]; j++)
      most = FS_MAX(most, fabs(fs_lib_get(a->dtype, fs_lib_at(a, i, j))));
  return most;
}

/* Integer products wrap around, as they do elementwise. */
static enum fs_status gemm_wrapping(const struct fs_lib_call *c,
                                    struct fs_diags *d) {
  int64_t m = c->out.dim[0], n = c->out.dim[1], depth = c->a.dim[1];
  uint64_t *row = malloc(sizeof *row * (size_t)FS_MAX(n, 1));
  if (!row) return fs_lib_no_memory(c, d);
  enum fs_status status = FS_OK;
  for (int64_t i = 0; i < m && status == FS_OK; i++) {
    memset(row, 0, sizeof *row * (size_t)n);
    for (int64_t k = 0; k < depth; k++) {
      uint64_t x = (uint64_t)read_int(c->a.dtype, fs_lib_at(&c->a, i, k));
      for (int64_t j = 0; j < n; j++)
        row[j] += x * (uint64_t)read_int(c->b.dtype, fs_lib_at(&c->b, k, j));
    }
    for (int64_t j = 0; j < n; j++) {
      char *p = fs_lib_at(&c->out, i, j);
      if (fs_dtypes[c->out.dtype].bytes == 8)
        *(uint64_t *)p = row[j];
      else if (c->out.dtype == FS_I32)
        *(uint32_t *)p = (uint32_t)row[j];
      else
        fs_lib_put(c->out.dtype, p, (double)(int64_t)row[j]);
    }
    if (fs_interrupted()) status = FS_INTERRUPTED;
  }
  free(row);
  return status;
}

enum fs_status fs_lib_gemm(const struct fs_lib_call *c, struct fs_diags *d) {
  if (!fs_lib_count(&c->out)) return FS_OK;
  if (!c->a.dim[1]) {
    fs_lib_fill(&c->out, 0);
    return FS_OK;
  }
  if (fs_dtype_is_float(c->a.dtype) || fs_dtype_is_float(c->b.dtype)) {
    bool wide = c->a.dtype == FS_F64 || c->b.dtype == FS_F64 ||
                c->out.dtype == FS_F64;
    return gemm_float(c, wide, d);
  }
  /* In doubles every partial sum is exact below 2^53. */
  bool exact = largest(&c->a) * largest(&c->b) * (double)c->a.dim[1] < 0x1p53;
  return exact && fs_blas.ok ? gemm_float(c, 1, d) : gemm_wrapping(c, d);
}
