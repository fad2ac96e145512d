/* lapack.h - library kernels on host memory: OpenBLAS or LAPACK by dlopen. */
#ifndef FS_LAPACK_H
#define FS_LAPACK_H

#include "core/device/cpu/pool.h"
#include "core/device/library.h"
#include "elemlib/cpu/routines.h"

/* Whether a BLAS and LAPACK are there; loads them at the first call. If not,
 * *why is one plain sentence (static). */
bool fs_lapack_present(const char **why);

/* Puts "OpenBLAS 0.3.21, kernels for SkylakeX (chosen by the processor's features)", or
 * why there is none. Loads them, too (blas.c). */
void fs_lapack_print(struct fs_str *out);

/* Runs FS_LIBRARY kernel `k` of `plan` on host memory; slots[] are base pointers
 * by plan slot, and operands are only read. `threads` is how many processors
 * the library may use; the caller's own workers, `pool` (or NULL), should be idle
 * meanwhile, and do what goes along lines.
 * FS_ERR_USER for singular, not positive definite, bad index (with the
 * statement); FS_ERR_ENV without a library or scratch memory. What only moves
 * elements and integer products need no library. */
enum fs_status fs_lapack_run(const struct fs_plan *plan,
                             const struct fs_kernel *k, void *const *slots,
                             struct fs_pool *pool, int threads, struct fs_diags *d);
/* The same for a call whose arrays all lie in host memory. */
enum fs_status fs_lapack_call(const struct fs_lib_call *call, struct fs_pool *pool,
                              int threads, struct fs_diags *d);
/* GEMM (product.c). FS_INTERRUPTED between two of its parts; integers need no library. */
enum fs_status fs_lib_gemm(const struct fs_lib_call *call, struct fs_diags *d);
/* Those that only move elements (move.c). */
enum fs_status fs_move_call(const struct fs_lib_call *call, struct fs_diags *d);
/* Running sums and the like (scan.c): the same bits on any number of threads. */
enum fs_status fs_scan_call(const struct fs_lib_call *call, struct fs_pool *pool);
/* SORT, ARGSORT (sort.c). */
enum fs_status fs_sort_call(const struct fs_lib_call *call, struct fs_pool *pool,
                            struct fs_diags *d);
/* FFT, RFFT, IRFFT (fourier.c): the same bits on any number of threads. */
enum fs_status fs_fourier_call(const struct fs_lib_call *call, struct fs_pool *pool,
                               fs_fourier_fn *const *pass, struct fs_diags *d);

/* batch.c: a call for each matrix of a batch, in several threads where the pool is there and
 * matrices are small; `use_threads` says how many each may have. `run` does one, with or without
 * words for what fails. What a thread does is one call from begin to end, so results do not depend
 * on how many there are. */
typedef enum fs_status fs_lib_run(const struct fs_lib_call *call, struct fs_diags *d);
enum fs_status fs_batch_run(const struct fs_lib_call *call, struct fs_pool *pool, int threads,
                            void (*use_threads)(int), fs_lib_run *run, struct fs_diags *d);

#endif
