/* inside.h - what the files of core/plan/kernels share with each other alone. */
#ifndef FS_KERNELS_INSIDE_H
#define FS_KERNELS_INSIDE_H

#include "core/model/predict.h"
#include "core/plan/calls/rule.h"
#include "core/plan/kernels/kernels.h"

/* A kernel that was made: several plans of a block, and what it takes unfused, have many of
 * the same. */
struct fs_made {
  const fs_id *calls;
  int n;
  enum fs_scheme scheme;      /* what tells an implementation ... */
  unsigned inner;
  int variant;
  int next;                   /* of the same first call, + 1 */
  struct fs_kernel kernel;
};

/* axes.c: whether a node is of the group that a kernel is being built of, and whether that
 * kernel computes the node itself. */
bool fs_plan_is_member(const struct fs_maker *p, fs_id id);
bool fs_plan_computed_here(const struct fs_maker *p, fs_id id);

/* What a group has on the heap. May be NULL. */
struct fs_group;

/* alike.c: what fs_kernel_survey() found for these calls (ascending), or for others that are
 * the same but for which arrays and numbers they take; stored[]: which results others want.
 * Appends it, and *why; false: it was not asked for yet. Then fs_alike_keep() keeps what it
 * finds next, and how many implementations that were. Gives its lists: fs_alike_free(),
 * which takes NULL, too. */
bool fs_alike_find(struct fs_maker *p, const fs_id *calls, int n, const bool *stored,
                   fs_impl_list *out, enum fs_rule *why);
void fs_alike_keep(struct fs_maker *p, int64_t implementations, int64_t dominated,
                   const struct fs_impl *impls, int n, enum fs_rule why);
void fs_alike_free(struct fs_alike *a);

/* instance.c: the same as fs_kernel_make() where one of the calls is an APPLY; stored[]:
 * which results others want. `k` is empty, its lists may have room. Rule "routine": the
 * others are not maps. */
bool fs_is_instance(const struct fs_maker *p, const fs_id *calls, int n);
/* How many routines its function has to choose from; `way` is one of them. */
int fs_instance_ways(const struct fs_maker *p, const fs_id *calls, int n);
enum fs_rule fs_kernel_instance(struct fs_maker *p, const fs_id *calls, int n, const bool *stored,
                               int way, struct fs_kernel *k, struct fs_work *work);

/* price.c: counts what a tuned kernel moves and computes, and predicts its time; into
 * k->work, or into `w` alone. */
void fs_kernel_price(const struct fs_maker *p, struct fs_kernel *k);
void fs_kernel_price_into(const struct fs_maker *p, struct fs_kernel *k, struct fs_work *w);
/* The same of a kernel that takes another routine of the user's functions. */
struct fs_prediction fs_kernel_price_routines(const struct fs_kernel *k,
                                              const struct fs_device *d, struct fs_work *w);
/* work.c: adds calls of a function of the user: what one was measured to take on
 * the device, else the operations that it declares. */
void fs_work_user(struct fs_work *w, const struct fs_user *u,
                  const struct fs_device *d, int phase, double calls);

/* Elements that are copied, and where they go. */
struct fs_piece {
  int rank;
  int64_t dim[FS_MAX_RANK];
  int64_t from, from_stride[FS_MAX_RANK];
  int64_t to, to_stride[FS_MAX_RANK];
};
/* A kernel that copies them, from the base of an UPDATE to its slot: both as nodes. */
void fs_copy_kernel(struct fs_maker *p, fs_id update, const struct fs_piece *x,
                    enum fs_copies copies, struct fs_kernel *k);

#endif
