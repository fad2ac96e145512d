/* race.c - a call of a kernel as it is written or as it is read, for `:race`. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/eval/asis.h"
#include "core/eval/kernel.h"

/* The first kernel that a call names; NULL: there is none. */
static struct fs_val *kernel_in(struct fs_interp *in, const char *call,
                                char name[FS_MAX_NAME + 1]) {
  for (const char *p = call; *p; p++) {
    size_t n = 0;
    if (!isalpha((unsigned char)*p) && *p != '_') continue;
    while (isalnum((unsigned char)p[n]) || p[n] == '_') n++;
    if (n <= FS_MAX_NAME) {
      snprintf(name, FS_MAX_NAME + 1, "%.*s", (int)n, p);
      struct fs_val *v = fs_scope_find(&in->globals, name);
      if (v && v->kind == FS_V_FUNCTION && v->func->kind == FS_FN_KERNEL) return v;
    }
    p += n - 1;
  }
  return NULL;
}

enum fs_status fs_interp_race(struct fs_interp *in, const char *call, const char *how,
                              bool as_is, const char *to, struct fs_span span) {
  char name[FS_MAX_NAME + 1];
  const struct fs_val *found = kernel_in(in, call, name);
  struct fs_func **all = NULL;
  struct fs_str text = {0};
  int n = 0;
  if (!found)
    return fs_in_error(in, span, "kernel-name", ":kernel mv.cu, then :race mv(A, x)",
                       "'%.100s' calls no kernel of a file", call);
  struct fs_val before = fs_val_ref(*found);
  const struct fs_func *f = before.func;
  enum fs_status st = FS_OK;
  if (!as_is && !f->kernel->understood)
    st = fs_in_error(in, span, "kernel-as-is", NULL, "`%.60s` is not read (%.200s)",
                     f->kernel->name, f->kernel->why);
  bool same = as_is ? f->as_is && !how : !f->as_is;
  if (st == FS_OK && !same)
    st = fs_kernel_load(in, f->file, f->kernel->name, as_is ? how ? how : "asis" : NULL, span, &n,
                        &all);
  if (st == FS_OK && as_is) {
    bool runs;
    st = fs_as_is_runs(in, same ? f : all[0], span, &runs);
    if (st == FS_OK && !runs)
      st = fs_in_error(in, span, "kernel-as-is", ":device says what is here",
                       "as it is written a kernel needs a GPU");
  }
  if (n) fs_assign(in, name, fs_val_func(fs_func_ref(all[0])));
  fs_str_printf(&text, "%s = %s;", to, call);
  if (st == FS_OK) st = fs_interp_aside(in, "<race>", fs_str_text(&text));
  if (st == FS_OK) st = fs_interp_flush(in);
  if (n) fs_assign(in, name, fs_val_ref(before));
  for (int k = 0; k < n; k++) fs_func_unref(all[k]);
  free(all);
  fs_val_unref(before);
  fs_str_free(&text);
  return st;
}
