/* lines.c - what a kernel does with lines alone, taken out of its tasks.
 *
 * A group of rows is often a few rows, or one. Operations on so few numbers take as long
 * as the calls that they are: beside a matrix of 512 x 1024, five operations on a column of
 * 512 numbers took 3 us, and 0.2 us as a kernel of their own. So what needs no result of a
 * row is done for all rows before the tasks, and what no strip needs behind them; what
 * one of the three makes for another lies in the work memory, by rows. Lines that are long
 * leave the caches on the way, and stay with their groups.
 *
 * Of lines over J what is made of counters alone goes, and the loads with a stride: a column of a matrix that is the vector
 * of a product brings a cache line for each number, again for each group of rows:
 * X*X[:,1] of 4000 x 4000 took 6 ms, and X*c 2.
 */
#include "core/device/cpu/walk.h"

#include "core/plan/kernels/launches.h"

enum { MOST_ROWS = 1 << 16, MANY = 2 }; /* groups: a copy is written and read again, too */

/* Where a line is made or needed; as bits, where it is needed altogether. */
enum { BEFORE = 1, GROUP = 2, AFTER = 4 };

struct lines {
  struct fs_walk *w;
  bool *at_start;      /* by value: a cell that every task begins with          */
  bool *early;         /* ... a line that needs no result of a row              */
  uint8_t *needed;     /* ... where                                             */
  fs_op_list group;    /* the operations of all phases' groups, in order        */
  FS_VEC(int) phase;   /* ... and their phases                                  */
  uint8_t *place;      /* ... and where they go; 0: not decided                 */
  int *direct;         /* by value: the access that it is written to at once; -1 */
};

static bool is_line(const struct fs_walk_op *op) {
  if (op->kind == FS_SP_REDUCE)
    return op->reduce == FS_RM_ALL && op->walks == FS_VARIES_I;
  return op->varies == FS_VARIES_I;
}

/* Stores and sums: no other operation of the list needs them. */
static bool is_last(const struct fs_walk_op *op) {
  return op->kind == FS_SP_STORE || op->kind == FS_SP_REDUCE;
}

/* Whether some store of the kernel may overwrite what a load of it reads: of these two
 * one is given, as an access. */
static bool overwrites(const struct lines *l, int store, int load) {
  const struct fs_kernel *k = l->w->kernel;
  FS_EACH_AT(&k->accesses, a) {
    if (a->step < 0 || a->stored != (store < 0)) continue;
    const struct fs_access *to = store < 0 ? a : &k->accesses.data[store];
    const struct fs_access *from = store < 0 ? &k->accesses.data[load] : a;
    if (fs_plan_may_overwrite(l->w->plan, to->slot, from->slot)) return true;
  }
  return false;
}

/* Cells that need no result of a row begin a task, whatever phase wants them. */
static void move_cells(struct lines *l) {
  struct fs_walk *w = l->w;
  for (int k = 0; k < w->start.len; k++)
    if (w->start.data[k].out >= 0) l->at_start[w->start.data[k].out] = true;
  for (int p = 0; p < w->n_phases; p++) {
    fs_op_list *list = &w->phase[p].group;
    int n = 0;
    for (int k = 0; k < list->len; k++) {
      struct fs_walk_op op = list->data[k];
      bool cell = op.varies == 0 && op.out >= 0 && !is_last(&op);
      for (int x = 0; x < op.n_in && cell; x++) cell = l->at_start[op.in[x]];
      if (cell) l->at_start[op.out] = true;
      *(cell ? FS_PUSH(&w->start) : &list->data[n++]) = op;
    }
    list->len = n;
  }
}

static void gather(struct lines *l) {
  for (int p = 0; p < l->w->n_phases; p++)
    for (int k = 0; k < l->w->phase[p].group.len; k++) {
      *FS_PUSH(&l->group) = l->w->phase[p].group.data[k];
      *FS_PUSH(&l->phase) = p;
    }
  l->place = fs_calloc((size_t)l->group.len + 1, 1);
}

static void find_early(struct lines *l) {
  for (int k = 0; k < l->group.len; k++) {
    const struct fs_walk_op *op = &l->group.data[k];
    bool early = is_line(op);
    for (int x = 0; x < op->n_in; x++)
      early = early && (l->early[op->in[x]] || l->at_start[op->in[x]]);
    /* What the tasks still have to read is not written before them. */
    if (early && op->kind == FS_SP_STORE)
      early = !overwrites(l, op->step->access, -1);
    if (!early) continue;
    if (is_last(op)) l->place[k] = BEFORE;
    else l->early[op->out] = true;
  }
}

static void need(struct lines *l, const struct fs_walk_op *op, int where) {
  for (int x = 0; x < op->n_in; x++) l->needed[op->in[x]] |= (uint8_t)where;
}

/* Whether a line is made by an operation that may write where it is told to. */
static bool is_made_freely(const struct lines *l, int v) {
  const struct fs_walk *w = l->w;
  if (w->varies[v] != FS_VARIES_I) return false;
  FS_EACH_AT(&l->group, op) {
    if (op->out == v && op->kind == FS_SP_MAP)
      return !op->spread && (l->early[v] || w->cut.column_chunks == 1);
  }
  for (int p = 0; p < w->n_phases; p++)
    for (int k = 0; k < w->phase[p].finish.len; k++)
      if (w->phase[p].finish.data[k].out == v)
        return w->phase[p].finish.data[k].reduce == FS_RM_ROW;
  return false;
}

/* What is stored as it is, line behind line, is written there at once. */
static void find_direct(struct lines *l) {
  const struct fs_walk *w = l->w;
  FS_EACH_AT(&l->group, st) {
    if (st->kind != FS_SP_STORE || !is_line(st) || st->convert) continue;
    int v = st->in[0];
    if (l->direct[v] >= 0 || !st->outer.linear || st->outer.stride != 1) continue;
    const struct fs_access *a = &w->kernel->accesses.data[st->step->access];
    if (w->plan->slots.data[a->slot].kind == FS_SLOT_INPUT ||
        overwrites(l, st->step->access, -1) || !is_made_freely(l, v))
      continue;
    l->direct[v] = st->step->access;
    st->done = true;
  }
}

/* Backwards, so that where its result is needed says where an operation goes. */
static void find_places(struct lines *l) {
  for (int p = 0; p < l->w->n_phases; p++)
    for (int k = 0; k < l->w->phase[p].strips.len; k++)
      need(l, &l->w->phase[p].strips.data[k], GROUP);
  for (int k = l->group.len - 1; k >= 0; k--) {
    const struct fs_walk_op *op = &l->group.data[k];
    if (op->done) continue;
    bool cells = true; /* ... are those that tasks begin with */
    for (int x = 0; x < op->n_in; x++)
      cells = cells && (l->w->varies[op->in[x]] || l->at_start[op->in[x]]);
    int needed = op->out >= 0 && !is_last(op) ? l->needed[op->out] : AFTER;
    if (l->place[k]) needed = l->place[k];
    else if (!needed) needed = AFTER; /* but for its memory nobody does */
    if (!l->place[k] && (!is_line(op) || !cells)) needed = GROUP;
    bool early = op->out >= 0 && !is_last(op) && l->early[op->out];
    int place = needed == AFTER ? AFTER : early || needed == BEFORE ? BEFORE : GROUP;
    l->place[k] = (uint8_t)place;
    if (op->kind == FS_SP_LOAD && is_line(op)) continue;
    need(l, op, place);
  }
}

/* The line as the list finds it that did not make it. */
static void take_kept(struct fs_walk_op op, fs_op_list *list) {
  op.kind = FS_SP_LOAD;
  op.mode = FS_LM_KEPT;
  op.n_in = 0;
  *FS_PUSH(list) = op;
}

/* Gives the line a place for all rows, in the result or in the work memory. */
static void keep_line(struct lines *l, struct fs_walk_op *op) {
  enum { LINE = 64 };
  op->direct = l->direct[op->out];
  if (op->direct >= 0) return;
  op->line = l->w->lines;
  l->w->lines += (l->w->kernel->space.m * op->size + LINE - 1) / LINE * LINE;
}

/* Loads are made again wherever they are needed, but for what tasks may overwrite. */
static void put_load(struct lines *l, struct fs_walk_op *op, fs_op_list *group) {
  struct fs_walk *w = l->w;
  int needed = l->needed[op->out];
  bool again = !(needed & AFTER) || !overwrites(l, -1, op->step->access);
  if (!again) {
    op->mode = FS_LM_COPY;
    keep_line(l, op);
    needed |= BEFORE;
  }
  if (needed & BEFORE) *FS_PUSH(&w->before) = *op;
  if (needed & GROUP && again) *FS_PUSH(group) = *op;
  else if (needed & GROUP) take_kept(*op, group);
  if (needed & AFTER && again) *FS_PUSH(&w->after) = *op;
  else if (needed & AFTER) take_kept(*op, &w->after);
}

static void put(struct lines *l, struct fs_walk_op *op, int place, fs_op_list *group) {
  struct fs_walk *w = l->w;
  bool line = op->out >= 0 && !is_last(op) && is_line(op);
  int others = line ? l->needed[op->out] & ~place : 0;
  if (others || (line && l->direct[op->out] >= 0)) keep_line(l, op);
  if (op->kind == FS_SP_REDUCE && place != GROUP)
    op->stage = place == BEFORE ? FS_STAGE_BEFORE : FS_STAGE_AFTER;
  *FS_PUSH(place == BEFORE ? &w->before : place == AFTER ? &w->after : group) = *op;
  if (others & GROUP) take_kept(*op, group);
  if (others & AFTER) take_kept(*op, &w->after);
}

/* Results of rows that are needed behind the tasks. */
static void keep_rows(struct lines *l) {
  struct fs_walk *w = l->w;
  for (int p = 0; p < w->n_phases; p++)
    FS_EACH_AT(&w->phase[p].finish, op) {
      if (op->reduce != FS_RM_ROW) continue;
      bool later = l->needed[op->out] & AFTER;
      if (later || l->direct[op->out] >= 0) keep_line(l, op);
      if (later) take_kept(*op, &w->after);
    }
}

static void share_out(struct lines *l) {
  struct fs_walk *w = l->w;
  for (int p = 0; p < w->n_phases; p++) w->phase[p].group.len = 0;
  keep_rows(l);
  for (int k = 0; k < l->group.len; k++) {
    struct fs_walk_op *op = &l->group.data[k];
    fs_op_list *group = &w->phase[l->phase.data[k]].group;
    if (op->done) continue;
    if (op->kind == FS_SP_LOAD && is_line(op)) put_load(l, op, group);
    else put(l, op, l->place[k], group);
  }
}

unsigned fs_walk_grouping(const struct fs_walk *w) {
  int64_t m = w->kernel->space.m;
  if (!fs_walk_has_groups(w)) return 0;
  return 1u | (m > MOST_ROWS) << 1 | (m > MANY * w->cut.rows) << 2 |
         (w->cut.column_chunks == 1) << 3;
}

void fs_walk_take_lines(struct fs_walk *w) {
  size_t nv = (size_t)w->n_values;
  int64_t m = w->kernel->space.m;
  if (!fs_walk_has_groups(w) || m > MOST_ROWS) return;
  struct lines l = {.w = w};
  l.at_start = fs_calloc(nv, sizeof *l.at_start);
  l.early = fs_calloc(nv, sizeof *l.early);
  l.needed = fs_calloc(nv, sizeof *l.needed);
  l.direct = fs_malloc(nv * sizeof *l.direct);
  for (size_t v = 0; v < nv; v++) l.direct[v] = -1;
  move_cells(&l);
  gather(&l);
  find_early(&l);
  find_direct(&l);
  find_places(&l);
  share_out(&l);
  free(l.at_start);
  free(l.early);
  free(l.needed);
  free(l.place);
  free(l.direct);
  FS_VEC_FREE(&l.group);
  FS_VEC_FREE(&l.phase);
}

/* -- strided vectors ------------------------------------------------------ */

static bool is_strided_vector(const struct fs_walk_op *op) {
  return op->kind == FS_SP_LOAD && op->mode == FS_LM_COPY && !op->once &&
         op->varies == FS_VARIES_J && !(op->inner.linear && op->inner.stride == 1);
}

/* The copy that strips find; each phase that wants the vector has a load of its own. */
static void copy_once(struct fs_walk *w, struct fs_walk_op *op) {
  enum { LINE = 64 };
  const struct fs_walk_op *copy = NULL;
  for (int k = 0; k < w->vectors.len; k++)
    if (w->vectors.data[k].out == op->out) copy = &w->vectors.data[k];
  op->line = copy ? copy->line : w->lines;
  if (!copy) {
    *FS_PUSH(&w->vectors) = *op;
    w->lines += (w->kernel->space.n * op->size + LINE - 1) / LINE * LINE;
  }
  op->mode = FS_LM_KEPT;
}

/* -- what is made of counters of columns ---------------------------------- */

/* Whether all that an operation takes is there when all columns are gone over. */
static bool has_operands(const struct fs_walk *w, const struct fs_walk_op *op, const bool *made) {
  for (int k = 0; k < op->n_in; k++) {
    bool there = made[op->in[k]];
    for (int s = 0; s < w->start.len && !there; s++) there = w->start.data[s].out == op->in[k];
    if (!there) return false;
  }
  return true;
}

static bool is_counted(const struct fs_walk *w, const struct fs_walk_op *op, const bool *made) {
  bool map = op->kind == FS_SP_MAP && op->map && !op->user && !op->body && !op->spread;
  return (map || op->kind == FS_SP_IOTA) && op->varies == FS_VARIES_J && op->out >= 0 &&
         op->direct < 0 && !op->kept && !op->once && has_operands(w, op, made);
}

/* A condition at a border, j >= 2, is not made again for each group of rows. What nobody but
 * these operations takes needs no place. Long lines would leave the caches. */
static void take_counted(struct fs_walk *w, fs_op_list *list) {
  enum { LINE = 64 };
  bool *made = fs_calloc((size_t)w->n_values, sizeof *made);
  bool *taken = fs_calloc((size_t)w->n_values, sizeof *taken);
  for (int k = 0; k < list->len; k++)
    if (is_counted(w, &list->data[k], made)) made[list->data[k].out] = true;
  FS_EACH_AT(list, op)
    for (int k = 0; k < op->n_in; k++)
      taken[op->in[k]] |= op->out < 0 || !made[op->out];
  int n = 0;
  for (int k = 0; k < list->len; k++) {
    struct fs_walk_op op = list->data[k];
    bool moves = op.out >= 0 && made[op.out] && (op.kind == FS_SP_MAP || op.kind == FS_SP_IOTA);
    if (moves && taken[op.out]) {
      op.line = w->lines;
      w->lines += (w->kernel->space.n * op.size + LINE - 1) / LINE * LINE;
    }
    if (moves) *FS_PUSH(&w->vectors) = op;
    bool found = moves && taken[op.out];
    if (found) op.kind = FS_SP_LOAD, op.mode = FS_LM_KEPT, op.n_in = 0;
    if (!moves || found) list->data[n++] = op;
  }
  list->len = n;
  free(made);
  free(taken);
}

void fs_walk_take_vectors(struct fs_walk *w) {
  if (!fs_kernel_has_rows(w->kernel) || w->kernel->space.m <= MANY * w->cut.rows) return;
  bool once = w->n_phases == 1 && w->kernel->space.n <= MOST_ROWS;
  if (once) take_counted(w, &w->phase[0].strips);
  for (int p = 0; p < w->n_phases; p++)
    for (int k = 0; k < w->phase[p].strips.len; k++)
      if (is_strided_vector(&w->phase[p].strips.data[k]))
        copy_once(w, &w->phase[p].strips.data[k]);
}
