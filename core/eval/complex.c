/* complex.c - complex values: their parts as nodes and values. */
#include "core/eval/complex.h"

/* -- types ------------------------------------------------------------------- */

enum fs_dtype fs_cx_part_type(enum fs_dtype dt) {
  return fs_dtype_compute(fs_dtype_real(dt));
}

bool fs_cx_type_from_name(const char *name, enum fs_dtype *part) {
  if (!strcmp(name, fs_complex_name(FS_F32))) *part = FS_F32;
  else if (!strcmp(name, fs_complex_name(FS_F64))) *part = FS_F64;
  else return false;
  return true;
}

/* -- values as nodes --------------------------------------------------------- */

enum fs_status fs_cx_of(struct fs_interp *in, const struct fs_val *v, struct fs_span span,
                        enum fs_dtype dt, struct fs_cx *out) {
  out->real = v->kind != FS_V_COMPLEX;
  if (fs_val_is_host(v)) return fs_tv_as(in, v, span, dt, &out->re);
  if (out->real) return fs_tv_of(in, v, span, NULL, &out->re);
  const struct fs_val *part = v->complex->part;
  bool host = fs_val_is_host(&part[0]);
  const enum fs_dtype *like = host ? &dt : NULL;
  enum fs_status st = fs_tv_of(in, &part[0], span, like, &out->re);
  return st == FS_OK ? fs_tv_of(in, &part[1], span, like, &out->im) : st;
}

enum fs_status fs_cx_operands(struct fs_interp *in, int n, const struct fs_val *v,
                              const struct fs_span *spans, struct fs_cx *out) {
  enum fs_dtype dt = FS_F64;
  bool any = false;
  for (int numbers = 0; numbers < 2; numbers++) {
    for (int k = 0; k < n; k++) {
      if (fs_cx_is_number(&v[k]) != numbers) continue;
      enum fs_status st = fs_cx_of(in, &v[k], spans[k], dt, &out[k]);
      if (st != FS_OK) return st;
      if (numbers) continue;
      dt = any ? fs_dtype_promote(dt, out[k].re.dtype) : out[k].re.dtype;
      any = true;
    }
    dt = fs_cx_part_type(dt);
  }
  for (int k = 0; k < n; k++) {
    out[k].re = fs_tv_cast(in, out[k].re, dt);
    if (!out[k].real) out[k].im = fs_tv_cast(in, out[k].im, dt);
  }
  return FS_OK;
}

static struct fs_tv spread(struct fs_interp *in, struct fs_tv t, const struct fs_shape *shape) {
  if (fs_shape_equal(&t.shape, shape)) return t;
  if (fs_tv_is_one(&t)) return fs_tv_repeat(in, t.node, shape);
  t.node = fs_tv_spread(in, &t, shape);
  t.shape = *shape;
  return t;
}

struct fs_cx fs_cx_pair(struct fs_interp *in, struct fs_tv re, struct fs_tv im) {
  struct fs_tv src[] = {re, im};
  struct fs_span spans[] = {in->span, in->span};
  struct fs_shape shape = re.shape;
  fs_tv_common(in, 2, src, spans, in->span, "", &shape);
  return (struct fs_cx){spread(in, re, &shape), spread(in, im, &shape), false};
}

struct fs_tv fs_cx_im(struct fs_interp *in, const struct fs_cx *z) {
  return z->real ? fs_tv_literal(in, 0, z->re.dtype) : z->im;
}

struct fs_val fs_cx_value(struct fs_interp *in, const struct fs_cx *z) {
  if (z->real) return fs_tv_value(in, &z->re);
  struct fs_cx whole = fs_cx_pair(in, z->re, z->im);
  struct fs_val re = fs_tv_value(in, &whole.re);
  return fs_val_complex(re, fs_tv_value(in, &whole.im));
}

struct fs_val fs_cx_value_as(struct fs_interp *in, const struct fs_cx *z, enum fs_dtype dt) {
  struct fs_cx whole = {fs_tv_cast(in, z->re, dt), fs_tv_cast(in, fs_cx_im(in, z), dt), false};
  return fs_cx_value(in, &whole);
}

struct fs_tv fs_cx_truth(struct fs_interp *in, const struct fs_cx *z) {
  if (z->real) return fs_tv_cast(in, z->re, FS_BOOL);
  return fs_tv_map2(in, FS_OP_OR, fs_tv_cast(in, z->re, FS_BOOL),
                    fs_tv_cast(in, z->im, FS_BOOL));
}

struct fs_val fs_cx_part(const struct fs_val *v, int k) {
  if (v->kind == FS_V_COMPLEX) return fs_val_ref(v->complex->part[k]);
  return k ? fs_val_number(0, false) : fs_val_ref(*v);
}
