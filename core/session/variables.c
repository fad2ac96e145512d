/* variables.c - the user's variables as data, for panes and :vars. */
#include "core/session/internal.h"

#include "core/eval/list.h"
#include "core/ranks/ranks.h"

#include <math.h>

#include <stdio.h>

enum { VALUE_SHOWN = 60, VECTOR_SHOWN = 8 };

const char *fs_session_kind(const struct fs_val *v) {
  static const char *const kinds[] = {"nothing", "number", "bool", "string",
                                      "range", "function", "tensor",
                                      "list", "record", "complex"};
  return kinds[fs_val_like(v) ? FS_V_TENSOR : v->kind];
}

static const char *state_word(const struct fs_tensor *t) {
  switch (t->state) {
    case FS_TS_STORED: return "stored";
    case FS_TS_VIRTUAL: return "virtual";
    default: return "lost";
  }
}

/* "[1, 2.5, 3]" of a short stored vector, or "[1-2i, 0+1i]" of its two parts. */
static bool put_vector(struct fs_tensor *const *t, int parts, struct fs_str *out,
                       struct fs_diags *d) {
  int64_t first[FS_MAX_RANK] = {0}, n = fs_shape_count(&t[0]->shape);
  double raw[2][VECTOR_SHOWN]; /* room for the widest element */
  if (t[0]->shape.rank != 1 || n > VECTOR_SHOWN) return false;
  for (int p = 0; p < parts; p++) {
    if (t[p]->state != FS_TS_STORED) return false;
    if (fs_tensor_download(t[p], first, t[p]->shape.dim, raw[p], d)) return false;
  }
  fs_str_puts(out, "[");
  for (int64_t k = 0; k < n; k++) {
    if (k) fs_str_puts(out, ", ");
    for (int p = 0; p < parts; p++) {
      char text[40];
      size_t at = (size_t)k * fs_dtype_size(t[p]->dtype);
      fs_show_shortest(t[p]->dtype, (const char *)raw[p] + at, text);
      fs_str_printf(out, "%s%s%s", p && *text != '-' ? "+" : "", text, p ? "i" : "");
    }
  }
  fs_str_puts(out, "]");
  return true;
}

/* The value on one line, cut; null for what is too long or would have to be
 * computed. What goes wrong here is no message of the user's input. */
static json_t *short_value(struct fs_session *s, const struct fs_val *v) {
  struct fs_str text = {0};
  struct fs_diags d;
  json_t *out = NULL;
  bool shown = true;
  fs_diags_init(&d);
  struct fs_tensor *t[2];
  int n = fs_val_tensors(v, t);
  for (int k = 0; k < n; k++) /* of what is cut no rank alone knows all */
    shown = shown && t[k]->state == FS_TS_STORED && !t[k]->storage->cut.part;
  if (n && !shown) {
    fs_diags_free(&d);
    return json_null();
  }
  if (n && t[0]->shape.rank > 0)
    shown = put_vector(t, n, &text, &d);
  else if (shown)
    shown = !fs_show_value(NULL, v, &s->show, &text, &d);
  if (shown) {
    size_t cut = FS_MIN(text.len, (size_t)VALUE_SHOWN);
    while (cut < text.len && ((unsigned char)text.data[cut] & 0xc0) == 0x80)
      cut++;
    if (cut < text.len) {
      text.len = cut;
      text.data[cut] = 0;
      fs_str_puts(&text, " ...");
    }
    out = fs_json_text(fs_str_text(&text), text.len);
  }
  fs_diags_free(&d);
  fs_str_free(&text);
  return out ? out : json_null();
}

/* "rows/4", "columns/4", "dimension 3/4" or "whole"; false where there is one rank. */
static bool put_layout(const struct fs_tensor *t, struct fs_str *out) {
  static const char *const names[] = {"rows", "columns"};
  struct fs_layout own;
  if (fs_ranks() == 1 || t->state != FS_TS_STORED) return false;
  bool cut = t->storage->cut.part;
  int dim = cut ? fs_cut_axis(&t->storage->cut, &t->shape, &t->layout, &own) : -1;
  if (!cut) fs_str_puts(out, "whole");
  else if (dim < 0) fs_str_puts(out, "on some");
  else if (dim < 2) fs_str_printf(out, "%s/%d", names[dim], fs_ranks());
  else fs_str_printf(out, "dimension %d/%d", dim + 1, fs_ranks());
  return true;
}

static void put_tensor(struct fs_session *s, const struct fs_val *v, json_t *o) {
  struct fs_tensor *parts[2];
  int n = fs_val_tensors(v, parts);
  const struct fs_tensor *t = parts[n - 1];
  json_t *shape = json_array();
  for (int k = 0; k < t->shape.rank; k++)
    json_array_append_new(shape, json_integer(t->shape.dim[k]));
  double bytes = (double)n * (double)fs_shape_count(&t->shape) *
                 (double)fs_dtype_size(t->dtype);
  if (n > 1 && parts[0]->state != FS_TS_STORED) t = parts[0];
  bool stored = t->state == FS_TS_STORED;
  json_object_set_new(o, "shape", shape);
  json_object_set_new(o, "dtype", json_string(fs_val_type_name(v)));
  json_object_set_new(o, "bytes", json_real(bytes));
  json_object_set_new(o, "state", json_string(state_word(t)));
  json_object_set_new(o, "where",
                      stored ? json_string(s->target_name) : json_null());
  struct fs_str lies = {0};
  if (put_layout(t, &lies)) json_object_set_new(o, "layout", json_string(fs_str_text(&lies)));
  fs_str_free(&lies);
  if (t->labels)
    json_object_set_new(o, "columns", fs_json_text(t->labels, strlen(t->labels)));
}

static void put_fields(const struct fs_list *l, json_t *o) {
  json_t *names = json_array();
  for (int64_t k = 0; k < l->len; k++)
    json_array_append_new(names, fs_json_text(l->names[k], strlen(l->names[k])));
  json_object_set_new(o, "fields", names);
}

json_t *fs_session_variable(struct fs_session *s,
                            const struct fs_interp_var *v) {
  struct fs_str type = {0};
  json_t *o = json_object();
  fs_show_type(&v->value, s->show.ascii, &type);
  json_object_set_new(o, "name", fs_json_text(v->name, strlen(v->name)));
  json_object_set_new(o, "kind", json_string(fs_session_kind(&v->value)));
  json_object_set_new(o, "type", fs_json_text(fs_str_text(&type), type.len));
  if (fs_val_like(&v->value))
    put_tensor(s, &v->value, o);
  else
    json_object_set_new(o, "where", json_string("host"));
  if (v->value.kind == FS_V_RECORD) put_fields(v->value.list, o);
  json_object_set_new(o, "value", short_value(s, &v->value));
  fs_str_free(&type);
  return o;
}

json_t *fs_session_variables(struct fs_session *s) {
  jmp_buf out_of_memory;
  jmp_buf *volatile old = fs_oom_guard(&out_of_memory);
  json_t *volatile list = NULL;
  struct fs_interp_var v;
  const char *name;
  json_t *mirrored;
  if (setjmp(out_of_memory)) { /* a part of the list would look like all of it */
    fs_oom_guard(old);
    json_decref(list);
    return NULL;
  }
  list = json_array();
  json_object_foreach(s->mirror.variables, name, mirrored)
    json_array_append(list, mirrored);
  for (int k = 0; fs_interp_var_at(s->in, k, &v); k++)
    if (!v.from_prelude)
      json_array_append_new(list, fs_session_variable(s, &v));
  fs_oom_guard(old);
  return list;
}

/* -- elements ------------------------------------------------------------------ */

static json_t *element(enum fs_dtype dtype, const void *at) {
  struct fs_number x = fs_element_get(dtype, at);
  if (dtype == FS_BOOL) return json_boolean(x.i);
  char digits[24];
  snprintf(digits, sizeof digits, "%llu", (unsigned long long)x.i);
  if (dtype == FS_U64 && x.i < 0) return json_string(digits); /* beyond integers of JSON */
  if (!fs_dtype_is_float(dtype)) return json_integer(x.i);
  if (isfinite(x.f)) return json_real(x.f);
  return json_string(isnan(x.f) ? "nan" : x.f > 0 ? "inf" : "-inf");
}

static enum fs_status elements(struct fs_session *s, const struct fs_tensor *t, json_t **out) {
  int64_t first[FS_MAX_RANK] = {0}, n = fs_shape_count(&t->shape);
  size_t size = fs_dtype_size(t->dtype);
  char *bytes = fs_malloc((size_t)n * size + 1);
  enum fs_status st = fs_tensor_download(t, first, t->shape.dim, bytes, &s->diags);
  if (!st) *out = json_array();
  for (int64_t k = 0; k < n && !st; k++)
    json_array_append_new(*out, element(t->dtype, bytes + (size_t)k * size));
  free(bytes);
  return st;
}

enum fs_status fs_session_elements(struct fs_session *s, const struct fs_val *v,
                                   int64_t most, json_t **out) {
  struct fs_tensor *t[2];
  json_t *part[2] = {NULL, NULL}, *x;
  size_t k;
  enum fs_status st = FS_OK;
  int n = fs_val_tensors(v, t);
  *out = NULL;
  if (!n || fs_shape_count(&t[0]->shape) > most) return FS_OK;
  for (int p = 0; p < n && !st; p++) st = elements(s, t[p], &part[p]);
  if (!st && n == 1) *out = json_incref(part[0]);
  if (!st && n == 2) *out = json_array();
  json_array_foreach(*out && n == 2 ? part[0] : NULL, k, x)
    json_array_append_new(*out, json_pack("[O,O]", x, json_array_get(part[1], k)));
  json_decref(part[0]);
  json_decref(part[1]);
  return st;
}
