/* walk.h - a kernel plan made ready for walking, private to the CPU target.
 *
 * A kernel is cut into tasks: ranges of columns (flat), chunks of rows (row),
 * chunks of rows and columns (tile). A task takes its rows in groups, and sweeps
 * over each group once per phase, strip by strip, so that all it makes stays in
 * the first two caches:
 *
 *      columns  |-- strip --|-- strip --|-- ...
 *   rows   .----+-----------+-----------+----
 *   group  |    |   tile    |   tile    |
 *          '----+-----------+-----------+----
 *
 * Each step of the plan becomes an operation on one of these: a cell (varies
 * over nothing), a line (over I or J), a tile (over both). Lines over I that no
 * strip makes or waits for run for all rows at once, before the tasks and behind
 * them (lines.c), and strided vectors are copied once for all groups. How a kernel is cut
 * depends on its plan alone, so that results have the same bits on any number of threads.
 */
#ifndef FS_CPU_WALK_H
#define FS_CPU_WALK_H

#include "core/device/cpu/memory.h"
#include "core/device/cpu/native.h"
#include "core/device/cpu/body.h"
#include "core/device/cpu/pool.h"
#include "core/device/target.h"
#include "core/schedule/schedule.h"
#include "elemlib/cpu/routines.h"


enum fs_reduce_mode {
  FS_RM_ROW,          /* over J: a cell per row of the group, or one   */
  FS_RM_ROW_END,      /* the same, finished at the end                 */
  FS_RM_COLUMN,       /* over I: an accumulator per column             */
  FS_RM_ALL           /* to one cell per task                          */
};

/* When an operation runs on lines over I (lines.c): group by group within the tasks, or
 * for all rows before or behind them. */
enum fs_walk_stage { FS_STAGE_TASKS, FS_STAGE_BEFORE, FS_STAGE_AFTER };

enum { FS_WALK_VECTOR = 512 }; /* columns of a task that copies strided vectors */

struct fs_walk_op {
  const struct fs_step *step;
  enum fs_step_kind kind;
  uint8_t varies;           /* of the result; STORE: of the access     */
  int out, in[FS_MOST_SRC], n_in; /* values; aliases resolved          */
  int size;                 /* bytes of an element of the result       */
  int64_t at;               /* where in the scratch the result lies    */
  bool kept;                /* result: whole rows, for later phases    */
  int64_t line;             /* result over I or J: its place among the lines
                               of the work memory, for other stages; -1 */
  uint8_t walks;            /* STORE, REDUCE: the directions it runs along */
  bool done;                /* STORE: a direct result does its work    */
  bool once;                /* over J, and of use for the first rows alone */
  int direct;               /* result goes to this access at once; -1  */

  fs_map_fn *map;
  fs_native_fn *user;       /* MAP of a user's function, ...             */
  struct fs_body *body;     /* ... or of a region, of the first of those that are results of
                               the same, which does them all; `others` follow, with NULL */
  int others;
  bool follows;
  unsigned one;             /* operands that do not vary along the line  */
  fs_convert_fn *convert;   /* CAST; LOAD, STORE of half types         */
  fs_convert_fn *round;     /* after MAP: f16, bf16                    */
  bool spread;              /* MAP: operands do not vary along the line */
  bool paired;              /* MAP: (in0 first in1) second in2, one pass */
  bool axpby;               /* MAP: in0*in2 + in1*in3, in2, in3 scalars  */
  bool picks;               /* MAP: `where` by conditions of rows and of columns: in most tiles
                               rows of the result are rows of one operand */
  enum fs_pair_op first, second;

  enum fs_load_mode mode;
  bool listed;              /* LOAD: each element of a line is where a list says */
  bool stream;              /* STORE past the caches                   */
  struct fs_run outer, inner; /* of the access, also of a direct result's, or
                                 the affine index                       */

  enum fs_reduce_mode reduce;
  enum fs_ctype in_type, out_type;
  bool by_i;                /* ROW: a result per row                   */
  bool product;             /* in[0]*in[1] by fma                      */
  int words;                /* cells of its state                      */
  fs_rowdot_fn *dot;        /* product: of strips of the operands      */
  fs_map_fn *multiply;      /* otherwise: product first, then reduce   */
  enum fs_walk_stage stage; /* ALL: whose tasks give partial results   */
  int cell;                 /* ROW, ALL: number among the cells        */
  int64_t partial;          /* offset of its partial results           */
};

typedef FS_VEC(struct fs_walk_op) fs_op_list;

struct fs_walk_phase {
  fs_op_list group;   /* lines over I and cells: before the strips */
  fs_op_list strips;
  fs_op_list finish;  /* ROW reductions of this phase              */
};

struct fs_walk {
  const struct fs_plan *plan;
  const struct fs_kernel *kernel;
  const struct fs_routines *r;
  uint8_t *varies;              /* by value                      */
  bool *uneven;                 /* by value: rows lie where an access of no single
                                   stride, or a loose one, has them */
  int *size;
  int n_values;
  fs_op_list start;             /* cells, once per task          */
  fs_op_list before, after;     /* lines over I, for all rows    */
  fs_op_list vectors;           /* lines over J, for all columns, before these:
                                   strided loads, and what is made of counters */
  struct fs_walk_phase *phase;
  int n_phases;
  fs_op_list end_cells, end_rows, end_columns;
  fs_op_list all;               /* ALL reductions                */
  FS_VEC(struct fs_body *) bodies; /* of its regions             */

  struct fs_cpu_schedule cut;   /* how it is cut                 */
  unsigned grouping;            /* by which lines were taken out */
  int n_cells;                  /* reduction cells of a task     */

  int64_t scratch;              /* bytes per thread              */
  int words;                    /* cells of the largest state    */
  int64_t values_at, cells_at, temp_at[2]; /* in the scratch     */
  int64_t work;                 /* bytes of partial results, and of lines */
  int64_t lines_at, lines;      /* in it; bytes                  */
};

struct fs_code {
  const struct fs_plan *plan;
  const struct fs_kernel *kernel;
  struct fs_walk *walk;         /* NULL for FS_LIBRARY, FS_INSTANCE */
  struct fs_instance_walk *instance;
};

/* Never fails on a legal kernel; NULL with the reason (static) on one that the
 * op table does not allow. */
struct fs_walk *fs_walk_new(const struct fs_plan *plan,
                            const struct fs_kernel *kernel,
                            const struct fs_routines *r,
                            const struct fs_device *device, const char **why);
void fs_walk_free(struct fs_walk *w);
/* The kernel has other extents or strides than when the walk was made, and no axis of one
 * that had more. True: the walk is for these now; false: it is of no use any more. */
bool fs_walk_resize(struct fs_walk *w, const struct fs_device *device);
/* Whether rows are in several groups, so that lines over I or J are in some. */
static inline bool fs_walk_has_groups(const struct fs_walk *w) {
  return fs_kernel_has_rows(w->kernel) && w->kernel->space.m > w->cut.rows;
}
/* Takes lines over I out of the groups, where many groups would make them (lines.c):
 * after the kernel is cut, before places are given. */
void fs_walk_take_lines(struct fs_walk *w);
/* By what, but the kernel, it is decided which lines these are; 0: rows are in one group. */
unsigned fs_walk_grouping(const struct fs_walk *w);
/* The same of strided vectors over J: copied for all columns, whatever phases want them. */
void fs_walk_take_vectors(struct fs_walk *w);

/* Into how many tasks a stage is cut. */
int64_t fs_walk_tasks(const struct fs_walk *w, enum fs_walk_stage stage);

/* Runs it. scratch: w->scratch bytes per thread; work: w->work bytes; both begin with a
 * page, as large arrays do (compile.c, PAGE). */
enum fs_status fs_walk_run(const struct fs_walk *w, struct fs_pool *pool,
                           int threads, char *scratch, char *work,
                           void *const *slots,
                           const struct fs_number *params);

/* Where the values live in the scratch of a thread, and the number of tasks. */
void fs_walk_footprint(const struct fs_walk *w, struct fs_footprint *out,
                       struct fs_home *places);

/* The "walk" form of a kernel's code. */
void fs_walk_print(const struct fs_walk *w, struct fs_str *out);
/* How its regions run, of several the one that is not compiled; see struct fs_target_ops. */
bool fs_walk_loops(const struct fs_walk *w, char *out, size_t size);

/* Index k of a direction (axes first .. first+count-1 of the space, row-major)
 * as an offset by these strides. */
int64_t fs_walk_offset(const struct fs_space *s, int first, int count,
                       const int64_t *stride, int64_t k);

#endif
