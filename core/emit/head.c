/* head.c - what a text says at its beginning: the comment, and constants. */
#include "core/emit/writer.h"
#include "core/plan/plan.h"

/* One comment line of text that may hold anything. */
static void comment(struct fs_str *out, const char *text, size_t len) {
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, text, len);
  fs_str_puts(out, "// ");
  for (size_t k = 0; k < safe.len; k++) { /* no line splicing, no trigraphs */
    bool bad = safe.data[k] == '\\' || safe.data[k] == '?';
    if (bad && (k + 1 == safe.len || safe.data[k + 1] == '?'))
      fs_str_puts(out, safe.data[k] == '?' ? "? " : "\\ ");
    else fs_str_put(out, safe.data + k, 1);
  }
  fs_str_puts(out, "\n");
  fs_str_free(&safe);
}

static void statements(const struct fs_writer *w, const struct fs_diags *diags,
                       struct fs_str *out) {
  if (!diags || !w->args->plan->graph) return;
  struct fs_str does = {0};
  fs_kernel_does(w->args->plan, w->how->kernel, diags, &does);
  const char *p = fs_str_text(&does);
  while (*p) {
    size_t n = strcspn(p, "\n");
    comment(out, p, n);
    p += n + (p[n] == '\n');
  }
  fs_str_free(&does);
}

/* "1 lane", "4 lanes" */
static void amount(struct fs_str *out, int64_t n, const char *what) {
  fs_str_printf(out, "%lld %s%s", (long long)n, what, n == 1 ? "" : "s");
}

/* "278 rows of 277" */
static void sizes(const struct fs_writer *w, struct fs_str *out) {
  if (w->how->any_size) {
    fs_str_puts(out, "any size");
    return;
  }
  if (!w_mode(w)->rows) {
    amount(out, w->how->n, "element");
    return;
  }
  amount(out, w->how->m, "row");
  fs_str_printf(out, " of %lld", (long long)w->how->n);
}

void w_head(const struct fs_writer *w, const struct fs_diags *diags, struct fs_str *out) {
  statements(w, diags, out);
  fs_str_printf(out, "//\n// scheme %s; ", w_mode(w)->name);
  sizes(w, out);
  fs_str_printf(out, "; %d threads", w->how->threads);
  if (w->how->row_threads != w->how->threads)
    fs_str_printf(out, ", %d on a row", w->how->row_threads);
  fs_str_puts(out, "; ");
  amount(out, w->how->lanes, "lane");
  fs_str_puts(out, " x ");
  amount(out, w->how->vectors, "vector");
  if (w->how->rows > 1) fs_str_printf(out, "; %d rows at once", w->how->rows * w->how->sides);
  if (w_mode(w)->tiled) {
    fs_str_puts(out, "; ");
    amount(out, w->how->tiles, "tile");
    fs_str_puts(out, " a block");
  }
  if (w->how->cluster > 1)
    fs_str_printf(out, w->how->march ? "; clusters of %d blocks" : "; %d blocks to a row",
                  w->how->cluster);
  if (w->how->kernel->everywhere) fs_str_puts(out, "; all of them in each block");
  if (w->how->pairs) fs_str_puts(out, ", in pairs");
  if (w->how->stages) fs_str_printf(out, "; ring of %d rows", w->how->stages * w->how->rows);
  fs_str_puts(out, "\n");
}

static int64_t tiles_of_square(const struct fs_writer *w) {
  int64_t side = fs_schedule_square(w->how);
  return side / ((int64_t)w->how->row_threads * w->how->lanes) *
         (side / ((int64_t)w->how->sides * w->how->rows));
}

/* A constant of a text, or the argument that has it. */
static void size_constant(const struct fs_writer *w, const char *name, int64_t x,
                          struct fs_str *out) {
  if (w->how->any_size) fs_str_printf(out, "#define %s %s\n", name, w_size(w, x));
  else fs_str_printf(out, "constexpr fs_index %s = %lld;\n", name, (long long)x);
}

static void flat_constants(const struct fs_writer *w, struct fs_str *out) {
  size_constant(w, "FS_TILES", w->how->tasks, out);
  if (w->how->copies_words) fs_str_puts(out, "#define FS_COEFFICIENT __constant__ double\n");
}

static void row_constants(const struct fs_writer *w, struct fs_str *out) {
  if (w->how->cluster > 1) fs_str_printf(out, "constexpr int FS_CLUSTER = %d;\n", w->how->cluster);
  fs_str_printf(out, "constexpr int FS_ROW_THREADS = %d, FS_ROWS = %d;\n", w->how->row_threads,
                w->how->sides * w->how->rows);
  size_constant(w, "FS_M", w->how->m, out);
}

static void strip_constants(const struct fs_writer *w, struct fs_str *out) {
  int64_t rows = (int64_t)w->how->sides * w->how->rows;
  size_constant(w, "FS_STRIPS", w->how->strips, out);
  size_constant(w, "FS_PARTS_MOST", fs_ceil_div(w->how->m, rows), out);
  if (w->how->kernel->mirrors)
    fs_str_printf(
        out,
        "constexpr fs_index FS_PIECES = %lld;\n"
        "constexpr int FS_OF_SQUARE = %d, FS_ABREAST = %d;\n",
        (long long)w->how->tasks, (int)tiles_of_square(w),
        (int)(fs_schedule_square(w->how) / ((int64_t)w->how->row_threads * w->how->lanes)));
  row_constants(w, out);
}

static void tile_constants(const struct fs_writer *w, struct fs_str *out) {
  fs_str_printf(out,
                "constexpr fs_index FS_M = %lld, FS_ITERATIONS = %d;\n"
                "constexpr fs_index FS_STRIPS = %lld, FS_PARTS = %lld;\n",
                (long long)w->how->m, w->how->tiles, (long long)w->how->strips,
                (long long)w->how->parts);
}

static void instance_constants(const struct fs_writer *w, struct fs_str *out) {
  fs_str_printf(out,
                "constexpr int FS_INSTANCES = %d, FS_LANES_EACH = %d;\n"
                "constexpr fs_index FS_M = %lld;\n",
                w->how->sides, w->how->kernel->applied[0].user->threads, (long long)w->how->m);
}

void w_constants(const struct fs_writer *w, struct fs_str *out) {
  static void (*const of_mode[FS_MODES])(const struct fs_writer *, struct fs_str *) = {
#define FS_MODE(id, name, traits, write, constants, ...) \
  [FS_MODE_##id] = constants,
#include "core/schedule/modes.def"
  };
  fs_str_printf(out, "constexpr int FS_THREADS = %d, FS_RESIDENT = %d;\n", w->how->threads,
                w->how->resident);
  of_mode[w->how->mode](w, out);
  fs_str_puts(out, "\n");
}
