/* files_value.c - files and the values of the language: host arrays are uploaded
 * on loading; on saving, tensors are computed if need be and fetched from the
 * device piece by piece. */
#include "core/eval/files.h"

#include <stdio.h>
#include <unistd.h>

#include "core/eval/interp.h"
#include "core/ranks/ranks.h"
#include "core/run/layouts.h"

void fs_file_vars_free(struct fs_file_vars *vars) {
  for (int k = 0; k < vars->list.len; k++) {
    free(vars->list.data[k].name);
    fs_val_unref(vars->list.data[k].value);
  }
  FS_VEC_FREE(&vars->list);
}

/* -- loading ----------------------------------------------------------------- */

/* One part of the elements of a complex array, as a tensor. */
static enum fs_status upload_part(struct fs_interp *in, const struct fs_file_ctx *ctx,
                                  const struct fs_array *a, int part, struct fs_tensor **out) {
  int64_t n = fs_shape_count(&a->shape);
  size_t size = fs_dtype_size(a->dtype);
  void *plane;
  enum fs_status st = fs_file_alloc(ctx, n * (int64_t)size, &plane);
  if (st) return st;
  for (int64_t k = 0; k < n; k++)
    memcpy((char *)plane + (size_t)k * size,
           (const char *)a->data + (size_t)(2 * k + part) * size, size);
  st = fs_tensor_upload_laid(fs_interp_target(in), a->dtype, &a->shape, plane, out,
                             fs_interp_diags(in));
  free(plane);
  return st;
}

static enum fs_status upload_complex(struct fs_interp *in, const struct fs_file_ctx *ctx,
                                     const struct fs_array *a, struct fs_val *out) {
  struct fs_tensor *re, *im;
  enum fs_status st = upload_part(in, ctx, a, 0, &re);
  if (st) return st;
  st = upload_part(in, ctx, a, 1, &im);
  if (st) fs_tensor_unref(re);
  else *out = fs_val_complex(fs_val_tensor(re), fs_val_tensor(im));
  return st;
}

static enum fs_status upload(struct fs_interp *in,
                             const struct fs_file_ctx *ctx,
                             const struct fs_array *a, struct fs_val *out) {
  struct fs_tensor *t;
  if (a->complex) return upload_complex(in, ctx, a, out);
  enum fs_status st = fs_tensor_upload_laid(fs_interp_target(in), a->dtype, &a->shape, a->data,
                                            &t, fs_interp_diags(in));
  if (st) return st;
  t->labels = a->labels ? fs_strdup(a->labels) : NULL;
  *out = fs_val_tensor(t);
  return FS_OK;
}

/* The texts behind the file's name: options, and at most one name. */
static enum fs_status read_texts(struct fs_interp *in, const struct fs_file_ctx *ctx,
                                 int n, const char *const *texts,
                                 struct fs_load_how *how) {
  *how = (struct fs_load_how){.expand = in->expand};
  for (int k = 0; k < n; k++) {
    bool taken;
    enum fs_status st = fs_load_option(ctx, texts[k], how, &taken);
    if (st) return st;
    if (!taken && how->member)
      return fs_file_error(ctx, NULL, "it takes the name of one array or column");
    if (!taken) how->member = texts[k];
  }
  return FS_OK;
}

/* A relative path that leads nowhere from the current folder is taken from the
 * folder of the script that the span is in. Given. */
static char *find_file(struct fs_interp *in, const char *path,
                       struct fs_span span) {
  const struct fs_source *src =
      span.source ? fs_source_get(fs_interp_diags(in), span.source) : NULL;
  const char *slash = src ? strrchr(src->name, '/') : NULL;
  if (slash && path[0] != '/' && access(path, F_OK)) {
    struct fs_str beside = {0};
    fs_str_put(&beside, src->name, (size_t)(slash - src->name) + 1);
    fs_str_puts(&beside, path);
    if (!access(fs_str_text(&beside), F_OK)) return beside.data;
    fs_str_free(&beside);
  }
  return fs_strdup(path);
}

/* What one rank cannot read none has. */
static enum fs_status read_arrays(struct fs_interp *in, const struct fs_file_ctx *ctx, int n,
                                  const char *const *texts, struct fs_arrays *arrays) {
  struct fs_load_how how;
  enum fs_status st = read_texts(in, ctx, n, texts, &how);
  if (!st) st = fs_arrays_load(ctx, &how, arrays);
  enum fs_status all = fs_ranks_are_together() ? fs_ranks_agree(st, ctx->diags) : st;
  if (!st && all) fs_arrays_free(arrays);
  return all;
}

enum fs_status fs_file_load_all(struct fs_interp *in, const char *path, int n,
                                const char *const *texts, struct fs_span span,
                                struct fs_file_vars *out) {
  char *found = find_file(in, path, span);
  struct fs_file_ctx ctx = {fs_interp_diags(in), span, found, false};
  struct fs_arrays arrays;
  *out = (struct fs_file_vars){0};
  enum fs_status st = read_arrays(in, &ctx, n, texts, &arrays);
  if (st) arrays = (struct fs_arrays){0};
  for (int k = 0; k < arrays.list.len && !st; k++) {
    struct fs_array *a = &arrays.list.data[k];
    struct fs_val v;
    st = upload(in, &ctx, a, &v);
    if (st) break;
    char *name = fs_strdup(a->name);
    *FS_PUSH(&out->list) = (struct fs_file_var){name, v};
    free(a->data); /* early: one array on the host at a time is enough */
    a->data = NULL;
  }
  fs_arrays_free(&arrays);
  free(found);
  if (st) fs_file_vars_free(out);
  return st;
}

static enum fs_status several(const struct fs_file_ctx *ctx,
                              const struct fs_arrays *arrays) {
  struct fs_str hint = {0};
  fs_str_puts(&hint, "load(file, name) takes one of");
  for (int k = 0; k < arrays->list.len && k < 12; k++) {
    const char *name = arrays->list.data[k].name;
    fs_str_puts(&hint, k ? ", " : " ");
    fs_str_put_safe(&hint, name, FS_MIN(strlen(name), 40));
  }
  enum fs_status st = fs_file_error(ctx, fs_str_text(&hint),
                                    "it holds %d arrays", arrays->list.len);
  fs_str_free(&hint);
  return st;
}

/* What the codes of a column mean, for who does not take the names. */
static void tell_categories(const struct fs_file_ctx *ctx, const char *names) {
  enum { MOST = 20 };
  struct fs_str text = {0};
  int n = 0;
  for (const char *end; *names || !n; names = *end ? end + 1 : end) {
    end = names + strcspn(names, "\n");
    if (++n > MOST) continue;
    fs_str_printf(&text, "%s%d ", n > 1 ? ", " : "", n);
    fs_str_put_safe(&text, names, FS_MIN((size_t)(end - names), (size_t)40));
  }
  if (n > MOST) fs_str_printf(&text, " and %d more", n - MOST);
  fs_note(ctx->diags, ctx->span, "categories",
          "`codes, names = load(...)` gives the names as text, one a line",
          "the texts of this column, as numbers: %s", fs_str_text(&text));
  fs_str_free(&text);
}

enum fs_status fs_file_load(struct fs_interp *in, const char *path, int n,
                            const char *const *texts, struct fs_span span,
                            struct fs_val *out, char **names) {
  char *found = find_file(in, path, span);
  struct fs_file_ctx ctx = {fs_interp_diags(in), span, found, false};
  struct fs_arrays arrays;
  enum fs_status st = read_arrays(in, &ctx, n, texts, &arrays);
  if (!st) {
    struct fs_array *a = &arrays.list.data[0];
    st = arrays.list.len == 1 ? upload(in, &ctx, a, out) : several(&ctx, &arrays);
    if (!st && a->categories && !names) tell_categories(&ctx, a->categories);
    if (!st && names) *names = a->categories, a->categories = NULL;
    fs_arrays_free(&arrays);
  }
  free(found);
  return st;
}

/* -- saving ------------------------------------------------------------------ */

static enum fs_status tensor_box(void *user, const int64_t *first,
                                 const int64_t *count, void *out,
                                 struct fs_diags *d) {
  return fs_tensor_download(user, first, count, out, d);
}

/* Both parts of a complex value, one behind the other for each element. */
static enum fs_status complex_box(void *user, const int64_t *first, const int64_t *count,
                                  void *out, struct fs_diags *d) {
  const struct fs_val *v = user, *part = v->complex->part;
  const struct fs_tensor *like = fs_val_like(v);
  enum fs_dtype dt = like ? like->dtype : FS_F64;
  size_t size = fs_dtype_size(dt);
  int64_t n = 1;
  for (int k = 0; like && k < like->shape.rank; k++) n *= count[k];
  char *plane = fs_malloc((size_t)n * size);
  enum fs_status st = FS_OK;
  for (int p = 0; p < 2 && !st; p++) {
    if (like) st = fs_tensor_download(part[p].tensor, first, count, plane, d);
    else memcpy(plane, &part[p].number, size);
    for (int64_t k = 0; k < n && !st; k++)
      memcpy((char *)out + (size_t)(2 * k + p) * size, plane + (size_t)k * size, size);
  }
  free(plane);
  return st;
}

static bool is_i64(const struct fs_val *v) {
  return v->is_int && v->number >= -0x1p63 && v->number < 0x1p63;
}

/* Elements of a range, of the type that it has as a tensor if they are whole. */
static void range_box(const struct fs_val *v, int64_t first, int64_t count, void *out) {
  bool ints = fs_range_is_whole(v);
  for (int64_t i = 0; i < count; i++) {
    double x = v->start + v->step * (double)(first + i);
    if (ints) ((int64_t *)out)[i] = (int64_t)x;
    else ((double *)out)[i] = x;
  }
}

/* Host values as arrays: numbers and bools of rank 0, ranges of rank 1. */
static enum fs_status host_box(void *user, const int64_t *first,
                               const int64_t *count, void *out,
                               struct fs_diags *d) {
  const struct fs_val *v = user;
  (void)d;
  if (v->kind == FS_V_BOOL) *(unsigned char *)out = v->number != 0;
  if (v->kind == FS_V_NUMBER && is_i64(v)) *(int64_t *)out = (int64_t)v->number;
  if (v->kind == FS_V_NUMBER && !is_i64(v)) *(double *)out = v->number;
  if (v->kind == FS_V_RANGE) range_box(v, first[0], count[0], out);
  return FS_OK;
}

static enum fs_status tensor_source(struct fs_interp *in, struct fs_tensor *t,
                                    struct fs_array_source *s) {
  enum fs_status st = fs_interp_force(in, t);
  s->dtype = t->dtype;
  s->shape = t->shape;
  s->box = tensor_box;
  s->user = t;
  return st;
}

static enum fs_status complex_source(struct fs_interp *in, const struct fs_val *v,
                                     struct fs_array_source *s) {
  struct fs_tensor *t[2];
  enum fs_status st = FS_OK;
  int n = fs_val_tensors(v, t);
  for (int k = 0; k < n && !st; k++) st = fs_interp_force(in, t[k]);
  s->dtype = n ? t[0]->dtype : FS_F64;
  if (n) s->shape = t[0]->shape;
  s->complex = true;
  s->box = complex_box;
  return st;
}

static enum fs_status make_source(struct fs_interp *in,
                                  const struct fs_file_ctx *ctx,
                                  const struct fs_val *v,
                                  struct fs_array_source *s) {
  s->shape = (struct fs_shape){0};
  s->box = host_box;
  s->user = (void *)(uintptr_t)v;
  switch (v->kind) {
    case FS_V_TENSOR: return tensor_source(in, v->tensor, s);
    case FS_V_COMPLEX: return complex_source(in, v, s);
    case FS_V_NUMBER:
      s->dtype = is_i64(v) ? FS_I64 : FS_F64;
      return FS_OK;
    case FS_V_BOOL: s->dtype = FS_BOOL; return FS_OK;
    case FS_V_RANGE:
      s->dtype = fs_range_is_whole(v) ? FS_I64 : FS_F64;
      s->shape.rank = 1;
      s->shape.dim[0] = fs_range_count(v);
      return FS_OK;
    default:
      return fs_file_error(ctx, NULL, "%s is a %s, and only arrays and numbers "
                           "can be saved",
                           s->name,
                           v->kind == FS_V_STRING ? "string" : "function");
  }
}

/* Says once for all values that they are of another type in the file. */
static void warn_of_bf16(const struct fs_file_ctx *ctx, int n,
                         const struct fs_array_source *sources) {
  struct fs_str names = {0};
  int found = 0;
  for (int k = 0; k < n; k++)
    if (sources[k].dtype == FS_BF16)
      fs_str_printf(&names, "%s%s", found++ ? ", " : "", sources[k].name);
  if (found)
    fs_warn(ctx->diags, ctx->span, "saved-as-f32", NULL,
            "bf16 has no name in these files; saved as f32: %s", fs_str_text(&names));
  fs_str_free(&names);
}

enum fs_status fs_file_save(struct fs_interp *in, const char *path,
                            struct fs_span span, int n,
                            const char *const *names,
                            const struct fs_val *values) {
  struct fs_file_ctx ctx = {fs_interp_diags(in), span, path, true};
  struct fs_array_source *sources =
      fs_calloc((size_t)FS_MAX(n, 1), sizeof(*sources));
  char(*made_up)[16] = fs_calloc((size_t)FS_MAX(n, 1), sizeof(*made_up));
  enum fs_status st = FS_OK;
  for (int k = 0; k < n && !st; k++) {
    snprintf(made_up[k], sizeof made_up[k], "arr_%d", k);
    sources[k].name = names && names[k] ? names[k] : made_up[k];
    st = make_source(in, &ctx, &values[k], &sources[k]);
  }
  if (!st) st = fs_arrays_save(&ctx, n, sources);
  if (!st) warn_of_bf16(&ctx, n, sources);
  free(sources);
  free(made_up);
  return st;
}

/* -- paths --------------------------------------------------------------------- */

char *fs_path_from(const struct fs_interp *in, struct fs_span span, const char *file) {
  const struct fs_source *src = fs_source_get(in->diags, span.source);
  const char *slash = src ? strrchr(src->name, '/') : NULL;
  if (!slash || file[0] == '/') return fs_strdup(file);
  struct fs_str path = {0};
  fs_str_put(&path, src->name, (size_t)(slash - src->name) + 1);
  fs_str_puts(&path, file);
  if (!access(fs_str_text(&path), F_OK) || access(file, F_OK)) return path.data;
  fs_str_free(&path);
  return fs_strdup(file);
}
