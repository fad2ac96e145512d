/* kernel.c - kernels in CUDA C and OpenCL C: see kernel.h.
 *
 * A call gives all parameters of a kernel; or all but the arrays that it only writes; and of
 * these not the last whole numbers, where they follow from the shapes. For each kind of call
 * the kernel is written as a function once (core/lang/cuda_c.h). */
#include "core/eval/kernel.h"

#include <math.h>
#include <stdio.h>

#include "core/base/datafile.h"
#include "core/eval/asis.h"
#include "core/eval/files.h"
#include "core/eval/witness.h"

enum { MOST_BYTES = 1 << 20, MOST_FORMS = 16 };

/* -- files ------------------------------------------------------------------------- */

static enum fs_status read_file(struct fs_interp *in, const char *path, struct fs_span span,
                                struct fs_str *out) {
  const char *why = fs_text_read(path, MOST_BYTES, false, out);
  fs_witness_read_text(path, why ? NULL : out);
  return why ? fs_in_error(in, span, "no-file", NULL, "cannot read the kernel '%.300s': %s", path,
                           why)
             : FS_OK;
}

static struct fs_func *function_of(struct fs_unit *unit, const struct fs_c_kernel *k,
                                   const char *file, const struct fs_as_is *how) {
  struct fs_func *f = fs_func_new(FS_FN_KERNEL, k->name);
  struct fs_param *params = FS_NEW_N(unit->arena, struct fs_param, k->n_params ? k->n_params : 1);
  for (int p = 0; p < k->n_params; p++)
    params[p] = (struct fs_param){.name = k->params[p].name, .span = k->params[p].span};
  f->unit = fs_unit_ref(unit);
  f->kernel = k;
  f->as_is = how;
  f->file = fs_arena_strndup(unit->arena, file, strlen(file));
  f->n_params = k->n_params;
  f->params = params;
  f->span = k->whole;
  return f;
}

/* Those that are called `name`: one, or that is said. */
static enum fs_status choose(struct fs_interp *in, const char *path, const char *name,
                             struct fs_span span, int *n, struct fs_c_kernel *all) {
  struct fs_str names = {0};
  int found = -1;
  for (int k = 0; k < *n; k++) {
    fs_str_printf(&names, "%s%s", k ? ", " : "", all[k].name);
    if (!strcmp(all[k].name, name)) found = k;
  }
  enum fs_status st = FS_OK;
  if (found < 0)
    st = fs_in_error(in, span, "kernel-name", NULL, "'%.300s' has no kernel `%.60s`: it has %.200s",
                     path, name, fs_str_text(&names));
  else
    all[0] = all[found];
  *n = 1;
  fs_str_free(&names);
  return st;
}

enum fs_status fs_kernel_load(struct fs_interp *in, const char *path, const char *name,
                              const char *how, struct fs_span span, int *n,
                              struct fs_func ***out) {
  struct fs_str text = {0};
  char *file = fs_path_from(in, span, path);
  struct fs_c_kernel *all = NULL;
  struct fs_as_is *as_is = NULL, said = {.shared = 0};
  bool runs = how && !strncmp(how, "asis", 4);
  *n = 0;
  enum fs_status st = read_file(in, file, span, &text);
  struct fs_unit *unit = fs_unit_new(&in->all_units);
  if (st == FS_OK) {
    if (how) st = fs_as_is_words(in, how, span, 0, NULL, &said);
    uint32_t source = fs_source_add(in->diags, file, fs_str_text(&text), text.len);
    if (st == FS_OK && runs)
      st = fs_c_read_as_is(in->diags, unit->arena, source, file, name, said.block, n, &all);
    else if (st == FS_OK)
      st = fs_c_read(in->diags, unit->arena, source, name, said.block, n, &all);
  }
  if (st == FS_OK && name) st = choose(in, file, name, span, n, all);
  if (st == FS_OK && runs) {
    as_is = FS_NEW(unit->arena, struct fs_as_is);
    st = fs_as_is_words(in, how, span, *n, all, as_is);
  }
  if (st == FS_OK) {
    *out = fs_calloc((size_t)*n, sizeof **out);
    for (int k = 0; k < *n; k++) (*out)[k] = function_of(unit, &all[k], file, as_is);
  }
  fs_unit_unref(unit);
  fs_str_free(&text);
  free(file);
  return st;
}

/* -- arguments ------------------------------------------------------------------------ */

/* Which parameters a call of n arguments gives; false: that is said. */
static bool find_given(struct fs_interp *in, const struct fs_func *f, int n, struct fs_span span,
                       struct fs_c_given *given) {
  const struct fs_c_kernel *k = f->kernel;
  int read = 0, whole = 0;
  for (int p = 0; p < k->n_params; p++) {
    read += k->params[p].reads || !k->params[p].writes;
    whole += !k->params[p].array && k->params[p].type <= FS_C_I64;
  }
  int left_out = n == k->n_params ? 0 : read - n;
  for (int p = k->n_params - 1, of = left_out; p >= 0; p--) {
    bool out = k->params[p].writes && !k->params[p].reads;
    bool number = !k->params[p].array && k->params[p].type <= FS_C_I64;
    given[p].given = n == k->n_params || (!out && (!number || of-- <= 0));
  }
  if (left_out >= 0 && left_out <= whole) return true;
  struct fs_str hint = {0};
  const char *gap = "";
  fs_str_printf(&hint, "%s = %s(", "y", k->name);
  for (int p = 0; p < k->n_params; p++) {
    if (k->params[p].writes && !k->params[p].reads) continue;
    fs_str_printf(&hint, "%s%s", gap, k->params[p].name);
    gap = ", ";
  }
  fs_str_puts(&hint, whole ? "), whose whole numbers may be left out" : ")");
  fs_in_error(in, span, "wrong-count", fs_str_text(&hint), "%.60s takes %d argument%s, not %d",
              k->name, read, read == 1 ? "" : "s", n);
  fs_str_free(&hint);
  return false;
}

static enum fs_c_type type_of(enum fs_dtype dt) {
  switch (dt) {
    case FS_BOOL: return FS_C_BOOL;
    case FS_U8: return FS_C_U8;
    case FS_I8: return FS_C_I8;
    case FS_U16: return FS_C_U16;
    case FS_I16: return FS_C_I16;
    case FS_I32: return FS_C_I32;
    case FS_U32: return FS_C_U32;
    case FS_I64: return FS_C_I64;
    case FS_F16: return FS_C_F16;
    case FS_BF16: return FS_C_BF16;
    case FS_F64: return FS_C_F64;
    default: return FS_C_F32;
  }
}

static enum fs_status take_argument(struct fs_interp *in, const struct fs_c_param *p,
                                    const struct fs_val *v, struct fs_span span,
                                    struct fs_c_given *out) {
  bool tensor = v->kind == FS_V_TENSOR, array = tensor && v->tensor->shape.rank > 0;
  if (p->array != array || (!array && !tensor && !fs_val_is_host(v)))
    return fs_in_error(in, span, "kernel-arguments", NULL,
                       "`%.60s` of the kernel is %s, and %s is %s", p->name,
                       p->array ? "an array" : "a number", fs_in_text(in, span), fs_val_text(v));
  if (tensor && v->tensor->dtype == FS_U64)
    return fs_in_error(in, span, "kernel-arguments", "i64(...) of it is given",
                       "kernels take no u64, and %s is one", fs_in_text(in, span));
  out->type = tensor ? type_of(v->tensor->dtype) : p->type;
  out->rank = array ? v->tensor->shape.rank : 0;
  for (int d = 0; d < out->rank; d++) out->dim[d] = v->tensor->shape.dim[d];
  out->known = !tensor;
  out->number = v->number;
  if (!tensor && p->type <= FS_C_I64 && (v->number != floor(v->number) || fabs(v->number) > 1e9))
    return fs_in_error(in, span, "kernel-arguments", NULL,
                       "`%.60s` of the kernel is a whole number, and %s is %s", p->name,
                       fs_in_text(in, span), fs_number_text(v->number));
  return FS_OK;
}

/* What calls of one kind have in common. */
static void put_key(const struct fs_c_kernel *k, const struct fs_c_given *given,
                    struct fs_str *out) {
  for (int p = 0; p < k->n_params; p++) {
    const struct fs_c_given *g = &given[p];
    fs_str_printf(out, "%d.%d.%d", g->given, (int)g->type, g->known);
    for (int d = 0; d < g->rank; d++) fs_str_printf(out, "x%lld", (long long)g->dim[d]);
    if (g->known && k->params[p].type <= FS_C_I64) fs_str_printf(out, "=%.0f", g->number);
    fs_str_puts(out, ",");
  }
}

/* -- forms ------------------------------------------------------------------------------ */

static struct fs_func *make_form(struct fs_interp *in, const struct fs_func *f, int n,
                                 const struct fs_c_given *given, enum fs_status *st) {
  struct fs_unit *unit = fs_unit_new(&in->all_units);
  struct fs_stmt *body = NULL;
  struct fs_func *out = NULL;
  *st = fs_c_instance(in->diags, unit->arena, f->kernel, given, &body);
  if (*st == FS_OK) {
    struct fs_param *params = FS_NEW_N(unit->arena, struct fs_param, n ? n : 1);
    int at = 0;
    for (int p = 0; p < f->n_params; p++)
      if (given[p].given) params[at++] = f->params[p];
    out = fs_func_new(FS_FN_USER, f->name);
    out->unit = fs_unit_ref(unit);
    out->n_params = n;
    out->params = params;
    out->body = body;
    out->span = f->span;
  }
  fs_unit_unref(unit);
  return out;
}

enum fs_status fs_kernel_form(struct fs_interp *in, struct fs_func *f, int n,
                              const struct fs_val *args, const struct fs_span *spans,
                              struct fs_span span, struct fs_func **form, int want,
                              struct fs_val *out, int *got) {
  struct fs_c_given *given = fs_calloc((size_t)f->n_params + 1, sizeof *given);
  enum fs_status st = find_given(in, f, n, span, given) ? FS_OK : FS_ERR_USER;
  struct fs_str key = {0};
  for (int p = 0, at = 0; p < f->n_params && st == FS_OK; p++)
    if (given[p].given) {
      st = take_argument(in, &f->kernel->params[p], &args[at], spans[at], &given[p]);
      at++;
    }
  if (st == FS_OK) put_key(f->kernel, given, &key);
  bool runs = false;
  *form = NULL;
  if (st == FS_OK) st = fs_as_is_runs(in, f, span, &runs);
  if (runs) st = fs_as_is_call(in, f, given, args, spans, span, want, out, got);
  for (int k = 0; k < f->forms.len && st == FS_OK && !runs && !*form; k++)
    if (!strcmp(f->forms.data[k].key, fs_str_text(&key))) *form = f->forms.data[k].func;
  if (st == FS_OK && !runs && !*form && (*form = make_form(in, f, n, given, &st))) {
    if (f->forms.len == MOST_FORMS) fs_func_forget_form(f, 0);
    char *copy = fs_strdup(fs_str_text(&key)); /* first: without memory the list stays as it is */
    *FS_PUSH(&f->forms) = (struct fs_form){copy, *form};
  }
  if (*form) fs_func_ref(*form);
  if (st == FS_ERR_USER) fs_note_call(in->diags, span, "called", "in %.100s, called here", f->name);
  fs_str_free(&key);
  free(given);
  return st;
}

/* -- the command -------------------------------------------------------------------------- */

enum fs_status fs_interp_kernels(struct fs_interp *in, const char *path, const char *name,
                                 const char *how, struct fs_span span, struct fs_str *said) {
  struct fs_func **all = NULL;
  int n;
  enum fs_status st = fs_kernel_load(in, path, name, how, span, &n, &all);
  for (int k = 0; st == FS_OK && k < n; k++) {
    const char *called = all[k]->name;
    fs_str_puts(said, called);
    fs_func_put_params(all[k], said);
    fs_str_puts(said, "\n");
    if (fs_builtin_find(in, called))
      fs_warn(in->diags, span, "kernel-hides",
              "f = :kernel \"file\", \"name\" gives it another name",
              "`%.60s` is a kernel of yours now, and no longer the function of the language",
              called);
    fs_assign(in, called, fs_val_func(all[k]));
  }
  free(all);
  return st;
}
