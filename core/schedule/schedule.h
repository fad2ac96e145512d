/* schedule.h - how a kernel runs on a device: the settings of its threads, and what follows from
 * them. Decided here; the planner prices it, the targets do it. / */
#ifndef FS_SCHEDULE_H
#define FS_SCHEDULE_H

#include "core/base/rules.h"
#include "core/kernel/kernel.h"
#include "core/model/device.h"

/* -- settings (tune.c) ----------------------------------------------------------- */
/* Fills kernel->tune for the device; deterministic. */
void fs_tune(struct fs_kernel *kernel, const struct fs_device *device);
/* Whether a block, or a cluster of blocks, of a row kernel that is tuned holds all
 * vectors of a row; else it goes over rows, or over strips of columns, in parts. */
bool fs_tune_holds(const struct fs_kernel *kernel);
/* Blocks of a row or flat kernel that registers let a multiprocessor hold, about, when
 * it is walked as kernel->tune says. */
int fs_tune_resident(const struct fs_kernel *kernel);
/* The settings that are worth a try, what fs_tune() takes first: other block sizes, serial
 * iterations, vectors of a row in a thread, rows under way in shared memory. Gives how many, at
 * most FS_MAX_VARIANTS; one on the CPU target, which has no such settings. */
enum { FS_MAX_VARIANTS = 15 };
int fs_tune_variants(const struct fs_kernel *kernel,
                     const struct fs_device *device,
                     struct fs_tuning out[FS_MAX_VARIANTS]);
/* fs_tune(), and the settings that fs_tune_variants() lists. */
int fs_tune_all(struct fs_kernel *k, const struct fs_device *device,
                struct fs_tuning out[FS_MAX_VARIANTS]);
/* Of an instance kernel (instance.c): the first setting; others behind out[0], gives how
 * many there are with it. */
void fs_tune_instance(struct fs_kernel *k);
int fs_instance_variants(const struct fs_kernel *k,
                         struct fs_tuning out[FS_MAX_VARIANTS]);
/* The most threads that a routine of it wants for an instance; all that an instance has
 * in shared memory, in bytes. */
int fs_instance_threads(const struct fs_kernel *k);
int64_t fs_instance_bytes(const struct fs_kernel *k);

/* -- GPU (gpu.c) ------------------------------------------------------------------- */

/* How blocks go over the index space: FLAT tiles of a vector; KEEP whole rows, in the registers
 * of their threads; CHUNK whole rows in chunks, once a phase; STRIPS rows that wait for no result
 * of theirs; PARTS parts of long rows, in chunks; TURN tiles that threads turn in their registers;
 * TILE tiles of 32 x 32; INSTANCE a user's routines over a stack; MARCH panels of columns, all
 * blocks in step: struct fs_march. */
enum fs_mode {
#define FS_MODE(id, ...) FS_MODE_##id,
#include "core/schedule/modes.def"
  FS_MODES
};
struct fs_mode_row { /* of modes.def, which has the words */
  const char *name;
  bool rows, columns, holds, strips, tiled, sizes;
};
extern const struct fs_mode_row fs_modes[FS_MODES];

/* What a reduction leaves, by the mode. */
enum fs_reduced {
  FS_REDUCED_NOT,
  FS_REDUCED_ROW,     /* one for each row, ready in the block                    */
  FS_REDUCED_ROW_END, /* the same, but ready at the end                          */
  FS_REDUCED_COLUMN,  /* one for each column                                     */
  FS_REDUCED_ALL      /* one                                                     */
};

/* How a value is made, and where it lives (values.c). */
struct fs_scheduled_value {
  int def;               /* the step; -1: none                                  */
  int alias;             /* the value that is used for it: itself, or an equal one that is
                            still on chip                                       */
  bool uniform;          /* the same everywhere and known at the start          */
  bool of_column;        /* a function of the column alone that needs no reduction */
  bool hoisted;          /* of columns: computed before the rows                */
  bool kept;             /* computed in one phase, used in a later one          */
  int asked;             /* the phase for which it was last asked whether it is */
  bool saved;            /* passes through the workspace to FS_END; MARCH: is sent */
  enum fs_reduced reduced;
  int64_t work;          /* where in the workspace, or in a stage of the ring   */
};

struct fs_march;
struct fs_schedule {
  enum fs_mode mode;
  int threads;           /* of a block                                          */
  int row_threads;       /* of them on a row                                    */
  int sides;             /* rows side by side in a block: threads / row_threads */
  int rows;              /* ... and that a thread has at once                   */
  int lanes;             /* elements of a vector                                */
  int vectors;           /* of a row that a thread has; FLAT: of a tile         */
  int cluster;           /* blocks that share a row                             */
  int tiles;             /* TILE: that a block does, one under the other; PARTS: pieces of
                            a row that it has, one beside the other             */
  int64_t m, n;          /* rows, columns; at least one axis of each            */
  int64_t length;        /* elements of the last inner axis                     */
  int64_t line_vectors;  /* vectors along it                                    */
  int64_t row_vectors;   /* ... and of a whole row                              */
  int64_t strips, parts; /* STRIPS, TILE, MARCH: pieces of columns; TILE: of rows;
                            MARCH: blocks                                       */
  int64_t tasks;         /* pieces of the work that blocks, or clusters of them,
                            take in turn                                        */
  bool row_results;      /* a row waits for results of its own                  */
  bool full;             /* all vectors of a piece exist, and have all lanes    */
  bool tail;             /* some vectors have not                               */
  bool need_ok;          /* some of the last rows do not exist                  */
  bool any_size;         /* sizes are arguments                                 */
  bool quick;            /* MARCH: the text that is compiled quickly            */
  bool wide;             /* indices have 64 bits                                */
  bool pairs;            /* lanes are pairs of a half type                      */
  bool streams;          /* a block for each piece, and nothing is summed       */
  bool short_ways;       /* operations are written so (kernel/short_ways.h)         */
  bool last_ends;        /* the block that ends last does what is at the end alone,
                            as blocks cannot wait for each other                   */
  bool shares_rows;      /* fs_kernel_shares_rows(), and they are at hand       */
  int stages;            /* of the ring by which rows come; 0: there is none    */
  int64_t stage_bytes;
  int64_t scratch;       /* bytes of shared memory for putting results together */
  int fold_lanes, fold_bytes; /* partial results that a thread takes at once    */

  /* What only the text depends on: fs_schedule_of(). */
  const struct fs_kernel *kernel; /* a march kernel that the device cannot march goes on as
                            one of rows                                         */
  const struct fs_march *march; /* MARCH: how it is cut                         */
  struct fs_scheduled_value *made;  /* by value                                            */
  fs_steps reductions[FS_REDUCED_ALL + 1]; /* by what they leave                */
  fs_steps brought;      /* loads of each element (i, j), of the first phase    */
  int n_all, n_columns;  /* units of 8 bytes of one result for all; results of columns */
  bool vector_end;       /* FS_END has work per row or column                   */
  int64_t pitch_i, pitch_j; /* elements of a row of partial results             */
  int64_t work_base, work_columns, work_all; /* bytes of the workspace; of a block for
                            the last two                                        */
  bool ahead;            /* the next row's loads are under way                  */
  int64_t staying;       /* rows or elements, in the cache; 0: all alike        */
  bool lasts;            /* what is read leaves the cache after what is written */
  bool stragglers;       /* elements without a short way come last              */
  bool copies_words;     /* erf of f64 has its table in shared memory           */
  bool copies_values;    /* ... and that of pairs of bf16 one of its values     */
  int resident;          /* blocks of a multiprocessor, however it is compiled  */
  int units;             /* multiprocessors; 0: not known                       */
  int waves, pieces;     /* struct fs_emitted: of how much work there are blocks */
  bool each_once;        /* ... and whether each has one piece                  */
};

/* What a schedule depends on beside kernel and device. All zero: a launch of its own. */
struct fs_schedule_how {
  bool any_size;         /* for kernels of other sizes, too                     */
  bool wide;             /* other phases of the launch have 64-bit indices      */
  int64_t reserved;      /* bytes of shared memory that other phases have       */
  bool is_phase;         /* it is a phase of a launch                           */
  bool quick;            /* its text should be compiled quickly                 */
  const bool *given;     /* by access: it is an input of the block              */
};

/* Indices and offsets that stay below it fit in an int, with room for a step of the whole
 * grid beyond the end. */
#define FS_NARROW_INDEX ((int64_t)1 << 30)

static inline const struct fs_mode_row *fs_mode_of(const struct fs_schedule *s) {
  return &fs_modes[s->mode];
}

/* All of how a kernel that is tuned runs, and of its text; graph: what an instance kernel is
 * of. device NULL: one without anything special. In the arena. */
struct fs_schedule *fs_schedule_of(const struct fs_kernel *kernel, const struct fs_graph *graph,
                                   const struct fs_device *device,
                                   const struct fs_schedule_how *how, struct fs_arena *arena);
/* What the planner asks of every candidate: not what only the text depends on, `wide`,
 * `pairs`, `shares_rows` and what stands behind them. Of a flat, row or tile kernel. */
void fs_schedule_blocks(const struct fs_kernel *kernel, const struct fs_device *device,
                        const struct fs_schedule_how *how, struct fs_schedule *out);
/* ... and with `wide`, `pairs` and `shares_rows`. */
void fs_schedule_gpu(const struct fs_kernel *kernel, const struct fs_device *device,
                     const struct fs_schedule_how *how, struct fs_schedule *out);
/* Of a march kernel that is cut so; of an instance kernel. */
void fs_schedule_march(const struct fs_kernel *kernel, const struct fs_march *march,
                       struct fs_schedule *out);
void fs_schedule_instance(const struct fs_kernel *kernel, const struct fs_graph *graph,
                          struct fs_schedule *out);
/* values.c: fills what depends on the values; of a march kernel. */
void fs_schedule_values(const struct fs_kernel *kernel, struct fs_arena *arena,
                        struct fs_schedule *s);
void fs_schedule_march_values(const struct fs_kernel *kernel, const struct fs_march *march,
                              struct fs_arena *arena, struct fs_schedule *s);
/* Whether a step goes over the elements of a row. */
bool fs_schedule_sweeps(const struct fs_kernel *kernel, const struct fs_schedule *s,
                        const struct fs_step *step);
/* Marks in need[] the steps of phase `phase` that make `value` where only the
 * hoisted, the kept and the row's own values are at hand. */
void fs_schedule_need(const struct fs_kernel *kernel, const struct fs_schedule *s, int value,
                      int phase, bool *need);
/* cache.c: what stays in the second-level cache. Whether a load or a store takes an element of
 * its own at every place: what a later phase of a row loads, an earlier one has had. */
void fs_schedule_cache(const struct fs_kernel *kernel, const struct fs_device *device,
                       const struct fs_schedule_how *how, struct fs_schedule *s);
bool fs_schedule_is_everywhere(const struct fs_kernel *kernel, const struct fs_schedule *s,
                               const struct fs_access *access);
/* short.c: whether a step has a short way; elements that have none wait until all the others are
 * done (the long ways are then written once, not for every lane and vector, and nothing has to
 * stay in registers for them; sums take elements in their order); blocks copy tables of the
 * error function to shared memory, as each has some tiles. */
bool fs_schedule_has_short_way(const struct fs_kernel *kernel, const struct fs_step *step);
void fs_schedule_short_ways(const struct fs_kernel *kernel, const struct fs_device *device,
                            const struct fs_schedule_how *how, struct fs_arena *arena,
                            struct fs_schedule *s);
bool fs_schedule_has_erf(const struct fs_kernel *kernel, enum fs_dtype dtype);
/* Whether the long ways of these steps go through the lanes one by one. */
bool fs_schedule_goes_one_by_one(const struct fs_kernel *kernel, const struct fs_schedule *s,
                                 fs_steps steps);
enum fs_reduced fs_schedule_reduced(const struct fs_kernel *kernel, enum fs_mode mode,
                                  const struct fs_step *reduce);
/* Bytes of the running result of a reduction that gives such a value. */
static inline int fs_sum_bytes(const struct fs_value *v) {
  if (v->words > 1) return 8 * v->words;
  return FS_MAX(4, (int)fs_dtype_size(fs_dtype_compute(v->dtype)));
}
/* Columns of a row that a block of a cluster has; the last one has the rest. */
int64_t fs_schedule_part(const struct fs_schedule *s);
/* Vectors of each thread that lie in shared memory at once where rows side by side are put
 * together. */
int fs_schedule_side_vectors(const struct fs_kernel *kernel, const struct fs_schedule *s);
/* Rows and columns of the squares that mirror each other: as many whole tiles as are as wide
 * as they are high. */
int64_t fs_schedule_square(const struct fs_schedule *s);

/* -- how blocks share the work (spread.c) -------------------------------------------- */
/* By kernel->tune. */
void fs_kernel_spread(const struct fs_kernel *k, const struct fs_device *d,
                      struct fs_spread *s);
/* Whether threads of a row that lie in a warp share what its rows have of their own: of
 * several rows at once, each thread makes what is long of one. */
bool fs_kernel_shares_rows(const struct fs_kernel *kernel);
/* The rows of the ring by which a row kernel of such a setting is fed, each of its
 * block's part; 0: it has none. */
int fs_ring_stages(const struct fs_kernel *k, const struct fs_device *d);

/* -- the march scheme (march.c) ------------------------------------------------------- */
/* FS_MARCH: how it is cut. A block has `height` of the j, all blocks walk together
 * over panels of `width` of the i (march.c). */
struct fs_march {
  int height, width, blocks, cluster; /* blocks come in clusters              */
  int64_t panels;
  int lanes, side;      /* workers along i, and along j                       */
  int vec;              /* elements of a lane                                 */
  int held;             /* of `height`: wait for the sums in registers, the
                           others in shared memory                            */
  int slots, shorts;    /* tiles of those others; of the held rows            */
  int lag;              /* panels from the sums to their use                  */
  int parts, mails;     /* panels whose sums are on the way: of warps, of blocks */
  int threads, workers;
  int regs;             /* of a worker; 0: as many as any thread has          */
};
/* Whether the kernel can be run so on the device; and whether it should be: its
 * matrix is larger than the cache, its tiles are worth a round of messages. */
bool fs_march_of(const struct fs_kernel *kernel, const struct fs_device *device,
                 struct fs_march *out);
bool fs_march_pays(const struct fs_kernel *kernel,
                   const struct fs_device *device);
/* False: no kernel over an index space of so many elements should. */
bool fs_march_may_pay(double elements, const struct fs_device *device);
/* Which values (sent[] has room for all) are made of a column's sums and go back to all blocks. */
void fs_march_sent(const struct fs_kernel *kernel, bool *sent);
/* Words of one kind that the clusters send of the columns of a block: in the order in
 * which the lanes of a warp look at them, and as many as they look at. */
int64_t fs_march_words(const struct fs_march *march);
enum { FS_MARCH_ROUNDS = 32 }; /* panels whose messages have room */

/* -- the CPU target (cpu.c) ----------------------------------------------------------- */
/* One direction of an access, of an affine index or of a space: element k of it lies at
 * k * stride if it is linear; else `stride` is that of its last axis. */
struct fs_run {
  bool linear;
  int64_t stride;
};
/* Of the axes first .. first + count - 1 of the space, row-major. */
struct fs_run fs_run_of(const struct fs_space *s, int first, int count,
                        const int64_t *stride);

/* How the elements of a load come to a strip. */
enum fs_load_mode {
  FS_LM_COPY,         /* they are converted or gathered                */
  FS_LM_IN_PLACE,     /* the value is the memory itself                */
  FS_LM_TRANSPOSE,    /* rows lie in columns: tiles are turned         */
  FS_LM_KEPT          /* whole rows that an earlier phase kept, or a line
                         that another stage made                       */
};
/* One of the first three, of a LOAD step. */
enum fs_load_mode fs_cpu_load(const struct fs_kernel *k, const struct fs_step *s);
/* Whether a load by a list has each element of a line where the list says; else the list
 * chooses whole rows. */
bool fs_cpu_is_listed(const struct fs_kernel *k, const struct fs_step *s);
/* Whether a STORE step fills lines of memory with elements as they are, and the kernel reads
 * none of them. */
bool fs_cpu_fills(const struct fs_kernel *k, const struct fs_step *s);

/* What strips make and read, which hangs on no extent of the kernel but through `keeps`. */
struct fs_cpu_strips {
  int64_t widest;       /* bytes of the widest type                            */
  int64_t swept;        /* ... of one element of each tile that is read in place */
  int64_t kept;         /* ... of one row of all tiles that are kept            */
  int sweeps;           /* phases that have strips                             */
  bool tiles, lines, turned, sums; /* maps of elements, of columns alone; they turn tiles,
                                      sum columns */
  bool reads_only;      /* they only reduce what they read in place            */
  bool keeps;           /* tiles are wanted again, and kept where rows are short */
};

/* How a kernel is cut into tasks, and what a task does: device/cpu/walk.h has the picture.
 * By the kernel and the sizes of the caches alone, so that results have the same bits on any
 * number of threads. */
struct fs_cpu_schedule {
  const struct fs_kernel *kernel;
  int64_t rows, columns;              /* of a tile: a group of rows, a strip of columns    */
  int64_t chunk_rows, chunk_columns;  /* of a task; whole groups, and strips               */
  int64_t row_chunks, column_chunks;  /* so many of these there are                        */
  int64_t tasks;                      /* row_chunks * column_chunks                        */
  int64_t end_strip;                  /* elements of a task of the end, or of lines alone  */
  bool small;                         /* one thread does it before others come             */
  bool short_lines;                   /* ... what is done with lines of rows' numbers alone */
  bool past;                          /* stores that fill lines go past the caches         */
  bool row_by_row;                    /* dot products of rows: one stream of memory at a
                                         time, which is prefetched best                    */
  const int *maker;                   /* by value: the step that makes it; -1: none        */
  const int *same;                    /* ... the value that it is: itself; what it is a copy
                                         of; what an earlier phase kept                    */
  const bool *kept;                   /* ... whether whole rows of it stay for later phases */
  const bool *once;                   /* ... a line of columns that the first group of rows
                                         alone makes; others do so again                   */
  const int *pass;                    /* by step: the one in whose pass over a strip it is
                                         done; itself; -1: none, it is what `same` says, or
                                         points there                                      */
  const int *times;                   /* ... in so many sweeps it is done                  */
  struct fs_cpu_strips strips;
};
/* For the schemes flat, row and tile; of others nothing is cut, and it is one task. Gives
 * lists: fs_cpu_schedule_free(). */
void fs_schedule_cpu(const struct fs_kernel *k, const struct fs_device *d,
                     struct fs_cpu_schedule *out);
void fs_cpu_schedule_free(struct fs_cpu_schedule *c);
/* The cut for other extents, where accesses are as linear as they were. False: more than that
 * is another. */
bool fs_cpu_cut_anew(struct fs_cpu_schedule *c, const struct fs_device *d);
/* The value that is operand x of a step. */
int fs_cpu_operand(const struct fs_cpu_schedule *c, const struct fs_step *s, int x);
/* Whether it is a sum of products whose routine widens its f32 operands itself. */
bool fs_cpu_is_wide(const struct fs_cpu_schedule *c, const struct fs_step *s);

#endif
