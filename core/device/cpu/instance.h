/* instance.h - kernels of the instance scheme on the CPU target (plan.h).
 *
 * Some instances at a time: what each operand's phase computes goes into a
 * buffer, element after element, the user's C routine runs over the buffers, and
 * the last phase goes on with its results. How instances are divided depends on
 * the plan alone, and each is worked on by itself. */
#ifndef FS_CPU_INSTANCE_H
#define FS_CPU_INSTANCE_H

#include "core/device/cpu/native.h"
#include "core/device/cpu/pool.h"
#include "core/model/occupancy.h"
#include "core/graph/graph.h"

struct fs_plan;
struct fs_kernel;
#include "elemlib/cpu/routines.h"

struct fs_instance_walk;

/* NULL with the reason (static) on what the op table does not allow. */
struct fs_instance_walk *fs_instance_new(const struct fs_plan *plan,
                                         const struct fs_kernel *kernel,
                                         const struct fs_routines *r,
                                         const char **why);
void fs_instance_free(struct fs_instance_walk *w);
/* Bytes of scratch that a thread needs. */
int64_t fs_instance_scratch(const struct fs_instance_walk *w);
/* What it takes of a processor, and where the kernel's values live. */
void fs_instance_footprint(const struct fs_instance_walk *w,
                           struct fs_footprint *out, struct fs_home *places);
/* *fault: which instance failed first, as fs_small_fault() has it; 0: none. */
enum fs_status fs_instance_run(const struct fs_instance_walk *w,
                               struct fs_pool *pool, int threads, char *scratch,
                               void *const *slots, const struct fs_number *params,
                               uint64_t *fault);
void fs_instance_print(const struct fs_instance_walk *w, struct fs_str *out);

#endif
