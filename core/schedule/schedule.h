/* schedule.h - how a kernel runs on a device: the settings of its threads, and what
 * follows from them. Decided here; the planner prices it, the targets do it.
 */
#ifndef FS_SCHEDULE_H
#define FS_SCHEDULE_H

#include "core/kernel/kernel.h"
#include "core/model/device.h"

/* -- settings (tune.c) ----------------------------------------------------------- */
/* Fills kernel->tune for the device; deterministic. */
void fs_tune(struct fs_kernel *kernel, const struct fs_device *device);
/* Whether a block, or a cluster of blocks, of a row kernel that is tuned holds all
 * vectors of a row; else it goes over rows, or over panels of columns, in parts. */
bool fs_tune_holds(const struct fs_kernel *kernel);
/* Blocks of a row or flat kernel that registers let a multiprocessor hold, about, when
 * it is walked as kernel->tune says. */
int fs_tune_resident(const struct fs_kernel *kernel);
/* The settings that are worth a try, what fs_tune() takes first: other block
 * sizes, serial iterations, vectors of a row in a thread, rows under way in shared
 * memory. Gives how many, at most
 * FS_MAX_VARIANTS; one on the CPU target, which has no such settings. */
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

/* -- the panel scheme (panel.c) ------------------------------------------------------- */
/* FS_PANEL: how it is cut. A block has `height` of the j, all blocks walk together
 * over panels of `width` of the i (core/plan/panel.c). */
struct fs_panel {
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
bool fs_panel_of(const struct fs_kernel *kernel, const struct fs_device *device,
                 struct fs_panel *out);
bool fs_panel_pays(const struct fs_kernel *kernel,
                   const struct fs_device *device);
/* False: no kernel over an index space of so many elements should. */
bool fs_panel_may_pay(double elements, const struct fs_device *device);
/* Which values (sent[] has room for all) are made of a column's sums and go back to
 * all blocks. */
void fs_panel_sent(const struct fs_kernel *kernel, bool *sent);

#endif
