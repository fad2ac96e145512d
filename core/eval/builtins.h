/* builtins.h - the parts of the table of built-in functions. */
#ifndef FS_BUILTINS_H
#define FS_BUILTINS_H

#include "core/eval/trace.h"

/* -- arguments (builtins_arg.c) ------------------------------------------------ */

/* Argument k as a traced value. */
enum fs_status fs_arg_tv(struct fs_call *c, int k, struct fs_tv *out);
enum fs_status fs_arg_int(struct fs_call *c, int k, const char *what,
                          int64_t *out);
enum fs_status fs_arg_string(struct fs_call *c, int k, const char *what,
                             const char **out);
/* An optional dimension argument, 1 to 4; 0 when it is missing. */
enum fs_status fs_arg_dim(struct fs_call *c, int k, int *out);
/* One or several dimensions, as bits from dimension 1 on; 0: none are given, which is all. */
enum fs_status fs_arg_dims(struct fs_call *c, int k, unsigned *out);
/* Whether an argument is left out, as `[]`. */
bool fs_is_left_out(const struct fs_val *v);
/* Extents m, n, ... from argument `from` on, then perhaps a type name; a vector
 * of extents, as size(A) gives, counts as its elements. */
enum fs_status fs_arg_shape(struct fs_call *c, int from, struct fs_shape *shape,
                            enum fs_dtype *dt);
enum fs_status fs_give(struct fs_call *c, struct fs_tv t);

/* -- the table --------------------------------------------------------------- */

extern const struct fs_builtin_table fs_builtin_table;

/* -- functions, one line in the table each --------------------------------- */

typedef enum fs_status fs_builtin_fn(struct fs_call *c);
fs_builtin_fn fs_bi_map_op, fs_bi_reduce_op, fs_bi_so_far, fs_bi_sort, fs_bi_mean, fs_bi_norm,
    fs_bi_dot, fs_bi_map, fs_bi_reduce, fs_bi_scan, fs_bi_factor, fs_bi_factors, fs_bi_det, fs_bi_eig, fs_bi_schur,
    fs_bi_solve, fs_bi_trace,
    fs_bi_find, fs_bi_places, fs_bi_einsum, fs_bi_lay;
fs_builtin_fn fs_bi_zeros, fs_bi_zeros_like, fs_bi_fill, fs_bi_eye, fs_bi_rand, fs_bi_linspace,
    fs_bi_size, fs_bi_length, fs_bi_numel, fs_bi_isempty, fs_bi_ndims, fs_bi_dtype,
    fs_bi_cast, fs_bi_reshape, fs_bi_permute, fs_bi_squeeze, fs_bi_vec, fs_bi_transpose, fs_bi_diag;
fs_builtin_fn fs_bi_ask, fs_bi_print, fs_bi_error, fs_bi_assert, fs_bi_string,
    fs_bi_number, fs_bi_seed, fs_bi_load, fs_bi_save, fs_bi_kernel,
    fs_bi_time;
fs_builtin_fn fs_bi_text_has, fs_bi_replace, fs_bi_case, fs_bi_strip, fs_bi_repeat, fs_bi_reverse,
    fs_bi_format, fs_bi_split, fs_bi_join, fs_bi_fields, fs_bi_has;
fs_builtin_fn fs_bi_plot, fs_bi_savefig;
enum { FS_TEXT_HAS, FS_TEXT_STARTS, FS_TEXT_ENDS };
/* find(text, what) */
enum fs_status fs_text_find(struct fs_call *c);
enum { FS_FOURIER_FFT, FS_FOURIER_IFFT, FS_FOURIER_RFFT, FS_FOURIER_IRFFT };
fs_builtin_fn fs_bi_fourier;
fs_builtin_fn fs_bi_circshift;
/* reduce(f, x[, dim]) of an associative function of the user; dims: as fs_arg_dims() has them. */
enum fs_status fs_fold(struct fs_call *c, unsigned dims);
/* scan(f, x[, dim[, start]]) of such a function; dim 0: none was given. */
enum fs_status fs_scan(struct fs_call *c, int dim);
fs_builtin_fn fs_bi_complex, fs_bi_to_complex, fs_bi_of_complex, fs_bi_isreal;

#endif
