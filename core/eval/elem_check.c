/* elem_check.c - is a function that the user wrote one that can be run? The rules
 * are those of elemlib/README.md, section "A function of your own". */
#include <stdio.h>

#include "core/eval/elem.h"

struct check {
  struct fs_diags *d;
  struct fs_elem *e;
};

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

static bool is_small(const struct fs_elem_param *p) { return p->rank > 0; }

static bool is_native_type(const struct fs_elem_param *p) {
  return is_small(p) || is(p->type, "each") || is(p->type, "scalar");
}

static struct fs_span key(const struct check *c, enum fs_elem_key k) {
  return c->e->key[k].source ? c->e->key[k] : c->e->key[FS_EK_FUNCTION];
}

/* -- names --------------------------------------------------------------------- */

/* Words of C and C++ that a parameter of a routine cannot have. */
static bool is_reserved(const char *name) {
  static const char *const words[] = {
      "auto", "bool", "break", "case", "char", "class", "const", "continue",
      "default", "delete", "do", "double", "else", "enum", "extern", "float",
      "for", "goto", "if", "inline", "int", "long", "namespace", "new",
      "operator", "private", "public", "register", "restrict", "return",
      "short", "signed", "sizeof", "static", "struct", "switch", "template",
      "this", "typedef", "union", "unsigned", "using", "virtual", "void",
      "volatile", "while"};
  for (size_t k = 0; k < FS_LEN(words); k++)
    if (is(name, words[k])) return true;
  return !strncmp(name, "fs_", 3) || !strncmp(name, "FS_", 3) ||
         !strncmp(name, "__", 2);
}

static bool check_arg(struct check *c, const struct fs_elem_param *p) {
  if (!is_native_type(p))
    return FS_OK == fs_error(c->d, p->span, "elem-type",
                "`each` is one number of a tensor, 3x3 a small matrix",
                "a routine of your own cannot take a `%s`", p->type);
  if (is_reserved(p->name))
    return FS_OK == fs_error(c->d, p->span, "elem-args", "choose another name",
                "`%s` cannot be the name of an argument of a routine",
                p->name);
  return true;
}

static bool check_count(struct check *c) {
  struct fs_elem *e = c->e;
  int n = e->params.len;
  if (n >= 1 && n <= FS_USER_ARGS) return true;
  return FS_OK == fs_error(c->d, n ? e->params.data[FS_USER_ARGS].span
                                   : key(c, FS_EK_ARGS), "elem-args",
              n ? "numbers that belong together can be one small element, as "
                  "v:4" : NULL,
              "a function takes 1 to %d arguments, not %d", FS_USER_ARGS, n);
}

static bool check_args(struct check *c) {
  struct fs_elem *e = c->e;
  for (int k = 0; k < e->params.len; k++) {
    if (!check_arg(c, &e->params.data[k])) return false;
    e->by_instance |= is_small(&e->params.data[k]);
  }
  if (!e->by_instance && is_small(&e->result_type))
    return FS_OK == fs_error(c->d, key(c, FS_EK_RESULT), "elem-type", NULL,
                "a result of small elements needs an argument of them");
  return true;
}

/* -- map or reduce ----------------------------------------------------------------- */

static const struct operator {
  const char *text;
  char op;
  const char *neutral;
} operators[] = {{"+", '+', "0"},     {"*", '*', "1"},
                 {"min", '<', "inf"}, {"max", '>', "-inf"}};

static bool check_higher(struct check *c) {
  struct fs_elem *e = c->e;
  const char *h = e->higher ? e->higher : "map";
  char op[8] = "";
  int end = 0;
  if (sscanf(h, "reduce( %7[^) ] )%n", op, &end) == 1 && end && !h[end])
    for (size_t k = 0; k < FS_LEN(operators); k++)
      if (is(op, operators[k].text)) {
        e->reduce = operators[k].op;
        if (e->neutral && !is(e->neutral, operators[k].neutral))
          return FS_OK == fs_error(c->d, key(c, FS_EK_NEUTRAL), "elem-type", NULL,
                      "the neutral element of %s is %s", operators[k].text,
                      operators[k].neutral);
      }
  if (!e->reduce && !is(h, "map"))
    return FS_OK == fs_error(c->d, key(c, FS_EK_HIGHER), "elem-unknown-word",
                "map, reduce(+), reduce(*), reduce(min) or reduce(max)",
                "a routine of your own has no such higher-order function");
  if (!e->reduce && e->neutral)
    return FS_OK == fs_error(c->d, key(c, FS_EK_NEUTRAL), "elem-type", NULL,
                "a map has no neutral element");
  const char *want = e->reduce ? "scalar" : "each";
  bool good = is(e->result, want) ||
              (!e->reduce && e->by_instance && is_small(&e->result_type));
  if (!good)
    return FS_OK == fs_error(c->d, key(c, FS_EK_RESULT), "elem-type",
                e->reduce ? "a reduction gives a `scalar`"
                          : "a map gives `each`, or a small element",
                "the result cannot be `%s` here", e->result);
  return true;
}

/* -- threads ------------------------------------------------------------------------- */

static bool threads_fit(struct check *c, int threads, struct fs_span at) {
  if (threads >= 1 && threads <= 1024 &&
      (threads % 32 == 0 || 32 % threads == 0))
    return true;
  return FS_OK == fs_error(c->d, at, "elem-threads",
              "1, 2, 4, 8, 16, 32, or a multiple of 32 up to 1024",
              "%d threads do not fit: an instance takes whole warps of 32 "
              "threads, or an equal part of one", threads);
}

static bool check_threads(struct check *c) {
  struct fs_elem *e = c->e;
  int x = 1, y = 1;
  if (e->threads && sscanf(e->threads, "%dx%d", &x, &y) < 1) x = 1;
  e->n_threads = x * y;
  if (!threads_fit(c, e->n_threads, key(c, FS_EK_THREADS))) return false;
  for (int k = 0; k < e->routines.len; k++) {
    struct fs_elem_routine *r = &e->routines.data[k];
    bool block = is(r->level, "block"), move = !is(r->kind, "compute");
    /* A load or store in a block has those of the routine that it is with. */
    if (!r->threads && !(block && move)) r->threads = block ? e->n_threads : 1;
    if (r->threads && !threads_fit(c, r->threads, r->head)) return false;
    if (block && !e->by_instance)
      return FS_OK == fs_error(c->d, r->head, "elem-level", "write: compute thread",
                  "a function of single numbers has thread routines only");
    if (!block && r->threads != 1)
      return FS_OK == fs_error(c->d, r->head, "elem-threads", "write: compute block",
                  "a thread routine has one thread, not %d", r->threads);
  }
  return true;
}

static bool check_room(struct check *c) {
  const struct fs_elem *e = c->e;
  int size = e->types & (FS_ET_F64 | FS_ET_I64) ? 8 : 4;
  for (int impl = 0; (impl = fs_elem_next_impl(e, impl));) {
    int64_t bytes = fs_elem_on_chip(e, impl, size);
    if (bytes > FS_USER_SHARED)
      return FS_OK == fs_error(c->d, key(c, FS_EK_ARGS), "elem-threads", NULL,
                  "an instance of this function takes %lld bytes on chip; there "
                  "are %d", (long long)bytes, FS_USER_SHARED);
  }
  return true;
}

/* -- loads and stores -------------------------------------------------------------------- */

static const struct fs_elem_param *param_named(const struct fs_elem *e,
                                               const char *name) {
  for (int k = 0; k < e->params.len; k++)
    if (is(e->params.data[k].name, name)) return &e->params.data[k];
  return NULL;
}

/* What a load or a store is of must be a small element, and a result's numbers. */
static bool check_subject(struct check *c, const struct fs_elem_routine *r) {
  const struct fs_elem *e = c->e;
  if (!e->by_instance)
    return FS_OK == fs_error(c->d, r->head, "elem-level",
                "small elements have loads and stores, as A:3x3",
                "a function of single numbers has `compute` routines only: each "
                "is in the register of the thread that needs it");
  if (!r->arg) return true;
  const struct fs_elem_param *p = param_named(e, r->arg);
  if (!p)
    return FS_OK == fs_error(c->d, r->head, "elem-args", NULL,
                "the function has no argument `%s` to load", r->arg);
  if (is_small(p)) return true;
  return FS_OK == fs_error(c->d, r->head, "elem-type", NULL,
              "`%s` is one number, which comes to the routine by its name: only "
              "a small element has a load", r->arg);
}

/* Threads of a load or a store beside those of the routine: all of a block must
 * reach its barriers alike. */
static bool check_beside(struct check *c, const struct fs_elem_routine *r,
                         int impl) {
  const struct fs_elem_routine *with =
      fs_elem_routine_of(c->e, "compute", NULL, "cuda", impl);
  if (!with || !r->threads || r->threads <= 32 || r->threads == with->threads)
    return true;
  return FS_OK == fs_error(c->d, r->head, "elem-threads",
              "up to 32 threads, or as many as the routine",
              "a %s of %d threads cannot stand beside a routine of %d",
              r->kind, r->threads, with->threads);
}

/* An element has one form on chip, whichever the target: the routine's text may be
 * the same for both. */
static bool check_forms(struct check *c, const struct fs_elem_routine *r,
                        int impl) {
  const struct fs_elem *e = c->e;
  for (int t = 0; t < 2 && r->chip.rank; t++) {
    const char *target = t ? "c" : "cuda";
    const struct fs_elem_routine *o =
        fs_elem_routine_of(e, r->kind, r->arg, target, impl);
    bool same = o && o->chip.rank == r->chip.rank &&
                o->chip.dim[0] == r->chip.dim[0] &&
                o->chip.dim[1] == r->chip.dim[1];
    if (same || !fs_elem_routine_of(e, "compute", NULL, target, impl)) continue;
    return FS_OK == fs_error(c->d, r->chip.span, "elem-type", NULL,
                o ? "routine %d has another form on chip for %s"
                  : "routine %d needs this form on chip for %s, too: there is no "
                    "such %s", impl, is(target, "c") ? "the CPU" : "CUDA",
                r->kind);
  }
  return true;
}

/* Every implementation is whole, and its parts go together. */
static bool check_implementations(struct check *c) {
  struct fs_elem *e = c->e;
  for (int k = 0; k < e->routines.len; k++) {
    const struct fs_elem_routine *r = &e->routines.data[k];
    if (is(r->kind, "compute")) continue;
    if (!check_subject(c, r)) return false;
    bool any = fs_elem_routine_of(e, "compute", NULL, "cuda", r->impl) ||
               fs_elem_routine_of(e, "compute", NULL, "c", r->impl);
    if (!any)
      return FS_OK == fs_error(c->d, r->head, "elem-level",
                  "what a number lacks is taken from number 1",
                  "there is no `compute` routine %d for this %s", r->impl,
                  r->kind);
    /* Number 1 is in all those that have none of their own. */
    for (int impl = 0; (impl = fs_elem_next_impl(e, impl));) {
      bool taken = r == fs_elem_routine_of(e, r->kind, r->arg, "cuda", impl) ||
                   r == fs_elem_routine_of(e, r->kind, r->arg, "c", impl);
      if (taken && (!check_beside(c, r, impl) || !check_forms(c, r, impl)))
        return false;
    }
  }
  return true;
}

/* -- routines --------------------------------------------------------------------------- */

/* A routine stands alone: what it includes would be compiled into every kernel
 * that it is fused with, and is not the same on every machine. */
static bool check_text(struct check *c, const struct fs_elem_routine *r) {
  static const char *const words[] = {"include", "include_next", "import",
                                      "embed", "line"};
  const char *p = r->text;
  for (size_t line; *p; p += line + (p[line] == '\n')) {
    line = strcspn(p, "\n");
    size_t at = strspn(p, " \t");
    if (p[at] != '#') continue;
    size_t word = at + 1 + strspn(p + at + 1, " \t");
    size_t len = strspn(p + word, "abcdefghijklmnopqrstuvwxyz_");
    for (size_t k = 0; k < FS_LEN(words); k++) {
      if (strlen(words[k]) != len || strncmp(p + word, words[k], len)) continue;
      uint32_t begin = r->span.begin + (uint32_t)(p - r->text + (long)at);
      struct fs_span span = {r->span.source, begin,
                             begin + (uint32_t)(line - at)};
      return FS_OK == fs_error(c->d, span, "elem-include",
                  "the functions of math.h are there without it",
                  "a routine stands alone: #%s has no place in it", words[k]);
    }
  }
  return true;
}

static bool check_routine(struct check *c, const struct fs_elem_routine *r) {
  struct fs_elem *e = c->e;
  if (r->impl < 1)
    return FS_OK == fs_error(c->d, r->head, "elem-syntax", NULL,
                "alternatives are counted from 1");
  for (int k = 0; &e->routines.data[k] < r; k++) {
    const struct fs_elem_routine *o = &e->routines.data[k];
    bool same = is(o->kind, r->kind) && (!r->arg || is(o->arg, r->arg)) &&
                (is(o->target, r->target) || is(o->target, "any") ||
                 is(r->target, "any"));
    if (o->impl == r->impl && same)
      return FS_OK == fs_error(c->d, r->head, "elem-duplicate", "alternatives have other numbers",
                  "there is a routine %d for this target already", r->impl);
  }
  return check_text(c, r);
}

/* A function that is defined by an expression: its routines, if it has some, are
 * for the tile scheme, which only takes the library's own. */
static bool check_defined(struct check *c) {
  struct fs_elem *e = c->e;
  if (e->routines.len)
    return FS_OK == fs_error(c->d, e->routines.data[0].head, "elem-level",
                "a routine of your own takes `each`, `scalar` or a small "
                "element, as A:3x3",
                "routines over tiles are for the products of the library");
  for (int k = 0; k < e->params.len; k++)
    if (is_small(&e->params.data[k]))
      return FS_OK == fs_error(c->d, e->params.data[k].span, "elem-type", NULL,
                  "an argument of small elements needs a routine");
  return true;
}

static bool check_all(struct check *c) {
  struct fs_elem *e = c->e;
  bool any = e->routines.len > 0;
  if (!check_count(c)) return false;
  for (int k = 0; k < e->params.len && any; k++)
    any = is_native_type(&e->params.data[k]);
  if (!any && e->define) return check_defined(c);
  e->native = true;
  if (!e->types) e->types = FS_ET_F32 | FS_ET_F64;
  if (!check_args(c) || !check_higher(c)) return false;
  for (int k = 0; k < e->routines.len; k++)
    if (!check_routine(c, &e->routines.data[k])) return false;
  return check_threads(c) && check_implementations(c) && check_room(c);
}

enum fs_status fs_elem_check(struct fs_diags *diags, struct fs_elem *e) {
  struct check c = {diags, e};
  e->user = true;
  return check_all(&c) ? FS_OK : FS_ERR_USER;
}
