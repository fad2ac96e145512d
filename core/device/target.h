/* target.h - what a device can do: memory, kernels, library calls, clocks.
 *
 * Three targets exist, `cpu`, `cuda` and `opencl`; all run the same kernel plans and are
 * held to the same tests. All calls come from one thread.
 */
#ifndef FS_TARGET_H
#define FS_TARGET_H

#include "core/model/occupancy.h"
#include "core/base/diag.h"

struct fs_target;
struct fs_plan;
struct fs_kernel;
struct fs_number;
struct fs_home;
struct fs_code;              /* a prepared kernel, private to the target    */
struct fs_replay;            /* a block's kernels as one, private as well   */

/* How many seconds a piece of work took, readable after a sync. */
struct fs_timer;

/* What a device counts of a launch: bytes, per cent, warps. */
enum fs_count {
#define COUNT(id, name) FS_COUNT_##id,
#define WAIT(id, name, words) FS_COUNT_##id,
#include "core/device/counts.def"
#undef COUNT
#undef WAIT
  FS_COUNTS
};

struct fs_target_ops {
  const char *name;
  const char *form;          /* of its code, for `:code` and dumps */
  const char *language;      /* of the users' routines that it takes: "cuda", "c" */

  /* Makes `bytes` of storage, 256-byte aligned, contents undefined. On failure
   * FS_ERR_ENV *without* a diagnostic: the caller frees what it can, retries,
   * and then reports. Stream-ordered: memory freed while kernels still use it is
   * handed out again only to later work. */
  enum fs_status (*alloc)(struct fs_target *t, size_t bytes, void **out);
  void (*free)(struct fs_target *t, void *ptr, size_t bytes);
  /* Gives cached free memory back to the system. */
  void (*trim)(struct fs_target *t);
  /* Bytes handed out, with what rounding them up takes; kept for reuse; to be had. */
  void (*memory)(struct fs_target *t, int64_t *used, int64_t *cached,
                 int64_t *available);

  /* rows x width bytes between host and device; pitches in bytes. Synchronous:
   * waits for earlier work. copy is device to device, asynchronous. */
  enum fs_status (*upload)(struct fs_target *t, void *dst, int64_t dst_pitch,
                           const void *src, int64_t src_pitch, int64_t width,
                           int64_t rows, struct fs_diags *d);
  enum fs_status (*download)(struct fs_target *t, void *dst, int64_t dst_pitch,
                             const void *src, int64_t src_pitch, int64_t width,
                             int64_t rows, struct fs_diags *d);
  enum fs_status (*copy)(struct fs_target *t, void *dst, int64_t dst_pitch,
                         const void *src, int64_t src_pitch, int64_t width,
                         int64_t rows, struct fs_diags *d);

  /* Compiles kernels (several at once where that pays) into codes[0..n).
   * Kernels are borrowed until the codes are released. A kernel that is joined to the
   * one before it (fs_kernel.joint) gets no code, NULL, where the target launches
   * them together. `plan` gives slots and statements. FS_LIBRARY kernels are prepared too. */
  enum fs_status (*prepare)(struct fs_target *t, const struct fs_plan *plan,
                            const struct fs_diags *sources, int n,
                            const struct fs_kernel *const *kernels,
                            struct fs_code **codes, struct fs_diags *d);
  /* Makes machine code of all kernels of several plans at once, for the prepare
   * calls that follow; n = 0 lets it go again. Says nothing: what does not compile
   * prepare will tell. NULL where there is nothing to compile. */
  void (*warm)(struct fs_target *t, int n, const struct fs_plan *const *plans,
               const struct fs_diags *sources);
  void (*release)(struct fs_target *t, struct fs_code *code);
  /* The code's kernel has other extents or strides than when it was prepared, and no axis of
   * one that had more. True: the code is for these now; false: it is of no use any more.
   * NULL: it never is. */
  bool (*resize)(struct fs_target *t, struct fs_code *code);

  /* Starts a kernel: slots[] are base pointers by plan slot, params[] the
   * block's. Asynchronous where the device is, but never far ahead of it. `timer`
   * may be NULL. FS_INTERRUPTED when fs_interrupted() turned true inside. */
  enum fs_status (*launch)(struct fs_target *t, struct fs_code *code,
                           void *const *slots, const struct fs_number *params,
                           struct fs_timer *timer, struct fs_diags *d);

  /* Starts the kernels of a block one after the other, untimed, as launch() does
   * each; NULL: a phase of the launch before it, or left out this time. *replay begins
   * NULL and has what the target makes of a block that comes again; replay_free() before
   * the codes are released. On failure kernel *begun and those behind it were not started,
   * of n all may have been. NULL where there is nothing to gain. */
  enum fs_status (*launch_all)(struct fs_target *t, struct fs_replay **replay,
                               int n, struct fs_code *const *codes,
                               void *const *slots,
                               const struct fs_number *params, int *begun,
                               struct fs_diags *d);
  void (*replay_free)(struct fs_target *t, struct fs_replay *replay);

  /* Waits for all work; reports what failed meanwhile. Polls for interrupts. */
  enum fs_status (*sync)(struct fs_target *t, struct fs_diags *d);
  /* Waits at most so many seconds for work to end; false, and `stuck`, when it
   * goes on. NULL where nothing runs on. */
  bool (*settle)(struct fs_target *t, double seconds);

  struct fs_timer *(*timer_new)(struct fs_target *t);
  double (*timer_seconds)(struct fs_target *t, struct fs_timer *timer);
  void (*timer_free)(struct fs_target *t, struct fs_timer *timer);
  /* A timer that counts: of a launch that gets it the device counts a part of FS_COUNTS, and
   * the host waits for it. NULL, with a sentence in *why, where nothing can be counted.
   * counts() gives whether enough of the same launches were seen, and then what was counted,
   * not a number where that is not known; *why says what went wrong. Both NULL: no device
   * that counts. */
  struct fs_timer *(*counter_new)(struct fs_target *t, struct fs_str *why);
  bool (*counts)(struct fs_target *t, struct fs_timer *counter, double out[FS_COUNTS],
                 struct fs_str *why);

  /* What a kernel of the plan takes of the device, for fs_occupancy(), and where
   * its values live: places[] has one per value. Nothing is compiled, so registers are
   * an estimate; not for library calls. */
  void (*footprint)(struct fs_target *t, const struct fs_plan *plan,
                    const struct fs_kernel *kernel, struct fs_footprint *out,
                    struct fs_home *places);
  /* The same of a kernel that is prepared, as the compiler made it and the device
   * will start it; of all its launch where it is a phase of one. False where that is
   * not known: library calls, quickly compiled code. NULL where nothing is compiled. */
  bool (*taken)(struct fs_target *t, const struct fs_code *code,
                struct fs_footprint *out);
  /* Whether a kernel was last started as quickly compiled code: same results, but a
   * time and a footprint that are not its own. How many kernels are being compiled in
   * full behind such. NULL where nothing is compiled. */
  bool (*is_quick)(const struct fs_code *code);
  /* How the loops of a kernel run that go on as data say: "compiled", "interpreted: it is being
   * compiled", cut to size. False: it has none. NULL where all are compiled. */
  bool (*loops)(const struct fs_code *code, char *out, size_t size);
  int (*behind)(struct fs_target *t);

  /* Generated text of a kernel ("cuda", "lines": with #line, "loops", "ptx", "sass", "walk"; for
   * dumps "launch", and "quick" where another text is compiled quickly), or NULL with the
   * reason in *why. Given: the caller frees. */
  char *(*code_text)(struct fs_target *t, struct fs_code *code,
                     const char *form, const char **why);
  void (*close)(struct fs_target *t);
};

struct fs_target {
  const struct fs_target_ops *ops;
  struct fs_device device;
  int64_t peak;              /* most bytes that were handed out at once, as memory()
                                counts those that are used                       */
  bool fast_math, flushes;   /* of what is prepared from now on; fs_target_computes() */
  bool hasty;                /* prepare() may take code that is compiled quickly;
                                run/launch.c                                     */
  bool lost;                 /* a fault poisoned the device: nothing works any
                                more until a new process takes it */
  bool stuck;                /* work did not end in time and may still run */
};

/* Whether the host waits for each kernel, so that its time is known when it returns. */
static inline bool fs_target_waits(const struct fs_target *t) { return !t->ops->settle; }
/* How a GPU is to compute: `fast` by its own quotients, roots and functions, with products that
 * round once with the sum that they are in; `flushes` numbers of f32 below the normal ones to 0.
 * What was prepared stays as it is. */
static inline void fs_target_computes(struct fs_target *t, bool fast, bool flushes) {
  t->fast_math = fast;
  t->flushes = flushes;
  if (t->device.cc) t->device.short_ways = !fast;
}
/* "fast math"; "": as ever. */
static inline const char *fs_target_arithmetic(const struct fs_target *t) {
  return t->fast_math ? "fast math" : t->flushes ? "subnormal numbers are 0" : "";
}
/* Whether a kernel that is new is compiled, which takes long. */
static inline bool fs_target_compiles(const struct fs_target *t) { return t->ops->warm; }

/* Starts the CPU target: threads = 0 takes the processors of the affinity
 * mask. `isa` NULL picks the best of "avx512", "avx2", "plain". */
struct fs_target *fs_cpu_open(int threads, const char *isa);

/* Loads the driver and NVRTC and takes device `index`. NULL with a diagnostic
 * (FS_ERR_ENV, one plain sentence) when something is missing or too old. */
struct fs_target *fs_cuda_open(int index, struct fs_diags *d);
/* Whether a driver and a device seem to be there; cheap, no context. */
bool fs_cuda_present(void);
/* How many devices there are; 0 without a driver. */
int fs_cuda_count(void);
/* Loads libOpenCL.so.1 and takes device `index` of all platforms, GPUs first; in the same way. */
struct fs_target *fs_opencl_open(int index, struct fs_diags *d);
/* What is alike in all devices of OpenCL, or guessed. */
void fs_opencl_describe(struct fs_device *device, bool gpu);
/* Compiles a generated kernel text for an architecture ("sm_80") without any
 * device; *log is given. FS_ERR_ENV if NVRTC is missing. */
enum fs_status fs_nvrtc_check(const char *source, const char *arch, char **log);
/* The "ptx" or, where the CUDA toolkit has a disassembler, "sass" of a generated
 * text for an architecture; needs no device. Given, or NULL with *why. */
char *fs_nvrtc_text(const char *source, const char *arch, const char *form,
                    const char **why);

#endif
