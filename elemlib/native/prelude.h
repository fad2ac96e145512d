/* What stands before a user's routine in C: no header is included, so that a
 * compiler alone is enough. The functions of math.h take the type of their
 * argument, as they do in CUDA C: sqrt(x) of a float is sqrtf(x). */
#define FS_EXPORT __attribute__((visibility("default")))
#define FS_MATH1(name) double name(double); float name##f(float);
#define FS_MATH2(name) \
  double name(double, double); float name##f(float, float);
FS_MATH1(sqrt) FS_MATH1(cbrt) FS_MATH1(exp) FS_MATH1(exp2) FS_MATH1(expm1)
FS_MATH1(log) FS_MATH1(log2) FS_MATH1(log10) FS_MATH1(log1p) FS_MATH1(sin)
FS_MATH1(cos) FS_MATH1(tan) FS_MATH1(asin) FS_MATH1(acos) FS_MATH1(atan)
FS_MATH1(sinh) FS_MATH1(cosh) FS_MATH1(tanh) FS_MATH1(erf) FS_MATH1(erfc)
FS_MATH1(tgamma) FS_MATH1(lgamma) FS_MATH1(floor) FS_MATH1(ceil)
FS_MATH1(trunc) FS_MATH1(rint) FS_MATH1(fabs)
FS_MATH2(pow) FS_MATH2(atan2) FS_MATH2(hypot) FS_MATH2(fmod) FS_MATH2(fmin)
FS_MATH2(fmax) FS_MATH2(copysign)
double fma(double, double, double);
float fmaf(float, float, float);
int abs(int);
#define FS_F1(name, x) _Generic((x), float: name##f, default: name)(x)
#define FS_F2(name, x, y) \
  _Generic((x) + (y), float: name##f, default: name)(x, y)
#define sqrt(x) FS_F1(sqrt, x)
#define cbrt(x) FS_F1(cbrt, x)
#define exp(x) FS_F1(exp, x)
#define exp2(x) FS_F1(exp2, x)
#define expm1(x) FS_F1(expm1, x)
#define log(x) FS_F1(log, x)
#define log2(x) FS_F1(log2, x)
#define log10(x) FS_F1(log10, x)
#define log1p(x) FS_F1(log1p, x)
#define sin(x) FS_F1(sin, x)
#define cos(x) FS_F1(cos, x)
#define tan(x) FS_F1(tan, x)
#define asin(x) FS_F1(asin, x)
#define acos(x) FS_F1(acos, x)
#define atan(x) FS_F1(atan, x)
#define sinh(x) FS_F1(sinh, x)
#define cosh(x) FS_F1(cosh, x)
#define tanh(x) FS_F1(tanh, x)
#define erf(x) FS_F1(erf, x)
#define erfc(x) FS_F1(erfc, x)
#define tgamma(x) FS_F1(tgamma, x)
#define lgamma(x) FS_F1(lgamma, x)
#define floor(x) FS_F1(floor, x)
#define ceil(x) FS_F1(ceil, x)
#define trunc(x) FS_F1(trunc, x)
#define rint(x) FS_F1(rint, x)
#define fabs(x) FS_F1(fabs, x)
#define pow(x, y) FS_F2(pow, x, y)
#define atan2(y, x) FS_F2(atan2, y, x)
#define hypot(x, y) FS_F2(hypot, x, y)
#define fmod(x, y) FS_F2(fmod, x, y)
#define fmin(x, y) FS_F2(fmin, x, y)
#define fmax(x, y) FS_F2(fmax, x, y)
#define copysign(x, y) FS_F2(copysign, x, y)
#define fma(x, y, z) \
  _Generic((x) + (y) + (z), float: fmaf, default: fma)(x, y, z)
