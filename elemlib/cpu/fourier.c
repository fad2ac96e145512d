/* fourier.c - passes of Fourier transforms of many lines side by side.
 *
 * The transform of n = radix*m numbers is, for every p < m, one of `radix` numbers that lie m
 * apart, times powers of exp(-2 pi i p/n); `radix` transforms of m numbers are left. Written as
 * below, the results of the last pass are in order (Stockham; van Loan, Computational Frameworks
 * for the Fast Fourier Transform, 1.7). Lines that lie side by side, and what earlier passes
 * have taken apart, are a run of numbers with which the same is done.
 */
#include "elemlib/cpu/parts.h"

#define FS_T float
#define FS_OF(name) FS_GLUE_(name, f32)
#include "elemlib/cpu/fourier.h"
#undef FS_T
#undef FS_OF

#define FS_T double
#define FS_OF(name) FS_GLUE_(name, f64)
#include "elemlib/cpu/fourier.h"
