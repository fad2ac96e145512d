/* dump.c - a plan as stable text, and kernels in the user's statements. */
#include "core/plan/plan.h"

static void put_slot(const struct fs_plan *plan, int slot, struct fs_str *out) {
  slot = fs_slot_whole(plan, slot);
  const struct fs_slot *s = &plan->slots.data[slot];
  const struct fs_graph *g = plan->graph;
  const char *name = NULL;
  if (s->kind == FS_SLOT_INPUT) name = g->inputs.data[s->index].name;
  if (s->kind == FS_SLOT_RESULT) name = g->output_names.data[s->index];
  if (name) fs_str_puts(out, name);
  else fs_str_printf(out, "t%d", slot);
}

static void put_access(const struct fs_plan *plan, const struct fs_kernel *k,
                       int access, struct fs_str *out) {
  const struct fs_access *a = &k->accesses.data[access];
  put_slot(plan, a->slot, out);
  int64_t anchor = fs_slot_begin(plan, a->slot) / (int64_t)fs_dtype_size(a->dtype);
  fs_str_printf(out, "[%lld", (long long)(anchor + a->offset));
  for (int x = 0; x < k->space.n_outer + k->space.n_inner; x++)
    if (a->stride[x])
      fs_str_printf(out, " + %lld*%c%d", (long long)a->stride[x],
                    x < k->space.n_outer ? 'i' : 'j',
                    x < k->space.n_outer ? x : x - k->space.n_outer);
  if (a->list) {
    fs_str_printf(out, " + %lld*(", (long long)a->list_stride);
    put_access(plan, k, a->list - 1, out);
    fs_str_puts(out, " - 1)");
  }
  if (a->reach)
    fs_str_printf(out, " within %lld..%lld", (long long)a->low, (long long)(a->low + a->reach - 1));
  fs_str_puts(out, "]");
}

static void put_operands(const struct fs_step *s, struct fs_str *out) {
  FS_EACH_IN(s, x) fs_str_printf(out, "%sv%d", x ? ", " : " ", s->in[x]);
}

static void put_step(const struct fs_plan *plan, const struct fs_kernel *k,
                     const struct fs_step *s, struct fs_str *out) {
  static const char *const over[] = {"", "i", "j", "i and j"};
  static const char *const varies[] = {"", "i", "j", "ij"};
  fs_str_printf(out, s->phase == FS_END ? "    phase end: " : "    phase %d: ", s->phase);
  if (s->out >= 0) {
    const struct fs_value *v = &k->values.data[s->out];
    fs_str_printf(out, "v%d %s(%s) = ", s->out, fs_dtype_name(v->dtype), varies[v->varies & 3]);
  }
  switch (s->kind) {
    case FS_SP_LOAD:
      fs_str_puts(out, "load ");
      put_access(plan, k, s->access, out);
      break;
    case FS_SP_PARAM: fs_str_printf(out, "param %d", s->param); break;
    case FS_SP_IOTA: fs_str_puts(out, "iota"); put_operands(s, out); break;
    case FS_SP_RAND:
      fs_str_puts(out, s->op ? "randn" : "rand");
      put_operands(s, out);
      break;
    case FS_SP_MAP:
      fs_str_puts(out, s->user ? s->user->name : fs_map_ops[s->op].name);
      put_operands(s, out);
      break;
    case FS_SP_REDUCE:
      fs_str_printf(out, "reduce %s over %s of", fs_reduce_ops[s->op].name, over[s->over & 3]);
      fs_str_printf(out, " v%d", s->in[0]);
      if (s->in[1] >= 0) fs_str_printf(out, " * v%d", s->in[1]);
      break;
    case FS_SP_STORE:
      fs_str_puts(out, "store ");
      put_access(plan, k, s->access, out);
      fs_str_printf(out, " = v%d", s->in[0]);
  }
  fs_str_puts(out, "\n");
}

static void put_kernel(const struct fs_plan *plan, int index, bool with_times,
                       const struct fs_diags *diags, struct fs_str *out) {
  const struct fs_kernel *k = &plan->kernels.data[index];
  fs_str_printf(out, "  k%d %s%s", index + 1, fs_schemes[k->scheme].name, k->copies ? " copy" : "");
  if (k->lib_node)
    fs_str_printf(out, " %s", fs_lib_op_names[fs_node(plan->graph, k->lib_node)->op]);
  else
    fs_str_printf(out, " %lld x %lld", (long long)k->space.m, (long long)k->space.n);
  fs_str_puts(out, ": ");
  fs_kernel_does(plan, k, diags, out);
  fs_str_printf(out, "\n    reads %.0f B, writes %.0f B", k->bytes_read,
                k->bytes_written);
  if (with_times)
    fs_str_printf(out, ", predicted %.3f us, bound by %s", k->predicted * 1e6, k->bound);
  fs_str_puts(out, "\n");
  for (int s = 0; s < k->steps.len; s++)
    put_step(plan, k, &k->steps.data[s], out);
}

/* How many there were of what, and what left them out. */
static void put_space(const struct fs_space_counts *c, struct fs_str *out) {
  fs_str_printf(out, "  space: %lld fusions tried, %lld legal, %lld "
                "implementations, %lld kept, ",
                (long long)c->fusions, (long long)c->legal,
                (long long)c->implementations, (long long)c->kept);
  fs_str_printf(out, "%s%.4g combinations\n", fs_space_about(c), c->combinations);
  fs_space_put_pruned(c, out);
}

void fs_plan_dump(const struct fs_plan *plan, const struct fs_diags *diags,
                  bool with_times, struct fs_str *out) {
  fs_str_printf(out, "> plan: %d calls, %d kernels\n", plan->found->n_calls,
                plan->kernels.len);
  for (int k = 0; k < plan->kernels.len; k++)
    put_kernel(plan, k, with_times, diags, out);
  if (with_times) put_space(&plan->found->space, out);
  for (int r = 0; with_times && r < plan->found->rejections.len; r++) {
    const struct fs_rejection *x = &plan->found->rejections.data[r];
    fs_str_printf(out, "  %%%u and %%%u: %s\n", x->a, x->b, fs_rule_names[x->rule]);
  }
}

/* Bytes of a statement that are shown, and after which no other one follows. Every kernel
 * of a block says what it does: one of 250,000 terms has 2,000 kernels, and its text would
 * be there as often. */
enum { STATEMENT_MAX = 4096 };

/* Without the `return` in front of a function's last words; behind the loops that it is in. */
void fs_statement_put(const struct fs_diags *diags, struct fs_span span, struct fs_str *out) {
  static const char word[] = "return ";
  size_t len, n = sizeof word - 1;
  const char *text = fs_span_text(diags, span, &len);
  const char *words = fs_span_words(diags, span);
  if (words) fs_str_puts(out, words);
  if (len > n && !memcmp(text, word, n)) span.begin += (uint32_t)n;
  fs_span_put_line(diags, span, STATEMENT_MAX, out);
}

static int compare(const void *a, const void *b) {
  const struct fs_expression *x = a, *y = b;
  int order = fs_span_compare(x->stmt, y->stmt);
  if (!order) order = fs_span_compare(x->span, y->span);
  return order ? order : fs_span_compare(x->inner, y->inner);
}

/* What is being written: from `begin` of `out` on. */
struct does {
  const struct fs_plan *plan;
  const struct fs_kernel *k;
  const struct fs_diags *diags;
  struct fs_str *out;
  size_t begin;
  bool more; /* something is there, and so is "..." if `full` */
  bool full;
};

static void put_span(struct does *d, const char *gap, struct fs_span span) {
  if (d->full) return;
  if (d->more) fs_str_puts(d->out, gap);
  d->more = true;
  d->full = d->out->len - d->begin > STATEMENT_MAX;
  if (d->full) fs_str_puts(d->out, "...");
  else fs_statement_put(d->diags, span, d->out);
}

/* Of (G*W') what is in the parentheses. */
static struct fs_span unwrapped(const struct fs_diags *diags, struct fs_span span) {
  size_t len = 0;
  const char *text = fs_span_text(diags, span, &len);
  int depth = 0;
  if (len < 2 || len != span.end - span.begin || memchr(text, '"', len)) return span;
  for (size_t k = 0; k + 1 < len; k++) {
    depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    if (!depth) return span; /* closed before the end, or never open */
  }
  return (struct fs_span){span.source, span.begin + 1, span.end - 1};
}

/* Whether other kernels have calls of the same expression, which is one of the prelude's
 * functions then. */
static bool is_shared(const struct does *d, const struct fs_expression *x) {
  for (int k = 0; k < d->plan->kernels.len; k++) {
    const struct fs_kernel *other = &d->plan->kernels.data[k];
    for (int c = 0; other != d->k && c < other->calls.len; c++) {
      const struct fs_node *nd = fs_node(d->plan->graph, other->calls.data[c]);
      if (nd->inner.source && !fs_span_compare(nd->span, x->span) &&
          !fs_span_compare(nd->stmt, x->stmt))
        return true;
    }
  }
  return false;
}

/* "[a = ...; b = ...]": what is here of functions of the prelude that several kernels
 * share, by whose calls alone these could not be told apart. */
static void put_inner(struct does *d, const struct fs_expression *of, int n) {
  bool some = false;
  const struct fs_expression *last = NULL;
  for (int k = 0; k < n; k++) {
    if (!of[k].inner.source || (last && !compare(last, &of[k]))) continue;
    if ((!last || fs_span_compare(last->span, of[k].span)) && !is_shared(d, &of[k])) continue;
    last = &of[k];
    put_span(d, some ? "; " : " [", last->inner);
    some = true;
  }
  if (some && !d->full) fs_str_puts(d->out, "]");
}

/* The statement that n expressions of a kernel, in order, are of; or those that none of
 * the others encloses, where others compute what the statement is about. */
static void put_part(struct does *d, const struct fs_expression *of, int n) {
  const struct fs_expression *last = NULL;
  bool whole = fs_graph_is_whole(d->plan->graph, of->stmt, of, n);
  if (whole) put_span(d, "; ", of->stmt);
  for (int k = 0; k < n && !whole; k++) {
    if (last && fs_span_holds(last->span, of[k].span)) continue;
    last = &of[k];
    put_span(d, "; ", unwrapped(d->diags, last->span));
  }
  put_inner(d, of, n);
}

void fs_kernel_does(const struct fs_plan *plan, const struct fs_kernel *k,
                    const struct fs_diags *diags, struct fs_str *out) {
  FS_VEC(struct fs_expression) of = {0};
  const struct fs_step *last = k->steps.len ? &k->steps.data[k->steps.len - 1] : NULL;
  for (int c = 0; c < k->calls.len + (k->copies ? 1 : 0); c++) {
    fs_id id = c < k->calls.len ? k->calls.data[c] : last->node;
    const struct fs_node *nd = fs_node(plan->graph, id);
    if (nd->stmt.source) *FS_PUSH(&of) = (struct fs_expression){nd->stmt, nd->span, nd->inner};
  }
  /* In the order in which they were written, whatever the graph's order. */
  if (of.len) qsort(of.data, (size_t)of.len, sizeof *of.data, compare);
  static const char *const copies[] = {"", "copy before ", "copy around ", "copy read by ",
                                       "copy to the part by "};
  fs_str_puts(out, copies[k->copies]);
  struct does d = {.plan = plan, .k = k, .diags = diags, .out = out, .begin = out->len};
  for (int from = 0, to; from < of.len; from = to) {
    struct fs_span stmt = of.data[from].stmt;
    for (to = from + 1; to < of.len; to++)
      if (fs_span_compare(of.data[to].stmt, stmt)) break;
    if (k->copies) put_span(&d, "; ", stmt);
    else put_part(&d, of.data + from, to - from);
  }
  FS_VEC_FREE(&of);
}
