/* emit.c - a kernel plan as one CUDA C text: head comment, prelude pieces, and
 * the scheme's skeleton with what the other files of this folder wrote.
 */
#include "core/emit/emit.h"

#include <pthread.h>

#include "core/base/embed.h"
#include "core/emit/writer.h"
#include "core/plan/plan.h"

static const char *const hook_names[EM_HOOKS] = {
    "arguments", "pointers",  "before", "strip begin",
    "row",       "strip end", "after",  "fetch",
    "send",      "gather",    "finish", "rows",
    "columns",   "panel",     "panel again", "move on"};
static const char *const mode_names[] = {"flat", "row", "row, in chunks",
                                         "row, in strips", "tile", "instance",
                                         "march"};

/* -- arguments ---------------------------------------------------------------- */

/* The input that a slot is, -1 if it is none. */
static int input_of(const struct em *em, int slot) {
  if (slot >= em->plan->slots.len) return -1; /* a plan without a block */
  const struct fs_slot *s = &em->plan->slots.data[slot];
  return s->kind == FS_SLOT_INPUT ? s->index : -1;
}

static bool same_array(const struct em *em, int a, int b) {
  int x = input_of(em, a), y = input_of(em, b);
  return a == b || (x >= 0 && y >= 0 && fs_graph_same_array(em->plan->graph, x, y));
}

/* Views of one array that begin at one place are one argument, so that the compiler
 * sees which of their loads are the same. */
int em_slot_argument(struct em *em, int slot, int64_t bytes) {
  struct fs_emitted *o = em->out;
  for (int k = 0; k < o->n_slots; k++)
    if (o->slot_bytes[k] == bytes && same_array(em, slot, o->slots[k])) return k;
  size_t n = (size_t)o->n_slots + 1;
  o->slots = fs_realloc(o->slots, sizeof(int) * n);
  o->slot_bytes = fs_realloc(o->slot_bytes, sizeof(int64_t) * n);
  o->slots[o->n_slots] = slot;
  o->slot_bytes[o->n_slots] = bytes;
  return o->n_slots++;
}

/* Where the first of the slices of one array begins that go through it in one way, as
 * those of a stencil do: what they are apart stays in the text, where the compiler
 * can use it. */
static int64_t first_offset(const struct em *em, const struct fs_access *a) {
  int64_t first = a->offset;
  for (int i = 0; i < em->k->steps.len; i++) {
    int x = em->k->steps.data[i].access;
    if (x < 0) continue;
    const struct fs_access *b = &em->k->accesses.data[x];
    if (b->dtype == a->dtype && same_array(em, a->slot, b->slot) &&
        !memcmp(a->stride, b->stride, sizeof a->stride) && !a->list && !b->list)
      first = FS_MIN(first, b->offset);
  }
  return first;
}

static bool is_written(const struct em *em, int access) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->kind == FS_SP_STORE && s->access == access) return true;
  }
  return false;
}

static void access_pointer(struct em *em, int x) {
  const struct fs_access *a = &em->k->accesses.data[x];
  const char *type = em_stored_type(a->dtype);
  const char *how = is_written(em, x) ? "" : "const ";
  int64_t first = first_offset(em, a);
  int argument = em_slot_argument(em, a->slot, first * (int64_t)fs_dtype_size(a->dtype));
  const char *off =
      a->offset > first ? em_fmt(em, " + %s", em_int(em, a->offset - first)) : "";
  em_line(em, "%s%s *const a%d = (%s%s *)s%d%s;", how, type, x, how, type, argument, off);
}

static void access_pointers(struct em *em) {
  bool *seen = fs_calloc((size_t)em->k->accesses.len + 1, sizeof(bool));
  for (int i = 0; i < em->k->steps.len; i++)
    for (int x = em->k->steps.data[i].access; x >= 0 && !seen[x];
         x = em->k->accesses.data[x].list - 1) {
      seen[x] = true;
      access_pointer(em, x);
    }
  free(seen);
}

/* Where partial results lie: counters, then what has a fixed size, then a row
 * of column results per block, then the blocks' scalars. */
static void work_pointers(struct em *em) {
  bool any = false;
  int64_t fixed = EM_COUNTER_BYTES + em->how->work_base;
  for (int v = 0; v < em->k->values.len; v++) {
    const struct fs_scheduled_value *x = &em->how->made[v];
    bool per_block = x->reduced == FS_REDUCED_COLUMN && em->how->mode != FS_MODE_TILE;
    if (em->how->mode == FS_MODE_MARCH) break;
    bool once = x->saved || x->reduced == FS_REDUCED_ROW_END || x->reduced == FS_REDUCED_COLUMN;
    if (!once && (x->reduced != FS_REDUCED_ALL || em->k->everywhere)) continue;
    const char *type = x->saved ? em_value_type(em_val(em, v)->dtype)
                                : em_acc_type(em, v);
    const char *at = em_int(em, EM_COUNTER_BYTES + x->work);
    if (per_block || x->reduced == FS_REDUCED_ALL) {
      int64_t each = per_block ? x->work : em->how->work_columns + 8 * x->work;
      at = each ? em_fmt(em, "%s + %s * gridDim.x", em_int(em, fixed),
                         em_fmt(em, "%lldLL", (long long)each))
                : em_int(em, fixed);
    }
    em_line(em, "%s *const w%d = (%s *)((char *)work + %s);", type, v, type, at);
    any = true;
  }
  if (em->how->mode == FS_MODE_MARCH)
    em_line(em, "unsigned long long *const posts = (unsigned long long *)((char "
            "*)work + %d);", EM_COUNTER_BYTES);
  if (!em->grid && (any || em->how->n_all || em->how->vector_end))
    em_line(em, "unsigned *const counters = (unsigned *)work;");
  if (em->how->scratch)
    em_line(em, "alignas(16) __shared__ double scratch[%lld];",
            (long long)((em->how->scratch + 7) / 8));
}

static void write_arguments(struct em *em, bool has_work) {
  struct fs_str list = {0};
  for (int k = 0; k < em->out->n_slots; k++)
    fs_str_printf(&list, "%svoid *s%d", k ? ", " : "", k);
  for (int k = 0; k < em->out->n_params; k++)
    fs_str_printf(&list, "%s%s p%d", list.len ? ", " : "", fs_param_text(em->out->param_type[k]),
                  k);
  if (em->how->any_size) em_size(em, em->how->mode == FS_MODE_FLAT ? em->how->tasks : em->how->m);
  if (em->how->any_size && em->how->mode == FS_MODE_STRIPS) { /* for em_constants() */
    em_size(em, em->how->strips);
    em_size(em, fs_ceil_div(em->how->m, (int64_t)em->how->sides * em->how->rows));
  }
  for (int k = 0; k < em->out->n_sizes; k++)
    fs_str_printf(&list, "%sfs_index size%d", list.len ? ", " : "", k);
  if (has_work) fs_str_printf(&list, "%svoid *work", list.len ? ", " : "");
  if (em->grid) em_grid_arguments(em, &list);
  for (int k = 0; k < em->out->n_maps; k++)
    fs_str_printf(&list, ", const __grid_constant__ fs_tensor_map m%d", k);
  em_line(em, "%s", fs_str_text(&list));
  fs_str_free(&list);
}

/* -- prelude -------------------------------------------------------------------- */

static const char *const prelude_files[] = {
    "elemlib/cuda/maps.cuh",    "elemlib/cuda/quick.cuh",
    "elemlib/cuda/quick_f64.cuh", "elemlib/cuda/quick_bf16.cuh",
    "elemlib/cuda/memory.cuh",  "elemlib/cuda/cache.cuh",
    "elemlib/cuda/pairs.cuh",   "elemlib/cuda/quick_pairs.cuh",
    "elemlib/cuda/philox.cuh",  "elemlib/cuda/spot.cuh",
    "elemlib/cuda/reduce.cuh",
    "elemlib/cuda/barrier.cuh", "elemlib/cuda/bulk.cuh",
    "elemlib/cuda/march.cuh",   "elemlib/cuda/cluster.cuh",
    "elemlib/cuda/tile.cuh"};

/* Pieces that the table of reductions makes: how two states are merged. */
static const char merges[] =
#define FS_REDUCE_OP(id, name, types, result, first, functor, merge, cost, doc)    \
  "\n//@ " #functor "\nstruct " #functor " {\n  template <typename T>\n"            \
  "  __device__ __forceinline__ static T of(T a, T b) { return " #merge "; }\n};\n"
#include "core/graph/reductions.def"
    ;

struct piece {
  const char *text, *end;
};
struct name { /* an identifier, and the piece that defines it */
  const char *at;
  size_t len;
  int piece;
};
/* What there is, found once for all kernels, without memory of its own, whose lack would
 * leave it half found. */
enum { MOST_PIECES = 512, MOST_NAMES = 1024 };
struct taken { /* pieces, as bits */
  uint64_t word[MOST_PIECES / 64];
};
static struct {
  struct piece pieces[MOST_PIECES]; /* in the order of the files */
  struct taken uses[MOST_PIECES];   /* itself, and what it uses, those use ... */
  struct name names[MOST_NAMES];    /* sorted */
  int n_pieces, n_names;
} library;
static pthread_once_t looked = PTHREAD_ONCE_INIT;

static bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

/* A piece begins behind a line "//@ NAME ...". */
static void find_pieces(const char *text) {
  const char *p = text ? strstr(text, "\n//@ ") : NULL;
  while (p && library.n_pieces < MOST_PIECES) {
    const char *name = p + 5, *end = name + strcspn(name, "\n");
    const char *next = strstr(end, "\n//@ ");
    library.pieces[library.n_pieces++] = (struct piece){
        .text = *end ? end + 1 : end, .end = next ? next + 1 : end + strlen(end)};
    while (name < end) {
      size_t n = FS_MIN(strcspn(name, " "), (size_t)(end - name));
      if (n && library.n_names < MOST_NAMES)
        library.names[library.n_names++] = (struct name){name, n, library.n_pieces - 1};
      name += n + 1;
    }
    p = next;
  }
}

static int by_name(const void *a, const void *b) {
  const struct name *x = a, *y = b;
  if (x->len != y->len) return x->len < y->len ? -1 : 1;
  return memcmp(x->at, y->at, x->len);
}

static bool has_piece(const struct taken *t, int piece) {
  return t->word[piece / 64] >> (piece % 64) & 1;
}

static void join_pieces(struct taken *to, const struct taken *from) {
  for (size_t w = 0; w < FS_LEN(to->word); w++) to->word[w] |= from->word[w];
}

/* Takes the pieces that define the word, of which there may be several, with what they
 * use as far as it is known. */
static void take(struct taken *l, const char *word, size_t n) {
  const struct name key = {.at = word, .len = n}, *all = library.names;
  const struct name *end = all + library.n_names;
  const struct name *hit = bsearch(&key, all, (size_t)library.n_names, sizeof *all, by_name);
  while (hit && hit > all && !by_name(hit - 1, &key)) hit--;
  for (; hit && hit < end && !by_name(hit, &key); hit++)
    join_pieces(l, &library.uses[hit->piece]);
}

/* All names of the library are fs_... or FS_..., and few other words are. */
static bool may_be_name(const char *word, size_t n) {
  return n > 3 && word[2] == '_' && (word[1] == 's' || word[1] == 'S');
}

static void take_words(struct taken *l, const char *text, const char *end) {
  for (size_t n; text < end; text += FS_MAX(n, 1)) {
    for (n = 0; text + n < end && is_word(text[n]);) n++;
    if (may_be_name(text, n)) take(l, text, n);
  }
}

static void find_library(void) {
  for (size_t f = 0; f < FS_LEN(prelude_files); f++) {
    if (strstr(prelude_files[f], "/reduce.cuh")) find_pieces(merges);
    find_pieces(fs_embedded_text(prelude_files[f]));
  }
  int n = library.n_pieces;
  qsort(library.names, (size_t)library.n_names, sizeof *library.names, by_name);
  for (int k = 0; k < n; k++) library.uses[k].word[k / 64] |= (uint64_t)1 << (k % 64);
  for (int k = 0; k < n; k++)
    take_words(&library.uses[k], library.pieces[k].text, library.pieces[k].end);
  for (int x = 0; x < n; x++) /* what x uses, all who use x do (Warshall) */
    for (int k = 0; k < n; k++)
      if (has_piece(&library.uses[k], x)) join_pieces(&library.uses[k], &library.uses[x]);
}

/* A piece and an empty line, which the last one of a file has not. */
static void put_piece(struct fs_str *out, const struct piece *p) {
  fs_str_put(out, p->text, (size_t)(p->end - p->text));
  if (out->len > 1 && out->data[out->len - 2] != '\n') fs_str_puts(out, "\n");
}

/* The pieces that `body` uses, and those that they use. */
void em_prelude(const struct fs_str *body, struct fs_str *out) {
  struct taken l = {0};
  pthread_once(&looked, find_library);
  take_words(&l, fs_str_text(body), fs_str_text(body) + body->len);
  for (int k = 0; k < library.n_pieces; k++)
    if (has_piece(&l, k)) put_piece(out, &library.pieces[k]);
}

/* -- head and constants ------------------------------------------------------------ */

/* One comment line of text that may hold anything. */
static void comment(struct fs_str *out, const char *text, size_t len) {
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, text, len);
  fs_str_puts(out, "// ");
  for (size_t k = 0; k < safe.len; k++) { /* no line splicing, no trigraphs */
    bool bad = safe.data[k] == '\\' || safe.data[k] == '?';
    if (bad && (k + 1 == safe.len || safe.data[k + 1] == '?'))
      fs_str_puts(out, safe.data[k] == '?' ? "? " : "\\ ");
    else
      fs_str_put(out, safe.data + k, 1);
  }
  fs_str_puts(out, "\n");
  fs_str_free(&safe);
}

static void statements(const struct em *em, const struct fs_diags *diags, struct fs_str *out) {
  if (!diags || !em->plan->graph) return;
  struct fs_str does = {0};
  fs_kernel_does(em->plan, em->k, diags, &does);
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
static void sizes(const struct em *em, struct fs_str *out) {
  if (em->how->any_size) {
    fs_str_puts(out, "any size");
    return;
  }
  amount(out, em->how->mode == FS_MODE_FLAT ? em->how->n : em->how->m,
         em->how->mode == FS_MODE_FLAT ? "element" : "row");
  if (em->how->mode != FS_MODE_FLAT) fs_str_printf(out, " of %lld", (long long)em->how->n);
}

void em_head(const struct em *em, const struct fs_diags *diags, struct fs_str *out) {
  statements(em, diags, out);
  fs_str_printf(out, "//\n// scheme %s; ", em->how->turns ? "tile, turned in registers"
                                                    : mode_names[em->how->mode]);
  sizes(em, out);
  fs_str_printf(out, "; %d threads", em->how->threads);
  if (em->how->row_threads != em->how->threads)
    fs_str_printf(out, ", %d on a row", em->how->row_threads);
  fs_str_puts(out, "; ");
  amount(out, em->how->lanes, "lane");
  fs_str_puts(out, " x ");
  amount(out, em->how->vectors, "vector");
  if (em->how->rows > 1) fs_str_printf(out, "; %d rows at once", em->how->rows * em->how->sides);
  if (em->how->mode == FS_MODE_TILE) {
    fs_str_puts(out, "; ");
    amount(out, em->how->tiles, "tile");
    fs_str_puts(out, " a block");
  }
  if (em->how->cluster > 1)
    fs_str_printf(out, em->how->mode == FS_MODE_MARCH ? "; clusters of %d blocks"
                                              : "; %d blocks to a row", em->how->cluster);
  if (em->k->everywhere) fs_str_puts(out, "; all of them in each block");
  if (em->how->pairs) fs_str_puts(out, ", in pairs");
  if (em->how->stages) fs_str_printf(out, "; ring of %d rows", em->how->stages * em->how->rows);
  fs_str_puts(out, "\n");
}

static int64_t tiles_of_square(const struct em *em) {
  int64_t side = fs_schedule_square(em->how);
  return side / ((int64_t)em->how->row_threads * em->how->lanes) *
         (side / ((int64_t)em->how->sides * em->how->rows));
}

/* A constant of a text, or the argument that has it. */
static void size_constant(struct em *em, const char *name, int64_t x, struct fs_str *out) {
  if (em->how->any_size) fs_str_printf(out, "#define %s %s\n", name, em_size(em, x));
  else fs_str_printf(out, "constexpr fs_index %s = %lld;\n", name, (long long)x);
}

void em_constants(struct em *em, struct fs_str *out) {
  fs_str_printf(out, "constexpr int FS_THREADS = %d, FS_RESIDENT = %d;\n",
                em->how->threads, em->how->resident);
  int64_t rows = (int64_t)em->how->sides * em->how->rows;
  switch (em->how->mode) {
    case FS_MODE_MARCH: em_march_constants(em, out); break;
    case FS_MODE_FLAT:
      size_constant(em, "FS_TILES", em->how->tasks, out);
      if (em->how->copies_words)
        fs_str_puts(out, "#define FS_COEFFICIENT __constant__ double\n");
      break;
    case FS_MODE_TILE:
      fs_str_printf(out,
                    "constexpr fs_index FS_M = %lld, FS_ITERATIONS = %d;\n"
                    "constexpr fs_index FS_STRIPS = %lld, FS_PARTS = %lld;\n",
                    (long long)em->how->m, em->how->tiles, (long long)em->how->strips,
                    (long long)em->how->parts);
      break;
    case FS_MODE_INSTANCE:
      fs_str_printf(out,
                    "constexpr int FS_INSTANCES = %d, FS_LANES_EACH = %d;\n"
                    "constexpr fs_index FS_M = %lld;\n",
                    em->how->sides, em->k->applied[0].user->threads, (long long)em->how->m);
      break;
    case FS_MODE_STRIPS:
      size_constant(em, "FS_STRIPS", em->how->strips, out);
      size_constant(em, "FS_PARTS_MOST", fs_ceil_div(em->how->m, rows), out);
      if (em->how->mirrors)
        fs_str_printf(
            out,
            "constexpr fs_index FS_PIECES = %lld;\n"
            "constexpr int FS_OF_SQUARE = %d, FS_ABREAST = %d;\n",
            (long long)em->how->tasks, (int)tiles_of_square(em),
            (int)(fs_schedule_square(em->how) / ((int64_t)em->how->row_threads * em->how->lanes)));
      /* fall through */
    default:
      if (em->how->cluster > 1)
        fs_str_printf(out, "constexpr int FS_CLUSTER = %d;\n", em->how->cluster);
      fs_str_printf(out, "constexpr int FS_ROW_THREADS = %d, FS_ROWS = %d;\n", em->how->row_threads,
                    (int)rows);
      size_constant(em, "FS_M", em->how->m, out);
  }
  fs_str_puts(out, "\n");
}

/* -- skeleton ------------------------------------------------------------------------ */

static const char *skeleton(const struct em *em) {
  switch (em->how->mode) {
    case FS_MODE_FLAT:
      if (em->k->everywhere) return "elemlib/scheme/everywhere.cuh";
      return em->grid && em->k->copies && em_grid_waits(em) ? "elemlib/scheme/last.cuh"
                                                            : "elemlib/scheme/flat.cuh";
    case FS_MODE_TILE: return "elemlib/scheme/tile.cuh";
    case FS_MODE_INSTANCE: return "elemlib/scheme/instance.cuh";
    case FS_MODE_MARCH:
      return em->quick ? "elemlib/scheme/march_quick.cuh"
                       : "elemlib/scheme/march.cuh";
    case FS_MODE_STRIPS:
      return em->how->mirrors ? "elemlib/scheme/mirror.cuh" : "elemlib/scheme/strips.cuh";
    default:
      return em->how->cluster > 1 ? "elemlib/scheme/cluster.cuh"
                        : "elemlib/scheme/row.cuh";
  }
}

/* The hook that a line of a skeleton names; EM_HOOKS: none. */
static enum em_hook hook_of_line(const char *p, size_t len) {
  if (len < 4 || memcmp(p, "//: ", 4)) return EM_HOOKS;
  for (int h = 0; h < EM_HOOKS; h++)
    if (strlen(hook_names[h]) == len - 4 && !memcmp(hook_names[h], p + 4, len - 4))
      return (enum em_hook)h;
  return EM_HOOKS;
}

/* How far in the statements of a hook stand. */
static int hook_indent(const struct em *em, enum em_hook hook) {
  if (em->quick) {
    bool looks = hook == EM_FIRST || hook == EM_SECOND || hook == EM_SEND ||
                 hook == EM_GATHER || hook == EM_FINISH;
    if (hook != EM_ARGUMENTS && hook != EM_AFTER)
      return looks ? 3 : hook == EM_COLUMN_VALUES ? 2 : 1;
  }
  bool nested = em->how->mode == FS_MODE_STRIPS || em->how->mode == FS_MODE_TILE;
  switch (hook) {
    case EM_ARGUMENTS: return 2;
    case EM_STRIP_BEGIN: case EM_STRIP_END: return 2;
    case EM_ROWS: return 2;
    case EM_FINISH: case EM_MOVE_ON: return 3;
    case EM_FETCH: case EM_SEND: case EM_GATHER: case EM_COLUMN_VALUES: return 4;
    case EM_FIRST: case EM_SECOND: return 5;
    case EM_AFTER: return em->how->mode == FS_MODE_MARCH ? 2 : 1;
    case EM_ROW: return nested ? 3 : 2;
    default: return 1;
  }
}

/* Copies the skeleton, without its opening comment, hooks filled. */
static void fill(const struct em *em, const char *text, struct fs_str *out) {
  bool opening = true;
  for (const char *p = text; *p;) {
    size_t n = strcspn(p, "\n"), blank = strspn(p, " ");
    if (blank > n) blank = n;
    if (opening && n >= 2 && !memcmp(p, "//", 2)) {
      p += n + (p[n] == '\n');
      continue;
    }
    opening = false;
    enum em_hook hook = hook_of_line(p + blank, n - blank);
    if (hook != EM_HOOKS) {
      if (em->hook[hook]) fs_lp_print_cuda(em->hook[hook], hook_indent(em, hook), out);
    } else if (em->grid && n > 6 && !memcmp(p, "extern", 6)) {
      fs_str_puts(out, "static __device__ __forceinline__ void\n");
    } else {
      fs_str_put(out, p, n);
      fs_str_puts(out, "\n");
    }
    p += n + (p[n] == '\n');
  }
}

void em_go(struct em *em, enum em_hook hook) {
  if (!em->hook[hook]) em->hook[hook] = fs_lp_new(em->w.arena);
  em->w.at = em->hook[hook];
}

/* -- the launcher's part ----------------------------------------------------------------- */

void em_describe_launch(struct em *em, bool has_work) {
  struct fs_emitted *o = em->out;
  o->threads = em->how->threads;
  o->grid_y = 1;
  o->cooperative = em->how->vector_end;
  o->per_unit = em->how->work_columns ? em->how->resident : 0;
  o->bounds = em->how->resident;
  o->one_wave_each = em->how->each_once;
  o->pieces = em->how->pieces;
  o->waves = em->how->waves;
  o->max_blocks = em->how->tasks * em->how->cluster;
  o->cluster = em->how->cluster;
  o->max_blocks =
      FS_MAX(1, FS_MIN(o->max_blocks, 0x7fffffff / em->how->cluster * em->how->cluster));
  if (em->how->mode != FS_MODE_MARCH) o->shared_bytes = em->how->stages * em->how->stage_bytes;
  if (!has_work) return;
  o->work_zeroed = EM_COUNTER_BYTES;
  o->work_base = EM_COUNTER_BYTES + em->how->work_base;
  o->work_per_block = em->how->work_columns + em->how->work_all;
}

/* -- a whole text ------------------------------------------------------------------------ */

/* Whether the block is given what an access reads. */
static bool *find_given(const struct em *em) {
  bool *given = FS_NEW_N(em->w.arena, bool, em->k->accesses.len + 1);
  for (int x = 0; x < em->k->accesses.len; x++)
    given[x] = input_of(em, em->k->accesses.data[x].slot) >= 0;
  return given;
}

void em_begin(struct em *em, const struct fs_device *device, const struct fs_schedule_how *how) {
  struct fs_schedule_how all = *how;
  em->w.arena = fs_arena_new();
  em->v = FS_NEW_N(em->w.arena, struct em_value, em->k->values.len + 1);
  all.given = find_given(em);
  em->how = fs_schedule_of(em->k, em->plan->graph, device, &all, em->w.arena);
  em->k = em->how->kernel;
  em->axes = fs_lp_axes_of(&em->k->space);
  em->out->waits = !em->grid && device && device->chains;
}

/* Says which rule the statements of a hook break, with all of them. */
static void check(struct em *em) {
  const struct fs_lp *where = NULL;
  const char *rule = NULL;
  struct fs_str s = {0};
  for (int h = 0; h < EM_HOOKS && !em->out->broken; h++) {
    if (em->hook[h]) rule = fs_lp_check(em->hook[h], &where);
    if (!rule) continue;
    fs_str_printf(&s, "%s: %s\n", rule, where->text ? where->text : "");
    fs_lp_dump(em->hook[h], 1, &s);
    em->out->broken = s.data;
  }
}

void em_body(struct em *em, struct fs_str *out) {
  if (em->how->mode == FS_MODE_INSTANCE) em_instance(em);
  else if (em->how->mode == FS_MODE_MARCH) em_march(em);
  else if (em->how->mode == FS_MODE_FLAT) em_flat(em);
  else if (em->how->mode == FS_MODE_TILE) em_tile(em);
  else em_row(em);
  bool has_work = em_uses_work(em);
  em_go(em, EM_POINTERS);
  em_tables(em);
  if (em->out->waits) em_line(em, "fs_after_kernels();");
  access_pointers(em);
  work_pointers(em);
  em_go(em, EM_ARGUMENTS);
  write_arguments(em, has_work);
  const char *frame = fs_embedded_text(skeleton(em));
  fill(em, frame ? frame : "#error no skeleton\n", out);
  em_describe_launch(em, has_work);
  if (fs_checking()) check(em);
}

void em_end(struct em *em) {
  fs_arena_free(em->w.arena);
}

/* Between em_begin() and em_end(). Given. */
static char *whole_text(struct em *em, const struct fs_diags *diags) {
  struct fs_str body = {0}, text = {0};
  em_body(em, &body);
  em_head(em, diags, &text);
  fs_str_printf(&text, "typedef %s fs_index;\n", em->how->wide ? "long long" : "int");
  em_constants(em, &text);
  em_prelude(&body, &text);
  em_user_functions(em, &text);
  fs_str_put(&text, fs_str_text(&body), body.len);
  fs_str_free(&body);
  return text.data;
}

/* Whether sizes stand in a kernel's text only where arguments may. */
static bool takes_sizes(const struct em *em) {
  bool strips = em->how->mode == FS_MODE_STRIPS && !em->how->turns && !em->how->mirrors;
  bool rows = strips || em->how->mode == FS_MODE_KEEP || em->how->mode == FS_MODE_CHUNK;
  rows &= em->how->cluster == 1 && !em->how->stages;
  bool own = em->k->n_applied > 0;
  for (int s = 0; s < em->k->steps.len; s++) own |= em->k->steps.data[s].user != NULL;
  return (em->how->mode == FS_MODE_FLAT || rows) && !own;
}

void fs_emit_cuda(const struct fs_plan *plan, const struct fs_kernel *kernel,
                  const struct fs_device *device, const struct fs_diags *diags,
                  struct fs_emitted *out) {
  *out = (struct fs_emitted){0};
  const struct fs_schedule_how any = {.any_size = kernel->any_size}, these = {0};
  const struct em first = {.plan = plan, .k = kernel, .out = out};
  struct em em = first;
  em_begin(&em, device, &any);
  if (kernel->any_size && !takes_sizes(&em)) {
    em_end(&em);
    em = first;
    em_begin(&em, device, &these);
  }
  out->source = whole_text(&em, diags);
  em_end(&em);
}

char *fs_emit_quick(const struct fs_plan *plan, const struct fs_kernel *kernel,
                    const struct fs_device *device,
                    const struct fs_diags *diags) {
  struct fs_emitted same = {0}; /* arguments are found in the same order */
  struct em em = {.plan = plan, .k = kernel, .out = &same, .quick = true};
  char *text = NULL;
  if (kernel->scheme != FS_MARCH) return NULL;
  em_begin(&em, device, &(const struct fs_schedule_how){0});
  if (em.how->mode == FS_MODE_MARCH) text = whole_text(&em, diags);
  em_end(&em);
  fs_emitted_free(&same);
  return text;
}

void fs_emitted_free(struct fs_emitted *e) {
  free(e->source);
  free(e->broken);
  free(e->slots);
  free(e->slot_bytes);
  free(e->params);
  free(e->param_type);
  free(e->maps);
  free(e->sizes);
  *e = (struct fs_emitted){0};
}
