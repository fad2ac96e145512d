/* value.c - making, sharing and releasing values and functions. */
#include <math.h>

#include "core/eval/interp.h"
#include "core/eval/list.h"

struct fs_val fs_val_number(double x, bool is_int) {
  if (is_int && x == 0) x = 0; /* of integers there is no -0 */
  return (struct fs_val){.kind = FS_V_NUMBER, .number = x, .is_int = is_int};
}

struct fs_val fs_val_bool(bool b) {
  return (struct fs_val){.kind = FS_V_BOOL, .number = b};
}

struct fs_val fs_val_string(const char *text, size_t len) {
  return fs_val_joined(text, len, NULL, 0);
}

struct fs_val fs_val_joined(const char *a, size_t a_len, const char *b, size_t b_len) {
  struct fs_val v = fs_val_room(a_len + b_len);
  if (a_len) memcpy(v.string->text, a, a_len);
  if (b_len) memcpy(v.string->text + a_len, b, b_len);
  return v;
}

struct fs_val fs_val_room(size_t len) {
  struct fs_string *s = fs_malloc(sizeof(*s) + len + 1);
  *s = (struct fs_string){.refs = 1, .len = len};
  s->text[len] = '\0';
  return (struct fs_val){.kind = FS_V_STRING, .string = s};
}

static void unref_string(struct fs_string *s) {
  if (--s->refs) return;
  free(s->marks);
  free(s);
}

struct fs_val fs_val_func(struct fs_func *gives) {
  return (struct fs_val){.kind = FS_V_FUNCTION, .func = gives};
}

struct fs_val fs_val_tensor(struct fs_tensor *gives) {
  return (struct fs_val){.kind = FS_V_TENSOR, .tensor = gives};
}

struct fs_val fs_val_complex(struct fs_val gives_re, struct fs_val gives_im) {
  struct fs_complex *c = fs_malloc(sizeof *c);
  *c = (struct fs_complex){1, {gives_re, gives_im}};
  return (struct fs_val){.kind = FS_V_COMPLEX, .complex = c,
                         .literal = gives_re.literal && gives_im.literal};
}

int fs_val_tensors(const struct fs_val *v, struct fs_tensor *out[2]) {
  int n = 0;
  if (v->kind == FS_V_TENSOR) out[n++] = v->tensor;
  for (int k = 0; v->kind == FS_V_COMPLEX && k < 2; k++)
    if (v->complex->part[k].kind == FS_V_TENSOR) out[n++] = v->complex->part[k].tensor;
  return n;
}

const char *fs_val_type_name(const struct fs_val *v) {
  const struct fs_tensor *t = fs_val_like(v);
  if (!t) return NULL;
  return v->kind == FS_V_COMPLEX ? fs_complex_name(t->dtype) : fs_dtype_name(t->dtype);
}

struct fs_val fs_val_ref(struct fs_val v) {
  if (v.kind == FS_V_STRING) v.string->refs++;
  if (v.kind == FS_V_FUNCTION) fs_func_ref(v.func);
  if (v.kind == FS_V_TENSOR) fs_tensor_ref(v.tensor);
  if (fs_is_list(&v)) fs_list_ref(v.list);
  if (v.kind == FS_V_COMPLEX) v.complex->refs++;
  return v;
}

void fs_val_unref(struct fs_val v) {
  if (v.kind == FS_V_STRING) unref_string(v.string);
  if (v.kind == FS_V_FUNCTION) fs_func_unref(v.func);
  if (v.kind == FS_V_TENSOR) fs_tensor_unref(v.tensor);
  if (fs_is_list(&v)) fs_list_unref(v.list);
  if (v.kind != FS_V_COMPLEX || --v.complex->refs) return;
  fs_val_unref(v.complex->part[0]);
  fs_val_unref(v.complex->part[1]);
  free(v.complex);
}

/* Elements of a range: 1:3 has 3, 3:1 none, 0:0.1:1 eleven (half a step of
 * rounding in the division is forgiven). */
int64_t fs_range_count(const struct fs_val *r) {
  if (r->step == 0 || !isfinite(r->step)) return 0;
  double n = floor((r->stop - r->start) / r->step + 1e-10) + 1;
  if (!(n > 0)) return 0;
  return n > 9e15 ? (int64_t)9e15 : (int64_t)n;
}

static bool is_i64(double x) {
  return x == floor(x) && x >= -0x1p63 && x < 0x1p63;
}

bool fs_range_is_whole(const struct fs_val *r) {
  double last = r->start + r->step * (double)(fs_range_count(r) - 1);
  return is_i64(r->start) && is_i64(r->step) && is_i64(last);
}

/* -- functions ------------------------------------------------------------- */

struct fs_unit *fs_unit_new(struct fs_unit **list) {
  struct fs_unit *u = fs_malloc(sizeof(*u));
  *u = (struct fs_unit){.refs = 1, .next = *list, .link = list};
  if (u->next) u->next->link = &u->next;
  *list = u;
  u->arena = fs_arena_new();
  return u;
}

struct fs_unit *fs_unit_ref(struct fs_unit *u) {
  u->refs++;
  return u;
}

void fs_unit_unref(struct fs_unit *u) {
  if (!u || --u->refs) return;
  *u->link = u->next;
  if (u->next) u->next->link = u->link;
  fs_arena_free(u->arena);
  free(u);
}

struct fs_func *fs_func_new(enum fs_func_kind kind, const char *name) {
  struct fs_func *f = fs_calloc(1, sizeof(*f));
  f->refs = 1;
  f->kind = kind;
  f->name = name;
  return f;
}

struct fs_func *fs_func_ref(struct fs_func *f) {
  f->refs++;
  return f;
}

void fs_func_forget_form(struct fs_func *f, int k) {
  free(f->forms.data[k].key);
  fs_func_unref(f->forms.data[k].func);
  memmove(&f->forms.data[k], &f->forms.data[k + 1],
          sizeof *f->forms.data * (size_t)(f->forms.len - k - 1));
  f->forms.len--;
}

void fs_func_unref(struct fs_func *f) {
  if (!f || --f->refs) return;
  while (f->forms.len) fs_func_forget_form(f, f->forms.len - 1);
  FS_VEC_FREE(&f->forms);
  for (int i = 0; i < f->captures.len; i++)
    fs_val_unref(f->captures.data[i].value);
  FS_VEC_FREE(&f->captures);
  fs_unit_unref(f->unit);
  free(f);
}

int fs_func_takes(const struct fs_func *f) {
  return f->kind == FS_FN_ELEM ? f->elem->params.len : f->n_params;
}

int fs_func_needs(const struct fs_func *f) {
  int n = fs_func_takes(f);
  while (n && f->kind == FS_FN_USER && f->params[n - 1].value) n--;
  return n;
}

const char *fs_func_param(const struct fs_func *f, int k) {
  return f->kind == FS_FN_ELEM ? f->elem->params.data[k].name : f->params[k].name;
}

void fs_func_put_params(const struct fs_func *f, struct fs_str *out) {
  fs_str_puts(out, "(");
  for (int k = 0; k < fs_func_takes(f); k++) {
    fs_str_printf(out, "%s%s", k ? ", " : "", fs_func_param(f, k));
    if (k >= fs_func_needs(f)) fs_str_printf(out, " = %s", f->params[k].value_text);
  }
  fs_str_puts(out, ")");
}
