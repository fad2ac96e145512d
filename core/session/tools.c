/* tools.c - commands about the machinery: dumps of every stage, and the
 * compiled kernels on disk. */
#include "core/run/compile.h"
#include "core/plan/plan.h"
#include "core/run/blocks.h"
#include "core/session/internal.h"

#include <stdio.h>

#include "core/lang/parse.h"
#include "core/device/cache.h"

/* -- dumps ---------------------------------------------------------------------- */

static const char *const stage_names[] = {"ast", "graph", "space", "plan",
                                          "code"};
enum { AST = 1, GRAPH = 2, SPACE = 4, PLAN = 8, CODE = 16, ALL = 31 };

bool fs_dump_parse(const char *words, unsigned *out) {
  unsigned stages = 0;
  if (!strcmp(words, "off")) {
    *out = 0;
    return true;
  }
  while (*words) {
    size_t n = strcspn(words, ", "), k = 0;
    while (k < FS_LEN(stage_names) && (strlen(stage_names[k]) != n ||
                                       memcmp(words, stage_names[k], n)))
      k++;
    if (n == 3 && !memcmp(words, "all", 3)) stages |= ALL;
    else if (k < FS_LEN(stage_names)) stages |= 1u << k;
    else return false;
    words += n + (words[n] != 0);
  }
  if (stages) *out = stages;
  return stages != 0;
}

void fs_dump_words(unsigned stages, char *out, size_t size) {
  size_t at = 0;
  snprintf(out, size, "off");
  for (size_t k = 0; k < FS_LEN(stage_names); k++)
    if (stages & 1u << k)
      at += (size_t)snprintf(out + at, at < size ? size - at : 0, "%s%s",
                             at ? "," : "", stage_names[k]);
}

void fs_dump_ast(const char *text, size_t len, struct fs_str *out) {
  struct fs_diags diags;
  struct fs_arena *arena = fs_arena_new();
  struct fs_stmt *stmts = NULL;
  fs_diags_init(&diags);
  uint32_t source = fs_source_add(&diags, "input", text, len);
  fs_str_puts(out, "> ast\n");
  if (fs_parse(&diags, arena, source, &stmts) == FS_OK) fs_ast_dump(stmts, out);
  fs_diags_free(&diags);
  fs_arena_free(arena);
}

/* A kernel in one of the target's forms; of the main one also why there is none. */
static void dump_form(struct fs_session *s, const struct fs_block *b, int k,
                      const char *form, bool main, struct fs_str *out) {
  const char *why = NULL;
  char *text = fs_block_code_text(b, fs_session_target(s), k, form, &why);
  if (text && !strcmp(form, "quick")) fs_str_puts(out, "# compiled quickly\n");
  if (text) fs_str_puts(out, text);
  else if (main) fs_str_printf(out, "%s\n", why ? why : "it has no code");
  free(text);
}

/* Text that is the same on every machine of a kind: no times, no addresses. */
static void dump_code(struct fs_session *s, const struct fs_block *b,
                      struct fs_str *out) {
  fs_str_printf(out, "> code: %s\n", fs_session_target(s)->ops->form);
  for (int k = 0; k < b->plan->kernels.len; k++) {
    fs_str_printf(out, "# k%d %s\n", k + 1,
                  fs_schemes[b->plan->kernels.data[k].scheme].name);
    if (s->on_cuda) dump_form(s, b, k, "launch", false, out);
    dump_form(s, b, k, fs_session_target(s)->ops->form, true, out);
    if (s->on_cuda) dump_form(s, b, k, "quick", false, out);
  }
}

void fs_session_dump(struct fs_session *s, const struct fs_block *b,
                     unsigned stages, struct fs_str *out) {
  if (stages & GRAPH) fs_graph_dump(b->plan->graph, &s->diags, out);
  if (stages & SPACE) {
    struct fs_plan_request q =
        fs_plan_request(fs_session_runner(s), b->plan->graph, &s->diags);
    fs_space_dump(b->plan, &fs_session_target(s)->device, &q.options, &s->diags,
                  out);
    fs_plan_request_free(&q);
  }
  if (stages & PLAN) fs_plan_dump(b->plan, &s->diags, false, out);
  if (stages & CODE) dump_code(s, b, out);
}

/* What was written before the command, in a script; else the last input. */
static void dump_last_ast(struct fs_session *s, const struct fs_words *c) {
  const struct fs_source *source =
      c->span.source ? fs_source_get(&s->diags, c->span.source) : NULL;
  const char *text = source ? source->text : "";
  size_t len = FS_MIN(c->span.begin, source ? source->len : 0);
  while (len && strchr(" \t\r\n", text[len - 1])) len--;
  for (int k = s->history.len - 1; k >= 0 && !len; k--) {
    text = s->history.data[k].text;
    if (*text != ':' && *text != '?') len = strlen(text);
  }
  fs_dump_ast(text, len, c->out);
}

enum fs_status fs_session_dump_last(struct fs_session *s, struct fs_words *c) {
  unsigned stages = 0, all = 0;
  for (int k = 0; k < c->n; k++) {
    if (!fs_dump_parse(c->word[k], &stages) || !stages) return FS_ERR_USER;
    all |= stages;
  }
  if (!all) return FS_ERR_USER;
  if (all & AST) dump_last_ast(s, c);
  if (all == AST) return FS_OK;
  const struct fs_block *block = fs_session_current_block(s, c->out);
  if (block) fs_session_dump(s, block, all, c->out);
  return FS_OK;
}

/* -- the compiled kernels on disk ------------------------------------------------ */

enum fs_status fs_session_cache(struct fs_session *s, struct fs_words *c) {
  struct fs_target *t = fs_session_target(s);
  int behind = t->ops->behind ? t->ops->behind(t) : 0;
  if (c->n > 1 || (c->n && strcmp(c->word[0], "clear"))) return FS_ERR_USER;
  if (c->n) {
    int64_t gone = fs_kernel_cache_clear();
    fs_str_printf(c->out, "%lld compiled kernel%s deleted\n", (long long)gone,
                  gone == 1 ? "" : "s");
    return FS_OK;
  }
  struct fs_kernel_cache_state state = fs_kernel_cache_state();
  fs_str_printf(c->out, "  %-11s %lld found, %lld not found, %lld stored\n",
                "this run", (long long)state.hits, (long long)state.misses,
                (long long)state.stored);
  fs_str_printf(c->out, "  %-11s %lld, ", "kernels", (long long)state.files);
  fs_str_put_bytes(c->out, (double)state.bytes);
  fs_str_puts(c->out, " of at most ");
  fs_str_put_bytes(c->out, (double)state.limit);
  fs_str_printf(c->out, "\n  %-11s ", "folder");
  fs_str_put_safe(c->out, state.path, strlen(state.path));
  if (!*state.path) fs_str_puts(c->out, "none: the cache is switched off");
  fs_str_puts(c->out, "\n");
  if (behind)
    fs_str_printf(c->out, "  %-11s %d being compiled in full; quick code runs meanwhile\n",
                  "behind", behind);
  if (*state.why) fs_str_printf(c->out, "  %s\n", state.why);
  return FS_OK;
}
