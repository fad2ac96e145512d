/* fuzz_kernel.c - a file of kernels in CUDA C or OpenCL C: its words, macros and statements,
 * and each of its kernels as a function of the language, for several shapes of what it is
 * given. Nothing of it runs. */
#include "tests/fuzz/fuzz.h"

#include "core/lang/cuda_c.h"
#include "core/lang/parse.h"

enum { MOST_TEXT = 4096, MOST_PARAMS = 32 };

static void need(bool holds) {
  if (!holds) abort();
}

/* Each error stands within the text. */
static bool look_at_errors(const struct fs_diags *diags, size_t len) {
  bool any = false;
  for (int k = 0; k < diags->list.len; k++) {
    const struct fs_diag *d = &diags->list.data[k];
    struct fs_str shown = {0};
    any |= d->severity == FS_ERROR;
    need(d->span.begin <= d->span.end && d->span.end <= len + 1);
    fs_diag_render(diags, d, &shown);
    need(shown.len > 0);
    fs_str_free(&shown);
  }
  return any;
}

/* Arrays of this rank for all parameters that are some; with `all` for those that are
 * written alone, too, and numbers. */
static void look_at_form(struct fs_diags *diags, const struct fs_c_kernel *k, int rank, bool all,
                         size_t len) {
  struct fs_c_given given[MOST_PARAMS] = {{0}};
  struct fs_arena *arena = fs_arena_new();
  struct fs_str tree = {0};
  struct fs_stmt *body = NULL;
  for (int p = 0; p < k->n_params; p++) {
    const struct fs_c_param *of = &k->params[p];
    given[p].given = all || (of->array && (of->reads || !of->writes));
    given[p].type = of->type;
    given[p].rank = of->array ? rank : 0;
    for (int d = 0; d < given[p].rank; d++) given[p].dim[d] = 3 + d;
    given[p].known = !of->array;
    given[p].number = 4;
  }
  fs_diags_clear(diags);
  enum fs_status st = fs_c_instance(diags, arena, k, given, &body);
  need(st == FS_OK || st == FS_ERR_USER);
  need(look_at_errors(diags, len) == (st == FS_ERR_USER));
  if (st == FS_OK) fs_ast_dump(body, &tree);
  fs_str_free(&tree);
  fs_arena_free(arena);
}

/* As it is written, of arrays of two dimensions. */
static void look_as_is(struct fs_diags *diags, const struct fs_c_kernel *k) {
  struct fs_c_given given[MOST_PARAMS] = {{0}};
  struct fs_c_geometry geometry;
  struct fs_arena *arena = fs_arena_new();
  need(k->text && strlen(k->text) > 0);
  for (int p = 0; p < k->n_params && k->n_params <= MOST_PARAMS; p++)
    given[p] = (struct fs_c_given){.given = k->params[p].reads || !k->params[p].array,
                                   .rank = k->params[p].array ? 2 : 0, .dim = {4, 5},
                                   .known = !k->params[p].array, .number = 4};
  fs_diags_clear(diags);
  if (k->understood && k->n_params <= MOST_PARAMS)
    fs_c_geometry(diags, arena, k, given, &geometry);
  fs_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fs_diags diags;
  struct fs_c_kernel *all = NULL;
  int n = 0;
  static const int64_t block[3] = {16, 4};
  if (size > MOST_TEXT) return 0;
  struct fs_arena *arena = fs_arena_new();
  fs_diags_init(&diags);
  uint32_t source = fs_source_add(&diags, "<fuzz>", (const char *)data, size);
  enum fs_status st = fs_c_read(&diags, arena, source, NULL, size % 2 ? block : NULL, &n, &all);
  need(st == FS_OK || st == FS_ERR_USER);
  need(look_at_errors(&diags, size) == (st == FS_ERR_USER));
  for (int k = 0; k < n && st == FS_OK; k++)
    for (int rank = 1; rank <= 3 && all[k].n_params <= MOST_PARAMS; rank++) {
      look_at_form(&diags, &all[k], rank, false, size);
      look_at_form(&diags, &all[k], rank, true, size);
    }
  fs_diags_clear(&diags);
  st = fs_c_read_as_is(&diags, arena, source, "<fuzz>", NULL, NULL, &n, &all);
  need(st == FS_OK || st == FS_ERR_USER);
  need(look_at_errors(&diags, size) == (st == FS_ERR_USER));
  for (int k = 0; k < n && st == FS_OK; k++) look_as_is(&diags, &all[k]);
  fs_arena_free(arena);
  fs_diags_free(&diags);
  return 0;
}
