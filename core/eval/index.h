/* index.h - subscripts, as index.c reads them, and what they choose (index_choose.c). */
#ifndef FS_INDEX_H
#define FS_INDEX_H

#include "core/eval/border.h"
#include "core/eval/complex.h"
#include "core/eval/list.h"

/* What subscripts are held against: one dimension of a value, which is read or
 * `assigned` to. */
struct fs_sub_of {
  int64_t extent;
  int dim; /* FS_NO_DIM: all elements as one, row by row */
  int rank;
  bool assigned;
  enum fs_border border;
};
#define FS_NO_DIM (-1)

enum fs_sub_kind { FS_SUB_INT, FS_SUB_RANGE, FS_SUB_LIST, FS_SUB_MASK };

/* One subscript against one dimension; counts from 1. */
struct fs_sub {
  enum fs_sub_kind kind;
  int64_t first, step, count; /* MASK: how many there are to choose from */
  struct fs_val list;         /* LIST: a vector of indices; MASK: truth values */
  struct fs_span span;
  bool of_element;            /* inside map(): it is one index for each element */
  bool was_mask;              /* LIST: no index comes twice                     */
  struct fs_val inside;       /* bool: where a border of zeros takes the element; NONE: all */
};

struct fs_subs {
  int n, given;       /* dimensions; subscripts that were written */
  struct fs_sub s[FS_MAX_RANK];
  bool linear;        /* A[mask], A[5:7]: s[0] is about all elements of A, row by row */
};

void fs_subs_free(struct fs_subs *subs);
/* Reads the subscripts of `e` for a value of a shape, which gets as many dimensions as there are
 * subscripts. What is `assigned` to may be nothing. */
enum fs_status fs_subs_read(struct fs_interp *in, const struct fs_expr *e, struct fs_shape
    *shape, bool assigned, struct fs_subs *out);
/* Makes a mask the list of the positions of its true elements. */
enum fs_status fs_sub_find(struct fs_interp *in, struct fs_sub *s);
/* The shape that subscripts choose; lists count like ranges. */
struct fs_shape fs_subs_shape(const struct fs_subs *subs);
/* The view from the chosen part to the whole; lists take everything. `part` is its shape with all
 * dimensions of the whole. */
struct fs_view fs_subs_view(const struct fs_subs *subs, const struct fs_shape *shape, struct
    fs_shape *part);
/* A range of all elements of a matrix as a view of it; false: it goes around a corner. */
bool fs_subs_line(const struct fs_subs *subs, const struct fs_shape *shape, struct fs_view
    *v);
/* What subscript k chooses, of enum fs_lib_flag, for messages. */
unsigned fs_subs_words(const struct fs_subs *subs, int k);
/* The places, row by row, of all elements where what the subscripts choose crosses. */
enum fs_status fs_subs_places(struct fs_interp *in, const struct fs_subs *subs, const struct
    fs_shape *whole, struct fs_tv *out);
/* What subscripts that were read choose of `whole`, seen in the shape that they were read for. */
enum fs_status fs_subs_choose(struct fs_interp *in, const struct fs_subs *subs, const struct
    fs_val *whole, const struct fs_shape *shape, struct fs_span span, struct fs_tv *t);
/* A[:]: every element of a value, as a column. */
bool fs_subs_all(const struct fs_expr *e);
/* All elements as one column; what is not stored is, as by fs_tv_reshape(). */
enum fs_status fs_tv_flatten(struct fs_interp *in, struct fs_tv *t);
enum fs_status fs_subs_choose_value(struct fs_interp *in, const struct fs_expr *e, const
    struct fs_subs *subs, const struct fs_val *whole, const struct fs_shape *shape, bool each,
    struct fs_val *out);
enum fs_status fs_eval_sub(struct fs_interp *in, const struct fs_expr *e, const struct
    fs_val *base, struct fs_val *sub);
/* A number as an index; an error where there is no such element. */
enum fs_status fs_sub_int(struct fs_interp *in, double x, struct fs_span span, const struct
    fs_sub_of *of, int64_t *out);

#endif
