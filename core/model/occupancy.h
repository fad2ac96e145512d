/* occupancy.h - how much of a device a kernel fills, and what keeps it from more. */
#ifndef FS_OCCUPANCY_H
#define FS_OCCUPANCY_H

#include "core/model/device.h"

/* What one block of a kernel takes; a target knows (target.h, footprint). */
struct fs_footprint {
  int threads;        /* CUDA: of a block; CPU: 1                              */
  int registers;      /* CUDA: 32-bit registers of a thread                    */
  int64_t shared;     /* CUDA: bytes of shared memory of a block               */
  int64_t spilled;    /* CUDA: bytes of a thread that found no register        */
  int64_t scratch;    /* CPU: bytes that a thread keeps in its caches          */
  int64_t blocks;     /* CUDA: blocks with work; CPU: tasks                    */
};

/* Where a value of a kernel lives while it runs. */
struct fs_home {
  const char *storage; /* "register", "shared"; CPU: "cache", "in place" (the
                          tensor's own memory); "none": never made, an equal
                          value stands for it                               */
  double bytes;        /* CUDA: of all threads of a block; CPU: of one thread */
};

struct fs_occupancy {
  int per_unit;       /* blocks (tasks) on one multiprocessor (thread) at once */
  double share;       /* of the threads that the device can hold, 0 to 1       */
  const char *limit;  /* what keeps it there: "registers", "shared", "threads",
                         "blocks" (the device holds no more), "work" (there are
                         no more); CPU: "work" or NULL   */
};

/* By the limits of compute capability 8.0 and later: 2048 threads, 32 blocks and
 * device->regs registers a multiprocessor, registers given out to warps in units
 * of 256, shared memory as device->shared_bytes with 1 KiB of each block kept by
 * the system (CUDA C++ Programming Guide, "Compute Capabilities"). */
struct fs_occupancy fs_occupancy(const struct fs_footprint *f,
                                 const struct fs_device *device);

#endif
