/* library.h - the parts of a library call on the CUDA target. */
#ifndef FS_CUDA_LIBRARY_H
#define FS_CUDA_LIBRARY_H

#include "core/device/cuda/internal.h"

/* -- own_kernels.c: the small kernels around a call --------------------------- */

struct cuda_own; /* compiled so far; belongs to struct cuda_libraries */
void fs_cuda_own_free(struct cuda_own *own);
struct cuda_own **fs_cuda_own(struct cuda *t);
/* The text of a piece of elemlib/library ("fs_copy", ...) for element types as it names them,
 * which begins with these lines ("": none). */
void fs_cuda_own_source(const char *entry, enum fs_dtype from, enum fs_dtype other,
                        enum fs_dtype to, const char *defines, struct fs_str *out);

/* Each compiles its kernel for these element types if that was not done, and
 * with t->stream starts it unless `dry`. */
struct cuda_own_call {
  struct cuda *t;
  struct cuda_own **own;
  bool dry;              /* only compile */
  struct fs_diags *d;
};

/* A dense column-major m x n block of f32 or f64, or a strided array: all of it, 0 below
 * the diagonal, or 1 on it and 0 above. */
enum fs_cuda_part { FS_CUDA_ALL, FS_CUDA_UPPER, FS_CUDA_UNIT_LOWER };
enum fs_status fs_cuda_own_copy(const struct cuda_own_call *c,
                                const struct fs_lib_array *from,
                                const struct fs_lib_array *to,
                                enum fs_cuda_part part, int *bad);
/* The identity into `to`. */
enum fs_status fs_cuda_own_identity(const struct cuda_own_call *c,
                                    const struct fs_lib_array *to);
enum fs_status fs_cuda_own_gather(const struct cuda_own_call *c,
                                  const struct fs_lib_call *call,
                                  unsigned long long *wrong);
/* `counts` is room for FS_CUDA_FIND_BLOCKS i64 on the device. */
enum { FS_CUDA_FIND_BLOCKS = 2048 };
enum fs_status fs_cuda_own_find(const struct cuda_own_call *c,
                                const struct fs_lib_call *call, void *counts);
enum fs_status fs_cuda_own_invert(const struct cuda_own_call *c,
                                  const struct fs_lib_call *call,
                                  unsigned long long *wrong);
/* The rows that others are put to are copied first. `order` is what the call of
 * fs_cuda_own_order gives, a sort of COMBINE's list into so many i64; NULL: any will do. */
bool fs_cuda_own_any_order(const struct fs_lib_call *call);
struct fs_lib_call fs_cuda_own_order(const struct fs_lib_call *call, void *order);
enum fs_status fs_cuda_own_combine(const struct cuda_own_call *c, const struct fs_lib_call *call,
                                   const void *order, unsigned long long *wrong);
enum fs_status fs_cuda_own_reshape(const struct cuda_own_call *c,
                                   const struct fs_lib_call *call);
/* `totals` is room for fs_cuda_own_scan_totals() pairs of values, of 8 bytes each at most,
 * on the device. */
int64_t fs_cuda_own_scan_totals(const struct fs_lib_call *call);
enum fs_status fs_cuda_own_scan(const struct cuda_own_call *c,
                                const struct fs_lib_call *call, void *totals);
/* Room on the device that sorting takes, in elements: of the operand's type, of
 * `place_type`, of 4 bytes. */
struct cuda_sort_room {
  int64_t values, places, counts;
  enum fs_dtype place_type;
};
struct cuda_sort_room fs_cuda_own_sort_room(const struct fs_lib_call *call);
enum fs_status fs_cuda_own_sort(const struct cuda_own_call *c,
                                const struct fs_lib_call *call, char *values, char *places,
                                void *counts);
enum fs_status fs_cuda_own_product(const struct cuda_own_call *c,
                                   const struct fs_lib_call *call);
/* Columns of f32 or f64 turned so that their largest component, or that on the diagonal,
 * is not negative, with them those of `with` (NULL: none). */
enum fs_status fs_cuda_own_signs(const struct cuda_own_call *c,
                                 const struct fs_lib_array *v, bool by_diagonal,
                                 const struct fs_lib_array *with);
/* The largest magnitude and asymmetry of a column-major f32 or f64 matrix, as bits
 * of doubles, into found[2] on the device, which starts at 0. */
enum fs_status fs_cuda_own_asymmetry(const struct cuda_own_call *c,
                                     enum fs_dtype dtype, const void *matrix,
                                     int64_t n, unsigned long long *found);
/* Where a square matrix has something: into found[2] on the device, which starts at 0;
 * and what those two numbers say. */
enum fs_status fs_cuda_own_form(const struct cuda_own_call *c,
                                const struct fs_lib_array *a, int *found);
struct fs_lib_form fs_cuda_own_form_read(const struct fs_lib_array *a, const int found[2]);

/* A Fourier transform whose lines fit in a block (core/graph/fourier.h). */
enum fs_status fs_cuda_own_fourier(const struct cuda_own_call *c, const struct fs_lib_call *call);
/* Its lines as n complex numbers each, one line behind the other, and what is made of those when
 * they are transformed forwards. */
enum fs_status fs_cuda_own_fourier_pack(const struct cuda_own_call *c,
                                        const struct fs_lib_call *call, void *packed);
enum fs_status fs_cuda_own_fourier_unpack(const struct cuda_own_call *c,
                                          const struct fs_lib_call *call, void *packed);

/* -- cufft.c: lines of complex numbers --------------------------------------- */

struct cuda_fft;
/* cuFFT of a library that is open, or NULL: it lacks something; and its end. */
struct cuda_fft *fs_cuda_fft_new(void *library);
void fs_cuda_fft_free(struct cuda_fft *f);
/* Plans `count` lines of n numbers on a stream; *bytes is the scratch that a run wants. Gives
 * cuFFT's status. */
int fs_cuda_fft_plan(struct cuda_fft *f, CUstream stream, int64_t n, int64_t count, bool wide,
                     size_t *bytes, int *plan);
/* The transform forwards, in place; starts it. */
int fs_cuda_fft_run(struct cuda_fft *f, int plan, void *numbers, void *scratch);

/* -- nccl.c: what ranks do together ------------------------------------------- */

struct cuda_nccl;
/* ALL_REDUCE and ALL_GATHER of what this rank has put to its place in the result; all ranks come
 * here together. *nccl begins NULL and has what is kept for the next call. */
enum fs_status fs_cuda_over_ranks(struct cuda *t, struct cuda_nccl **nccl,
                                  const struct fs_lib_call *c, struct fs_diags *d);
void fs_cuda_nccl_free(struct cuda_nccl *n);

/* -- host_call.c: the same call by LAPACK on host copies ----------------------- */

enum fs_status fs_cuda_host_call(struct cuda *t, const struct fs_lib_call *call,
                                 struct fs_diags *d);

#endif
