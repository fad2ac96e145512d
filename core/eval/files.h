/* files.h - arrays in files: .npy, .npz, .mtx (MatrixMarket), .csv, .safetensors,
 * .h5 (HDF5), .pgm, .ppm, .png.
 *
 * Files are untrusted. Every format is read through the bounded reader below;
 * what a header declares is held against the bytes that are really there (and
 * against the memory that is free) before anything is allocated. Saves go to a
 * temporary file in the same folder that replaces the old file at the end, so a
 * file is always the old one or the new one.
 *
 * Two levels: host arrays (below, no interpreter needed), and values of the
 * language (files_value.c).
 */
#ifndef FS_FILES_H
#define FS_FILES_H

#include "core/eval/value.h"

/* -- values ------------------------------------------------------------------ */

struct fs_interp;

struct fs_file_var {
  char *name;          /* member of an .npz, else the file's base name; given */
  struct fs_val value; /* one reference */
};
struct fs_file_vars { FS_VEC(struct fs_file_var) list; };
void fs_file_vars_free(struct fs_file_vars *vars);

/* load("x.npy"), load("x.npz", "name"), load("x.csv", "column", "skip=2"): one value,
 * with one reference, of the file and up to n texts. *names, which may be NULL, is
 * the names of its categories, if it has some: given. The diagnostics point at `span`. */
enum fs_status fs_file_load(struct fs_interp *in, const char *path, int n,
                            const char *const *texts, struct fs_span span,
                            struct fs_val *out, char **names);
/* `:load file ...`: every array of the file. */
enum fs_status fs_file_load_all(struct fs_interp *in, const char *path, int n,
                                const char *const *texts, struct fs_span span,
                                struct fs_file_vars *out);
/* save("x.npz", a, b): n values; names[k] names them inside an .npz and in
 * messages (NULL: arr_k). Other formats hold one array. Lazy tensors are
 * computed first. */
enum fs_status fs_file_save(struct fs_interp *in, const char *path,
                            struct fs_span span, int n,
                            const char *const *names,
                            const struct fs_val *values);
/* The path of a file as seen from the text that names it, else from the current folder; from
 * malloc. */
char *fs_path_from(const struct fs_interp *in, struct fs_span span, const char *file);
/* Whether `text` ends like a file that load() reads. */
bool fs_file_is_loadable(const char *text);

/* -- host arrays ------------------------------------------------------------- */

/* A dense row-major array. `data` comes from malloc and may be NULL only when
 * the array has no elements. */
struct fs_array {
  char *name;
  enum fs_dtype dtype;
  struct fs_shape shape;
  void *data;
  char *labels;            /* names of the columns, as shown; or NULL         */
  char *categories;        /* lines of names of the codes 1, 2, ...; or NULL  */
  bool complex;            /* each element is two of dtype: real, imaginary part */
};
struct fs_arrays { FS_VEC(struct fs_array) list; };
void fs_arrays_free(struct fs_arrays *arrays);

/* Where messages go and what they point at. */
struct fs_file_ctx {
  struct fs_diags *diags;
  struct fs_span span;
  const char *path;
  bool saving;
  const char *member;      /* of the file, that is being read; NULL: all of it */
};

/* How a file is read; all 0 is as usual. */
struct fs_load_how {
  const char *member;      /* one array of an .npz, one column of a .csv    */
  int64_t skip;            /* .csv: lines that are left out at the beginning */
  char separator, point;   /* .csv: between fields; in numbers; 0: found, '.' */
  int64_t expand;          /* bytes that a sparse file may take when it is dense,
                              also if it is small; 0: FS_EXPAND               */
};
#define FS_EXPAND ((int64_t)64 << 20)
/* Takes "skip=2", "sep=;", "decimal=,". FS_ERR_USER, told at the context's span, if
 * the value cannot be; *taken is false for any other text. */
enum fs_status fs_load_option(const struct fs_file_ctx *ctx, const char *text,
                              struct fs_load_how *how, bool *taken);

/* Reads a file of any known kind. On failure *out is empty. */
enum fs_status fs_arrays_load(const struct fs_file_ctx *ctx,
                              const struct fs_load_how *how, struct fs_arrays *out);

/* An array to save: `box` copies the elements first[k] .. first[k]+count[k]-1 to
 * `out` (dense row-major), so that a device tensor goes out in pieces. */
struct fs_array_source {
  const char *name;
  enum fs_dtype dtype;
  struct fs_shape shape;
  enum fs_status (*box)(void *user, const int64_t *first,
                        const int64_t *count, void *out, struct fs_diags *d);
  void *user;
  bool complex;            /* as of an fs_array */
};
/* Bytes of an element. */
static inline size_t fs_element_bytes(enum fs_dtype dt, bool complex) {
  return fs_dtype_size(dt) << complex;
}
enum fs_status fs_arrays_save(const struct fs_file_ctx *ctx, int n,
                              const struct fs_array_source *sources);

/* -- for the formats (files_npy.c, files_npz.c, files_mtx.c, files_csv.c) ---- */

enum {
  FS_NPY_HEADER_MAX = 64 << 10,
  FS_MTX_LINE_MAX = 1 << 10,
  FS_CSV_LINE_MAX = 16 << 20,
  FS_NPZ_ENTRIES_MAX = 65535,
  FS_NPZ_RATIO_MAX = 1000,       /* unpacked : packed ... */
  FS_NPZ_RATIO_FREE = 16 << 20   /* ... above this many bytes */
};

/* A regular file read from front to back, or a part of one unpacked on the way.
 * `left` is the number of bytes that can still be read: known beforehand. */
struct fs_reader {
  const struct fs_file_ctx *ctx;
  int fd;
  int64_t size, pos;        /* of the file; of the next byte to fetch from it */
  int64_t end;              /* where fetching stops                           */
  int64_t left;             /* bytes still to be given out                    */
  void *inflate;            /* state of unpacking, or NULL                    */
  bool checked;             /* crc is wanted                                  */
  uint32_t crc;             /* of what was given out since the last seek      */
  unsigned char *buf;
  size_t buf_at, buf_len;
};
enum { FS_READER_BUF = 256 << 10 };

/* Opens a regular file; never waits (a FIFO is refused). */
enum fs_status fs_reader_open(const struct fs_file_ctx *ctx,
                              struct fs_reader *r);
void fs_reader_close(struct fs_reader *r);
/* Goes to byte `pos`; the bytes up to `end` can be read. Stored data only. */
void fs_reader_seek(struct fs_reader *r, int64_t pos, int64_t end);
/* Bytes pos..end are a deflate stream that must unpack to `size` bytes. */
enum fs_status fs_reader_inflate(struct fs_reader *r, int64_t pos, int64_t end,
                                 int64_t size);
enum fs_status fs_reader_get(struct fs_reader *r, void *out, size_t len);
/* The next line without its end, in *line (kept until the next call), at most
 * `max` bytes. *len = -1 at the end of the file. `number` counts lines. */
struct fs_line {
  char *text;
  size_t cap;
  int64_t len, number;
};
enum fs_status fs_reader_line(struct fs_reader *r, struct fs_line *line,
                              size_t max);

/* "cannot load 'x.npy': <reason>" as an error at the span. */
enum fs_status fs_file_error(const struct fs_file_ctx *ctx, const char *hint,
                             const char *fmt, ...) FS_PRINTF(3, 4);
/* malloc for array data: refuses what the machine has no memory for. */
enum fs_status fs_file_alloc(const struct fs_file_ctx *ctx, int64_t bytes,
                             void **out);
/* The same as realloc; on failure *data is as before. */
enum fs_status fs_file_grow(const struct fs_file_ctx *ctx, int64_t bytes,
                            void **data);
/* The same as calloc: what nobody writes takes no memory. */
enum fs_status fs_file_zeros(const struct fs_file_ctx *ctx, int64_t bytes, void **out);
/* Whether the file may become a dense matrix: in proportion to its own length, or
 * within the setting. */
enum fs_status fs_file_check_dense(struct fs_reader *r, const struct fs_load_how *how,
                                   int64_t m, int64_t n, size_t size);
enum fs_status fs_file_no_memory(const struct fs_file_ctx *ctx, int64_t bytes);
/* The whole text is a number. */
bool fs_file_number(const char *text, size_t len, double *out);

/* A temporary file beside ctx->path, readable by its owner alone, that
 * fs_writer_commit() gives the permissions of the old file and puts in its place. */
struct fs_writer {
  const struct fs_file_ctx *ctx;
  char *path, *temp;        /* to be replaced, links followed; what replaces it */
  int fd;
  int64_t pos;
  unsigned char *buf;
  size_t buf_len;
  uint32_t crc;             /* of what was put since it was last set to 0 */
};
enum fs_status fs_writer_open(const struct fs_file_ctx *ctx,
                              struct fs_writer *w);
enum fs_status fs_writer_put(struct fs_writer *w, const void *data, size_t len);
/* Overwrites bytes that were put before. */
enum fs_status fs_writer_patch(struct fs_writer *w, int64_t pos,
                               const void *data, size_t len);
enum fs_status fs_writer_commit(struct fs_writer *w); /* closes in any case */
void fs_writer_drop(struct fs_writer *w);             /* removes the file   */

/* Calls sink with consecutive pieces of the source in row-major order. */
typedef enum fs_status fs_piece_fn(void *user, const void *data, int64_t count);
enum fs_status fs_source_each(const struct fs_file_ctx *ctx,
                              const struct fs_array_source *source,
                              fs_piece_fn *sink, void *user);

/* Header and data of one .npy whose bytes are what the reader has left. */
/* What the elements of an array are if they are no numbers: "text"; NULL: they may be. */
enum fs_status fs_npy_read_others(struct fs_reader *r, const char **what);
enum fs_status fs_npy_read(struct fs_reader *r, struct fs_array *out);
enum fs_status fs_npy_write(struct fs_writer *w,
                            const struct fs_array_source *source);
/* What fs_npy_write() will put, or -1 when that overflows. */
int64_t fs_npy_size(const struct fs_array_source *source);

/* The same of one short text, as NumPy keeps np.array(b"csr"): '' if it is none. */
enum fs_status fs_npy_read_word(struct fs_reader *r, char *out, size_t cap);

enum fs_status fs_npz_read(struct fs_reader *r, const struct fs_load_how *how,
                           struct fs_arrays *out);
/* The members of a sparse matrix of SciPy's as one dense array. */
enum fs_status fs_sparse_dense(struct fs_reader *r, const struct fs_load_how *how,
                               const struct fs_arrays *members, const char *format,
                               struct fs_array *out);
enum fs_status fs_npz_write(struct fs_writer *w, int n,
                            const struct fs_array_source *sources);
enum fs_status fs_mtx_read(struct fs_reader *r, const struct fs_load_how *how,
                           struct fs_array *out);
enum fs_status fs_mtx_write(struct fs_writer *w,
                            const struct fs_array_source *source);
enum fs_status fs_safetensors_read(struct fs_reader *r, const struct fs_load_how *how,
                                   struct fs_arrays *out);
enum fs_status fs_safetensors_write(struct fs_writer *w, int n,
                                    const struct fs_array_source *sources);
/* By libhdf5, which opens the file by its path. */
enum fs_status fs_hdf5_read(struct fs_reader *r, const struct fs_load_how *how,
                            struct fs_arrays *out);
enum fs_status fs_hdf5_write(struct fs_writer *w, int n, const struct fs_array_source *sources);
/* Images as u8 or u16: grey values are a matrix, colours its third dimension. */
enum fs_status fs_pnm_read(struct fs_reader *r, struct fs_array *out);
enum fs_status fs_pnm_write(struct fs_writer *w, const struct fs_array_source *source, bool colours);
enum fs_status fs_png_read(struct fs_reader *r, struct fs_array *out);
enum fs_status fs_png_write(struct fs_writer *w, const struct fs_array_source *source);
enum fs_status fs_csv_read(struct fs_reader *r, const struct fs_load_how *how,
                           struct fs_array *out);
enum fs_status fs_csv_write(struct fs_writer *w,
                            const struct fs_array_source *source);

#endif
