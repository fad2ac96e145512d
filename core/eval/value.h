/* value.h - what a name of the language can hold. */
#ifndef FS_VALUE_H
#define FS_VALUE_H

#include "core/lang/elem.h"
#include "core/run/tensor.h"

enum fs_val_kind {
  FS_V_NONE, FS_V_NUMBER, FS_V_BOOL, FS_V_STRING, FS_V_RANGE, FS_V_FUNCTION,
  FS_V_TENSOR, FS_V_LIST, FS_V_RECORD, FS_V_COMPLEX
};

struct fs_complex;
struct fs_func;   /* eval/func.h: user function, lambda, builtin, elementary */

/* Plain data; tensors, strings, lists and functions are reference counted. Numbers
 * are "weak": 2*A keeps A's type if that can hold a fraction when the number
 * has one. */
struct fs_val {
  enum fs_val_kind kind;
  bool is_int;               /* NUMBER: written or computed as an integer */
  bool literal;              /* NUMBER: made of numbers of the source alone; TENSOR:
                                written as an array of whole numbers             */
  bool of_element;           /* while a function is mapped: it stands for a value of
                                each element, though it has all of them          */
  double number;             /* NUMBER, BOOL (0 or 1)                     */
  double start, step, stop;  /* RANGE, inclusive                          */
  struct fs_string *string;
  struct fs_func *func;
  struct fs_tensor *tensor;
  struct fs_list *list;      /* LIST, RECORD; eval/list.h                 */
  struct fs_complex *complex;
};

/* Real and imaginary part: two numbers of the host, weak as those are, or two tensors of one
 * shape, both f32 (a c64) or f64 (a c128). */
struct fs_complex { int refs; struct fs_val part[2]; };

/* A number or a truth value on the host. */
static inline bool fs_val_is_host(const struct fs_val *v) {
  return v->kind == FS_V_NUMBER || v->kind == FS_V_BOOL;
}

struct fs_string {
  int refs;
  bool counted;  /* `count` and `marks` are known, see text.c */
  size_t count;  /* of code points                             */
  size_t *marks; /* NULL: each of them is one byte             */
  size_t len;    /* bytes, behind which is a NUL               */
  char text[];
};

/* A complex number of the host. */
static inline bool fs_val_is_complex_number(const struct fs_val *v) {
  return v->kind == FS_V_COMPLEX && fs_val_is_host(&v->complex->part[0]);
}
/* The tensors that a value consists of: none, one, or two of a complex one. Borrowed. */
int fs_val_tensors(const struct fs_val *v, struct fs_tensor *out[2]);
/* The type and shape of the tensors of a value, whose parts are alike; NULL: it has none. */
static inline const struct fs_tensor *fs_val_like(const struct fs_val *v) {
  struct fs_tensor *t[2];
  return fs_val_tensors(v, t) ? t[0] : NULL;
}
/* The name of the complex type whose parts have the type dt. */
static inline const char *fs_complex_name(enum fs_dtype dt) {
  return dt == FS_F64 ? "c128" : "c64";
}
/* The name of the type of a value's elements; NULL: it has no tensors. */
const char *fs_val_type_name(const struct fs_val *v);
struct fs_val fs_val_complex(struct fs_val gives_re, struct fs_val gives_im);

struct fs_val fs_val_ref(struct fs_val v);   /* another reference */
void fs_val_unref(struct fs_val v);
struct fs_val fs_val_string(const char *text, size_t len);

#endif
