/* packed.c - matrices between arrays and packed copies. */
#include "core/device/cpu/packed.h"

#include <inttypes.h>

#include "elemlib/cpu/routines.h"

static inline void pack_block(const struct fs_lib_array *a,
                              const struct fs_packed *p, int64_t i0, int64_t j0,
                              int64_t i1, int64_t j1) {
  for (int64_t i = i0; i < i1; i++)
    for (int64_t j = j0; j < j1; j++) {
      double v = fs_lib_get(a->dtype, fs_lib_at(a, i, j));
      int64_t e = i * p->si + j * p->sj;
      if (p->wide)
        ((double *)p->data)[e] = v;
      else
        ((float *)p->data)[e] = (float)v;
    }
}

static inline void unpack_block(const struct fs_lib_array *a,
                                const struct fs_packed *p, int64_t i0, int64_t j0,
                                int64_t i1, int64_t j1) {
  for (int64_t i = i0; i < i1; i++)
    for (int64_t j = j0; j < j1; j++) {
      int64_t e = i * p->si + j * p->sj;
      double v = p->wide ? ((double *)p->data)[e] : ((float *)p->data)[e];
      fs_lib_put(a->dtype, fs_lib_at(a, i, j), v);
    }
}

/* Halves that lie in lines, rows or columns, on both sides: by the target's routines,
 * five times as fast as element by element. False: they do not. */
static bool convert_lines(const struct fs_lib_array *a, const struct fs_packed *p,
                          bool packing) {
  if (p->wide || !fs_dtype_is_half(a->dtype)) return false;
  int along = a->stride[1] == 1 && p->sj == 1 ? 1 : 0;
  if (!along && (a->stride[0] != 1 || p->si != 1)) return false;
  const struct fs_routines *r = fs_cpu_routines(NULL);
  for (int64_t k = 0; k < a->dim[!along]; k++) {
    uint16_t *halves = (uint16_t *)a->ptr + k * a->stride[!along];
    float *floats = (float *)p->data + k * (along ? p->si : p->sj);
    if (packing) r->load[a->dtype](floats, halves, a->dim[along]);
    else r->store[a->dtype](halves, floats, a->dim[along]);
  }
  return true;
}

/* In tiles, so that a transposing copy does not walk a column per line. */
void fs_pack(const struct fs_lib_array *a, const struct fs_packed *p) {
  if (convert_lines(a, p, true)) return;
  for (int64_t i = 0; i < a->dim[0]; i += FS_PACKED_TILE)
    for (int64_t j = 0; j < a->dim[1]; j += FS_PACKED_TILE)
      pack_block(a, p, i, j, FS_MIN(i + FS_PACKED_TILE, a->dim[0]),
                 FS_MIN(j + FS_PACKED_TILE, a->dim[1]));
}

void fs_unpack(const struct fs_lib_array *a, const struct fs_packed *p) {
  if (convert_lines(a, p, false)) return;
  for (int64_t i = 0; i < a->dim[0]; i += FS_PACKED_TILE)
    for (int64_t j = 0; j < a->dim[1]; j += FS_PACKED_TILE)
      unpack_block(a, p, i, j, FS_MIN(i + FS_PACKED_TILE, a->dim[0]),
                   FS_MIN(j + FS_PACKED_TILE, a->dim[1]));
}

void fs_unpack_part(const struct fs_lib_call *c, int k, const struct fs_packed *p) {
  struct fs_lib_array to = fs_lib_result_part(c, k);
  fs_unpack(&to, p);
}

void *fs_lib_take(struct fs_lib_scratch *s, int64_t count, size_t size) {
  int64_t bytes = fs_mul_size(FS_MAX(count, 1), (int64_t)size);
  void *p = s->failed || bytes < 0 ? NULL : malloc((size_t)bytes);
  if (!p)
    s->failed = true;
  else
    s->blocks[s->n++] = p;
  return p;
}

void fs_lib_drop(struct fs_lib_scratch *s) {
  while (s->n) free(s->blocks[--s->n]);
}

enum fs_status fs_lib_no_memory(const struct fs_lib_call *c,
                                struct fs_diags *d) {
  return fs_env_error(d, "out-of-memory", NULL,
                      "not enough host memory for %s of %" PRId64 "x%" PRId64,
                      fs_lib_op_names[c->op], c->a.dim[0], c->a.dim[1]);
}

struct fs_packed fs_packed_columns(struct fs_lib_scratch *s, const struct fs_lib_array *a,
                                   int wide, int64_t rows) {
  struct fs_packed p = {.wide = wide, .si = 1, .sj = rows};
  int64_t count = fs_mul_size(rows, FS_MAX(a->dim[1], 1));
  p.data = fs_lib_take(s, count, wide ? 8 : 4);
  if (p.data) fs_pack(a, &p);
  return p;
}

struct fs_packed fs_packed_new(struct fs_lib_scratch *s, int wide, int64_t m, int64_t n) {
  struct fs_packed p = {.wide = wide, .si = 1, .sj = m};
  p.data = fs_lib_take(s, fs_mul_size(m, n), wide ? 8 : 4);
  return p;
}

void fs_lib_fill(const struct fs_lib_array *a, double v) {
  for (int64_t i = 0; i < a->dim[0]; i++)
    for (int64_t j = 0; j < a->dim[1]; j++)
      fs_lib_put(a->dtype, fs_lib_at(a, i, j), v);
}

char fs_blas_order(const struct fs_lib_array *a, int64_t *ld) {
  const int64_t *n = a->dim, *s = a->stride;
  if ((n[1] == 1 || s[1] == 1) && (n[0] == 1 || s[0] >= FS_MAX(n[1], 1))) {
    *ld = n[0] == 1 ? FS_MAX(n[1], 1) : s[0];
    return *ld <= INT32_MAX ? 'R' : 0;
  }
  if ((n[0] == 1 || s[0] == 1) && (n[1] == 1 || s[1] >= FS_MAX(n[0], 1))) {
    *ld = n[1] == 1 ? FS_MAX(n[0], 1) : s[1];
    return *ld <= INT32_MAX ? 'C' : 0;
  }
  return 0;
}

struct fs_blas_operand fs_blas_operand(struct fs_lib_scratch *s,
                                       const struct fs_lib_array *a, int wide,
                                       bool is_result) {
  struct fs_blas_operand g = {.ptr = a->ptr};
  if (a->dtype == (wide ? FS_F64 : FS_F32)) g.order = fs_blas_order(a, &g.ld);
  if (g.order) return g;
  bool columns = !is_result && a->stride[0] == 1 && a->stride[1] != 1;
  g.order = columns ? 'C' : 'R';
  g.ld = FS_MAX(a->dim[columns ? 0 : 1], 1);
  struct fs_packed p = {.wide = wide, .si = columns ? 1 : g.ld, .sj = columns ? g.ld : 1};
  p.data = g.ptr = fs_lib_take(s, fs_mul_size(FS_MAX(a->dim[columns ? 1 : 0], 1), g.ld),
                               wide ? 8 : 4);
  if (p.data && !is_result) fs_pack(a, &p);
  return g;
}
