/* internal.h - what the files of the CUDA target share. */
#ifndef FS_CUDA_INTERNAL_H
#define FS_CUDA_INTERNAL_H

#include <stdatomic.h>

#include "core/emit/emit.h"
#include "core/device/cache.h"
#include "core/device/cuda/driver.h"
#include "core/device/cuda/nvrtc.h"
#include "core/device/library.h"
#include "core/device/target.h"

/* Freed blocks by size class, handed out again without asking the driver. */
enum { FS_BINS = 128, FS_BIN_DEPTH = 64 };
struct cuda_bin {
  CUdeviceptr block[FS_BIN_DEPTH];
  int n;
};

struct cuda_libraries; /* cublas.c */

/* Marks in the stream, and the predicted work since the last: pace.c. */
enum { FS_MARKS = 3 };
struct cuda_pace {
  CUevent marks[FS_MARKS];     /* the n-th at n % FS_MARKS; NULL: not made yet */
  double promised[FS_MARKS];   /* seconds of work before each, as predicted */
  int64_t n;                   /* marks since the device was seen to rest */
  double ahead;                /* predicted seconds since the last mark */
  int launches, most;          /* ... and launches, and how many there may be */
  double factor;               /* by which work takes longer; 0: not known */
};

/* Holds of the stream that were asked for, and up to which they may end: hold.c. */
struct cuda_hold {
  atomic_uint asked, released;
};

/* Lines of the cache that last beyond their kernel: lasting.c. */
struct cuda_lasting {
  bool lines;                  /* there are such                                 */
  bool ended;                  /* ... of kernels that have ended                 */
  int others;                  /* launches since the last such kernel            */
};

struct cuda;
/* Rounds of a block that wait to be started together, and how often it came in a row:
 * replay.c. */
struct cuda_queue {
  void (*start)(struct cuda *t);   /* starts those that wait                    */
  bool (*give_up)(struct cuda *t); /* the graphs of all blocks, which own memory of the
                                      device: a block that comes again has one again, as at
                                      first. False: there were none, or one still runs */
  struct fs_replay *of;        /* what was started last; NULL: something else  */
  int in_row, waiting;
};

enum { FS_RECENT = 24 };
struct cuda {
  struct fs_target base;   /* first: a struct fs_target * is one of these */
  CUdevice device;
  CUcontext context;
  CUstream stream;         /* all work is on it, so reuse of memory is ordered:
                              fs_cuda_stream()                                 */
  struct cuda_queue queue;
  struct fs_replay *replays; /* all that there are: replay.c */
  struct fs_device plain;   /* fs_device_plain() */
  char arch[32];           /* what NVRTC compiles for */

  CUmemoryPool pool;       /* NULL: the driver has none, plain allocation */
  struct cuda_bin *bins;
  int64_t used, cached;    /* bytes handed out; bytes in the bins */
  char *staging;           /* page-locked, for small copies; may be NULL */

  /* Kernels started since the last time all was well, for messages. */
  const struct fs_code *recent[FS_RECENT];
  int64_t n_recent;        /* may exceed FS_RECENT, and in an hour's loop 2^31 */
  CUresult late;           /* why base.lost, where nobody was told of it then */
  bool reported;           /* base.lost was told to the user */

  struct cuda_libraries *libraries;
  bool crowded;            /* code.c: a launch of several kernels does not fit */
  bool narrow;             /* code.c: the clusters of a march kernel do not    */
  struct fs_builds *warm;  /* code.c: compiled ahead */
  struct fs_module *modules; /* code.c: loaded full code, which codes share    */
  bool rushed;             /* code.c: quickly compiled code does not fit       */
  struct fs_behind *behind; /* behind.c; NULL: nothing was compiled so         */
  struct cuda_pace pace;
  struct cuda_hold hold;
  struct cuda_lasting lasting;
};
static inline struct cuda *fs_cuda_of(struct fs_target *t) {
  return (struct cuda *)t;
}

struct cu_tensor_map {             /* CUtensorMap */
  _Alignas(64) unsigned long long word[16];
};

union cuda_arg {
  void *pointer;
  CUdeviceptr address;
  double number;
  float single;
  unsigned halves;
  long long integer;
};

struct fs_code {
  const struct fs_plan *plan;      /* borrowed, as the kernel */
  const struct fs_kernel *kernel;
  char *does;                      /* "q = A*p; s = A'*r" */
  int n_phases;                    /* kernels in this launch, from `kernel` on */
  bool library;
  const struct fs_foreign *foreign; /* ... which is a kernel of the user; NULL: it is none */

  struct fs_emitted emitted;
  const struct fs_diags *sources;  /* borrowed: outlives all code          */
  char *lined;                     /* emitted.source with #line directives, when it is
                                      wanted: fs_cuda_lined()              */
  struct fs_kernel_key key;
  CUmodule module;
  CUfunction function;
  struct fs_module *shared;        /* whose they are; NULL: its own */
  unsigned blocks;
  void *work;
  size_t work_bytes;
  union cuda_arg *values;
  void **args;                     /* of values[], the sizes, the workspace, maps[] */
  struct cu_tensor_map *maps;

  bool may_fail;                   /* it has a word of its module that says so: fs_small_fault() */
  bool quick;                      /* quickly compiled code is loaded              */
  struct fs_later *later;          /* ... and this its full one; NULL: none to come */
  CUmodule before;                 /* the quick one, which may still run           */
};

struct fs_timer {
  CUevent begin, end;
  bool recorded;
  struct cuda_counter *counter; /* of one that counts; else NULL */
};

enum { FS_STAGING = 1 << 20 };

/* The stream, for whatever is to come behind all that was started: what waits in the queue
 * is started first. */
static inline CUstream fs_cuda_stream(struct cuda *t) {
  if (t->queue.waiting) t->queue.start(t);
  t->queue.of = NULL;
  return t->stream;
}
/* -- context.c */

/* Makes the context current on this thread. Call first in every entry. */
void fs_cuda_enter(struct cuda *t);
/* None is: a context made later may have the same address. */
void fs_cuda_leave(void);

/* Words a failure of `doing` ("starting a kernel") and remembers a fault that
 * nothing can mend. Gives FS_ERR_ENV. d may be NULL. */
enum fs_status fs_cuda_fail(struct cuda *t, CUresult r, const char *doing,
                            struct fs_diags *d);
/* The same where nobody is to be told yet: whoever waits for values is, of `r`. */
void fs_cuda_lose(struct cuda *t, CUresult r);
/* Waits for the stream: FS_INTERRUPTED leaves the work running. */
enum fs_status fs_cuda_wait(struct cuda *t, struct fs_diags *d);
/* Waits two seconds at most, whatever is pending: false if work still runs, and
 * then at once until it was seen to end. */
bool fs_cuda_settle(struct cuda *t);
bool fs_cuda_settle_for(struct fs_target *t, double seconds);
void fs_cuda_started(struct cuda *t, const struct fs_code *code);
/* code.c: what its launch is predicted to take, with all of its phases. */
double fs_cuda_seconds(const struct fs_code *code);

/* pace.c. Before each launch, with the seconds that it is predicted to take: waits
 * while more than about 0.2 s of work is on its way. FS_OK or FS_INTERRUPTED. */
enum fs_status fs_cuda_pace(struct cuda *t, double seconds);
/* Nothing is on its way any more. */
void fs_cuda_pace_rest(struct cuda *t);
void fs_cuda_pace_close(struct cuda *t);

/* lasting.c. Before each launch; and when all of them have ended. */
void fs_cuda_lasting(struct cuda *t, const struct fs_code *code);
void fs_cuda_lasting_rest(struct cuda *t);

/* hold.c. The stream goes on, past what is in it now, at fs_cuda_unhold, or half a
 * millisecond after it came here. False: it was not held. */
bool fs_cuda_hold(struct cuda *t);
void fs_cuda_unhold(struct cuda *t);

/* counter.c: of timers that count. Around a launch; an error of CUPTI is kept until the counts are
 * asked for. */
struct fs_timer *fs_cuda_counter_new(struct fs_target *t, struct fs_str *why);
bool fs_cuda_counts(struct fs_target *t, struct fs_timer *timer, double out[FS_COUNTS],
                    struct fs_str *why);
void fs_cuda_counter_begin(struct cuda_counter *c);
void fs_cuda_counter_end(struct cuda *t, struct cuda_counter *c);
void fs_cuda_counter_free(struct cuda_counter *c);

/* memory.c */
void fs_cuda_memory_open(struct cuda *t);
void fs_cuda_memory_close(struct cuda *t);
enum fs_status fs_cuda_alloc(struct fs_target *t, size_t bytes, void **out);
void fs_cuda_free(struct fs_target *t, void *ptr, size_t bytes);
void fs_cuda_trim(struct fs_target *t);
/* Gives back all that the driver may need for something else than values: freed storage,
 * and the graphs of blocks (replay.c). Waits for what runs, as fs_cuda_settle() does. */
void fs_cuda_make_room(struct cuda *t);
/* Whether a call of the driver that gave r is to be made once more: it had no memory, as
 * for machine code, and what is kept was given back. Not while a graph is captured. */
bool fs_cuda_again(struct cuda *t, CUresult r);
void fs_cuda_memory(struct fs_target *t, int64_t *used, int64_t *cached,
                    int64_t *available);
enum fs_status fs_cuda_upload(struct fs_target *t, void *dst, int64_t dst_pitch,
                              const void *src, int64_t src_pitch, int64_t width,
                              int64_t rows, struct fs_diags *d);
enum fs_status fs_cuda_download(struct fs_target *t, void *dst,
                                int64_t dst_pitch, const void *src,
                                int64_t src_pitch, int64_t width, int64_t rows,
                                struct fs_diags *d);
enum fs_status fs_cuda_copy(struct fs_target *t, void *dst, int64_t dst_pitch,
                            const void *src, int64_t src_pitch, int64_t width,
                            int64_t rows, struct fs_diags *d);
enum fs_status fs_cuda_zero(struct fs_target *t, void *dst, size_t bytes,
                            struct fs_diags *d);
/* Scratch for one call, with the message on failure. */
enum fs_status fs_cuda_scratch(struct cuda *t, size_t bytes, void **out,
                               struct fs_diags *d);

/* behind.c. The full compilation of `source` begins when those before it have ended,
 * on a thread of its own. */
struct fs_later *fs_cuda_later(struct cuda *t, const struct fs_kernel_key *key,
                               const char *source);
/* Whether it has ended; then *image is lent, or NULL if there is none. */
bool fs_cuda_later_ended(struct cuda *t, struct fs_later *l, const void **image);
/* Lets go of it; on disk it will be all the same. */
void fs_cuda_later_drop(struct cuda *t, struct fs_later *l);
int fs_cuda_behind(struct fs_target *t);
void fs_cuda_behind_close(struct cuda *t);

/* build.c */
/* Compiles (or finds in the cache) one text with entry `entry`. */
enum fs_status fs_cuda_build(struct cuda *t, const char *source,
                             const char *entry, CUmodule *module,
                             CUfunction *function, struct fs_diags *d);

/* code.c */
/* Before a launch: full code in place of quick code, once it is there. */
void fs_cuda_renew(struct cuda *t, struct fs_code *code);
bool fs_cuda_is_quick(const struct fs_code *code);
enum fs_status fs_cuda_prepare(struct fs_target *t, const struct fs_plan *plan,
                               const struct fs_diags *sources, int n,
                               const struct fs_kernel *const *kernels,
                               struct fs_code **codes, struct fs_diags *d);
void fs_cuda_warm(struct fs_target *t, int n, const struct fs_plan *const *plans,
                  const struct fs_diags *sources);
void fs_cuda_release(struct fs_target *t, struct fs_code *code);
enum fs_status fs_cuda_launch(struct fs_target *t, struct fs_code *code,
                              void *const *slots,
                              const struct fs_number *params,
                              struct fs_timer *timer, struct fs_diags *d);
/* Puts this run's addresses and numbers into the kernel's arguments. */
CUresult fs_cuda_bind(struct fs_code *code, void *const *slots,
                      const struct fs_number *params);
/* Starts a kernel of ours with the arguments that were bound last; `early`: it may
 * be put on the device while the kernel before it ends. */
CUresult fs_cuda_start(struct cuda *t, const struct fs_code *code, bool early);
/* replay.c */
enum fs_status fs_cuda_launch_all(struct fs_target *t,
                                  struct fs_replay **replay, int n,
                                  struct fs_code *const *codes,
                                  void *const *slots,
                                  const struct fs_number *params, int *begun,
                                  struct fs_diags *d);
void fs_cuda_replay_free(struct fs_target *t, struct fs_replay *replay);
/* What struct cuda_queue has. */
void fs_cuda_start_waiting(struct cuda *t);
bool fs_cuda_replay_trim(struct cuda *t);

/* The text of a code with #line directives; its own. */
const char *fs_cuda_lined(struct fs_code *code);
/* What is compiled quickly in its place; NULL: the same text. Given. */
char *fs_cuda_quick_text(const struct cuda *t, const struct fs_code *code);
/* The program of loops that it is printed from; NULL: it is a launch of several kernels. Given. */
char *fs_cuda_loops_text(const struct cuda *t, const struct fs_code *code);

/* code_text.c */
void fs_cuda_footprint(struct fs_target *t, const struct fs_plan *plan,
                       const struct fs_kernel *kernel,
                       struct fs_footprint *out, struct fs_home *places);
bool fs_cuda_taken(struct fs_target *t, const struct fs_code *code,
                   struct fs_footprint *out);
char *fs_cuda_code_text(struct fs_target *t, struct fs_code *code,
                        const char *form, const char **why);

/* cublas.c */
enum fs_status fs_cuda_library_prepare(struct cuda *t,
                                       const struct fs_code *code,
                                       struct fs_diags *d);
enum fs_status fs_cuda_library_launch(struct cuda *t,
                                      const struct fs_code *code,
                                      void *const *slots, struct fs_diags *d);
void fs_cuda_library_close(struct cuda *t);

#endif
