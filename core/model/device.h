/* device.h - what the planner and the model know about a device. */
#ifndef FS_DEVICE_H
#define FS_DEVICE_H

#include "core/base/base.h"

/* What a GPU's kernels are written in. */
enum fs_dialect { FS_CUDA_C, FS_OPENCL_C };

struct fs_device {
  bool is_cuda;
  char name[128];            /* "NVIDIA H200", "Intel(R) Xeon(R) ..."      */
  char arch[32];             /* "sm_90a", "avx512"                         */
  int cc;                    /* CUDA compute capability * 10, else 0       */
  /* What kernels may use: fs_device_of_cc(). */
  bool clusters;             /* blocks that share a row by their memory    */
  bool bulk_copies;          /* started by one thread, waited for by all   */
  bool policies;             /* loads say what the cache keeps             */
  bool chains;               /* a launch begins before the last one's end  */
  bool gives_registers;      /* warps give registers to others: in code for one
                                architecture alone                         */
  bool shuffles;             /* threads of a warp see each other's registers */
  bool pairs;                /* halves are computed two at once            */
  bool short_ways;           /* instructions that only some operands have  */
  enum fs_dialect dialect;   /* of a GPU                                   */
  int units;                 /* SMs, or worker threads                     */
  int max_threads;           /* per block                                  */
  int64_t shared_bytes;      /* per block, with opt-in                     */
  int64_t regs;              /* 32-bit registers per SM                    */
  bool cooperative;          /* blocks of a launch can wait for each other */
  int64_t cache_bytes;       /* L2 (CUDA), last level (CPU)                */
  int64_t core_cache_bytes;  /* CPU: second level, of one core             */
  int64_t memory_bytes;      /* total                                      */
  double bandwidth;          /* bytes/s, off-chip: what copies reach       */
  double peak_bandwidth;     /* ... and what no kernel exceeds; 0: unknown */
  double cache_bandwidth;    /* bytes/s while data stays in cache          */
  double launch;             /* seconds per kernel                         */
  double flops;              /* f32 operations per second                  */
  char driver[32];           /* of a GPU: "CUDA 13.0"; a part of the key of
                                what was measured on it                    */
  const struct fs_calibration *calibration; /* of this device or of one of its
                                kind; borrowed; NULL: nothing can be priced */
};

/* GPUs from one compute capability (times 10) on: generation.c. */
struct fs_generation {
  int cc;
  bool together;             /* clusters, bulk copies, policies and chains */
  bool own_code;             /* code for it alone ("sm_90a") can do more   */
  int64_t shared_bytes;      /* per block, with opt-in                     */
  int cores;                 /* of f32, per multiprocessor                 */
  double bandwidth;          /* bytes/s off chip, where the driver does not say */
};
const struct fs_generation *fs_generation_of(int cc);
bool fs_generation_known(int cc); /* not older than all that there is code for */
void fs_generation_arch(int cc, char *out, size_t size); /* "sm_90a" */

/* Sets what a GPU of that compute capability offers, whose `arch` is known. */
void fs_device_of_cc(struct fs_device *d, int cc);
/* The device without what only some offer. */
static inline struct fs_device fs_device_plain(const struct fs_device *d) {
  struct fs_device plain = *d;
  fs_device_of_cc(&plain, 0);
  plain.cc = d->cc;
  return plain;
}

/* Whether threads of a kernel share the registers of a unit, so that settings of it and its
 * occupancy mean something. */
static inline bool fs_device_has_warps(const struct fs_device *d) { return d && d->regs > 0; }

/* What processors, or GPUs, have in common: classes.c. */
struct fs_device_class {
  const char *reference;     /* the file of costs to start from            */
  double halves;             /* operations on halves, in those on f32: a first guess */
  bool one_rate;             /* of plain operations; memory's is known, too */
  double overlap[2];         /* from, to: what part of computing moves may hide */
  double grain;              /* seconds that a measurement may be off      */
  /* What library calls take, in times of their moves. */
  double sorts, scans, by_rows, by_element, inversion;
  double fourier;            /* ... and log2 of their length               */
  double link_delay, link_rate; /* of what ranks do together: seconds a rank, bytes a second */
  bool narrow;               /* ... of narrow products, where it computes in vain */
  bool symmetric;            /* x*x' takes half of a product               */
  int64_t calls, most_calls; /* of a user's function, to measure one       */
};
const struct fs_device_class *fs_device_class(const struct fs_device *d);

/* Whether so many bytes that are read again and again do not surely stay in the cache,
 * which has other things to hold, too. */
static inline bool fs_exceeds_cache(const struct fs_device *d, double bytes) {
  return bytes > .8 * (double)d->cache_bytes;
}

/* What names its files: name, arch, driver, threads. */
uint64_t fs_device_hash(const struct fs_device *device);

#endif
