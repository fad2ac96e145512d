/* complex_operate.c - what operators do with complex values. */
#include "core/eval/complex.h"
#include "core/lang/parse.h"

enum fs_status fs_cx_no_order(struct fs_interp *in, struct fs_span span) {
  return fs_in_error(in, span, "no-order", "magnitudes have one: abs(z)",
                     "complex numbers have no order");
}

static struct fs_cx equal(struct fs_interp *in, enum fs_ast_op op, struct fs_cx a,
                          struct fs_cx b) {
  bool eq = op == FS_AO_EQ;
  enum fs_map_op one = eq ? FS_OP_EQ : FS_OP_NE;
  struct fs_tv re = fs_tv_map2(in, one, a.re, b.re);
  struct fs_tv im = fs_tv_map2(in, one, fs_cx_im(in, &a), fs_cx_im(in, &b));
  return (struct fs_cx){.re = fs_tv_map2(in, eq ? FS_OP_AND : FS_OP_OR, re, im), .real = true};
}

static struct fs_cx truths(struct fs_interp *in, enum fs_ast_op op, struct fs_cx a,
                           struct fs_cx b) {
  return (struct fs_cx){.re = fs_tv_map2(in, op == FS_AO_AND ? FS_OP_AND : FS_OP_OR,
                                         fs_cx_truth(in, &a), fs_cx_truth(in, &b)),
                        .real = true};
}

struct operation {
  enum fs_ast_op op;
  const struct fs_val *v;
  const struct fs_span *spans;
  struct fs_span span;
};

static enum fs_status elementwise(struct fs_interp *in, const struct operation *o,
                                  struct fs_cx a, struct fs_cx b, const char *text,
                                  struct fs_cx *out) {
  struct fs_tv src[] = {a.re, b.re};
  struct fs_shape shape;
  const struct fs_val *exponent = &o->v[1];
  enum fs_status st = fs_tv_common(in, 2, src, o->spans, o->span, text, &shape);
  if (st != FS_OK) return st;
  switch (o->op) {
    case FS_AO_ADD: *out = fs_cx_add(in, a, b); break;
    case FS_AO_SUB: *out = fs_cx_sub(in, a, b); break;
    case FS_AO_EMUL: *out = fs_cx_mul(in, a, b); break;
    case FS_AO_DIV:
    case FS_AO_EDIV: *out = fs_cx_div(in, a, b); break;
    case FS_AO_EQ:
    case FS_AO_NE: *out = equal(in, o->op, a, b); break;
    case FS_AO_AND:
    case FS_AO_OR: *out = truths(in, o->op, a, b); break;
    default:
      *out = fs_cx_pow(in, a, b, exponent->kind == FS_V_NUMBER ? &exponent->number : NULL);
  }
  return FS_OK;
}

static enum fs_status power(struct fs_interp *in, const struct operation *o, struct fs_cx a,
                            struct fs_cx b, struct fs_cx *out) {
  struct fs_cx z[2];
  int64_t n = 0;
  if (fs_tv_is_one(&a.re) && fs_tv_is_one(&b.re))
    return elementwise(in, o, a, b, "^", out);
  if (!fs_tv_is_one(&b.re) || !b.real)
    return fs_in_error(in, o->span, "wrong-type", "for the power of every element write .^",
                       "^ takes a square matrix and a whole number");
  enum fs_status st = fs_read_int(in, &o->v[1], o->spans[1], "the exponent of a matrix", &n);
  if (st == FS_OK) st = fs_cx_operands(in, 2, o->v, o->spans, z); /* reading may end the block */
  return st == FS_OK ? fs_cx_power(in, z[0], o->spans[0], n, o->span, out) : st;
}

static enum fs_status traced(struct fs_interp *in, const struct operation *o,
                             struct fs_cx *out) {
  struct fs_cx z[2];
  enum fs_status st = fs_cx_operands(in, 2, o->v, o->spans, z);
  if (st != FS_OK) return st;
  switch (o->op) {
    case FS_AO_LT: case FS_AO_LE: case FS_AO_GT: case FS_AO_GE:
      return fs_cx_no_order(in, o->span);
    case FS_AO_MUL:
      return fs_cx_multiply(in, z[0], o->spans[0], z[1], o->spans[1], o->span, out);
    case FS_AO_SOLVE:
      return fs_cx_solve(in, z[0], o->spans[0], z[1], o->spans[1], o->span, out);
    case FS_AO_POW: return power(in, o, z[0], z[1], out);
    case FS_AO_DIV:
      if (!fs_tv_is_one(&z[1].re))
        return fs_in_error(in, o->span, "shape-mismatch", "elementwise division is ./",
                           "/ divides by a scalar only: %s is %s", fs_in_text(in, o->spans[1]),
                           fs_shape_text(&z[1].re.shape));
      return elementwise(in, o, z[0], z[1], "/", out);
    default:
      return elementwise(in, o, z[0], z[1], fs_operator_text(o->op), out);
  }
}

enum fs_status fs_cx_binary(struct fs_interp *in, enum fs_ast_op op, const struct fs_val *v,
                            const struct fs_span *spans, struct fs_span span,
                            struct fs_val *out) {
  struct operation o = {op, v, spans, span};
  struct fs_cx z;
  if (fs_cx_is_number(&v[0]) && fs_cx_is_number(&v[1]))
    return fs_cx_host_binary(op, &v[0], &v[1], out) ? FS_OK : fs_cx_no_order(in, span);
  enum fs_status st = traced(in, &o, &z);
  if (st == FS_OK) *out = fs_cx_value(in, &z);
  return st;
}

struct fs_cx fs_cx_transpose(struct fs_interp *in, struct fs_cx z, bool conjugate) {
  z.re = fs_tv_transpose(in, z.re);
  if (!z.real) z.im = fs_tv_transpose(in, z.im);
  return conjugate ? fs_cx_conj(in, z) : z;
}

enum fs_status fs_cx_unary(struct fs_interp *in, enum fs_ast_op op, bool plain,
                           const struct fs_val *v, struct fs_span span, struct fs_val *out) {
  struct fs_cx z;
  if (op == FS_AO_PLUS) {
    *out = fs_val_ref(*v);
    return FS_OK;
  }
  if (fs_val_is_complex_number(v)) {
    if (op == FS_AO_NOT) fs_cx_host_function(FS_OP_NOT, v, out);
    else if (op == FS_AO_NEG) fs_cx_host_function(FS_OP_NEG, v, out);
    else if (plain) *out = fs_val_ref(*v);
    else {
      struct fs_val im = v->complex->part[1];
      im.number = -im.number;
      *out = fs_val_complex(v->complex->part[0], im);
    }
    return FS_OK;
  }
  enum fs_status st = fs_cx_of(in, v, span, FS_F32, &z);
  if (st != FS_OK) return st;
  bool one = in->elementwise && v->of_element; /* of which the transpose is the conjugate */
  if (op == FS_AO_TRANSPOSE && !one) z = fs_cx_transpose(in, z, !plain);
  if (op == FS_AO_TRANSPOSE && one && !plain) z = fs_cx_conj(in, z);
  if (op == FS_AO_NEG) z = fs_cx_neg(in, z);
  if (op == FS_AO_NOT)
    z = (struct fs_cx){.re = fs_tv_map1(in, FS_OP_NOT, fs_cx_truth(in, &z)), .real = true};
  *out = fs_cx_value(in, &z);
  return FS_OK;
}
