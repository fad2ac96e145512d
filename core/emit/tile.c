/* tile.c - the tile scheme: 32 x 32 tiles, 32 x 8 threads, four elements of a
 * tile to a thread (rows sub + 8*b, column t).
 *
 * A local barrier stands only where the paper wants one (Filipovic et al.,
 * section 4.3.3): before a routine reads shared memory that other threads wrote,
 * and before shared memory is overwritten that was read since the last barrier.
 */
#include <limits.h>

#include "core/base/embed.h"
#include "core/emit/writer.h"

enum { SIDE = 32, STEP = 8 };

static const struct fs_step *step_at(const struct em *em, int i) {
  return &em->k->steps.data[i];
}

/* -- operands across ------------------------------------------------------------- */

bool em_transposed(const struct em *em, const struct fs_step *s) {
  const struct fs_access *a = em_access(em, s);
  int64_t si = a->stride[0], sj = a->stride[1];
  return a->varies == 3 && em->axes.n_outer == 1 && em->axes.n_inner == 1 &&
         (si == 1 || si == -1) && sj != 1 && sj != -1 && sj != 0;
}

static bool is_staged(const struct em *em, const bool *need, int i, enum fs_step_kind kind) {
  const struct fs_step *s = step_at(em, i);
  return need[i] && s->kind == kind && em_transposed(em, s);
}

static bool any_staged(const struct em *em, const bool *need, enum fs_step_kind kind) {
  for (int i = 0; i < em->k->steps.len; i++)
    if (is_staged(em, need, i, kind)) return true;
  return false;
}

/* The element that this thread moves, so that neighbours in a warp are
 * neighbours along i. */
static void open_across(struct em *em) {
  em_for(em, "b", em->how->rows);
  em_say(em, FS_LP_LET, NULL, "const fs_index i = first + t, j = strip * 32 + (b * 8 + sub);");
}

static const char *in_tile(struct em *em) {
  return em_fmt(em, "i < %s && j < %s", em_int(em, em->how->m), em_int(em, em->how->n));
}

void em_tile_stage_loads(struct em *em, const bool *need) {
  if (!any_staged(em, need, FS_SP_LOAD)) return;
  for (int i = 0; i < em->k->steps.len; i++)
    if (is_staged(em, need, i, FS_SP_LOAD))
      em_line(em, "__shared__ %s tile%d[32][33];",
              em_value_type(em_val(em, step_at(em, i)->out)->dtype),
              step_at(em, i)->out);
  em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
  open_across(em);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = step_at(em, i);
    if (!is_staged(em, need, i, FS_SP_LOAD)) continue;
    em_line(em, "if (%s) tile%d[b * 8 + sub][t] = fs_get(a%d[%s]);",
            in_tile(em), s->out, s->access, em_address(em, em_access(em, s)));
  }
  em_close_for(em, em->how->rows);
  em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
  em_for(em, "b", em->how->rows);
  if (!em->how->full || em->how->need_ok) em_row_coords(em);
  if (!em->how->full)
    em_say(em, FS_LP_LET, NULL, "const bool in = strip * 32 + t < %s;", em_int(em, em->how->n));
  const char *exists = em_guard(em, EM_IF_ROW | EM_IF_VECTOR, -1);
  for (int i = 0; i < em->k->steps.len; i++) {
    int v = step_at(em, i)->out;
    if (!is_staged(em, need, i, FS_SP_LOAD)) continue;
    em_line(em, "%s%s%sv%d[b] = tile%d[t][b * 8 + sub];", *exists ? "if (" : "",
            exists, *exists ? ") " : "", v, v);
  }
  em_close_for(em, em->how->rows);
}

void em_tile_stage_stores(struct em *em, const bool *need) {
  if (!any_staged(em, need, FS_SP_STORE)) return;
  for (int i = 0; i < em->k->steps.len; i++)
    if (is_staged(em, need, i, FS_SP_STORE))
      em_line(em, "__shared__ %s out%d[32][33];",
              em_value_type(em_val(em, step_at(em, i)->in[0])->dtype), i);
  if (!any_staged(em, need, FS_SP_LOAD)) em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
  em_for(em, "b", em->how->rows);
  for (int i = 0; i < em->k->steps.len; i++)
    if (is_staged(em, need, i, FS_SP_STORE))
      em_line(em, "out%d[b * 8 + sub][t] = %s;", i, em_ref(em, step_at(em, i)->in[0]));
  em_close_for(em, em->how->rows);
  em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
  open_across(em);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = step_at(em, i);
    if (is_staged(em, need, i, FS_SP_STORE))
      em_line(em, "if (%s) fs_put(a%d[%s], out%d[t][b * 8 + sub]);",
              in_tile(em), s->access, em_address(em, em_access(em, s)), i);
  }
  em_close_for(em, em->how->rows);
}

/* -- block routines of the library -------------------------------------------------- */

/* A routine's text and the names of its two parameters. */
struct routine {
  const char *name, *text;
  size_t len;
  char param[2][32];
  int in[2]; /* the step's operands in the order of the parameters */
};

static int varies(const struct em *em, int v) {
  return v < 0 ? -1 : em_val(em, v)->varies;
}

/* Which elementary function a step is, if one has a block routine. */
static const char *function_of(const struct em *em, const struct fs_step *s, struct routine *r) {
  r->in[0] = s->in[0];
  r->in[1] = s->in[1];
  if (s->out < 0 || !fs_dtype_is_float(em_val(em, s->out)->dtype)) return NULL;
  int x = varies(em, s->in[0]), y = varies(em, s->in[1]);
  if (s->kind == FS_SP_REDUCE && s->op == FS_RD_SUM && x == 3) {
    if (s->over == FS_VARIES_J && y == FS_VARIES_J) return "gemv";
    if (s->over == FS_VARIES_I && y == FS_VARIES_I) return "gemtv";
  }
  if (s->kind != FS_SP_MAP) return NULL;
  if (s->op == FS_OP_ADD && x == 3 && y == 3) return "madd";
  if (s->op == FS_OP_MUL && x == FS_VARIES_I && y == FS_VARIES_J) return "ger";
  if (s->op == FS_OP_MUL && x == FS_VARIES_J && y == FS_VARIES_I) {
    r->in[0] = s->in[1];
    r->in[1] = s->in[0];
    return "ger";
  }
  return NULL;
}

/* The line that begins with `key`, after it; NULL if there is none. */
static const char *line_of(const char *text, const char *key) {
  size_t n = strlen(key);
  for (const char *p = text; p; p = strchr(p, '\n')) {
    if (*p == '\n') p++;
    if (!strncmp(p, key, n)) return p + n;
  }
  return NULL;
}

static bool read_params(const char *args, struct routine *r) {
  for (int k = 0; k < 2; k++) {
    while (*args == ' ' || *args == ',') args++;
    size_t n = strcspn(args, ":\n");
    if (args[n] != ':' || n == 0 || n >= sizeof r->param[k]) return false;
    memcpy(r->param[k], args, n);
    r->param[k][n] = 0;
    args += n + strcspn(args + n, ",\n");
  }
  return true;
}

static bool find_routine(const struct em *em, const struct fs_step *s, struct routine *r) {
  *r = (struct routine){0};
  r->name = function_of(em, s, r);
  if (!r->name) return false;
  struct fs_str file = {0};
  fs_str_printf(&file, "elemlib/%s.elem", r->name);
  const char *text = fs_embedded_text(fs_str_text(&file));
  fs_str_free(&file);
  const char *args = text ? line_of(text, "args") : NULL;
  const char *body = text ? line_of(text, "compute block cuda impl 1 {") : NULL;
  const char *end = body ? strstr(body, "\n}") : NULL;
  if (!args || !end || !read_params(args, r)) return false;
  r->text = body + 1;
  r->len = (size_t)(end - r->text);
  return true;
}

static const char *own(struct em *em, int value) {
  int v = em->how->made[value].alias;
  return em_fmt(em, em->v[v].b ? "v%d[k]" : "v%d", v);
}

/* Whether the routine reads elements of other threads: FS_AT(name, ...). */
static bool reads_any(const struct routine *r, int k) {
  struct fs_str call = {0};
  fs_str_printf(&call, "FS_AT(%s,", r->param[k]);
  bool found = memmem(r->text, r->len, call.data, call.len) != NULL;
  fs_str_free(&call);
  return found;
}

static void share_operand(struct em *em, const struct fs_step *s, const struct routine *r, int k) {
  if (!reads_any(r, k)) return;
  int number = (int)(s - em->k->steps.data);
  const char *name = em_fmt(em, "share%d_%d", number, k);
  em_line(em, "__shared__ %s %s[32][33];", em_value_type(em_val(em, r->in[k])->dtype), name);
  em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
  em_unroll(em, FS_LP_UNROLL_ALL);
  em_line(em, "for (int k = 0; k < FS_OWN; k++) %s[FS_Y + k * FS_STEP][FS_X] "
              "= %s;", name, own(em, r->in[k]));
  em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
  em_line(em, "#define FS_AT_%s(y, x) %s[y][x]", r->param[k], name);
}

/* What the results' macros expand to. */
static void result_macro(struct em *em, const struct fs_step *s, const char *type) {
  const char *fma = !strcmp(type, "double") ? "fma" : "fmaf";
  if (s->kind == FS_SP_MAP) {
    em_line(em, "#define FS_SET(k, x) v%d[k] = %s", s->out, em_finished(em, s->out, "(x)"));
    return;
  }
  bool rows = s->over == FS_VARIES_J;
  const char *acc = em_fmt(em, rows ? "r%d[k]" : "r%d", s->out);
  em_line(em, "#define %s(k, x, y) if (FS_HERE(k)) %s = %s(x, y, %s)",
          rows ? "FS_DOT_ROW" : "FS_DOT_COL", acc, fma, acc);
}

/* The routine's text, indented as what is around it; directives are not. */
static void put_routine(struct em *em, const struct routine *r) {
  int least = INT_MAX;
  const char *end = r->text + r->len;
  for (int pass = 0; pass < 2; pass++) {
    size_t len;
    for (const char *p = r->text; p < end; p += len + 1) {
      len = strcspn(p, "\n");
      int n = (int)strspn(p, " ");
      bool directive = p[n] == '#';
      if (n >= (int)len) continue;
      if (pass == 0 && !directive) least = FS_MIN(least, n);
      if (pass == 0) continue;
      em_line_in(em, directive ? FS_LP_MARGIN : (n - least) / 2, "%.*s", (int)len - n, p + n);
    }
  }
}

static void block_routine(struct em *em, const struct fs_step *s, const struct routine *r) {
  const char *type = em_value_type(em_val(em, s->out)->dtype);
  em_block(em, r->name);
  em_line(em, "#define FS_TYPE %s", type);
  for (int k = 0; k < 2; k++) {
    em_line(em, "#define FS_IN_%s(k) %s", r->param[k], own(em, r->in[k]));
    share_operand(em, s, r, k);
  }
  result_macro(em, s, type);
  put_routine(em, r);
  for (int k = 0; k < 2; k++) {
    em_line(em, "#undef FS_IN_%s", r->param[k]);
    if (reads_any(r, k)) em_line(em, "#undef FS_AT_%s", r->param[k]);
  }
  em_line(em, "#undef FS_TYPE");
  em_line(em, "#undef %s", s->kind == FS_SP_MAP            ? "FS_SET"
                           : s->over == FS_VARIES_J ? "FS_DOT_ROW"
                                                    : "FS_DOT_COL");
  em_close(em);
}

/* -- a tile --------------------------------------------------------------------------- */

static void here_macro(struct em *em) {
  const char *column = em->how->full ? "" : em_fmt(em, "j < %s", em_int(em, em->how->n));
  const char *row =
      em->how->need_ok ? em_fmt(em, "first + ((k) * 8 + sub) < %s", em_int(em, em->how->m))
                  : "";
  const char *both = em_and(em, column, row);
  em_line(em, "#define FS_HERE(k) (%s)", *both ? both : "true");
}

static bool stores_here(const struct em *em, const bool *need) {
  for (int i = 0; i < em->k->steps.len; i++)
    if (need[i] && step_at(em, i)->kind == FS_SP_STORE && !em_transposed(em, step_at(em, i)))
      return true;
  return false;
}

void em_tile_compute(struct em *em, const bool *need) {
  bool open = false, macros = false;
  em_block(em, NULL);
  em_vector_coords(em);
  for (int i = 0; i <= em->k->steps.len; i++) {
    bool last = i == em->k->steps.len;
    const struct fs_step *s = last ? NULL : step_at(em, i);
    if (!last && (!need[i] || !em_makes_lanes(em, s))) continue;
    struct routine r;
    bool block = !last && find_routine(em, s, &r);
    if (open && (block || last)) {
      em_close_for(em, em->how->rows);
      open = false;
    }
    if (last) break;
    if (block && !macros) here_macro(em);
    macros |= block;
    if (block) {
      block_routine(em, s, &r);
      continue;
    }
    if (!open) {
      em_for(em, "b", em->how->rows);
      em_row_coords(em);
      open = true;
    }
    em_lane_step(em, s);
  }
  if (stores_here(em, need)) {
    em_for(em, "b", em->how->rows);
    em_row_coords(em);
    em_stores(em, need);
    em_close_for(em, em->how->rows);
  }
  if (macros) em_line(em, "#undef FS_HERE");
  em_close(em);
}

/* A tile's sums of its rows, one per tile column in the workspace. */
static void tile_rows_out(struct em *em) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = step_at(em, i);
    if (s->kind != FS_SP_REDUCE || em->how->made[s->out].reduced != FS_REDUCED_ROW_END) continue;
    em_for(em, "b", em->how->rows);
    em_row_coords(em);
    em_line(em, "const %s x = fs_warp<%s, 32>(r%d[b]);",
            em_acc_type(em, s->out), em_op_class(s->op),
            s->out);
    em_line(em, "if (%s) w%d[%s] = x;", em_guard(em, EM_IF_SPEAKS | EM_IF_ROW, -1), s->out,
            em_at(em, FS_LP_AT({"strip", em->how->pitch_i}, {"i", 1})));
    em_close_for(em, em->how->rows);
  }
}

void em_tile(struct em *em) {
  em_go(em, EM_BEFORE);
  em_uniforms(em);
  em_declare_fulls(em);
  em_go(em, EM_STRIP_BEGIN);
  em_sweep(em, -1);
  em_declare_columns(em);
  em_go(em, EM_ROW);
  em_row_steps(em, 0);
  em_sweep(em, 0);
  tile_rows_out(em);
  em_go(em, EM_STRIP_END);
  em_columns_out(em);
  em_go(em, EM_AFTER);
  em_finish(em);
}
