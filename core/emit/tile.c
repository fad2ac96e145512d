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

/* -- operands across ------------------------------------------------------------- */

/* The steps of a kind that pass through shared memory. */
static fs_steps find_staged(const struct fs_writer *w, fs_steps need, enum fs_step_kind kind) {
  return W_THOSE(w, need, s, s->kind == kind && w_transposed(w, s));
}

/* The element that this thread moves, so that neighbours in a warp are
 * neighbours along i. */
static void open_across(const struct fs_writer *w) {
  w_for(w, "b", w->how->rows);
  w_let(w, "const fs_index i = first + t, j = strip * 32 + (b * 8 + sub);");
}

static const char *in_tile(const struct fs_writer *w) {
  return w_fmt(w, "i < %s && j < %s", w_int(w, w->how->m), w_int(w, w->how->n));
}

void w_tile_stage_loads(const struct fs_writer *w, fs_steps need) {
  fs_steps staged = find_staged(w, need, FS_SP_LOAD);
  if (!*staged) return;
  FS_EACH_OF(staged, s)
    w_line(w, "__shared__ %s tile%d[32][33];", w_value_type(w_val(w, s->out)->dtype), s->out);
  w_barrier(w);
  open_across(w);
  FS_EACH_OF(staged, s)
    w_say(w, FS_LP_LOAD, s, "if (%s) tile%d[b * 8 + sub][t] = fs_get`%s(a%d[%s]);", in_tile(w),
          s->out, w_stored_tag(w, s), s->access, w_address(w, w_access(w, s)));
  w_close(w);
  w_barrier(w);
  w_for(w, "b", w->how->rows);
  if (!w->how->full || w->how->need_ok) w_row_coords(w);
  if (!w->how->full) w_let(w, "const bool in = strip * 32 + t < %s;", w_int(w, w->how->n));
  FS_EACH_OF(staged, s)
    w_add(w, FS_LP_LOAD, s,
          w_guarded(w, FS_LP_IF_ROW | FS_LP_IF_VECTOR,
                    w_fmt(w, "v%d[b] = tile%d[t][b * 8 + sub];", s->out, s->out)));
  w_close(w);
}

void w_tile_stage_stores(const struct fs_writer *w, fs_steps need) {
  fs_steps staged = find_staged(w, need, FS_SP_STORE);
  if (!*staged) return;
  FS_EACH_OF(staged, s)
    w_line(w, "__shared__ %s out%d[32][33];", w_value_type(w_val(w, s->in[0])->dtype),
           w_number(w, s));
  if (!*find_staged(w, need, FS_SP_LOAD)) w_barrier(w);
  w_for(w, "b", w->how->rows);
  FS_EACH_OF(staged, s)
    w_line(w, "out%d[b * 8 + sub][t] = %s;", w_number(w, s), w_ref(w, s->in[0]));
  w_close(w);
  w_barrier(w);
  open_across(w);
  FS_EACH_OF(staged, s)
    w_say(w, FS_LP_STORE, s, "if (%s) fs_put`%s(a%d[%s], out%d[t][b * 8 + sub]);", in_tile(w),
          w_stored_tag(w, s), s->access, w_address(w, w_access(w, s)), w_number(w, s));
  w_close(w);
}

/* -- block routines of the library -------------------------------------------------- */

/* A routine's text and the names of its two parameters. */
struct routine {
  const char *name, *text;
  size_t len;
  char param[2][32];
  int in[2]; /* the step's operands in the order of the parameters */
};

static int varies(const struct fs_writer *w, int v) { return v < 0 ? -1 : w_val(w, v)->varies; }

/* Which elementary function a step is, if one has a block routine. */
static const char *function_of(const struct fs_writer *w, const struct fs_step *s,
                               struct routine *r) {
  r->in[0] = s->in[0];
  r->in[1] = s->in[1];
  if (s->out < 0 || !fs_dtype_is_float(w_val(w, s->out)->dtype)) return NULL;
  int x = varies(w, s->in[0]), y = varies(w, s->in[1]);
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

static bool find_routine(const struct fs_writer *w, const struct fs_step *s, struct routine *r) {
  *r = (struct routine){0};
  r->name = function_of(w, s, r);
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

static const char *own(const struct fs_writer *w, int value) {
  int v = w->how->made[value].alias;
  return w_fmt(w, w_over(w, v) & FS_LP_ROWS ? "v%d[k]" : "v%d", v);
}

/* Whether the routine reads elements of other threads: FS_AT(name, ...). */
static bool reads_any(const struct routine *r, int k) {
  struct fs_str call = {0};
  fs_str_printf(&call, "FS_AT(%s,", r->param[k]);
  bool found = memmem(r->text, r->len, call.data, call.len) != NULL;
  fs_str_free(&call);
  return found;
}

static void share_operand(const struct fs_writer *w, const struct fs_step *s,
                          const struct routine *r, int k) {
  if (!reads_any(r, k)) return;
  int number = w_number(w, s);
  const char *name = w_fmt(w, "share%d_%d", number, k);
  w_line(w, "__shared__ %s %s[32][33];", w_value_type(w_val(w, r->in[k])->dtype), name);
  w_barrier(w);
  w_unroll(w, FS_LP_UNROLL_ALL);
  w_line(w, "for (int k = 0; k < FS_OWN; k++) %s[FS_Y + k * FS_STEP][FS_X] = %s;", name,
         own(w, r->in[k]));
  w_barrier(w);
  w_line(w, "#define FS_AT_%s(y, x) %s[y][x]", r->param[k], name);
}

/* What the results' macros expand to. */
static void result_macro(const struct fs_writer *w, const struct fs_step *s, const char *type) {
  const char *fma = !strcmp(type, "double") ? "fma" : "fmaf";
  if (s->kind == FS_SP_MAP) {
    w_line(w, "#define FS_SET(k, x) v%d[k] = %s", s->out, w_finished(w, s->out, "(x)"));
    return;
  }
  bool rows = s->over == FS_VARIES_J;
  const char *acc = w_fmt(w, rows ? "r%d[k]" : "r%d", s->out);
  w_line(w, "#define %s(k, x, y) if (FS_HERE(k)) %s = %s(x, y, %s)",
         rows ? "FS_DOT_ROW" : "FS_DOT_COL", acc, fma, acc);
}

/* The routine's text, indented as what is around it; directives are not. */
static void put_routine(const struct fs_writer *w, const struct routine *r) {
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
      w_line_in(w, directive ? FS_LP_MARGIN : (n - least) / 2, "%.*s", (int)len - n, p + n);
    }
  }
}

static void block_routine(const struct fs_writer *w, const struct fs_step *s,
                          const struct routine *r) {
  const char *type = w_value_type(w_val(w, s->out)->dtype);
  w_block(w, r->name);
  w_line(w, "#define FS_TYPE %s", type);
  for (int k = 0; k < 2; k++) {
    w_line(w, "#define FS_IN_%s(k) %s", r->param[k], own(w, r->in[k]));
    share_operand(w, s, r, k);
  }
  result_macro(w, s, type);
  put_routine(w, r);
  for (int k = 0; k < 2; k++) {
    w_line(w, "#undef FS_IN_%s", r->param[k]);
    if (reads_any(r, k)) w_line(w, "#undef FS_AT_%s", r->param[k]);
  }
  w_line(w, "#undef FS_TYPE");
  w_line(w, "#undef %s",
         s->kind == FS_SP_MAP     ? "FS_SET"
         : s->over == FS_VARIES_J ? "FS_DOT_ROW"
                                  : "FS_DOT_COL");
  w_close(w);
}

/* -- a tile --------------------------------------------------------------------------- */

static void here_macro(const struct fs_writer *w) {
  const char *column = w->how->full ? "" : w_fmt(w, "j < %s", w_int(w, w->how->n));
  const char *row =
      w->how->need_ok ? w_fmt(w, "first + ((k) * 8 + sub) < %s", w_int(w, w->how->m)) : "";
  const char *both = w_and(w, column, row);
  w_line(w, "#define FS_HERE(k) (%s)", *both ? both : "true");
}

/* The loop over the rows that a thread has of a tile. */
static void open_tile_rows(const struct fs_writer *w) {
  w_for(w, "b", w->how->rows);
  w_row_coords(w);
}

void w_tile_compute(const struct fs_writer *w, fs_steps need) {
  bool open = false, macros = false;
  struct routine r;
  w_block(w, NULL);
  w_vector_coords(w);
  FS_EACH_OF(need, s) {
    if (!w_makes_lanes(w, s)) continue;
    bool block = find_routine(w, s, &r);
    if (open && block) w_close(w);
    if (!open && !block) open_tile_rows(w);
    open = !block;
    if (block && !macros) here_macro(w);
    macros |= block;
    if (block) {
      block_routine(w, s, &r);
      continue;
    }
    w_lane_step(w, w->lp, s);
    w_spell_pass(w);
  }
  if (open) w_close(w);
  if (FS_ANY_OF(need, s, s->kind == FS_SP_STORE && !w_transposed(w, s))) {
    open_tile_rows(w);
    w_stores(w, need);
    w_close(w);
  }
  if (macros) w_line(w, "#undef FS_HERE");
  w_close(w);
}
