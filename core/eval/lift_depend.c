/* lift_depend.c - whether tracing the items of a nest one after the other keeps the order of
 * every two accesses to one element: see lift_nest.h.
 *
 * Two accesses meet where all of their subscripts are equal. With rounds t of the one and t'
 * of the other, a loop that they share in which t and t' = t + u differ first, that is one
 * equation a*t + b*u + ... = d for each subscript. It has no solution if the greatest common
 * divisor of its coefficients does not divide d, or if d is not between the least and the
 * largest value that the left side has (Banerjee). Of t and u alone that is decided exactly. */
#include "core/eval/lift_nest.h"

#include <stdlib.h>

static int64_t gcd(int64_t a, int64_t b) {
  a = llabs(a);
  b = llabs(b);
  while (b) {
    int64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

static int64_t floor_div(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b && (a < 0) != (b < 0) ? q - 1 : q;
}

/* Narrows the integers s of `r` to those with k*s + c >= 0. */
static void at_least_zero(int64_t k, int64_t c, struct fs_range *r) {
  if (k > 0) r->first = FS_MAX(r->first, -floor_div(c, k));
  else if (k < 0) r->last = FS_MIN(r->last, floor_div(c, -k));
  else if (c < 0) r->last = r->first - 1;
}

/* x with a*x = 1 modulo m > 0; a and m have no common divisor. */
static int64_t inverse(int64_t a, int64_t m) {
  int64_t x = 1, y = 0, p = ((a % m) + m) % m, q = m;
  while (q) {
    int64_t k = p / q, r = p % q, z = x - k * y;
    p = q, q = r;
    x = y, y = z;
  }
  return ((x % m) + m) % m;
}

/* Whether a*t + b*u = d has a solution with t >= 0, u >= 1 and t + u < count. */
static bool meet_in_loop(int64_t a, int64_t b, int64_t d, int64_t count) {
  int64_t g = gcd(a, b);
  if (!g) return d == 0;
  if (d % g) return false;
  if (!a) return d / b >= 1 && d / b < count;
  if (!b) return d / a >= 0 && d / a < count - 1;
  int64_t m = llabs(b / g), n = llabs(d / g) % m;
  int64_t t = m == 1 ? 0 : (d / g < 0 ? m - n : n) % m * inverse(a / g, m) % m;
  int64_t u = (d - a * t) / b, by = b < 0 ? a / g : -a / g; /* t + m*s, u + by*s */
  struct fs_range s = {-FS_LIFT_MOST, FS_LIFT_MOST};
  at_least_zero(m, t, &s);
  at_least_zero(by, u - 1, &s);
  at_least_zero(-m - by, count - 1 - t - u, &s);
  return s.first <= s.last;
}

/* The left side of an equation so far: common divisor, least and largest value. */
struct sum {
  int64_t divisor, least, most;
  bool others;                   /* it is not of t and u alone */
};

static void add_term(struct sum *s, int64_t k, int64_t low, int64_t high) {
  if (!k || low > high || (!low && !high)) return;
  s->divisor = gcd(s->divisor, k);
  s->least += k * (k < 0 ? high : low);
  s->most += k * (k < 0 ? low : high);
}

struct pair {
  const struct fs_lift_nest *n;
  const struct fs_lift_access *x, *y; /* x is in an earlier round than y */
  int shared;
};

static int64_t count_of(const struct fs_lift_nest *n, const struct fs_lift_access *a, int l) {
  const struct fs_lift_item *it = &n->items.data[a->item];
  return l < it->depth ? n->loops.data[it->loops[l]].count : 1;
}

/* Whether subscript d of both may be equal where the rounds differ first in loop `level`. */
static bool may_be_equal(const struct pair *p, int d, int level) {
  const struct fs_affine *x = &p->x->sub[d], *y = &p->y->sub[d];
  int64_t count = count_of(p->n, p->x, level);
  struct sum s = {0};
  if (!x->known || !y->known) return true;
  for (int l = 0; l < FS_LIFT_DEPTH; l++) {
    int64_t mine = count_of(p->n, p->x, l) - 1, its = count_of(p->n, p->y, l) - 1;
    if (l < level) add_term(&s, x->k[l] - y->k[l], 0, mine);
    if (l <= level) continue;
    add_term(&s, x->k[l], 0, mine);
    add_term(&s, -y->k[l], 0, its);
  }
  s.others = s.divisor != 0;
  int64_t a = x->k[level] - y->k[level], b = -y->k[level], right = y->c - x->c;
  add_term(&s, a, 0, count - 2);
  add_term(&s, b, 1, count - 1);
  if (s.divisor ? right % s.divisor != 0 : right != 0) return false;
  if (right < s.least || right > s.most) return false;
  return s.others || meet_in_loop(a, b, right, count);
}

/* By how many rounds of the loop they are apart where they meet; 0: that varies. */
static int64_t distance(const struct pair *p, int level) {
  for (int d = 0; d < p->x->shape.rank; d++) {
    const struct fs_affine *x = &p->x->sub[d], *y = &p->y->sub[d];
    bool alone = x->known && y->known && y->k[level] && x->k[level] == y->k[level];
    for (int l = 0; l < FS_LIFT_DEPTH; l++) alone &= l == level || (!x->k[l] && !y->k[l]);
    if (alone) return (x->c - y->c) / y->k[level];
  }
  return 0;
}

/* Whether `x` meets `y` in a later round; *loop: whose. */
static bool meets_later(const struct fs_lift_nest *n, int first, int second, int *loop,
                        int64_t *apart) {
  struct pair p = {n, &n->accesses.data[first], &n->accesses.data[second], 0};
  p.shared = fs_lift_common(n, p.x->item, p.y->item);
  for (int l = 0; l < p.shared; l++) {
    bool meet = count_of(n, p.x, l) > 1;
    for (int d = 0; d < p.x->shape.rank && meet; d++) meet = may_be_equal(&p, d, l);
    if (!meet) continue;
    *loop = n->items.data[p.x->item].loops[l];
    *apart = distance(&p, l);
    return true;
  }
  return false;
}

/* A write `w` and another access, which in traced order stand as their items do; in one item
 * the read comes first. */
static bool in_order(const struct fs_lift_nest *n, int w, int other,
                     struct fs_lift_conflict *out) {
  const struct fs_lift_access *a = &n->accesses.data[w], *b = &n->accesses.data[other];
  if (strcmp(a->name, b->name) || (b->own && a->item == b->item)) return true;
  bool first = a->item < b->item;
  *out = (struct fs_lift_conflict){.first = w, .second = other};
  out->loop = n->items.data[a->item].loops[0];
  if (a->shape.rank != b->shape.rank) return false; /* x[i] and x[i, 1] */
  return first ? !meets_later(n, other, w, &out->loop, &out->distance)
               : !meets_later(n, w, other, &out->loop, &out->distance);
}

bool fs_lift_independent(const struct fs_lift_nest *n, struct fs_lift_conflict *out) {
  for (int w = 0; w < n->accesses.len; w++)
    for (int k = 0; n->accesses.data[w].write && k < n->accesses.len; k++)
      if (k != w && !in_order(n, w, k, out)) return false;
  return true;
}
