/* complex_host.c - complex numbers of the host, by the functions of the C library. */
#include "core/eval/complex.h"

#include <complex.h>
#undef complex
#include <math.h>

typedef double _Complex number;

static number number_of(const struct fs_val *v) {
  if (v->kind != FS_V_COMPLEX) return v->number;
  return CMPLX(v->complex->part[0].number, v->complex->part[1].number);
}

static struct fs_val value_of(number z, bool literal) {
  struct fs_val re = fs_val_number(creal(z), false), im = fs_val_number(cimag(z), false);
  re.literal = im.literal = literal;
  return fs_val_complex(re, im);
}

/* By squares, so that whole numbers stay exact. */
static number whole_power(number x, double n) {
  number r = 1;
  for (uint64_t k = (uint64_t)fabs(n); k; k >>= 1, x *= x)
    if (k & 1) r *= x;
  return n < 0 ? 1 / r : r;
}

static number power(number x, number y) {
  double n = creal(y);
  if (cimag(y) == 0 && n == floor(n) && fabs(n) <= 1024) return whole_power(x, n);
  return cpow(x, y);
}

bool fs_cx_host_binary(enum fs_ast_op op, const struct fs_val *a, const struct fs_val *b,
                       struct fs_val *out) {
  number x = number_of(a), y = number_of(b), r;
  bool x_real = a->kind != FS_V_COMPLEX, y_real = b->kind != FS_V_COMPLEX;
  switch (op) {
    case FS_AO_ADD: r = y_real ? CMPLX(creal(x) + creal(y), cimag(x)) : x + y; break;
    case FS_AO_SUB: r = y_real ? CMPLX(creal(x) - creal(y), cimag(x)) : x - y; break;
    case FS_AO_MUL:
    case FS_AO_EMUL:
      r = x_real   ? CMPLX(creal(x) * creal(y), creal(x) * cimag(y))
          : y_real ? CMPLX(creal(x) * creal(y), cimag(x) * creal(y))
                   : x * y;
      break;
    case FS_AO_DIV:
    case FS_AO_EDIV: r = y_real ? CMPLX(creal(x) / creal(y), cimag(x) / creal(y)) : x / y; break;
    case FS_AO_SOLVE: r = x_real ? CMPLX(creal(y) / creal(x), cimag(y) / creal(x)) : y / x; break;
    case FS_AO_POW:
    case FS_AO_EPOW: r = power(x, y); break;
    case FS_AO_EQ: *out = fs_val_bool(x == y); return true;
    case FS_AO_NE: *out = fs_val_bool(x != y); return true;
    case FS_AO_AND: *out = fs_val_bool(x != 0 && y != 0); return true;
    case FS_AO_OR: *out = fs_val_bool(x != 0 || y != 0); return true;
    default: return false;
  }
  *out = value_of(r, a->literal && b->literal);
  return true;
}

static const struct {
  enum fs_map_op op;
  number (*f)(number);
} functions[] = {
    {FS_OP_SQRT, csqrt}, {FS_OP_EXP, cexp},   {FS_OP_LOG, clog},   {FS_OP_SIN, csin},
    {FS_OP_COS, ccos},   {FS_OP_TAN, ctan},   {FS_OP_SINH, csinh}, {FS_OP_COSH, ccosh},
    {FS_OP_TANH, ctanh}};

static bool of_part(enum fs_map_op op, double x, double *out) {
  switch (op) {
    case FS_OP_FLOOR: case FS_OP_CEIL: case FS_OP_ROUND: case FS_OP_TRUNC:
      *out = fs_map_number(op, &x);
      return true;
    default: return false;
  }
}

bool fs_cx_host_function(enum fs_map_op op, const struct fs_val *a, struct fs_val *out) {
  number z = number_of(a), r = 0;
  double x = creal(z), y = cimag(z), part[2];
  bool known = true;
  switch (op) {
    case FS_OP_ABS: *out = fs_val_number(cabs(z), false); return true;
    case FS_OP_ISNAN: *out = fs_val_bool(isnan(x) || isnan(y)); return true;
    case FS_OP_ISFINITE: *out = fs_val_bool(isfinite(x) && isfinite(y)); return true;
    case FS_OP_NOT: *out = fs_val_bool(z == 0); return true;
    case FS_OP_COPY: r = z; break;
    case FS_OP_NEG: r = CMPLX(-x, -y); break;
    case FS_OP_SQUARE: r = z * z; break;
    case FS_OP_SIGN: r = z == 0 ? z : CMPLX(x / cabs(z), y / cabs(z)); break;
    case FS_OP_RSQRT: r = 1 / csqrt(z); break;
    case FS_OP_LOG2: r = clog(z) / M_LN2; break;
    case FS_OP_LOG10: r = clog(z) / M_LN10; break;
    default: known = false; break;
  }
  for (size_t k = 0; k < FS_LEN(functions) && !known; k++)
    if (functions[k].op == op) r = functions[k].f(z), known = true;
  if (!known && of_part(op, x, &part[0]) && of_part(op, y, &part[1]))
    r = CMPLX(part[0], part[1]), known = true;
  if (known) *out = value_of(r, a->literal);
  return known;
}

void fs_cx_host_of(enum fs_cx_what what, const struct fs_val *a, struct fs_val *out) {
  number z = number_of(a);
  bool real = a->kind != FS_V_COMPLEX;
  switch (what) {
    case FS_CX_RE: *out = real ? *a : fs_val_number(creal(z), false); break;
    case FS_CX_IM: *out = fs_val_number(cimag(z), real); break;
    case FS_CX_ARG: *out = fs_val_number(carg(z), false); break;
    case FS_CX_CONJ:
      *out = real ? *a : value_of(conj(z), a->literal);
      break;
  }
  out->literal = a->literal;
}

/* Of column k the row, from row k of m on, with the largest |re| + |im|, as LAPACK has it. */
static int64_t pivot_row(int64_t m, int64_t n, const double *re, const double *im, int64_t k) {
  int64_t best = k;
  double most = -1;
  for (int64_t i = k; i < m; i++) {
    double size = fabs(re[i * n + k]) + fabs(im[i * n + k]);
    if (size > most || isnan(size)) most = size, best = i;
  }
  return best;
}

static void swap_rows(double *x, int64_t n, int64_t i, int64_t k) {
  for (int64_t j = 0; j < n; j++) {
    double t = x[i * n + j];
    x[i * n + j] = x[k * n + j];
    x[k * n + j] = t;
  }
}

enum fs_status fs_cx_host_lu(int64_t m, int64_t n, double *re, double *im, int64_t *row,
                             bool *odd) {
  *odd = false;
  for (int64_t i = 0; row && i < m; i++) row[i] = i + 1;
  for (int64_t k = 0; k < FS_MIN(m, n); k++) {
    if (fs_interrupted()) return FS_INTERRUPTED;
    int64_t best = pivot_row(m, n, re, im, k);
    if (best != k) {
      swap_rows(re, n, best, k), swap_rows(im, n, best, k);
      int64_t was = row ? row[k] : 0;
      if (row) row[k] = row[best], row[best] = was;
      *odd = !*odd;
    }
    number pivot = CMPLX(re[k * n + k], im[k * n + k]);
    for (int64_t i = k + 1; i < m && pivot != 0; i++) {
      number f = CMPLX(re[i * n + k], im[i * n + k]) / pivot;
      double x = creal(f), y = cimag(f);
      re[i * n + k] = x, im[i * n + k] = y;
      for (int64_t j = k + 1; j < n; j++) {
        double a = re[k * n + j], b = im[k * n + j];
        re[i * n + j] -= x * a - y * b;
        im[i * n + j] -= x * b + y * a;
      }
    }
  }
  return FS_OK;
}

enum fs_status fs_cx_host_det(int64_t n, double *re, double *im, double out[2]) {
  bool odd, none = false;
  enum fs_status st = fs_cx_host_lu(n, n, re, im, NULL, &odd);
  number det = odd ? -1 : 1;
  for (int64_t k = 0; k < n && st == FS_OK; k++) {
    number pivot = CMPLX(re[k * n + k], im[k * n + k]);
    det *= pivot;
    none |= pivot == 0;
  }
  out[0] = none ? 0 : creal(det);
  out[1] = none ? 0 : cimag(det);
  return st;
}
