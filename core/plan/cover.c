/* cover.c - which fusions to take: each cluster in exactly one kernel, at the
 * least predicted time. This is set partition, solved exactly by GLPK as in
 * Filipovic's compiler ("combination of fusion implementations"). */
#include <glpk.h>

#include "core/plan/planner.h"

enum { MAX_ROUNDS = 16, TIME_LIMIT_MS = 200 };

/* What a candidate costs under a strategy. The index breaks ties, so that the
 * same block always gets the same plan. */
static double cost(const struct fs_candidate *c, enum fs_strategy strategy,
                   int index) {
  double us = c->kernel.predicted * 1e6 + 1e-7 * index;
  if (strategy == FS_MIN_SYNC) return us + 1e7;
  if (strategy == FS_MIN_MEMORY) return us + c->kernel.bytes_written * 1e-3;
  return us;
}

static glp_prob *build(const struct fs_planner *p, enum fs_strategy strategy) {
  int rows = p->window_end - p->window, cols = p->candidates.len;
  glp_prob *lp = glp_create_prob();
  glp_set_obj_dir(lp, GLP_MIN);
  glp_add_rows(lp, rows);
  for (int r = 1; r <= rows; r++) glp_set_row_bnds(lp, r, GLP_FX, 1, 1);
  glp_add_cols(lp, cols);
  int *ind = fs_malloc(sizeof(int) * (size_t)(rows + 1));
  double *val = fs_malloc(sizeof(double) * (size_t)(rows + 1));
  for (int c = 1; c <= cols; c++) {
    const struct fs_candidate *cand = &p->candidates.data[c - 1];
    int n = 0;
    for (int r = 0; r < rows; r++)
      if (fs_set_has(&cand->set, r)) {
        ind[++n] = r + 1;
        val[n] = 1;
      }
    glp_set_mat_col(lp, c, n, ind, val);
    glp_set_col_kind(lp, c, GLP_BV);
    glp_set_obj_coef(lp, c, cost(cand, strategy, c));
  }
  free(ind);
  free(val);
  return lp;
}

/* Forbids the combination of these candidates (they wait for each other). */
static void cut(glp_prob *lp, const int *chosen, int n) {
  int row = glp_add_rows(lp, 1);
  int *ind = fs_malloc(sizeof(int) * (size_t)(n + 1));
  double *val = fs_malloc(sizeof(double) * (size_t)(n + 1));
  for (int k = 0; k < n; k++) {
    ind[k + 1] = chosen[k] + 1;
    val[k + 1] = 1;
  }
  glp_set_mat_row(lp, row, n, ind, val);
  glp_set_row_bnds(lp, row, GLP_UP, 0, n - 1);
  free(ind);
  free(val);
}

static int solve(glp_prob *lp, int *chosen) {
  glp_iocp opt;
  glp_init_iocp(&opt);
  opt.presolve = GLP_ON;
  opt.msg_lev = GLP_MSG_OFF;
  opt.tm_lim = TIME_LIMIT_MS;
  int rc = glp_intopt(lp, &opt), n = 0;
  int status = glp_mip_status(lp);
  if (rc != 0 && rc != GLP_ETMLIM) return 0;
  if (status != GLP_OPT && status != GLP_FEAS) return 0;
  for (int c = 1; c <= glp_get_num_cols(lp); c++)
    if (glp_mip_col_val(lp, c) > 0.5) chosen[n++] = c - 1;
  return n;
}

/* Puts the chosen candidates into an order in which each comes after what it
 * depends on; false if two wait for each other. */
static bool order(const struct fs_planner *p, int *chosen, int n) {
  int rows = p->window_end - p->window;
  int *owner = fs_malloc(sizeof(int) * (size_t)FS_MAX(1, rows));
  for (int k = 0; k < n; k++)
    for (int r = 0; r < rows; r++)
      if (fs_set_has(&p->candidates.data[chosen[k]].set, r)) owner[r] = k;
  int *sorted = fs_malloc(sizeof(int) * (size_t)(n + 1)), done = 0;
  bool *taken = fs_calloc((size_t)n + 1, sizeof(bool)), progress = true;
  while (done < n && progress) {
    progress = false;
    for (int k = 0; k < n && !progress; k++) {
      bool ready = !taken[k];
      for (int r = 0; r < rows && ready; r++) {
        if (owner[r] != k) continue;
        const struct fs_cluster *cl = &p->clusters.data[p->window + r];
        for (int b = 0; b < cl->before.len; b++) {
          int from = cl->before.data[b] - p->window;
          if (from >= 0 && owner[from] != k && !taken[owner[from]]) ready = false;
        }
      }
      if (!ready) continue;
      taken[k] = progress = true;
      sorted[done++] = chosen[k];
    }
  }
  if (done == n) memcpy(chosen, sorted, sizeof(int) * (size_t)n);
  free(owner);
  free(sorted);
  free(taken);
  return done == n;
}

static int singles(const struct fs_planner *p, int *chosen) {
  int rows = p->window_end - p->window;
  for (int r = 0; r < rows; r++) chosen[r] = r; /* fuse.c puts them first */
  order(p, chosen, rows);
  return rows;
}

/* -- GLPK without memory ---------------------------------------------------- */

/* GLPK says so on the terminal and calls abort(), unless its hook jumps; then it
 * is in no state to go on, and all that it holds goes with its environment. */
static void glpk_failed(void *user) {
  (void)user;
  fs_oom_raise();
}

static int glpk_says(void *user, const char *text) {
  (void)user;
  (void)text;
  return 1; /* nothing is printed */
}

static int solve_all(struct fs_planner *p, enum fs_strategy strategy,
                     int *chosen) {
  glp_term_out(GLP_OFF);
  glp_term_hook(glpk_says, NULL);
  glp_error_hook(glpk_failed, NULL);
  glp_prob *lp = build(p, strategy);
  int n = 0;
  for (int round = 0; round < MAX_ROUNDS; round++) {
    n = solve(lp, chosen);
    p->plan->n_combinations++;
    if (n == 0 || order(p, chosen, n)) break;
    cut(lp, chosen, n);
    n = 0;
  }
  glp_delete_prob(lp);
  return n;
}

int fs_plan_cover(struct fs_planner *p, enum fs_strategy strategy,
                  int *chosen) {
  int rows = p->window_end - p->window;
  if (p->candidates.len == rows) return singles(p, chosen);
  jmp_buf out_of_memory;
  jmp_buf *volatile outer = fs_oom_guard(&out_of_memory);
  volatile int n = 0;
  if (setjmp(out_of_memory)) {
    glp_free_env();
    n = 0;
  } else if (glp_init_env() != 2) {
    n = solve_all(p, strategy, chosen);
  }
  fs_oom_guard(outer);
  return n ? n : singles(p, chosen);
}
