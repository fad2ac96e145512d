/* pieces.c - the pieces of elemlib/opencl that a text uses, with the types that it uses them
 * for: C has no templates.
 *
 *   //@ fs_load T N          a piece, and what its name is followed by: fs_load_f32_4
 *   FS_INLINE void fs_load_$T_$N(T *v, __global const TS *from) { ... N ... }
 */
#include <stdio.h>

#include "core/base/embed.h"
#include "core/emit/writer.h"

static const char *const files[] = {"elemlib/opencl/maps.cl", "elemlib/opencl/memory.cl",
                                    "elemlib/opencl/philox.cl", "elemlib/opencl/state.cl",
                                    "elemlib/opencl/reduce.cl"};

static const char NUMBERS[] =
#define FS_DTYPE(id, name, ...) name ","
#include "core/graph/dtypes.def"
    "";

/* What the table of reductions has, of which pieces are made. */
static const struct {
  const char *functor, *merge, *fields, *join, *finish;
} merges[] = {
#define FS_REDUCE_OP(id, name, types, result, first, functor, merge, ...) \
  {#functor, #merge, 0, 0, 0},
#define FS_SPOT_OP(...)
#define FS_STATE_OP(id, name, types, result, first, functor, words, fields, join, merge, end, ...) \
  {#functor, #merge, #fields, #join, #end},
#include "core/graph/reductions.def"
};

/* How two states are merged, and for those of several fields how an element joins and what is
 * made of the last one: of a variance a double. */
static void put_merges(struct fs_str *out) {
  for (size_t k = 0; k < FS_LEN(merges); k++) {
    const char *f = merges[k].functor, *s = f + strlen("fs_"), *fields = merges[k].fields;
    if (!fields) {
      fs_str_printf(out, "\n//@ %s_of T:%s\n", f, NUMBERS);
      fs_str_printf(out, "FS_INLINE T %s_of_$T(T a, T b) { return %s; }\n", f, merges[k].merge);
      continue;
    }
    fs_str_printf(out, "\n//@ %s_state T\ntypedef struct {\n  %s;\n} %s_state_$T;\n", f, fields, f);
    fs_str_printf(out, "\n//@ %s_of_%s_state T\nFS_INLINE ", f, s);
    fs_str_printf(out, "%s_state_$T %s_of_%s_state_$T(%s_state_$T s, %s_state_$T t) {\n  %s;\n"
                       "  return s;\n}\n", f, f, s, f, f, merges[k].merge);
    fs_str_printf(out, "\n//@ %s_with_%s_state T\nFS_INLINE ", f, s);
    fs_str_printf(out, "%s_state_$T %s_with_%s_state_$T(%s_state_$T s, T x) {\n  %s;\n"
                       "  return s;\n}\n", f, f, s, f, merges[k].join);
    fs_str_printf(out, "\n//@ %s_result_%s_state T\nFS_INLINE ", f, s);
    fs_str_printf(out, "%s %s_result_%s_state_$T(%s_state_$T s) {\n  return %s;\n}\n",
                  strstr(fields, "double") ? "double" : "T", f, s, f, merges[k].finish);
  }
}

/* What stands for an argument: T and L types, N and M numbers, OP a reduction. */
enum { MOST_PARAMS = 4, MOST_PIECES = 128 };
struct param {
  char kind;               /* 'T', 'L', 'N', 'M', 'O' */
  const char *only;        /* types that it may be, or NULL */
  size_t len;
};
struct piece {
  const char *name, *text, *end;
  size_t len;
  int n;
  struct param param[MOST_PARAMS];
};
struct use { /* of a piece with arguments */
  const struct piece *piece;
  struct {
    const char *text;
    size_t len;
  } arg[MOST_PARAMS];
};
struct shelf {
  struct piece piece[MOST_PIECES];
  int n;
  struct fs_str *out;
  FS_VEC(char *) taken;    /* names whose pieces are in the text */
};

/* -- the shelf ------------------------------------------------------------------- */

/* The words behind a piece's name: "OP N T:f32,f64". */
static void read_params(struct piece *x, const char *p, const char *end) {
  while (p < end && x->n < MOST_PARAMS) {
    p += *p == ' ';
    size_t n = FS_MIN(strcspn(p, " \n"), (size_t)(end - p)), kind = strcspn(p, ": \n");
    if (!n) return;
    struct param *a = &x->param[x->n++];
    *a = (struct param){.kind = *p};
    if (kind < n) a->only = p + kind + 1, a->len = n - kind - 1;
    p += n;
  }
}

static void find_pieces(struct shelf *l, const char *text) {
  for (const char *p = text ? strstr(text, "\n//@ ") : NULL; p && l->n < MOST_PIECES;) {
    struct piece *x = &l->piece[l->n++];
    const char *line = p + 5, *end = line + strcspn(line, "\n");
    p = strstr(end, "\n//@ ");
    *x = (struct piece){.name = line, .text = *end ? end + 1 : end,
                        .end = p ? p + 1 : end + strlen(end), .len = strcspn(line, " \n")};
    read_params(x, line + x->len, end);
  }
}

/* -- names with arguments ---------------------------------------------------------- */

/* How much of a word is one of a list "f32,f64" and ends it or stands before "_". */
static size_t one_of(const char *p, size_t len, const char *list, size_t size) {
  for (const char *x = list; x < list + size;) {
    size_t n = FS_MIN(strcspn(x, ","), (size_t)(list + size - x));
    if (n <= len && !memcmp(p, x, n) && (n == len || p[n] == '_')) return n;
    x += n + 1;
  }
  return 0;
}

/* ... a type: a number's, or that of a state of one. */
static size_t type_at(const char *p, size_t len) {
  static const char *const states[] = {"", "spot_", "spread_state_", "log_sum_state_"};
  for (size_t k = 0; k < FS_LEN(states); k++) {
    size_t n = strlen(states[k]);
    if (n > len || memcmp(p, states[k], n)) continue;
    size_t number = one_of(p + n, len - n, NUMBERS, sizeof NUMBERS - 1);
    if (number) return n + number;
  }
  return 0;
}

static size_t op_at(const char *p, size_t len) {
  size_t best = 0;
  for (int op = 0; op < FS_REDUCE_OP_COUNT; op++) {
    const char *name = fs_reduce_ops[op].functor + strlen("fs_");
    best = FS_MAX(best, one_of(p, len, name, strlen(name)));
  }
  return best;
}

static size_t number_at(const char *p, size_t len) {
  size_t n = 0;
  while (n < len && p[n] >= '0' && p[n] <= '9') n++;
  return n;
}

static size_t argument_at(const struct param *a, const char *p, size_t len) {
  if (a->only) return one_of(p, len, a->only, a->len);
  if (a->kind == 'T' || a->kind == 'L') return type_at(p, len);
  return a->kind == 'O' ? op_at(p, len) : number_at(p, len);
}

/* Whether a word is the piece's name with arguments. */
static bool matches(const struct piece *x, const char *word, size_t len, struct use *u) {
  if (len < x->len || memcmp(word, x->name, x->len)) return false;
  u->piece = x;
  size_t at = x->len;
  for (int k = 0; k < x->n; k++) {
    if (at >= len || word[at] != '_') return false;
    at++;
    size_t n = argument_at(&x->param[k], word + at, len - at);
    if (!n) return false;
    u->arg[k].text = word + at;
    u->arg[k].len = n;
    at += n;
  }
  return at == len;
}

static bool find_use(const struct shelf *l, const char *word, size_t len, struct use *u) {
  for (int k = 0; k < l->n; k++)
    if (matches(&l->piece[k], word, len, u)) return true;
  return false;
}

/* -- a piece for its arguments ------------------------------------------------------ */

/* The C type of "f32", as computed in or as stored; a state's is its name. */
static void put_type(const char *tag, size_t len, bool stored, struct fs_str *out) {
  for (int dt = 0; dt < FS_DTYPE_COUNT; dt++) {
    if (strncmp(fs_dtypes[dt].name, tag, len) || fs_dtypes[dt].name[len]) continue;
    const char *text = stored ? fs_dtypes[dt].cuda_stored : w_value_type((enum fs_dtype)dt);
    fs_lp_spell(FS_OPENCL_C, text, strlen(text), out);
    return;
  }
  fs_str_puts(out, "fs_");
  fs_str_put(out, tag, len);
}

/* Which parameter a word names: `T`, `TS` (as stored), `$OP`; its length, or 0. */
static size_t param_of(const struct use *u, const char *p, size_t len, int *which, bool *stored) {
  for (int k = 0; k < u->piece->n; k++) {
    char kind = u->piece->param[k].kind;
    size_t n = kind == 'O' ? 2 : 1;
    if (*p != kind || len < n) continue;
    *which = k;
    *stored = len > n && p[n] == 'S';
    return n;
  }
  return 0;
}

/* A word of a reductions' table, `fs_max`, of which there is one for each type. */
static bool wants_type(const struct shelf *l, const char *word, size_t len) {
  for (int k = 0; k < l->n; k++)
    if (l->piece[k].len == len && !memcmp(l->piece[k].name, word, len))
      return l->piece[k].n == 1 && l->piece[k].param[0].kind == 'T';
  return false;
}

static void put_arg(const struct use *u, int k, struct fs_str *out) {
  fs_str_put(out, u->arg[k].text, u->arg[k].len);
}

static void put_piece(const struct shelf *l, const struct use *u, struct fs_str *out) {
  int k;
  bool stored;
  for (const char *p = u->piece->text, *end = u->piece->end; p < end;) {
    size_t n = fs_word_length(p, end), name;
    if (*p == '$' && (name = param_of(u, p + 1, 2, &k, &stored))) {
      put_arg(u, k, out);
      p += 1 + name;
      continue;
    }
    bool alone = n && p + n < end && p[n] != '$';
    if (alone && (name = param_of(u, p, n, &k, &stored)) &&
        (name == n || (stored && name + 1 == n))) {
      char kind = u->piece->param[k].kind;
      if (kind == 'T' || kind == 'L') put_type(u->arg[k].text, u->arg[k].len, stored, out);
      else put_arg(u, k, out);
    } else {
      fs_str_put(out, p, FS_MAX(n, 1));
      if (alone && wants_type(l, p, n)) {
        fs_str_puts(out, "_");
        put_arg(u, 0, out);
      }
    }
    p += FS_MAX(n, 1);
  }
  if (out->len > 1 && out->data[out->len - 2] != '\n') fs_str_puts(out, "\n");
}

/* -- all of them ---------------------------------------------------------------------- */

static bool is_taken(struct shelf *l, const char *word, size_t n) {
  for (int k = 0; k < l->taken.len; k++)
    if (strlen(l->taken.data[k]) == n && !memcmp(l->taken.data[k], word, n)) return true;
  *FS_PUSH(&l->taken) = fs_strndup(word, n);
  return false;
}

/* Writes what the words of a text need, before it. */
static void take_words(struct shelf *l, const char *p, const char *end) {
  struct use u;
  for (size_t n; p < end; p += FS_MAX(n, 1)) {
    n = fs_word_length(p, end);
    if (n < 4 || (strncmp(p, "fs_", 3) && strncmp(p, "FS_", 3))) continue;
    if (!find_use(l, p, n, &u) || is_taken(l, p, n)) continue;
    struct fs_str piece = {0};
    put_piece(l, &u, &piece);
    take_words(l, fs_str_text(&piece), fs_str_text(&piece) + piece.len);
    fs_str_put(l->out, fs_str_text(&piece), piece.len);
    fs_str_free(&piece);
  }
}

void w_pieces(const struct fs_str *body, struct fs_str *out) {
  struct shelf l = {.out = out};
  struct fs_str plain = {0}, spelled = {0};
  put_merges(&plain);
  fs_lp_spell(FS_OPENCL_C, fs_str_text(&plain), plain.len, &spelled);
  find_pieces(&l, fs_str_text(&spelled));
  for (size_t f = 0; f < FS_LEN(files); f++) find_pieces(&l, fs_embedded_text(files[f]));
  take_words(&l, fs_str_text(body), fs_str_text(body) + body->len);
  for (int k = 0; k < l.taken.len; k++) free(l.taken.data[k]);
  FS_VEC_FREE(&l.taken);
  fs_str_free(&plain);
  fs_str_free(&spelled);
}
