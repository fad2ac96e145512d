/* einsum.c - sums of products by letters: einsum("ij,jk->ik", A, B).
 *
 * A letter stands for an index. One that is not behind the arrow is summed over. Of several
 * arrays two are multiplied at a time, in the order of least multiplications; where a pair is
 * a product of matrices, it is that of `*`, else a map and a reduction, which fuse. */
#include <math.h>

#include "core/eval/builtins.h"
#include "core/eval/complex.h"

enum { MOST_TERMS = 8, LETTERS = 52 };

typedef uint64_t letter_set;

/* An array with a letter for each dimension; none stands twice. */
struct term {
  struct fs_tv tv;
  int letter[FS_MAX_RANK];
};

struct einsum {
  struct fs_call *call;
  struct fs_interp *in;
  const char *text; /* as it is given              */
  char plain[256];  /* ... without blanks, and with ends of text for some of its marks */
  int n, n_out, out[FS_MAX_RANK];
  struct term term[MOST_TERMS];
  int64_t extent[LETTERS]; /* -1: the letter does not stand */
  double cost[1 << MOST_TERMS];
  int split[1 << MOST_TERMS];
};

static int letter_of(char c) {
  if (c >= 'a' && c <= 'z') return c - 'a';
  return c >= 'A' && c <= 'Z' ? 26 + c - 'A' : -1;
}

static letter_set one(int letter) { return (letter_set)1 << letter; }

static letter_set letters_of(const struct term *t) {
  letter_set set = 0;
  for (int k = 0; k < t->tv.shape.rank; k++) set |= one(t->letter[k]);
  return set;
}

static int count(letter_set set) { return __builtin_popcountll(set); }

/* The letters of a set, those of `first` in its order before the others. */
static int in_order(letter_set set, const int *first, int n_first, int *out) {
  int n = 0;
  for (int k = 0; k < n_first; k++)
    if (set & one(first[k])) out[n++] = first[k], set &= ~one(first[k]);
  for (int l = 0; l < LETTERS; l++)
    if (set & one(l)) out[n++] = l;
  return n;
}

/* -- reading ------------------------------------------------------------------ */

/* Where the letter at `at` of e->plain stands in the text, if that is written in the call. */
static struct fs_span place_of(const struct einsum *e, const char *at) {
  struct fs_span span = e->call->arg_spans[0];
  size_t len = 0, n = strlen(e->text);
  const char *written = fs_span_text(e->in->diags, span, &len), *letter = e->text;
  if (!at || len != n + 2 || memcmp(written + 1, e->text, n)) return span;
  for (ptrdiff_t k = at - e->plain; *letter && (k || *letter == ' '); letter++) k -= *letter != ' ';
  if (!*letter) return span;
  span.begin += (uint32_t)(1 + (letter - e->text));
  span.end = span.begin + 1;
  return span;
}

/* `at`: of e->plain, what is wrong; NULL: all of it. */
static enum fs_status wrong(struct einsum *e, const char *at, const char *hint, const char *what) {
  return fs_in_error(e->in, place_of(e, at), "bad-letters", hint, "%s", what);
}

/* The diagonal over dimensions of one letter. */
static void take_diagonals(struct einsum *e, struct term *t, const int *letter) {
  struct fs_tv out = t->tv;
  int from[FS_MAX_RANK], to[FS_MAX_RANK], place[FS_MAX_RANK], n = 0;
  for (int k = 0; k < t->tv.shape.rank; k++) {
    int at = 0;
    while (at < n && t->letter[at] != letter[k]) at++;
    if (at == n) {
      out.shape.dim[n] = t->tv.shape.dim[k];
      t->letter[n++] = letter[k];
    }
    place[k] = at;
  }
  out.shape.rank = n;
  if (n == t->tv.shape.rank) return;
  struct fs_shape squeezed = fs_squeeze(&out.shape, to);
  struct fs_view v = {.src_rank = fs_squeeze(&t->tv.shape, from).rank};
  for (int k = 0; k < t->tv.shape.rank; k++)
    if (from[k] >= 0) v.axis[from[k]] = (int8_t)to[place[k]], v.step[from[k]] = 1;
  out.node = fs_graph_view(fs_block_graph(e->in), out.node, &v, &squeezed);
  t->tv = out;
}

/* The letters of array k, whose extents must agree with those before. */
static enum fs_status read_term(struct einsum *e, int k, const char *text, int len) {
  struct fs_call *c = e->call;
  struct term *t = &e->term[k];
  int letter[FS_MAX_RANK];
  struct fs_shape *s = &t->tv.shape;
  while (s->rank > len && s->dim[s->rank - 1] == 1) s->rank--;
  if (s->rank == 1 && len == 2) s->dim[s->rank++] = 1; /* a column is a matrix of one */
  if (len != s->rank)
    return fs_in_error(e->in, c->arg_spans[k + 1], "bad-letters", "each dimension has a letter",
                       "'%.*s' are %d letters, and %s is %s", len, text, len,
                       fs_in_text(e->in, c->arg_spans[k + 1]), fs_shape_text(s));
  for (int d = 0; d < len; d++) {
    int l = letter[d] = letter_of(text[d]);
    if (e->extent[l] >= 0 && e->extent[l] != s->dim[d])
      return fs_in_error(e->in, c->arg_spans[k + 1], "shape-mismatch", NULL,
                         "shapes do not fit: %c is %lld before, and %lld in %s, which is %s",
                         text[d], (long long)e->extent[l], (long long)s->dim[d],
                         fs_in_text(e->in, c->arg_spans[k + 1]), fs_shape_text(s));
    e->extent[l] = s->dim[d];
  }
  take_diagonals(e, t, letter);
  return FS_OK;
}

/* Without an arrow the result has the letters that stand once, in the order of the alphabet. */
static void default_out(struct einsum *e, const char *text) {
  for (int l = 0; l < LETTERS; l++) {
    int n = 0;
    for (const char *at = text; *at; at++) n += letter_of(*at) == l;
    if (n == 1 && e->n_out++ < FS_MAX_RANK) e->out[e->n_out - 1] = l;
  }
}

static enum fs_status read_out(struct einsum *e, const char *text) {
  letter_set seen = 0;
  for (; *text; text++) {
    int l = letter_of(*text);
    if (l < 0 || e->extent[l] < 0 || (seen & one(l)))
      return wrong(e, text, "for instance einsum(\"ij,jk->ik\", A, B)",
                   l < 0            ? "behind the arrow stand letters alone"
                   : seen & one(l) ? "a letter stands twice behind the arrow"
                                   : "a letter behind the arrow does not stand before it");
    seen |= one(l);
    if (e->n_out++ < FS_MAX_RANK) e->out[e->n_out - 1] = l;
  }
  return FS_OK;
}

static enum fs_status read_letters(struct einsum *e, const char *text) {
  char *plain = e->plain;
  size_t len = 0;
  e->text = text;
  for (; *text && len + 1 < sizeof e->plain; text++)
    if (*text != ' ') plain[len++] = *text;
  plain[len] = 0;
  if (*text) return wrong(e, NULL, NULL, "there are more letters than any arrays have dimensions");
  char *arrow = strstr(plain, "->");
  if (arrow) *arrow = 0;
  int k = 0;
  enum fs_status st = FS_OK;
  for (const char *at = plain; st == FS_OK; k++) {
    int n = 0;
    while (letter_of(at[n]) >= 0) n++;
    if (at[n] && at[n] != ',')
      return wrong(e, at + n, "for instance einsum(\"ij,jk->ik\", A, B)",
                   "letters, commas and an arrow say which elements are multiplied");
    if (k < e->n) st = read_term(e, k, at, n);
    at += n;
    if (!*at++) break;
  }
  if (st == FS_OK && ++k != e->n)
    return fs_in_error(e->in, e->call->arg_spans[0], "bad-letters",
                       "commas stand between the letters of one array and the next",
                       "letters for %d array%s, and there %s %d", k, k == 1 ? "" : "s",
                       e->n == 1 ? "is" : "are", e->n);
  if (st != FS_OK) return st;
  if (arrow) st = read_out(e, arrow + 2);
  else default_out(e, plain);
  if (st == FS_OK && e->n_out > FS_MAX_RANK)
    return wrong(e, NULL, NULL, "the result would have more dimensions than a tensor has");
  return st;
}

/* -- the order of products ----------------------------------------------------- */

static letter_set out_set(const struct einsum *e) {
  letter_set set = 0;
  for (int k = 0; k < e->n_out; k++) set |= one(e->out[k]);
  return set;
}

/* The letters that the product of some arrays has: those that others or the result want. */
static letter_set left(const struct einsum *e, int some) {
  letter_set inside = 0, wanted = out_set(e);
  for (int k = 0; k < e->n; k++)
    *(some >> k & 1 ? &inside : &wanted) |= letters_of(&e->term[k]);
  return inside & wanted;
}

static double size_of(const struct einsum *e, letter_set set) {
  double n = 1;
  for (int l = 0; l < LETTERS; l++)
    if (set & one(l)) n *= (double)e->extent[l];
  return n;
}

static void find_order(struct einsum *e) {
  for (int some = 1; some < 1 << e->n; some++) {
    if (!(some & (some - 1))) continue; /* one array alone */
    e->cost[some] = INFINITY;
    for (int part = (some - 1) & some; part; part = (part - 1) & some) {
      int rest = some & ~part;
      if (part < rest) continue; /* either way round */
      double here = e->cost[part] + e->cost[rest] + size_of(e, left(e, part) | left(e, rest));
      if (here < e->cost[some]) e->cost[some] = here, e->split[some] = rest;
    }
  }
}

/* -- products ------------------------------------------------------------------ */

/* The array with these letters as dimensions; those that it lacks have an extent of 1. */
static struct fs_tv arranged(struct einsum *e, const struct term *t, const int *letter, int n) {
  int order[FS_MAX_RANK], more = t->tv.shape.rank;
  for (int k = 0; k < n; k++) {
    int at = 0;
    while (at < t->tv.shape.rank && t->letter[at] != letter[k]) at++;
    order[k] = at < t->tv.shape.rank ? at : more++;
  }
  return fs_tv_permute(e->in, t->tv, n, order);
}

static struct fs_shape shape_of(const struct einsum *e, const int *letter, int n) {
  struct fs_shape s = {.rank = n};
  for (int k = 0; k < n; k++) s.dim[k] = e->extent[letter[k]];
  return s;
}

/* Summed over what is not in the set. */
static void sum_others(struct einsum *e, struct term *t, letter_set set) {
  unsigned dims = 0;
  int n = 0;
  for (int k = 0; k < t->tv.shape.rank; k++) dims |= set & one(t->letter[k]) ? 0 : 1u << k;
  if (!dims) return;
  for (int k = 0; k < t->tv.shape.rank; k++)
    if (!(dims >> k & 1)) t->letter[n++] = t->letter[k];
  t->tv = fs_tv_reduce_over(e->in, FS_RD_SUM, t->tv, dims);
  t->tv.shape = shape_of(e, t->letter, n);
}

/* A matrix of some letters as rows and others as columns. */
static struct fs_tv as_matrix(struct einsum *e, const struct term *t, letter_set rows,
                              letter_set columns) {
  int letter[FS_MAX_RANK], m = in_order(rows, e->out, e->n_out, letter);
  int n = m + in_order(columns, NULL, 0, letter + m);
  struct fs_tv a = arranged(e, t, letter, n);
  int64_t dim[2] = {(int64_t)size_of(e, rows), (int64_t)size_of(e, columns)};
  struct fs_shape matrix = fs_shape_of(2, dim);
  if (m <= 1 && n - m <= 1) a.shape = matrix;
  else a = fs_tv_in_rows(e->in, a, &matrix);
  return a;
}

/* Rows of a by columns of b, for each index of the n letters that both have and keep. Of what a
 * and b have alone, and of what is summed over, there is one letter each. */
static enum fs_status multiply_batch(struct einsum *e, const struct term *a, const struct term *b,
                                     int *letter, int n, struct term *out) {
  letter_set la = letters_of(a), lb = letters_of(b), kept = 0;
  struct fs_span span = e->call->span;
  int row, column, inner;
  for (int k = 0; k < n; k++) kept |= one(letter[k]);
  in_order(la & ~lb, NULL, 0, &row);
  in_order(lb & ~la, NULL, 0, &column);
  in_order(la & lb & ~kept, NULL, 0, &inner);
  letter[n] = row, letter[n + 1] = inner;
  struct fs_tv x = arranged(e, a, letter, n + 2);
  letter[n] = inner, letter[n + 1] = column;
  struct fs_tv y = arranged(e, b, letter, n + 2);
  letter[n] = row, letter[n + 1] = column;
  enum fs_status st = fs_tv_multiply(e->in, x, span, y, span, span, &out->tv);
  out->tv.shape = shape_of(e, letter, n + 2);
  return st;
}

static enum fs_status multiply(struct einsum *e, struct term a, struct term b, letter_set keep,
                               struct term *out) {
  letter_set la = letters_of(&a), lb = letters_of(&b);
  sum_others(e, &a, keep | lb);
  sum_others(e, &b, keep | la);
  la = letters_of(&a), lb = letters_of(&b);
  letter_set both = la & lb, summed = both & ~keep;
  struct fs_span span = e->call->span;
  int letter[LETTERS], n = in_order((la | lb) & ~summed, e->out, e->n_out, letter);
  enum fs_status st = FS_OK;
  if (summed && !(both & keep)) { /* rows of a by columns of b */
    struct fs_tv x = as_matrix(e, &a, la & ~summed, summed);
    struct fs_tv y = as_matrix(e, &b, summed, lb & ~summed);
    st = fs_tv_multiply(e->in, x, span, y, span, span, &out->tv);
    n = in_order(la & ~summed, e->out, e->n_out, letter);
    n += in_order(lb & ~summed, e->out, e->n_out, letter + n);
    struct fs_shape shape = shape_of(e, letter, FS_MIN(n, FS_MAX_RANK));
    if (n <= FS_MAX_RANK && st == FS_OK) {
      bool plain = count(la & ~summed) <= 1 && count(lb & ~summed) <= 1;
      if (plain) out->tv.shape = shape;
      else out->tv = fs_tv_in_rows(e->in, out->tv, &shape);
    }
  } else if (count(summed) == 1 && count(la & ~lb) == 1 && count(lb & ~la) == 1) {
    n = in_order(both & keep, e->out, e->n_out, letter);
    st = multiply_batch(e, &a, &b, letter, n, out);
    n += 2;
  } else {
    int all = n + in_order(summed, NULL, 0, letter + n);
    if (all > FS_MAX_RANK)
      return wrong(e, NULL, "multiply some of the arrays first",
                   "a product of two arrays has more letters than a tensor has dimensions");
    enum fs_dtype dt = fs_dtype_promote(a.tv.dtype, b.tv.dtype);
    if (summed && !fs_dtype_is_float(dt)) a.tv = fs_tv_cast(e->in, a.tv, fs_dtype_sum(dt));
    struct fs_tv x = arranged(e, &a, letter, all), y = arranged(e, &b, letter, all);
    out->tv = fs_tv_map2(e->in, FS_OP_MUL, x, y);
    if (summed)
      out->tv = fs_tv_reduce_over(e->in, FS_RD_SUM, out->tv, ((1u << all) - 1) & ~((1u << n) - 1));
    out->tv.shape = shape_of(e, letter, n);
  }
  if (n > FS_MAX_RANK)
    return wrong(e, NULL, "multiply some of the arrays first",
                 "a product of two arrays has more letters than a tensor has dimensions");
  memcpy(out->letter, letter, sizeof *letter * (size_t)n);
  return st;
}

static enum fs_status product(struct einsum *e, int some, struct term *out) {
  if (!(some & (some - 1))) {
    *out = e->term[__builtin_ctz((unsigned)some)];
    sum_others(e, out, left(e, some));
    return FS_OK;
  }
  struct term a = {0}, b = {0};
  enum fs_status st = product(e, e->split[some], &a);
  if (st == FS_OK) st = product(e, some & ~e->split[some], &b);
  return st == FS_OK ? multiply(e, a, b, left(e, some), out) : st;
}

/* Of real arrays. */
static enum fs_status sum_of(struct fs_call *c, const char *text, const struct fs_tv *tv,
                             struct fs_tv *out) {
  struct einsum *e = fs_calloc(1, sizeof *e);
  e->call = c;
  e->in = c->in;
  e->n = c->n - 1;
  for (int l = 0; l < LETTERS; l++) e->extent[l] = -1;
  for (int k = 0; k < e->n; k++) e->term[k].tv = tv[k];
  struct term all = {0};
  enum fs_status st = read_letters(e, text);
  if (st == FS_OK) find_order(e);
  if (st == FS_OK) st = product(e, (1 << e->n) - 1, &all);
  if (st == FS_OK) *out = arranged(e, &all, e->out, e->n_out);
  free(e);
  return st;
}

/* A product of complex arrays is one of parts for each way to choose them; of each i a factor. */
static enum fs_status sum_of_parts(struct fs_call *c, const char *text, const struct fs_cx *z,
                                   struct fs_cx *out) {
  int n = c->n - 1;
  bool there[2] = {false, false};
  for (unsigned way = 0; way < 1u << n; way++) {
    struct fs_tv tv[MOST_TERMS], one, *to;
    bool none = false;
    for (int k = 0; k < n; k++) {
      none |= way >> k & 1 && z[k].real;
      tv[k] = way >> k & 1 ? z[k].im : z[k].re;
    }
    if (none) continue;
    enum fs_status st = sum_of(c, text, tv, &one);
    if (st != FS_OK) return st;
    int turns = __builtin_popcount(way) % 4;
    to = turns % 2 ? &out->im : &out->re;
    if (there[turns % 2]) *to = fs_tv_map2(c->in, turns < 2 ? FS_OP_ADD : FS_OP_SUB, *to, one);
    else *to = turns < 2 ? one : fs_tv_map1(c->in, FS_OP_NEG, one);
    there[turns % 2] = true;
  }
  out->real = !there[1];
  return FS_OK;
}

enum fs_status fs_bi_einsum(struct fs_call *c) {
  const char *text = NULL;
  struct fs_cx z[MOST_TERMS], out = {0};
  enum fs_status st = fs_arg_string(c, 0, "what einsum sums", &text);
  if (st == FS_OK && c->n - 1 > MOST_TERMS)
    return fs_in_error(c->in, c->span, "bad-letters", "multiply some of them first",
                       "einsum takes up to %d arrays", MOST_TERMS);
  bool complex = false;
  for (int k = 1; k < c->n; k++) complex |= fs_val_is_complex(&c->args[k]);
  struct fs_tv tv[MOST_TERMS];
  if (st == FS_OK && !complex)
    st = fs_tv_operands(c->in, c->n - 1, c->args + 1, c->arg_spans + 1, tv);
  if (st == FS_OK && !complex) st = sum_of(c, text, tv, &out.re);
  if (st == FS_OK && complex)
    st = fs_cx_operands(c->in, c->n - 1, c->args + 1, c->arg_spans + 1, z);
  if (st == FS_OK && complex) st = sum_of_parts(c, text, z, &out);
  if (st != FS_OK) return st;
  if (!complex) return fs_give(c, out.re);
  c->out[0] = fs_cx_value(c->in, &out);
  return FS_OK;
}
