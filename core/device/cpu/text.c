/* text.c - a walk as text: what `:code` shows for the CPU target. */
#include "core/device/cpu/walk.h"

#include <stdio.h>

static void put_value(const struct fs_walk *w, int v, struct fs_str *out) {
  uint8_t varies = w->varies[v];
  fs_str_printf(out, "v%d%s", v,
                varies == FS_VARIES_BOTH ? "[i,j]"
                : varies == FS_VARIES_I  ? "[i]"
                : varies == FS_VARIES_J  ? "[j]"
                                         : "");
}

static void put_inputs(const struct fs_walk *w, const struct fs_walk_op *op,
                       const char *between, struct fs_str *out) {
  for (int k = 0; k < op->n_in; k++) {
    if (k) fs_str_puts(out, between);
    put_value(w, op->in[k], out);
  }
}

static void put_access(const struct fs_walk *w, int k, struct fs_str *out) {
  const struct fs_access *a = &w->kernel->accesses.data[k];
  const struct fs_space *s = &w->kernel->space;
  fs_str_printf(out, "%s slot%d[%lld", fs_dtype_name(a->dtype), a->slot,
                (long long)a->offset);
  for (int x = 0; x < s->n_outer + s->n_inner; x++) {
    if (a->stride[x] == 0) continue;
    fs_str_printf(out, " + %lld*", (long long)a->stride[x]);
    bool outer = x < s->n_outer;
    int many = outer ? s->n_outer : s->n_inner;
    fs_str_puts(out, outer ? "i" : "j");
    if (many > 1) fs_str_printf(out, "%d", outer ? x : x - s->n_outer);
  }
  if (a->list) {
    fs_str_printf(out, " + %lld*(", (long long)a->list_stride);
    put_access(w, a->list - 1, out);
    fs_str_puts(out, " - 1)");
  }
  if (a->reach)
    fs_str_printf(out, " within %lld..%lld", (long long)a->low,
                  (long long)(a->low + a->reach - 1));
  fs_str_puts(out, "]");
}

/* Operations that share a pass. */
static void put_joined(const struct fs_walk *w, const struct fs_walk_op *op,
                       struct fs_str *out) {
  static const char *const signs[] = {"+", "-", ".*", "-"};
  bool reverse = op->paired && op->second == FS_PAIR_RSUB;
  int left = op->axpby ? 2 : 0, right = op->axpby ? 0 : 1;
  if (reverse) {
    put_value(w, op->in[2], out);
    fs_str_puts(out, " - ");
  }
  fs_str_puts(out, "(");
  put_value(w, op->in[left], out);
  fs_str_printf(out, " %s ", op->axpby ? ".*" : signs[op->first]);
  put_value(w, op->in[right], out);
  fs_str_puts(out, ")");
  if (reverse) return;
  fs_str_printf(out, " %s ", op->axpby ? "+ (" : signs[op->second]);
  put_value(w, op->in[op->axpby ? 3 : 2], out);
  if (!op->axpby) return;
  fs_str_puts(out, " .* ");
  put_value(w, op->in[1], out);
  fs_str_puts(out, ")");
}

static void put_map(const struct fs_walk *w, const struct fs_walk_op *op,
                    struct fs_str *out) {
  if (op->paired || op->axpby) {
    put_joined(w, op, out);
    return;
  }
  const struct fs_map_op_info *info = &fs_map_ops[op->step->op];
  const struct fs_user *user = op->step->user;
  if (op->n_in == 2 && info->infix[0]) {
    put_value(w, op->in[0], out);
    fs_str_printf(out, " %s ", info->infix);
    put_value(w, op->in[1], out);
  } else {
    fs_str_printf(out, "%s(", user ? user->name : info->name);
    put_inputs(w, op, ", ", out);
    fs_str_puts(out, ")");
  }
  if (op->step->op == FS_OP_CAST)
    fs_str_printf(out, " to %s",
                  fs_dtype_name(w->kernel->values.data[op->out].dtype));
  if (op->round) fs_str_puts(out, ", rounded");
  const char *why = "";
  if (op->body && fs_body_is_compiled(op->body, &why)) fs_str_puts(out, "   (compiled)");
  else if (*why) fs_str_printf(out, "   (interpreted: %s)", why);
}

static void put_reduce(const struct fs_walk *w, const struct fs_walk_op *op,
                       struct fs_str *out) {
  static const char *const modes[] = {
    [FS_RM_ROW] = "ready after this sweep",
    [FS_RM_ROW_END] = "finished at the end",
    [FS_RM_COLUMN] = "a partial line per chunk, folded at the end",
    [FS_RM_ALL] = "a partial result per task, folded at the end",
  };
  fs_str_printf(out, "%s over %s of ", fs_reduce_ops[op->step->op].name,
                op->step->over == FS_VARIES_I   ? "i"
                : op->step->over == FS_VARIES_J ? "j"
                                                : "i, j");
  put_inputs(w, op, op->product ? " * (fma) " : " * ", out);
  fs_str_printf(out, "   (%s)", modes[op->reduce]);
}

static void put_op(const struct fs_walk *w, const struct fs_walk_op *op,
                   struct fs_str *out) {
  static const char *const loads[] = {
    [FS_LM_COPY] = "", [FS_LM_IN_PLACE] = "   (in place)",
    [FS_LM_TRANSPOSE] = "   (transposed)", [FS_LM_KEPT] = "   (kept)"};
  fs_str_puts(out, "    ");
  if (op->out >= 0) {
    put_value(w, op->out, out);
    fs_str_puts(out, " = ");
  }
  switch (op->kind) {
    case FS_SP_LOAD:
      if (op->mode == FS_LM_KEPT) {
        fs_str_puts(out, op->line >= 0 || op->varies == FS_VARIES_I
                             ? "as it was kept for all rows"
                             : "as an earlier sweep kept it");
        break;
      }
      fs_str_puts(out, "load ");
      put_access(w, op->step->access, out);
      fs_str_puts(out, loads[op->mode]);
      break;
    case FS_SP_PARAM: fs_str_printf(out, "param %d", op->step->param); break;
    case FS_SP_IOTA: fs_str_puts(out, "iota"); break;
    case FS_SP_RAND: fs_str_puts(out, op->step->op ? "randn" : "rand"); break;
    case FS_SP_MAP: put_map(w, op, out); break;
    case FS_SP_REDUCE: put_reduce(w, op, out); break;
    case FS_SP_STORE:
      fs_str_puts(out, "store ");
      put_access(w, op->step->access, out);
      fs_str_puts(out, " = ");
      put_inputs(w, op, ", ", out);
      if (op->stream) fs_str_puts(out, "   (past the caches)");
      break;
  }
  if (op->once && op->mode != FS_LM_IN_PLACE)
    fs_str_puts(out, "   (with the first rows alone)");
  if (op->direct >= 0 && op->kind != FS_SP_LOAD) {
    fs_str_puts(out, "   (written to ");
    put_access(w, op->direct, out);
    fs_str_puts(out, ")");
  }
  fs_str_puts(out, "\n");
}

static void put_list(const struct fs_walk *w, const fs_op_list *list,
                     const char *title, struct fs_str *out) {
  if (list->len == 0) return;
  fs_str_printf(out, "  %s\n", title);
  for (int k = 0; k < list->len; k++) put_op(w, &list->data[k], out);
}

void fs_walk_print(const struct fs_walk *w, struct fs_str *out) {
  const struct fs_space *s = &w->kernel->space;
  char title[64];
  fs_str_printf(out, "walk %s, %lld x %lld, routines %s\n",
                fs_schemes[w->kernel->scheme].name, (long long)s->m,
                (long long)s->n, w->r->isa);
  fs_str_printf(out, "  tasks of %lld x %lld: groups of %lld rows, strips of "
                "%lld columns; %.1f KiB of scratch a thread\n",
                (long long)w->cut.chunk_rows, (long long)w->cut.chunk_columns,
                (long long)w->cut.rows, (long long)w->cut.columns,
                (double)w->scratch / 1024);
  put_list(w, &w->start, "each task:", out);
  put_list(w, &w->vectors, "before the tasks, each strip of columns:", out);
  put_list(w, &w->before, "before the tasks, each strip of rows:", out);
  for (int p = 0; p < w->n_phases; p++) {
    snprintf(title, sizeof title, "phase %d, each group of rows:", p);
    put_list(w, &w->phase[p].group, title, out);
    snprintf(title, sizeof title, "phase %d, each strip:", p);
    put_list(w, &w->phase[p].strips, title, out);
  }
  put_list(w, &w->after, "after the tasks, each strip of rows:", out);
  put_list(w, &w->all, "end, partial results of the tasks:", out);
  put_list(w, &w->end_cells, "end, scalars:", out);
  put_list(w, &w->end_rows, "end, each strip of rows:", out);
  put_list(w, &w->end_columns, "end, each strip of columns:", out);
}

bool fs_walk_loops(const struct fs_walk *w, char *out, size_t size) {
  bool compiled = true;
  if (!w->bodies.len) return false;
  snprintf(out, size, "compiled");
  FS_EACH_AT(&w->bodies, b) {
    const char *why;
    if (!compiled || fs_body_is_compiled(*b, &why)) continue;
    compiled = false;
    snprintf(out, size, "interpreted%s%s", *why ? ": " : "", why);
  }
  return true;
}
