/* print.c - a value as the text that print() and string() give. */
#include "core/eval/interp.h"
#include "core/eval/show.h"

/* What `:set digits` is for numbers of a type. */
static int digits_for(enum fs_dtype dt, const struct fs_show_options *o) {
  if (dt == FS_F64) return o->digits;
  return o->digits ? FS_MIN(o->digits, 9) : 7;
}

static enum fs_status put_complex(struct fs_interp *in, const struct fs_val *v,
                                  const struct fs_show_options *o, struct fs_str *out) {
  double x[2] = {0, 0};
  struct fs_tensor *t[2];
  enum fs_status st = FS_OK;
  int n = fs_val_tensors(v, t);
  for (int k = 0; k < n && st == FS_OK; k++) st = fs_force(in, t[k]);
  if (st != FS_OK) return st;
  if (!n || t[0]->shape.rank) return fs_show_value(NULL, v, o, out, in->diags);
  for (int k = 0; k < 2 && st == FS_OK; k++)
    st = fs_read_number(in, &v->complex->part[k], in->span, "a value", &x[k]);
  if (st == FS_OK) fs_show_complex(x[0], x[1], digits_for(t[0]->dtype, o), out);
  return st;
}

enum fs_status fs_val_put(struct fs_interp *in, const struct fs_val *v,
                          const struct fs_show_options *o, struct fs_str *out) {
  double x = 0;
  enum fs_status st;
  switch (v->kind) {
    case FS_V_STRING: fs_str_put(out, v->string->text, v->string->len); break;
    case FS_V_NUMBER: fs_show_number(v->number, o->digits, out); break;
    case FS_V_BOOL: fs_str_puts(out, v->number != 0 ? "true" : "false"); break;
    case FS_V_TENSOR:
      st = fs_force(in, v->tensor);
      if (st != FS_OK) return st;
      if (v->tensor->shape.rank > 0 || !fs_dtype_is_float(v->tensor->dtype))
        return fs_show_value(NULL, v, o, out, in->diags);
      st = fs_read_number(in, v, in->span, "a value", &x);
      if (st != FS_OK) return st;
      fs_show_number(x, digits_for(v->tensor->dtype, o), out);
      break;
    case FS_V_COMPLEX: return put_complex(in, v, o, out);
    default:
      st = fs_force_all(in, v);
      return st == FS_OK ? fs_show_value(NULL, v, o, out, in->diags) : st;
  }
  return FS_OK;
}

enum fs_status fs_val_print(struct fs_interp *in, const struct fs_val *v,
                            struct fs_str *out) {
  return fs_val_put(in, v, &(struct fs_show_options){0}, out);
}
