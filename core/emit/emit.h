/* emit.h - kernel plan to CUDA C text.
 *
 * The text is complete (no #include), has one `extern "C"` entry, names nothing
 * after the user's variables except in comments, and is formatted for reading.
 */
#ifndef FS_EMIT_H
#define FS_EMIT_H

#include "core/graph/graph.h"
#include "core/model/device.h"
#include "core/model/occupancy.h"

struct fs_plan;
struct fs_kernel;
struct fs_home;

/* What a param is passed as: long long, double, or float (what f32 and the types
 * below it are computed in: converting is work for each thread of a kernel); or where
 * elements are computed two at once (kernel/pairs.c), as f16 or bf16 in both halves of
 * an unsigned, which fs_param_twice() gives. */
enum fs_param_type {
  FS_PARAM_INT, FS_PARAM_DOUBLE, FS_PARAM_FLOAT, FS_PARAM_F16_TWICE, FS_PARAM_BF16_TWICE
};
const char *fs_param_text(enum fs_param_type type);
const char *fs_param_name(enum fs_param_type type); /* in dumps */
unsigned fs_param_twice(enum fs_param_type type, double x);

/* A CUtensorMap: a matrix in memory, and the box of it that a copy takes. */
struct fs_emitted_map {
  int slot;               /* index into slots[]                              */
  enum fs_dtype dtype;
  int64_t offset;         /* of the matrix in the slot, elements             */
  int64_t columns, rows;  /* columns lie side by side, rows `stride` apart   */
  int64_t stride;
  int box_columns, box_rows;
};

/* What the launcher must know about an emitted kernel. The entry is called
 *   fs_kernel(slot pointers in the order of slots[], params in the order of
 *             params[], sizes, [void *workspace], tensor maps in the order of maps[])
 * every pointer as void*, every param as param_type[] says; the workspace only if
 * it has bytes. A param wanted in two types is there twice.
 * Any number of blocks up to max_blocks computes the same; sums differ in their
 * last bits with it, so a launcher takes always the same: as many as are resident
 * together. */
struct fs_emitted {
  char *source;           /* given: the caller frees                         */
  char *broken;           /* fs_checking(): the rule that the program of loops breaks,
                             and the program; NULL: none                     */
  int n_slots, *slots;    /* plan slots, first use order                     */
  int64_t *slot_bytes;    /* ... each pointer that far into its slot, so that a
                             slice that moves from round to round of a loop leaves
                             the text as it is                               */
  int n_params, *params;  /* block params                                    */
  enum fs_param_type *param_type;
  bool wide;              /* fs_index is of 64 bits */
  int n_sizes;            /* of a text for any sizes: fs_index, of which each is */
  int64_t *sizes;         /* ... the lower 4 bytes, or all 8                     */
  int n_maps;
  struct fs_emitted_map *maps;
  int threads;
  int64_t max_blocks;     /* more than this have nothing to do               */
  int cluster;            /* blocks of a cluster, 1: none. The text says it, a
                             launch only takes a multiple of it             */
  bool one_wave_each;     /* start max_blocks blocks, each does its part once:
                             measured 6 to 8 % faster on an H200 than blocks
                             that stay and stride, where nothing is summed   */
  int waves;              /* sums beside stores, or much to compute: up to this
                             many times as many blocks as are resident, each with
                             a smaller part: 0.502 ms in place of 0.509 for
                             z = w - a*v, z'*u                               */
  int pieces;             /* ... that has so many pieces at least: 4 where much is
                             computed (Black-Scholes in f32 on an H200: 0.274 ms
                             with 4 waves, 0.268 with 16, 0.278 each alone)  */
  int per_unit;           /* at most so many blocks on a multiprocessor, since each
                             leaves partial sums of all columns; 0: as many as
                             fit                                             */
  int bounds;             /* ... and as many fit by their registers, however it is
                             compiled (__launch_bounds__)                    */
  bool waits;             /* waits for the kernels before it by itself, so that it
                             may be started while they end (sm_90)           */
  bool lasts;             /* what it reads stays in the second-level cache, beyond
                             it, until that is taken back (schedule/cache.c)          */
  bool cooperative;       /* has a grid barrier: blocks must be co-resident  */
  int64_t shared_bytes;   /* dynamic */
  /* Workspace for partial results: bytes = base + per_block * number of blocks; its first `zeroed`
   * bytes must be zero at the first launch and are left zero by every launch, but for the highest
   * bit of the first word (tickets and barrier counters). */
  int64_t work_base, work_per_block, work_zeroed;
};

/* Whether a kernel can be written in a dialect: functions of the user are in CUDA C. */
bool fs_emit_has(const struct fs_kernel *kernel, enum fs_dialect dialect);
void fs_emit_cuda(const struct fs_plan *plan, const struct fs_kernel *kernel,
                  const struct fs_device *device, const struct fs_diags *diags,
                  struct fs_emitted *out);
/* What to compile in place of its text for code that is wanted soon (-DFS_QUICK): it is launched in
 * the same way and gives the same bits, in less text and more time. NULL: that text. Given. */
char *fs_emit_quick(const struct fs_plan *plan, const struct fs_kernel *kernel,
                    const struct fs_device *device,
                    const struct fs_diags *diags);
/* The same for n neighbours of plan->kernels that share a launch: those behind the first are joined
 * to it (fs_kernel.joint). Every param is there once in each type, the workspace always. */
void fs_emit_grid(const struct fs_plan *plan, const struct fs_kernel *kernels,
                  int n, const struct fs_device *device, const struct fs_diags *diags,
                  struct fs_emitted *out);
/* The program of loops that a kernel's text is printed from, as stable text: a place of the
 * skeleton, a statement on a line (core/lower/program.h). Given. */
char *fs_emit_loops(const struct fs_plan *plan, const struct fs_kernel *kernel,
                    const struct fs_device *device);
/* What the emitted kernel will take of the device, and where its values live
 * (places[] has one per value); the same decisions without the text. */
void fs_emit_footprint(const struct fs_plan *plan,
                       const struct fs_kernel *kernel,
                       const struct fs_device *device, struct fs_footprint *out,
                       struct fs_home *places);
void fs_emitted_free(struct fs_emitted *e);
/* All of it but the text, for dumps: "launch: 256 threads, at most 1500 blocks, ...", its
 * arguments, a line each. Given: the caller frees. */
char *fs_emitted_launch(const struct fs_emitted *e);

/* The name under which a compiler knows the generated text. */
#define FS_EMIT_FILE "fusible.cu"
/* `source` of such a kernel, or of the launch that it starts, with #line directives: lines that
 * compute a value point to the statement that wants it, the others to themselves. File names of the
 * user are escaped. Makes the same machine code. Given: the caller frees. */
char *fs_emit_lines(const struct fs_plan *plan, const struct fs_kernel *kernel,
                    const struct fs_diags *diags, const char *source);

#endif
