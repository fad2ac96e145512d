/* random_block.c - random blocks of statements, for bench/random.c and bench/prediction.c. */
#include "bench/random_block.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = 24 };

/* MATRIX is m x n, ROWS a column of m, COLS a column of n. */
enum kind { MATRIX, ROWS, COLS, SCALAR, KINDS };

struct generator {
  uint64_t state;
  struct { char name[8]; enum kind kind; } values[MOST_VALUES];
  int n, temporaries;
  struct fs_str text;
};

static unsigned draw(struct generator *g, unsigned below) {
  g->state = g->state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(g->state >> 33) % below;
}

static const char *pick(struct generator *g, enum kind kind) {
  int fits = 0, n = 0;
  for (int k = 0; k < g->n; k++) fits += g->values[k].kind == kind;
  n = (int)draw(g, (unsigned)fits);
  for (int k = 0; k < g->n; k++)
    if (g->values[k].kind == kind && n-- == 0) return g->values[k].name;
  return "1";
}

static void add(struct generator *g, const char *name, enum kind kind) {
  if (g->n == MOST_VALUES) return;
  snprintf(g->values[g->n].name, sizeof g->values[0].name, "%s", name);
  g->values[g->n++].kind = kind;
}

/* Templates: what an M, R, C or S stands for is a value of that kind. */
static const struct { enum kind gives; const char *text; } forms[] = {
    {MATRIX, "M + M"}, {MATRIX, "0.5*M - S*M"}, {MATRIX, "M .* M"},
    {MATRIX, "M + R*C'"}, {MATRIX, "abs(M - 0.5)"}, {MATRIX, "max(M, 0.1)"},
    {MATRIX, "M - R"}, {MATRIX, "M .* C'"}, {MATRIX, "sqrt(abs(M) + 1)"},
    {MATRIX, "exp(0 - abs(M)) ./ (R + 2)"},
    {ROWS, "M*C"}, {ROWS, "M*C + R"}, {ROWS, "0.5*(M*C) - 0.25*R"},
    {ROWS, "sum(M, 2)"}, {MATRIX, "max(M, 2) - R"}, {ROWS, "R + S*R"},
    {ROWS, "R .* R"}, {ROWS, "sum(M .* M, 2)"}, {ROWS, "tanh(R)"},
    {COLS, "M'*R"}, {COLS, "0.5*(M'*R) + C"}, {COLS, "sum(M, 1)'"},
    {COLS, "C - 0.1*C"}, {COLS, "M'*(M*C)"}, {COLS, "sum(M .* R, 1)'"},
    {COLS, "C .* C + S"},
    {SCALAR, "R'*R"}, {SCALAR, "C'*C"}, {SCALAR, "sum(M)"},
    {SCALAR, "sum(M .* M)"}, {SCALAR, "max(abs(R))"}, {SCALAR, "1/(1 + sum(C))"},
};

static void statement(struct generator *g) {
  unsigned f = draw(g, FS_LEN(forms));
  char name[8];
  snprintf(name, sizeof name, "t%d", ++g->temporaries);
  fs_str_printf(&g->text, "%s = ", name);
  for (const char *p = forms[f].text; *p; p++) {
    bool alone = !strchr("abcdefghijklmnopqrstuvwxyz", p[1] ? p[1] : '(');
    const char *at = alone ? strchr("MRCS", *p) : NULL;
    if (at) fs_str_puts(&g->text, pick(g, (enum kind)(at - "MRCS")));
    else fs_str_put(&g->text, p, 1);
  }
  fs_str_puts(&g->text, "; ");
  add(g, name, forms[f].gives);
}

void bench_random_block(unsigned number, double scale, struct random_block *out) {
  static const long sides[] = {64, 200, 512, 1000, 1024, 2048, 3000, 4096};
  struct generator g = {.state = number * 0x9e3779b97f4a7c15u + 1};
  for (int k = 0; k < 8; k++) draw(&g, 2);
  long m = (long)(scale * (double)sides[draw(&g, FS_LEN(sides))]);
  long n = (long)(scale * (double)sides[draw(&g, FS_LEN(sides))]);
  add(&g, "A", MATRIX), add(&g, "B", MATRIX), add(&g, "u", ROWS), add(&g, "v", ROWS);
  add(&g, "x", COLS), add(&g, "y", COLS), add(&g, "a", SCALAR);
  int statements = 2 + (int)draw(&g, 7);
  for (int k = 0; k < statements; k++) statement(&g);
  *out = (struct random_block){.m = m, .n = n, .text = g.text};
  snprintf(out->setup, sizeof out->setup,
           "A = rand(%ld, %ld); B = rand(%ld, %ld); u = rand(%ld); v = "
           "rand(%ld); x = rand(%ld); y = rand(%ld); a = sum(u)/%ld;",
           m, n, m, n, m, m, n, n, m);
}
