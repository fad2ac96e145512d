/* work.h - what a kernel does, in numbers that can be priced.
 *
 * plan/ counts them, model/ prices them. The paper (Filipovic et al., section
 * 4.2) sums measured times of routines; here a routine is a *term*, and a kernel
 * is a list of amounts of terms, each in a phase:
 *
 *   q = A*p, 4096 x 4096, row:   read.row  64 MiB       phase 0, a move
 *                                write.row 16 KiB       phase 0, a move
 *                                sum.rows.f32 16.8 M    phase 0, computing
 *                                launch 1, row 1        once
 *
 * The time is the amounts times what one of each costs (predict.h).
 */
#ifndef FS_WORK_H
#define FS_WORK_H

#include "core/graph/graph.h"

enum {
  FS_WORK_AMOUNTS = 40,      /* of a kernel; more count as one of them       */
  FS_WORK_PHASES = 4,        /* 0, 1, 2 and later, FS_END                    */
  FS_NO_CACHE = 48 << 20     /* bytes that no second-level cache holds while others pass */
};

/* What arithmetic is done in. */
enum fs_arith { FS_AR_F32, FS_AR_F64, FS_AR_HALF, FS_AR_INT, FS_AR_COUNT };
enum fs_arith fs_arith_of(enum fs_dtype dt);

enum fs_term {
#define FS_TERM(id, ...) FS_TM_##id,
#include "core/model/terms.def"
  FS_TM_MAP,                 /* + op * FS_AR_COUNT + fs_arith                */
  FS_TM_REDUCE = FS_TM_MAP + FS_MAP_OP_COUNT * FS_AR_COUNT,
                             /* + fs_term_reduce()                           */
  FS_TM_COUNT = FS_TM_REDUCE + 3 * 2 * 2 * FS_AR_COUNT,
  FS_TM_SYNC_END = FS_TM_READ_FLAT, /* where moves begin                     */
  FS_TM_MOVE_END = FS_TM_CONVERT    /* ... and elements                      */
};

static inline enum fs_term fs_term_map(unsigned op, enum fs_arith a) {
  return (enum fs_term)(FS_TM_MAP + op * FS_AR_COUNT + (unsigned)a);
}
/* over: FS_VARIES_I 1, FS_VARIES_J 2, both 3. product: of in[0]*in[1]. */
enum fs_term fs_term_reduce(unsigned op, unsigned over, bool product,
                            enum fs_arith a);
/* "read.row", "exp.f64", "sum.rows.f32" and back; FS_TM_COUNT if there is none
 * of that name. */
void fs_term_name(enum fs_term term, char out[40]);
enum fs_term fs_term_of_name(const char *name);

struct fs_amount {
  double amount;
  uint16_t term;
  uint8_t phase;             /* 0 .. FS_WORK_PHASES - 1                      */
};

/* GPU: how the blocks of a kernel share its work (schedule/spread.c). What settings of
 * threads differ in, and what a new way to write kernels must tell of itself to be
 * priced. All zero: not known. */
struct fs_spread {
  double tasks;             /* parts of the work that blocks take in turn    */
  double resident;          /* blocks at work at once, on all of the device  */
  double sharing;           /* blocks that share a task, 1 unless clusters do;
                               what is said here of blocks is said of these  */
  double threads;           /* of a block                                    */
  double under_way;         /* bytes that a multiprocessor has asked for and
                               waits for, at once                            */
  double waits;             /* in a task: results of rows that a block waits
                               for                                           */
  double parts;             /* blocks whose partial results are put together;
                               0: there are none                             */
};

struct fs_work {
  double bytes_read, bytes_written; /* distinct bytes, each once           */
  double bytes_asked;       /* a GPU's tiles: read, with small elements as words */
  double links;             /* seconds of a call that goes from rank to rank */
  double bytes_extra;       /* read again because the chip cannot hold them  */
  double bytes_near;        /* ... by loads of neighbours in other rows      */
  double bytes_strided;     /* of the above: reached against the grain       */
  double flops;             /* f32 additions, multiplications              */
  double special;           /* exp, log, sin, division ...                 */
  double parallel;          /* independent pieces of work                  */
  double working_set;       /* bytes touched: cached or not                */
  bool grid_barrier;        /* an FS_END phase over a vector               */
  bool general_index;       /* div and mod per access                      */
  bool tiled;               /* the tile scheme                             */

  uint8_t scheme;           /* enum fs_scheme of kernel.h                  */
  char pattern[12];         /* what kind of kernel: "map", "rows", "cols+2" */
  double rows;              /* of the index space                          */
  bool uneven;              /* GPU: rows begin off 16-byte boundaries; CPU:
                                flat, but over a matrix piece by piece     */
  bool shifted;             /* it reads neighbours: slices of one array    */
  bool past;                /* CPU: what it stores goes past the caches    */
  uint8_t arith;            /* enum fs_arith: of its largest array          */
  bool unknown;             /* it has calls whose work depends on their data: what the
                               amounts say of them is no prediction        */
  bool library;             /* a library call                              */
  uint8_t lib_op;           /* then FS_LIB_...                             */
  double calls;             /* ... for so many matrices of a batch; 0: one   */
  double pace;              /* its moves take so often their time; 0: once */
  struct fs_spread spread;
  int n_amounts;
  struct fs_amount amounts[FS_WORK_AMOUNTS];
};

/* What sets a kernel apart from others that do the same: the first of these that is so. Layered
 * are neighbours in space that a GPU goes over by rows: several layers want to stay in caches,
 * which do not hold all. */
enum fs_apart { FS_APART_NOT, FS_APART_SHARED, FS_APART_LAYERED, FS_APART_SHIFTED, FS_APART_UNEVEN,
                FS_APART_PAST };
enum fs_load { FS_LOAD_LIGHT, FS_LOAD_BUSY, FS_LOAD_CALL }; /* computes little for a byte, much */

/* What kind of kernel it is, whatever its size. All of bytes, so that it can be compared so. */
struct fs_kind {
  char pattern[12];          /* of the work, with zeros behind             */
  uint8_t scheme;            /* what has tables of its own: FLAT, ROW ...  */
  uint8_t arith, load, apart;
  bool tiled, blocks;        /* by tiles; by blocks of a GPU: in no name   */
};
struct fs_kind fs_kind_of(const struct fs_work *w);
/* "row rowscols f32 light uneven": what its table is called in files. */
enum { FS_KIND_NAME = 48 };
void fs_kind_name(const struct fs_kind *kind, char out[FS_KIND_NAME]);
extern const char *const fs_arith_names[FS_AR_COUNT]; /* "f32", "f64", "half", "int" */

/* Adds to the amount of the same term and phase, if there is one. */
void fs_work_add(struct fs_work *w, enum fs_term term, int phase,
                 double amount);
/* The same in place of what is there. */
void fs_work_set(struct fs_work *w, enum fs_term term, int phase,
                 double amount);

#endif
