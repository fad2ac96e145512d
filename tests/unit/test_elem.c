/* test_elem.c - users' functions from mutated texts: parser and checker answer
 * every text with an element or an error inside of it, in bounded time. The seeds
 * are the forms of the format; random numbers start from a fixed seed. */
#include "core/eval/elem.h"

#include <stdio.h>

static int n_passed, n_failed;

static void check(bool good, const char *what, const char *text) {
  n_passed += good;
  n_failed += !good;
  if (!good && n_failed < 20) printf("FAIL %s\n%.2000s\n", what, text);
}

static const char *const seeds[] = {
    "function leaky\nalias lk, rect\ndoc y = leaky(x, a)\nargs x:each, a:scalar\n"
    "result each\ntypes f32, f64\nflops 2\nhigher map\n# remark\n"
    "compute thread any impl 1 {\n  return x > 0 ? x : a * x;\n}\n",
    "function inv3\ndoc B = inv3(A)\nargs A:3x3, b:3\nresult 3x3\ntypes i32, i64\n"
    "threads 4\nscratch 9\nflops 42\ndefine inv(A)\n"
    "compute block cuda impl 1 threads 8 {\n#pragma unroll\n  FS_SYNC();\n}\n"
    "compute block c {\n  FS_PUT(0, 0, FS_AT(A, 0, 0));\n}\n",
    "function total\ndoc d\nargs x:each\nresult scalar\nhigher reduce(+)\n"
    "neutral 0\nnesting 1\ncompute thread c impl 2 {\n  return fabs(x);\n}\n",
    "function gemv\ndoc q = A*p\nargs A:tile, p:col\nresult row\nnesting 2\n"
    "define A*p + [1, 2; 3, 4]*(x -> x^2)(p)'\nthreads 32x8\n",
};

static const char *const words[] = {
    "{", "}", "\n}\n", "\n", ":", ",", "x", "3x3", "1024", "99999999999", "each",
    "tile", "scalar", "compute", "load", "block", "thread", "any", "cuda", "impl",
    "threads", "reduce(", "#include <a>", "\t", "\xff", "define ", "args ", "0",
    "function ", "\\", "\"", "-1"};

static uint64_t state = 12345;

static uint32_t draw(uint32_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % n;
}

/* Deletes, doubles, changes or inserts something at a random place. */
static void mutate(struct fs_str *s) {
  struct fs_str out = {0};
  size_t at = draw((uint32_t)s->len + 1), len = s->len - at;
  size_t most = draw(12), n = FS_MIN(len, most); /* the macro repeats its words */
  fs_str_put(&out, fs_str_text(s), at);
  switch (draw(4)) {
    case 0: break;
    case 1:
      fs_str_put(&out, s->data + at, n);
      fs_str_put(&out, s->data + at, n);
      break;
    case 2: fs_str_printf(&out, "%c", (int)(1 + draw(255))); break;
    default: fs_str_puts(&out, words[draw(FS_LEN(words))]); n = 0;
  }
  if (at + n < s->len) fs_str_put(&out, s->data + at + n, s->len - at - n);
  fs_str_free(s);
  *s = out;
}

static bool inside(const struct fs_diags *d, struct fs_span span) {
  const struct fs_source *s = fs_source_get(d, span.source);
  return s && span.begin <= span.end && span.begin <= s->len;
}

static bool try_text(const char *text, size_t len) {
  struct fs_diags d;
  struct fs_arena *arena = fs_arena_new();
  struct fs_elem *e = NULL;
  bool good = false;
  fs_diags_init(&d);
  uint32_t source = fs_source_add(&d, "f.elem", text, len);
  enum fs_status st = fs_elem_parse(&d, arena, source, &e);
  if (st == FS_OK) st = fs_elem_check(&d, e);
  if (st == FS_OK) {
    good = d.list.len == 0 && e->params.len >= 0 && e->name && e->doc;
    if (e->native)
      good &= e->params.len >= 1 && e->params.len <= FS_USER_ARGS &&
              e->n_threads >= 1 && e->n_threads <= 1024 && fs_elem_dtypes(e);
  } else {
    good = st == FS_ERR_USER && d.list.len == 1 &&
           inside(&d, d.list.data[0].span);
  }
  struct fs_str shown = {0};
  for (int k = 0; k < d.list.len; k++)
    fs_diag_render(&d, &d.list.data[k], &shown);
  fs_str_free(&shown);
  fs_diags_free(&d);
  fs_arena_free(arena);
  return good;
}

int main(void) {
  enum { ROUNDS = 40000 };
  double start = fs_now();
  for (size_t k = 0; k < FS_LEN(seeds); k++)
    check(try_text(seeds[k], strlen(seeds[k])), "a seed", seeds[k]);
  for (int r = 0; r < ROUNDS && fs_now() - start < 20; r++) {
    struct fs_str s = {0};
    fs_str_puts(&s, seeds[draw(FS_LEN(seeds))]);
    for (uint32_t k = 1 + draw(6); k > 0; k--) mutate(&s);
    check(try_text(fs_str_text(&s), s.len), "a mutated text", fs_str_text(&s));
    fs_str_free(&s);
  }
  check(fs_now() - start < 20, "in bounded time", "");
  printf("%d passed, %d failed\n", n_passed, n_failed);
  return n_failed != 0;
}
