/* transform.h - Fourier transforms of one length, of lines that lie side by side in host memory.
 *
 * Element e of line l of b lines lies at e*b + l; real and imaginary parts lie apart. */
#ifndef FS_CPU_TRANSFORM_H
#define FS_CPU_TRANSFORM_H

#include "elemlib/cpu/routines.h"

struct fs_transform;

/* The forward transform of n >= 1 complex numbers; `wide`: f64, else f32, as *wide says in the
 * end: some lengths want f64. `pass` are a target's routines ([0] f32, [1] f64). Kept for the next call; NULL: no memory, or an
 * interrupt. Called by one thread. */
const struct fs_transform *fs_transform_of(int64_t n, bool *wide,
                                            fs_fourier_fn *const *pass);
/* How many lines at once suit it, of `lines` that there are. */
int64_t fs_transform_lines(const struct fs_transform *t, int64_t lines);
/* What b lines take as they lie, four times: both parts of what comes and of what goes. */
int64_t fs_transform_bytes(const struct fs_transform *t, int64_t b);
/* Whether an interrupt has come, looked for now and then: k counts rounds. What was made until
 * then is of no use. */
bool fs_transform_stopped(int64_t k);
/* exp(-2 pi i k/n) */
void fs_transform_root(int64_t k, int64_t n, double *re, double *im);

/* To be called before runs of b lines, by one thread. */
void fs_transform_plan(const struct fs_transform *t, int64_t b, void *const x[4]);
/* Transforms b lines: x[0], x[1] are their parts, which are overwritten, and x[2], x[3] as much
 * memory; *out the index of the real part of the result. Any number of threads at once. */
void fs_transform_run(const struct fs_transform *t, int64_t b, void *const x[4], int *out);

/* Puts "FFTW 3.3.10", or why there is none. Loads it. */
void fs_transform_print(struct fs_str *out);

#endif
