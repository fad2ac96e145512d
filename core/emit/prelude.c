/* prelude.c - the pieces of elemlib/cuda that a text uses. */
#include <pthread.h>

#include "core/base/embed.h"
#include "core/emit/writer.h"

static const char *const prelude_files[] = {
    "elemlib/cuda/maps.cuh", "elemlib/cuda/quick.cuh", "elemlib/cuda/quick_f64.cuh",
    "elemlib/cuda/quick_bf16.cuh", "elemlib/cuda/memory.cuh", "elemlib/cuda/cache.cuh",
    "elemlib/cuda/pairs.cuh", "elemlib/cuda/quick_pairs.cuh", "elemlib/cuda/philox.cuh",
    "elemlib/cuda/spot.cuh", "elemlib/cuda/state.cuh", "elemlib/cuda/reduce.cuh",
    "elemlib/cuda/barrier.cuh", "elemlib/cuda/bulk.cuh", "elemlib/cuda/march.cuh",
    "elemlib/cuda/cluster.cuh", "elemlib/cuda/fourier.cuh"};

/* Pieces that the table of reductions makes: how two states are merged. */
#define STATIC "  template <typename T>\n  __device__ __forceinline__ static "
#define BEST_LOWEST "fs_max"
#define BEST_HIGHEST "fs_min"
static const char merges[] =
#define FS_REDUCE_OP(id, name, types, result, first, functor, merge, cost, doc) \
  "\n//@ " #functor "\nstruct " #functor " {\n" STATIC "T of(T a, T b) { return " #merge "; }\n};\n"
#define FS_SPOT_OP(id, name, types, result, first, functor, merge, cost, doc)                      \
  "\n//@ " #functor "\nstruct " #functor " {\n" STATIC "T best(T a, T b) { return " BEST_##first   \
  "(a, b); }\n" STATIC "T of(T a, T b) { return fs_first_of<" #functor ">(a, b); }\n};\n"
#define FS_STATE_OP(id, name, types, result, first, functor, words, fields, join, merge, end, ...) \
  "\n//@ " #functor "_state\ntemplate <typename T>\nstruct " #functor "_state {\n  " #fields       \
  ";\n};\n\n//@ " #functor "\nstruct " #functor " {\n" STATIC "T of(T s, T t) { " #merge           \
  "; return s; }\n" STATIC "auto result(T s) { return " #end "; }\n"                               \
  "  template <typename T, typename X>\n  __device__ __forceinline__ static T with(T s, X x) { "   \
  #join "; return s; }\n};\n"
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
    n = fs_word_length(text, end);
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
void w_prelude(const struct fs_str *body, struct fs_str *out) {
  struct taken l = {0};
  pthread_once(&looked, find_library);
  take_words(&l, fs_str_text(body), fs_str_text(body) + body->len);
  for (int k = 0; k < library.n_pieces; k++)
    if (has_piece(&l, k)) put_piece(out, &library.pieces[k]);
}
