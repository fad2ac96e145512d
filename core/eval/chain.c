/* chain.c - a product of several factors: scalars are applied last, matrices and vectors are
 * multiplied in the order that takes the fewest multiplications. */
#include <math.h>

#include "core/eval/complex.h"

enum { CHAIN_MAX = 24 };

struct chain {
  int n;
  struct fs_cx part[CHAIN_MAX];
  struct fs_span span[CHAIN_MAX];
  int split[CHAIN_MAX][CHAIN_MAX];
};

/* Whether neighbours fit as matrices, so that any order gives the product. */
static bool conforms(const struct chain *c) {
  for (int i = 0; i < c->n; i++)
    if (c->part[i].re.shape.rank > 2 || c->part[i].re.shape.rank < 1) return false;
  for (int i = 0; i + 1 < c->n; i++)
    if (fs_cols(&c->part[i].re.shape) != fs_rows(&c->part[i + 1].re.shape))
      return false;
  return true;
}

/* The classic dynamic programme over multiplications; ties go to the left. */
static void best_order(struct chain *c) {
  double cost[CHAIN_MAX][CHAIN_MAX] = {{0}};
  for (int len = 2; len <= c->n; len++)
    for (int i = 0; i + len <= c->n; i++) {
      int j = i + len - 1;
      cost[i][j] = INFINITY;
      for (int s = j - 1; s >= i; s--) {
        double here = cost[i][s] + cost[s + 1][j] +
                      (double)fs_rows(&c->part[i].re.shape) *
                          (double)fs_cols(&c->part[s].re.shape) *
                          (double)fs_cols(&c->part[j].re.shape);
        if (here < cost[i][j]) {
          cost[i][j] = here;
          c->split[i][j] = s;
        }
      }
    }
}

static struct fs_span chain_span(const struct chain *c, int i, int j) {
  return i == j ? c->span[i] : fs_span_join(c->span[i], c->span[j]);
}

static enum fs_status multiply_part(struct fs_interp *in,
                                    const struct chain *c, int i, int j,
                                    struct fs_cx *out) {
  if (i == j) {
    *out = c->part[i];
    return FS_OK;
  }
  int s = c->split[i][j];
  struct fs_cx a, b;
  enum fs_status st = multiply_part(in, c, i, s, &a);
  if (st == FS_OK) st = multiply_part(in, c, s + 1, j, &b);
  if (st != FS_OK) return st;
  in->span = chain_span(c, i, j);
  return fs_cx_multiply(in, a, chain_span(c, i, s), b, chain_span(c, s + 1, j),
                        chain_span(c, i, j), out);
}

static enum fs_status multiply_left(struct fs_interp *in, const struct chain *c,
                                    struct fs_cx *out) {
  *out = c->part[0];
  for (int i = 1; i < c->n; i++) {
    enum fs_status st =
        fs_cx_multiply(in, *out, chain_span(c, 0, i - 1), c->part[i],
                       c->span[i], chain_span(c, 0, i), out);
    if (st != FS_OK) return st;
  }
  return FS_OK;
}

static bool is_scalar(const struct fs_val *v) {
  const struct fs_tensor *t = fs_val_like(v);
  return fs_val_is_host(v) || fs_val_is_complex_number(v) || (t && t->shape.rank == 0);
}

/* The product of the scalar factors, left to right. */
static enum fs_status scalar_product(struct fs_interp *in, int n,
                                     const struct fs_val *v,
                                     const struct fs_span *spans,
                                     struct fs_span span, struct fs_val *out) {
  struct fs_val acc = {FS_V_NONE};
  for (int k = 0; k < n; k++) {
    if (!is_scalar(&v[k])) continue;
    struct fs_val next;
    if (acc.kind == FS_V_NONE) {
      acc = fs_val_ref(v[k]);
      continue;
    }
    enum fs_status st = fs_eval_binary(in, FS_AO_MUL, &acc, span, &v[k],
                                       spans[k], span, &next);
    fs_val_unref(acc);
    if (st != FS_OK) return st;
    acc = next;
  }
  *out = acc;
  return FS_OK;
}

enum fs_status fs_multiply_chain(struct fs_interp *in, int n,
                                 const struct fs_val *v,
                                 const struct fs_span *spans,
                                 struct fs_span span, struct fs_val *out) {
  struct chain c = {0};
  if (n > CHAIN_MAX) return FS_INCOMPLETE;
  int scalars = 0;
  for (int k = 0; k < n; k++) {
    if (is_scalar(&v[k])) {
      scalars++;
      continue;
    }
    enum fs_status st = fs_cx_of(in, &v[k], spans[k], FS_F32, &c.part[c.n]);
    if (st != FS_OK) return st;
    if (!fs_tv_is_one(&c.part[c.n].re)) {
      fs_tv_drop_leading(&c.part[c.n].re);
      if (!c.part[c.n].real) fs_tv_drop_leading(&c.part[c.n].im);
    }
    c.span[c.n++] = spans[k];
  }
  /* With fewer than two matrices or vectors there is nothing to reorder. */
  if (c.n < 2) return FS_INCOMPLETE;
  struct fs_cx product;
  enum fs_status st;
  if (conforms(&c)) {
    best_order(&c);
    st = multiply_part(in, &c, 0, c.n - 1, &product);
  } else {
    st = multiply_left(in, &c, &product);
  }
  if (st != FS_OK) return st;
  struct fs_val whole = fs_cx_value(in, &product), scale = {FS_V_NONE};
  if (!scalars) {
    *out = whole;
    return FS_OK;
  }
  st = scalar_product(in, n, v, spans, span, &scale);
  in->span = span;
  if (st == FS_OK)
    st = fs_eval_binary(in, FS_AO_MUL, &scale, span, &whole, span, span, out);
  fs_val_unref(scale);
  fs_val_unref(whole);
  return st;
}
