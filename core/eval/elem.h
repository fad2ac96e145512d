/* elem.h - functions that the user adds by `:elem`: checked, compiled alone, and
 * called like any other. */
#ifndef FS_EVAL_ELEM_H
#define FS_EVAL_ELEM_H

#include "core/eval/trace.h"
#include "core/lang/elem.h"

/* Whether a function that the user wrote is one that can be run: its element types
 * and level go together, its threads make whole warps or equal parts of one, and
 * its routines are self-contained. Fills the last part of *e. */
enum fs_status fs_elem_check(struct fs_diags *diags, struct fs_elem *e);

/* The routine of this kind (and argument) for a target, "cuda" or "c", in
 * implementation `impl`: that of this number; where the number has none for any
 * target, that of number 1; else NULL. */
const struct fs_elem_routine *fs_elem_routine_of(const struct fs_elem *e,
                                                 const char *kind,
                                                 const char *arg,
                                                 const char *target, int impl);
/* The least number of an implementation above `than`, 0: there is none. */
int fs_elem_next_impl(const struct fs_elem *e, int than);
/* Bytes of an instance on chip in an implementation, of numbers of `size` bytes. */
int64_t fs_elem_on_chip(const struct fs_elem *e, int impl, int size);

/* The form of a native function for one type: that of the routine which `:elem NAME
 * impl N` chose; else one that stands for all routines that the target has a form
 * of, among which the plan chooses by price. Kept by the session. */
const struct fs_user *fs_elem_form(struct fs_interp *in,
                                   const struct fs_elem *e, enum fs_dtype dt);
/* The same with the routine of this number. */
const struct fs_user *fs_elem_form_of(struct fs_interp *in,
                                      const struct fs_elem *e,
                                      enum fs_dtype dt, int impl);
/* The routine that calls take, 0 where the plan chooses. */
int fs_elem_impl(const struct fs_interp *in, const struct fs_elem *e);
/* Chooses it, or with 0 leaves it to the plan. FS_ERR_USER at `span` if there is none
 * of that number. */
enum fs_status fs_elem_choose(struct fs_interp *in, const struct fs_elem *e,
                              int impl, struct fs_span span);

uint64_t fs_elem_hash(const struct fs_user *u);
/* A function is kept as long as the session lives, once for each name and hash. NULL: it is
 * not known yet. */
const struct fs_user *fs_elem_kept(const struct fs_interp *in, const struct fs_user *u);
const struct fs_user *fs_elem_keep(struct fs_interp *in, struct fs_user u);

/* A call: args are borrowed, one reference is given. */
enum fs_status fs_elem_call(struct fs_interp *in, const struct fs_elem *e,
                            int n, const struct fs_val *args,
                            const struct fs_span *spans, struct fs_span span,
                            struct fs_val *out);

/* Types that a function is compiled for, as bits 1 << fs_dtype. */
unsigned fs_elem_dtypes(const struct fs_elem *e);

#endif
