/* complex_math.c - elementwise operations on complex values as real ones on their parts. Which
 * errors they have, and what they give of infinities, docs/numerics.md says. */
#include <math.h>

#include "core/eval/complex.h"

/* -- real nodes -------------------------------------------------------------- */

typedef struct fs_tv tv;
typedef struct fs_interp interp;

static tv op1(interp *in, enum fs_map_op op, tv a) { return fs_tv_map1(in, op, a); }
static tv op2(interp *in, enum fs_map_op op, tv a, tv b) { return fs_tv_map2(in, op, a, b); }
static tv plus(interp *in, tv a, tv b) { return op2(in, FS_OP_ADD, a, b); }
static tv minus(interp *in, tv a, tv b) { return op2(in, FS_OP_SUB, a, b); }
static tv times(interp *in, tv a, tv b) { return op2(in, FS_OP_MUL, a, b); }
static tv over(interp *in, tv a, tv b) { return op2(in, FS_OP_DIV, a, b); }
static tv square(interp *in, tv a) { return op1(in, FS_OP_SQUARE, a); }
static tv less(interp *in, tv a, tv b) { return op2(in, FS_OP_LT, a, b); }
static tv same(interp *in, tv a, tv b) { return op2(in, FS_OP_EQ, a, b); }
static tv number(interp *in, double x, tv like) { return fs_tv_literal(in, x, like.dtype); }
static tv scaled(interp *in, double x, tv a) { return times(in, number(in, x, a), a); }
static tv either(interp *in, tv mask, tv a, tv b) { return fs_tv_choose(in, mask, a, b); }

static tv fused(interp *in, tv a, tv b, tv c) {
  tv src[] = {a, b, c}, out = a;
  struct fs_span spans[] = {in->span, in->span, in->span};
  fs_tv_map(in, FS_OP_FMA, 3, src, spans, in->span, "", &out);
  return out;
}

static struct fs_cx complex_of(tv re, tv im) { return (struct fs_cx){re, im, false}; }

/* Whether the sign of a number is minus, of -0 too. */
static tv is_minus(interp *in, tv x) {
  return op2(in, FS_OP_OR, less(in, x, number(in, 0, x)),
             less(in, over(in, number(in, 1, x), x), number(in, 0, x)));
}

/* Delicate functions of c64 are computed in f64, where nothing overflows on the way and one
 * rounding to f32 is nearly all of the error. */
static struct fs_cx widened(interp *in, struct fs_cx z) {
  return complex_of(fs_tv_cast(in, z.re, FS_F64), fs_tv_cast(in, fs_cx_im(in, &z), FS_F64));
}

static struct fs_cx narrowed(interp *in, struct fs_cx z, enum fs_dtype dt) {
  return complex_of(fs_tv_cast(in, z.re, dt), fs_tv_cast(in, z.im, dt));
}

/* -- arithmetic -------------------------------------------------------------- */

struct fs_cx fs_cx_neg(interp *in, struct fs_cx a) {
  a.re = op1(in, FS_OP_NEG, a.re);
  if (!a.real) a.im = op1(in, FS_OP_NEG, a.im);
  return a;
}

struct fs_cx fs_cx_conj(interp *in, struct fs_cx a) {
  if (!a.real) a.im = op1(in, FS_OP_NEG, a.im);
  return a;
}

struct fs_cx fs_cx_add(interp *in, struct fs_cx a, struct fs_cx b) {
  struct fs_cx out = {.re = plus(in, a.re, b.re), .real = a.real && b.real};
  if (!out.real) out.im = a.real ? b.im : b.real ? a.im : plus(in, a.im, b.im);
  return out;
}

struct fs_cx fs_cx_sub(interp *in, struct fs_cx a, struct fs_cx b) {
  struct fs_cx out = {.re = minus(in, a.re, b.re), .real = a.real && b.real};
  if (!out.real)
    out.im = a.real ? op1(in, FS_OP_NEG, b.im) : b.real ? a.im : minus(in, a.im, b.im);
  return out;
}

/* A real factor goes to both parts: no 0*Inf of a part that is not there. */
struct fs_cx fs_cx_mul(interp *in, struct fs_cx a, struct fs_cx b) {
  if (a.real && b.real) return (struct fs_cx){.re = times(in, a.re, b.re), .real = true};
  if (a.real) return complex_of(times(in, a.re, b.re), times(in, a.re, b.im));
  if (b.real) return complex_of(times(in, a.re, b.re), times(in, a.im, b.re));
  return complex_of(minus(in, times(in, a.re, b.re), times(in, a.im, b.im)),
                    plus(in, times(in, a.re, b.im), times(in, a.im, b.re)));
}

static struct fs_cx squared(interp *in, struct fs_cx a) { return fs_cx_mul(in, a, a); }

/* A power of 2 that brings the larger of two magnitudes away from both ends of f64. */
static tv scale_of(interp *in, tv x, tv y) {
  tv most = op2(in, FS_OP_MAX, op1(in, FS_OP_ABS, x), op1(in, FS_OP_ABS, y));
  tv small = either(in, less(in, most, number(in, 0x1p-900, x)), number(in, 0x1p120, x),
                    number(in, 1, x));
  return either(in, less(in, number(in, 0x1p1020, x), most), number(in, 0x1p-4, x), small);
}

/* Smith's formula: with r = d/c for c + di, |d| <= |c|, the quotient of a + bi is (a + b*r +
 * (b - a*r)i)/(c + d*r). Where r vanishes d*(b/c) takes the place of b*r (Baudin and Smith, A
 * Robust Complex Division in Scilab, 2012). */
static struct fs_cx quotient(interp *in, struct fs_cx a, struct fs_cx b) {
  tv up = scale_of(in, a.re, a.im), down = scale_of(in, b.re, b.im);
  tv x = times(in, a.re, up), y = times(in, a.im, up);
  tv c = times(in, b.re, down), d = times(in, b.im, down);
  tv turned = less(in, op1(in, FS_OP_ABS, c), op1(in, FS_OP_ABS, d));
  tv p = either(in, turned, d, c), q = either(in, turned, c, d);
  tv s = either(in, turned, y, x), t = either(in, turned, x, y);
  tv r = over(in, q, p), zero = number(in, 0, r);
  tv below = fs_tv_map2(in, FS_OP_EQ, r, zero);
  tv den = plus(in, p, times(in, q, r));
  tv sr = either(in, below, times(in, q, over(in, s, p)), times(in, s, r));
  tv tr = either(in, below, times(in, q, over(in, t, p)), times(in, t, r));
  tv back = over(in, down, up);
  tv im = either(in, turned, minus(in, sr, t), minus(in, t, sr));
  return complex_of(times(in, over(in, plus(in, s, tr), den), back),
                    times(in, over(in, im, den), back));
}

/* In f64 the products of f32 are exact and their sums are rounded once. */
static struct fs_cx narrow_quotient(interp *in, struct fs_cx a, struct fs_cx b) {
  tv den = plus(in, square(in, b.re), square(in, b.im));
  tv re = plus(in, times(in, a.re, b.re), times(in, a.im, b.im));
  tv im = minus(in, times(in, a.im, b.re), times(in, a.re, b.im));
  return complex_of(over(in, re, den), over(in, im, den));
}

struct fs_cx fs_cx_div(interp *in, struct fs_cx a, struct fs_cx b) {
  enum fs_dtype dt = a.re.dtype;
  if (b.real) {
    a.re = over(in, a.re, b.re);
    if (!a.real) a.im = over(in, a.im, b.re);
    return a;
  }
  struct fs_cx x = widened(in, a), y = widened(in, b);
  if (dt == FS_F32) return narrowed(in, narrow_quotient(in, x, y), dt);
  return quotient(in, x, y);
}

/* -- roots and logarithms ---------------------------------------------------- */

static struct fs_cx root64(interp *in, struct fs_cx z, bool wide) {
  tv up = wide ? scale_of(in, z.re, z.im) : number(in, 1, z.re);
  tv a = times(in, z.re, up), b = times(in, z.im, up), zero = number(in, 0, a);
  tv x = op1(in, FS_OP_ABS, a), y = op1(in, FS_OP_ABS, b);
  tv h = wide ? op2(in, FS_OP_HYPOT, x, y)
              : op1(in, FS_OP_SQRT, plus(in, square(in, x), square(in, y)));
  tv w = op1(in, FS_OP_SQRT, scaled(in, 0.5, plus(in, x, h)));
  tv v = scaled(in, 0.5, over(in, y, w)), left = less(in, a, zero);
  v = either(in, same(in, w, zero), zero, v);
  tv endless = same(in, y, number(in, INFINITY, y));
  tv re = either(in, left, v, w), im = either(in, left, w, v);
  re = either(in, endless, y, re), im = either(in, endless, y, im);
  tv back = wide ? op1(in, FS_OP_RSQRT, up) : up;
  if (wide) re = times(in, re, back), im = times(in, im, back);
  return complex_of(re, either(in, is_minus(in, b), op1(in, FS_OP_NEG, im), im));
}

/* x^2 + y^2 - 1 for x^2 + y^2 near 1, x >= y: with u = x - 1, which is exact, u^2 + 2*u + y^2,
 * the products with what rounding takes from them. */
static tv beyond_circle(interp *in, tv x, tv y) {
  tv u = minus(in, x, number(in, 1, x)), twice = scaled(in, 2, u);
  tv p = square(in, u), q = square(in, y);
  tv lost = plus(in, fused(in, u, u, op1(in, FS_OP_NEG, p)),
                 fused(in, y, y, op1(in, FS_OP_NEG, q)));
  tv s = plus(in, twice, q), back = minus(in, s, twice); /* twice + q without loss */
  tv e = plus(in, minus(in, twice, minus(in, s, back)), minus(in, q, back));
  return plus(in, plus(in, s, p), plus(in, e, lost));
}

/* log|z|: near the unit circle by log1p, elsewhere by the larger part and their ratio. */
static tv log_magnitude(interp *in, tv re, tv im, bool wide) {
  tv a = op1(in, FS_OP_ABS, re), b = op1(in, FS_OP_ABS, im);
  tv x = op2(in, FS_OP_MAX, a, b), y = op2(in, FS_OP_MIN, a, b), one = number(in, 1, x);
  tv m = plus(in, square(in, x), square(in, y));
  tv near = op2(in, FS_OP_AND, less(in, number(in, 0.5, m), m),
                less(in, m, number(in, 2, m)));
  tv t = wide ? beyond_circle(in, x, y)
              : plus(in, times(in, minus(in, x, one), plus(in, x, one)), square(in, y));
  if (!wide)
    return scaled(in, 0.5, either(in, near, op1(in, FS_OP_LOG1P, t), op1(in, FS_OP_LOG, m)));
  tv zero = number(in, 0, x);
  tv flat = op2(in, FS_OP_OR, same(in, x, zero), same(in, x, number(in, INFINITY, x)));
  tv r2 = square(in, either(in, flat, zero, over(in, y, x)));
  tv f = scaled(in, 0.5, op1(in, FS_OP_LOG1P, either(in, near, t, r2)));
  return either(in, near, f, plus(in, op1(in, FS_OP_LOG, x), f));
}

static struct fs_cx log64(interp *in, struct fs_cx z, bool wide) {
  return complex_of(log_magnitude(in, z.re, z.im, wide), op2(in, FS_OP_ATAN2, z.im, z.re));
}

typedef struct fs_cx in_f64(interp *in, struct fs_cx z, bool wide);

static struct fs_cx by_f64(interp *in, in_f64 *f, struct fs_cx z) {
  enum fs_dtype dt = z.re.dtype;
  struct fs_cx out = f(in, widened(in, z), dt == FS_F64);
  return dt == FS_F64 ? out : narrowed(in, out, dt);
}

static struct fs_cx over_number(interp *in, struct fs_cx z, double x) {
  tv d = number(in, x, z.re);
  return complex_of(over(in, z.re, d), over(in, z.im, d));
}

/* -- exponentials ------------------------------------------------------------ */

/* x*s where s is 0 if b is: b, so that Inf*0 is no NaN. */
static tv along_axis(interp *in, tv x, tv s, tv b) {
  return either(in, same(in, b, number(in, 0, b)), b, times(in, x, s));
}

/* exp(a) as far as it goes, then once more: exp(710)*cos(1.5) is no Inf. */
static struct fs_cx exponential(interp *in, struct fs_cx z) {
  double most = z.re.dtype == FS_F64 ? 512 : 64;
  tv high = less(in, number(in, most, z.re), z.re), one = number(in, 1, z.re);
  tv e = op1(in, FS_OP_EXP, either(in, high, minus(in, z.re, number(in, most, z.re)), z.re));
  tv more = either(in, high, number(in, exp(most), z.re), one);
  tv re = times(in, times(in, e, op1(in, FS_OP_COS, z.im)), more);
  return complex_of(re, along_axis(in, more, times(in, e, op1(in, FS_OP_SIN, z.im)), z.im));
}

static struct fs_cx hyperbolic(interp *in, struct fs_cx z, bool cosine) {
  tv s = op1(in, FS_OP_SINH, z.re), c = op1(in, FS_OP_COSH, z.re);
  tv cb = op1(in, FS_OP_COS, z.im), sb = op1(in, FS_OP_SIN, z.im);
  if (!cosine) return complex_of(times(in, s, cb), along_axis(in, c, sb, z.im));
  return complex_of(times(in, c, cb), along_axis(in, s, sb, z.im));
}

/* Kahan, Branch Cuts for Complex Elementary Functions, 1987. */
static struct fs_cx tangent(interp *in, struct fs_cx z) {
  double limit = z.re.dtype == FS_F64 ? 22 : 11;
  tv one = number(in, 1, z.re), zero = number(in, 0, z.re);
  tv size = op1(in, FS_OP_ABS, z.re), far = less(in, number(in, limit, size), size);
  tv t = op1(in, FS_OP_TAN, z.im), beta = plus(in, one, square(in, t));
  tv s = op1(in, FS_OP_SINH, either(in, far, zero, z.re));
  tv rho = op1(in, FS_OP_SQRT, plus(in, one, square(in, s)));
  tv den = plus(in, one, times(in, beta, square(in, s)));
  tv re = over(in, times(in, times(in, beta, rho), s), den), im = over(in, t, den);
  tv tail = times(in, scaled(in, 2, op1(in, FS_OP_SIN, scaled(in, 2, z.im))),
                  op1(in, FS_OP_EXP, scaled(in, -2, size)));
  return complex_of(either(in, far, op1(in, FS_OP_SIGN, z.re), re), either(in, far, tail, im));
}

/* f(z) = -i*g(i*z) for the sine of sinh and the tangent of tanh. */
static struct fs_cx turned(interp *in, struct fs_cx z) {
  return complex_of(op1(in, FS_OP_NEG, z.im), z.re);
}
static struct fs_cx turned_back(interp *in, struct fs_cx z) {
  return complex_of(z.im, op1(in, FS_OP_NEG, z.re));
}

/* -- powers ------------------------------------------------------------------ */

enum { BY_PRODUCTS = 64 }; /* the largest exponent */

static struct fs_cx whole_power(interp *in, struct fs_cx z, int n) {
  struct fs_cx r = z;
  bool have = false;
  if (!n) /* of NaN, too */
    return complex_of(fs_tv_repeat(in, number(in, 1, z.re).node, &z.re.shape),
                      number(in, 0, z.re));
  for (int k = n < 0 ? -n : n; k; k >>= 1) {
    if (k & 1) r = have ? fs_cx_mul(in, r, z) : z, have = true;
    if (k > 1) z = squared(in, z);
  }
  struct fs_cx one = {.re = number(in, 1, r.re), .real = true};
  return n < 0 ? fs_cx_div(in, one, r) : r;
}

struct fs_cx fs_cx_pow(interp *in, struct fs_cx a, struct fs_cx b, const double *whole) {
  if (whole && *whole == floor(*whole) && fabs(*whole) <= BY_PRODUCTS)
    return whole_power(in, a, (int)*whole);
  if (whole && *whole == 0.5) return by_f64(in, root64, a);
  struct fs_cx wide[] = {widened(in, a), widened(in, b)};
  struct fs_cx l = log64(in, wide[0], a.re.dtype == FS_F64);
  wide[1].real = b.real;
  struct fs_cx p = exponential(in, fs_cx_mul(in, wide[1], l));
  tv zero = number(in, 0, p.re), one = number(in, 1, p.re);
  tv nothing = op1(in, FS_OP_NOT, fs_cx_truth(in, &a));
  tv positive = less(in, zero, wide[1].re);
  tv none = op1(in, FS_OP_NOT, fs_cx_truth(in, &b));
  tv at_zero = either(in, none, one, either(in, positive, zero, number(in, NAN, zero)));
  p.re = either(in, nothing, at_zero, p.re);
  p.im = either(in, nothing, times(in, at_zero, zero), p.im);
  return narrowed(in, p, a.re.dtype);
}

/* -- functions of one value -------------------------------------------------- */

static struct fs_cx real_of(tv x) { return (struct fs_cx){.re = x, .real = true}; }

static struct fs_cx direction(interp *in, struct fs_cx z) {
  tv size = op2(in, FS_OP_HYPOT, z.re, z.im), none = same(in, size, number(in, 0, size));
  size = either(in, none, number(in, 1, size), size);
  return complex_of(over(in, z.re, size), over(in, z.im, size));
}

static struct fs_cx inverse(interp *in, struct fs_cx z) {
  return fs_cx_div(in, real_of(number(in, 1, z.re)), z);
}

static bool other_function(interp *in, enum fs_map_op op, struct fs_cx z, struct fs_cx *out) {
  switch (op) {
    case FS_OP_COPY: *out = z; break;
    case FS_OP_NEG: *out = fs_cx_neg(in, z); break;
    case FS_OP_ABS: *out = real_of(op2(in, FS_OP_HYPOT, z.re, z.im)); break;
    case FS_OP_SIGN: *out = direction(in, z); break;
    case FS_OP_SQUARE: *out = squared(in, z); break;
    case FS_OP_NOT: *out = real_of(op1(in, FS_OP_NOT, fs_cx_truth(in, &z))); break;
    case FS_OP_ISNAN:
      *out = real_of(op2(in, FS_OP_OR, op1(in, op, z.re), op1(in, op, z.im)));
      break;
    case FS_OP_ISFINITE:
      *out = real_of(op2(in, FS_OP_AND, op1(in, op, z.re), op1(in, op, z.im)));
      break;
    case FS_OP_FLOOR: case FS_OP_CEIL: case FS_OP_ROUND: case FS_OP_TRUNC:
      *out = complex_of(op1(in, op, z.re), op1(in, op, z.im));
      break;
    default: return false;
  }
  return true;
}

bool fs_cx_function(interp *in, enum fs_map_op op, struct fs_cx z, struct fs_cx *out) {
  switch (op) {
    case FS_OP_SQRT: *out = by_f64(in, root64, z); break;
    case FS_OP_RSQRT: *out = inverse(in, by_f64(in, root64, z)); break;
    case FS_OP_LOG: *out = by_f64(in, log64, z); break;
    case FS_OP_LOG2: *out = over_number(in, by_f64(in, log64, z), M_LN2); break;
    case FS_OP_LOG10: *out = over_number(in, by_f64(in, log64, z), M_LN10); break;
    case FS_OP_EXP: *out = exponential(in, z); break;
    case FS_OP_SINH: *out = hyperbolic(in, z, false); break;
    case FS_OP_COSH: *out = hyperbolic(in, z, true); break;
    case FS_OP_TANH: *out = tangent(in, z); break;
    case FS_OP_SIN: *out = turned_back(in, hyperbolic(in, turned(in, z), false)); break;
    case FS_OP_COS: *out = hyperbolic(in, turned(in, z), true); break;
    case FS_OP_TAN: *out = turned_back(in, tangent(in, turned(in, z))); break;
    default: return other_function(in, op, z, out);
  }
  return true;
}
