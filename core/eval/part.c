/* part.c - values that replace a part of a tensor, which keeps the type of the whole. */
#include <math.h>
#include <stdio.h>

#include "core/eval/trace.h"

void fs_tell_narrowed(struct fs_interp *in, struct fs_span span, const char *from, const char *to) {
  char hint[120];
  snprintf(hint, sizeof hint, "zeros(n, \"%s\") holds them as they are; %s(...) makes such a tensor "
           "of one", from, from);
  if (!in->lib_depth)
    fs_tell_once(in->diags, FS_WARNING, span, "narrowed", hint,
                 "these %s values are rounded to %s, the type of the tensor that they are put into",
                 from, to);
}

enum fs_status fs_tv_for_part(struct fs_interp *in, const struct fs_val *v, struct fs_span span,
                              enum fs_dtype dt, struct fs_tv *out) {
  if (v->kind == FS_V_COMPLEX)
    return fs_in_error(in, span, "wrong-type", "convert the tensor with c64(...) or c128(...)",
                       "cannot put complex values into a tensor of %s", fs_dtype_name(dt));
  enum fs_status st = fs_tv_of(in, v, span, &dt, out);
  if (st != FS_OK) return st;
  bool whole_number = v->kind == FS_V_NUMBER && v->number == floor(v->number);
  bool whole_array = v->kind == FS_V_TENSOR && v->literal;
  if (fs_dtype_is_float(out->dtype) && !fs_dtype_is_float(dt) &&
      !whole_number && !whole_array)
    return fs_in_error(in, span, "wrong-type",
                       "convert the value, or the tensor with f32(...)",
                       "cannot put %s values into a tensor of %s",
                       fs_dtype_name(out->dtype), fs_dtype_name(dt));
  bool fits = v->number >= (double)fs_dtype_least(dt) && v->number < fs_dtype_real_of(dt, fs_dtype_most(dt)) + 1;
  if (whole_number && fs_dtype_is_integer(dt) && !fits)
    return fs_in_error(in, span, "wrong-type",
                       fs_dtypes[dt].bytes == 8 ? "convert the tensor with f64(...)"
                                    : "convert the tensor with i64(...)",
                       "cannot put %s into a tensor of %s: it is too large",
                       fs_in_text(in, span), fs_dtype_name(dt));
  bool narrower = fs_dtype_is_float(dt) && dt != FS_F64;
  if (narrower && out->dtype == FS_F64 && v->kind == FS_V_TENSOR && !v->literal)
    fs_tell_narrowed(in, span, "f64", fs_dtype_name(dt));
  *out = fs_tv_cast(in, *out, dt);
  return FS_OK;
}
