/* asis.c - kernels that run as they are written: see asis.h. A call is one node of the block,
 * with what the launch takes beside it (core/graph/foreign.h). */
#include "core/eval/asis.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/device/target.h"
#include "core/eval/elem.h"
#include "core/eval/trace.h"

enum { MOST_THREADS = 1024, USUAL = 256, USUAL_SIDE = 16 };

/* -- options ------------------------------------------------------------------------------ */

static enum fs_status bad_word(struct fs_interp *in, struct fs_span span, const char *word) {
  struct fs_str text = {0};
  fs_str_put_safe(&text, word, strlen(word));
  enum fs_status st =
      fs_in_error(in, span, "kernel-as-is", "asis block=16x16 grid=64x64 shared=1024 out=C",
                  "'%.60s' says nothing of how a kernel runs", fs_str_text(&text));
  fs_str_free(&text);
  return st;
}

/* "16x16" */
static bool take_extents(const char *text, int64_t most, int64_t *out) {
  for (int k = 0; k < 3; k++) {
    char *end;
    if (*text < '0' || *text > '9') return false;
    out[k] = strtoll(text, &end, 10);
    if (out[k] < 1 || out[k] > most) return false;
    if (!*end) return true;
    if (*end != 'x') return false;
    text = end + 1;
  }
  return false;
}

/* "C,D": these arrays are written, and no others. */
static bool take_written(char *names, int n, struct fs_c_kernel *kernels) {
  bool all = true;
  if (!kernels) return true; /* it is looked at later */
  for (int k = 0; k < n; k++)
    for (int p = 0; p < kernels[k].n_params; p++)
      kernels[k].params[p].writes = false, kernels[k].params[p].reads = true;
  for (char *save, *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
    bool found = false;
    for (int k = 0; k < n; k++)
      for (int p = 0; p < kernels[k].n_params; p++) {
        if (strcmp(kernels[k].params[p].name, name) || !kernels[k].params[p].array) continue;
        kernels[k].params[p].writes = found = true;
      }
    all &= found;
  }
  return all;
}

enum fs_status fs_as_is_words(struct fs_interp *in, const char *words, struct fs_span span, int n,
                              struct fs_c_kernel *kernels, struct fs_as_is *out) {
  char *copy = fs_strdup(words);
  enum fs_status st = FS_OK;
  *out = (struct fs_as_is){.shared = 0};
  int at = strncmp(words, "asis", 4) != 0;
  bool reads = at;
  for (char *save, *word = strtok_r(copy, " \t", &save); word && st == FS_OK;
       word = strtok_r(NULL, " \t", &save), at++) {
    int64_t shared[3] = {0};
    bool good = at == 0 && !strcmp(word, "asis");
    if (at && !strncmp(word, "block=", 6)) {
      int64_t *b = out->block;
      good = take_extents(word + 6, MOST_THREADS, b) &&
             b[0] * FS_MAX(b[1], 1) * FS_MAX(b[2], 1) <= MOST_THREADS;
    } else if (reads) {
      good = false;
    } else if (at && !strncmp(word, "grid=", 5)) {
      good = take_extents(word + 5, INT32_MAX, out->grid);
    } else if (at && !strncmp(word, "shared=", 7)) {
      good = take_extents(word + 7, 1 << 20, shared) && !shared[1];
      out->shared = shared[0];
    } else if (at && !strncmp(word, "out=", 4)) {
      char *names = fs_strdup(word + 4);
      good = take_written(names, n, kernels);
      free(names);
    }
    if (!good) st = bad_word(in, span, word);
  }
  free(copy);
  return st;
}

enum fs_status fs_as_is_runs(struct fs_interp *in, const struct fs_func *f, struct fs_span span,
                             bool *runs) {
  const struct fs_c_kernel *k = f->kernel;
  *runs = f->as_is && in->target && !strcmp(in->target->ops->name, "cuda");
  if (*runs || k->understood) return FS_OK;
  return fs_in_error(in, span, "kernel-as-is", ":device says what is here",
                     "`%.60s` runs as it is written, which needs a GPU, for it is not read "
                     "(%.200s)", k->name, k->why);
}

/* -- arguments ------------------------------------------------------------------------------ */

struct call {
  struct fs_interp *in;
  const struct fs_func *f;
  const struct fs_c_kernel *k;
  struct fs_c_given *given;
  struct fs_span span;
  struct fs_foreign foreign;
  int n_operands;
  fs_id operands[FS_MOST_SRC];
  enum fs_dtype dtype;       /* of what it writes */
  int n_written;
  int64_t count;             /* elements of all that it writes, with the gaps */
};

/* The type of elements of an array; false: there are no such arrays. */
static bool type_of(const struct fs_c_own *own, enum fs_dtype *out) {
  static const struct { char kind; int bytes; enum fs_dtype dt; } all[] = {
      {'f', 2, FS_F16}, {'f', 4, FS_F32}, {'f', 8, FS_F64}, {'i', 4, FS_I32}, {'u', 4, FS_I32},
      {'i', 8, FS_I64}, {'u', 8, FS_I64}, {'b', 1, FS_BOOL}};
  for (size_t k = 0; k < FS_LEN(all); k++)
    if (all[k].kind == own->kind && all[k].bytes == own->bytes) {
      *out = all[k].dt;
      return true;
    }
  return false;
}

static enum fs_status put_number(struct call *c, int p, double x, struct fs_span at) {
  const struct fs_c_own *own = &c->k->own[p];
  unsigned char *to = c->foreign.param[p].bytes;
  float single = (float)x;
  int64_t whole = own->kind == 'f' ? 0 : (int64_t)x;
  if (own->lanes > 1 || (own->kind == 'f' && own->bytes < 4))
    return fs_in_error(c->in, at, "kernel-arguments", NULL,
                       "`%.60s` of the kernel is a number of a kind that is not given",
                       c->k->params[p].name);
  c->foreign.param[p].kind = FS_FP_NUMBER;
  if (own->kind == 'b') to[0] = x != 0;
  else if (own->kind != 'f') memcpy(to, &whole, sizeof whole); /* its low bytes come first */
  else if (own->bytes == 4) memcpy(to, &single, sizeof single);
  else memcpy(to, &x, sizeof x);
  return FS_OK;
}

static enum fs_status wrong_type(const struct call *c, int p, enum fs_dtype want, bool any,
                                 enum fs_dtype has, struct fs_span at) {
  char hint[40];
  snprintf(hint, sizeof hint, "%s(x) converts it", any ? fs_dtypes[want].name : "");
  return fs_in_error(c->in, at, "kernel-arguments", any ? hint : NULL,
                     any ? "`%.60s` of the kernel has elements of %d bytes, and is given %s"
                         : "`%.60s` of the kernel has numbers of %d bytes, of which there are no "
                           "arrays like this %s",
                     c->k->params[p].name, c->k->own[p].bytes, fs_dtypes[has].name);
}

/* An array as an operand: which one. */
static enum fs_status put_operand(struct call *c, int p, const struct fs_val *v, struct fs_span at,
                                  int *operand) {
  struct fs_tv t;
  enum fs_dtype want;
  bool any = type_of(&c->k->own[p], &want);
  enum fs_status st = fs_tv_of(c->in, v, at, NULL, &t);
  if (st != FS_OK) return st;
  if (!any || want != t.dtype) return wrong_type(c, p, want, any, t.dtype, at);
  if (c->n_operands == FS_MOST_SRC)
    return fs_in_error(c->in, at, "kernel-arguments", NULL, "a call takes up to %d arrays",
                       FS_MOST_SRC);
  *operand = c->n_operands;
  c->operands[c->n_operands++] = t.node;
  return FS_OK;
}

/* Room for an array that is written. */
static enum fs_status put_written(struct call *c, int p, int operand) {
  struct fs_foreign_param *to = &c->foreign.param[p];
  enum fs_dtype dt;
  int64_t count = 1;
  if (!type_of(&c->k->own[p], &dt) || (c->n_written && dt != c->dtype))
    return fs_in_error(c->in, c->span, "kernel-as-is", "out=NAME says which are written",
                       "what a kernel as it is written gives is of one type that arrays have");
  for (int d = 0; d < c->given[p].rank; d++) {
    count = fs_mul_size(count, c->given[p].dim[d]);
    if (count < 0) count = INT64_MAX / 4;
  }
  struct fs_shape all = {1, {count}};
  enum fs_status st = fs_check_size(c->in, dt, &all, c->span);
  *to = (struct fs_foreign_param){.kind = FS_FP_WRITE, .operand = operand, .offset = c->count,
                                  .count = count};
  c->dtype = dt;
  c->n_written++;
  c->count += (count + FS_FOREIGN_ALIGN - 1) / FS_FOREIGN_ALIGN * FS_FOREIGN_ALIGN;
  return st;
}

static enum fs_status put_argument(struct call *c, int p, const struct fs_val *v,
                                   struct fs_span at) {
  const struct fs_c_param *of = &c->k->params[p];
  struct fs_foreign_param *to = &c->foreign.param[p];
  int operand = -1;
  enum fs_status st = FS_OK;
  if (!of->array)
    return put_number(c, p, c->given[p].number, at);
  if (v) st = put_operand(c, p, v, at, &operand);
  if (st != FS_OK) return st;
  if (of->writes) return put_written(c, p, operand);
  *to = (struct fs_foreign_param){.kind = FS_FP_READ, .operand = operand};
  return FS_OK;
}

/* -- the launch ----------------------------------------------------------------------------- */

/* Where a condition does not keep threads inside, blocks are such that there are no others. */
static int64_t block_of(int64_t threads, int64_t most, bool guarded) {
  if (guarded) return most;
  int64_t size = FS_MIN(most, FS_MAX(threads, 1));
  while (threads % size) size--;
  return size;
}

/* One thread for each element of the first array that is written; columns along x, where it
 * names two axes. */
static void threads_of_result(const struct call *c, struct fs_c_geometry *g) {
  int p = 0;
  while (p < c->k->n_params && !c->k->params[p].writes) p++;
  const struct fs_c_given *of = &c->given[p];
  int axes = FS_MIN(c->k->axes, FS_MAX(of->rank, 1));
  for (int a = 0; a < 3; a++) g->threads[a] = 1;
  for (int d = 0; d < of->rank; d++) {
    int a = FS_MIN(of->rank - 1 - d, axes - 1);
    g->threads[a] *= of->dim[d];
  }
}

static enum fs_status put_launch(struct call *c, const struct fs_c_geometry *g) {
  const struct fs_as_is *said = c->f->as_is;
  struct fs_foreign *f = &c->foreign;
  int axes = 0;
  for (int a = 0; a < 3; a++) axes += g->threads[a] > 1;
  int64_t all = 1, threads = 1;
  for (int a = 0; a < 3; a++) {
    int64_t usual = axes < 2 ? (g->threads[a] > 1 ? USUAL : 1) : a < 2 ? USUAL_SIDE : 1;
    int64_t block = c->k->block[a] > 0 ? c->k->block[a] : g->of_block[a];
    if (said->block[0]) block = FS_MAX(said->block[a], 1);
    if (!block) block = g->threads[a] ? block_of(g->threads[a], usual, g->guarded[a]) : 1;
    int64_t grid = g->blocks[a];
    int64_t part = FS_MAX(block, c->k->part[a]);
    if (!grid) grid = g->threads[a] ? (g->threads[a] + part - 1) / part : 1;
    if (said->grid[0]) grid = FS_MAX(said->grid[a], 1);
    f->block[a] = (unsigned)block;
    f->grid[a] = (unsigned)FS_MIN(grid, INT32_MAX);
    threads *= block;
    all *= grid;
  }
  if (!all) f->grid[0] = 0;
  f->shared = (unsigned)said->shared;
  if (threads <= MOST_THREADS) return FS_OK;
  return fs_in_error(c->in, c->span, "kernel-as-is", "asis block=16x16 says another size",
                     "blocks of %lld threads are too large", (long long)threads);
}

/* Fills what the call leaves open, and how the kernel is started. */
static enum fs_status find_launch(struct call *c, bool whole) {
  struct fs_c_geometry g = {.threads = {0}};
  struct fs_arena *arena = fs_arena_new();
  struct fs_diags *d = c->in->diags;
  int before = d->list.len;
  enum fs_status st = FS_ERR_USER;
  if (c->k->understood) st = fs_c_geometry(d, arena, c->k, c->given, &g);
  else if (!whole)
    st = fs_in_error(c->in, c->span, "kernel-as-is", "and with numbers for all others",
                     "a kernel that is not read is called with all of its arrays, also those that "
                     "it writes (%.200s)", c->k->why);
  if (st != FS_OK && whole) { /* the text of the call will do */
    fs_diags_cut(d, before);
    threads_of_result(c, &g);
    st = FS_OK;
  }
  fs_arena_free(arena);
  return st == FS_OK ? put_launch(c, &g) : st;
}

/* -- results -------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct fs_foreign *f, const struct fs_user *u) {
  uint64_t h = fs_hash(f->text, strlen(f->text), (uint64_t)u->n_args);
  h = fs_hash(f->param, sizeof *f->param * (size_t)f->n_params, h);
  h = fs_hash(f->grid, sizeof f->grid, fs_hash(f->block, sizeof f->block, h));
  return fs_hash(&f->shared, sizeof f->shared, h);
}

static const struct fs_user *kept(struct call *c) {
  struct fs_user u = {.name = c->k->name, .n_args = c->n_operands, .compute = c->dtype,
                      .foreign = &c->foreign};
  c->foreign.n_params = c->k->n_params;
  c->foreign.text = c->k->text;
  u.hash = hash_of(&c->foreign, &u);
  const struct fs_user *known = fs_elem_kept(c->in, &u);
  if (known) return known;
  struct fs_foreign *f = FS_NEW(c->in->elem_arena, struct fs_foreign);
  *f = c->foreign;
  f->text = fs_arena_strndup(c->in->elem_arena, f->text, strlen(f->text));
  u.name = fs_arena_strndup(c->in->elem_arena, u.name, strlen(u.name));
  u.foreign = f;
  return fs_elem_keep(c->in, u);
}

static struct fs_shape shape_of(const struct fs_c_given *g) {
  struct fs_shape s = {.rank = FS_MAX(g->rank, 1), .dim = {1}};
  for (int d = 0; d < g->rank; d++) s.dim[d] = g->dim[d];
  return s;
}

/* One of several arrays that are written. */
static enum fs_status part(struct call *c, const struct fs_val *all, int p, struct fs_val *out) {
  const struct fs_foreign_param *of = &c->foreign.param[p];
  struct fs_view view = {.src_rank = 1, .off = {of->offset}, .step = {1}};
  struct fs_shape flat = {1, {of->count}}, shape = shape_of(&c->given[p]);
  struct fs_tv t;
  enum fs_status st = fs_tv_of(c->in, all, c->span, NULL, &t);
  if (st != FS_OK) return st;
  if (of->count == 1) view.axis[0] = -1;
  t.node = fs_graph_view(fs_block_graph(c->in), t.node, &view, &flat);
  t.shape = flat;
  st = fs_tv_reshape(c->in, t, &shape, &t);
  if (st == FS_OK) *out = fs_tv_value(c->in, &t);
  return st;
}

static enum fs_status put_results(struct call *c, int want, struct fs_val *out, int *got) {
  const struct fs_user *u = kept(c);
  struct fs_tv t = {.dtype = c->dtype, .shape = {1, {c->count}}};
  int first = 0;
  while (c->foreign.param[first].kind != FS_FP_WRITE) first++;
  if (c->n_written == 1) t.shape = shape_of(&c->given[first]);
  t.node = fs_graph_foreign(fs_block_graph(c->in), u, c->dtype, &t.shape, c->operands);
  out[0] = fs_tv_value(c->in, &t);
  *got = 1;
  if (c->n_written == 1) return FS_OK;
  struct fs_val all = out[0];
  enum fs_status st = FS_OK;
  *got = 0;
  for (int p = first; p < c->k->n_params && st == FS_OK; p++)
    if (c->foreign.param[p].kind == FS_FP_WRITE && *got < want) {
      st = part(c, &all, p, &out[*got]);
      *got += st == FS_OK;
    }
  fs_val_unref(all);
  return st;
}

enum fs_status fs_as_is_call(struct fs_interp *in, const struct fs_func *f,
                             struct fs_c_given *given, const struct fs_val *args,
                             const struct fs_span *spans, struct fs_span span,
                             int want, struct fs_val *out, int *got) {
  struct call c = {.in = in, .f = f, .k = f->kernel, .given = given, .span = span};
  bool whole = true;
  enum fs_status st = FS_OK;
  in->span = span;
  for (int p = 0, at = 0; p < f->n_params && st == FS_OK; p++) {
    whole &= given[p].given;
    if (!given[p].given) continue;
    if (!c.k->params[p].array && !given[p].known) { /* the host has to know it */
      st = fs_read_number(in, &args[at], spans[at], c.k->params[p].name, &given[p].number);
      given[p].known = true;
    }
    at++;
  }
  if (st == FS_OK) st = find_launch(&c, whole);
  for (int p = 0, at = 0; p < f->n_params && st == FS_OK; p++) {
    st = put_argument(&c, p, given[p].given ? &args[at] : NULL,
                      given[p].given ? spans[at] : span);
    at += given[p].given;
  }
  if (st == FS_OK && !c.n_written)
    st = fs_in_error(in, span, "kernel-as-is", "out=NAME says which are written",
                     "`%.60s` writes no array: there is nothing that it gives", c.k->name);
  return st == FS_OK ? put_results(&c, want, out, got) : st;
}
