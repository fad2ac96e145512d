/* learn.h - corrections learned from runs and compilers: a factor for each kernel.
 *
 * A run of a kernel moves the logarithm of its factor towards measured / first prediction;
 * the factor stays between 1/2 and 2. One that has not run has what others of its kind have
 * in common. A kind is a scheme, a pattern, whether it computes much for a byte, and a size
 * class ("row rows light 2^24"). Factors change the shown prediction (fs_kernel.predicted),
 * never a plan: those are chosen by fs_kernel.first, so that results do not depend on what
 * was run before.
 *
 * The registers of a kernel are estimated from its plan until it is compiled. What the
 * driver then says teaches a factor for its scheme and arithmetic ("registers row
 * f32"), which is shown beside the estimate and decides nothing.
 */
#ifndef FS_LEARN_H
#define FS_LEARN_H

#include "core/model/predict.h"

struct fs_learned;             /* the corrections of one device */

/* What such a kernel's factor is found by: its kind, and a hash of its work,
 * "row rows f32 light 2^24 #5f0c...". */
enum { FS_LEARNED_NAME = FS_KIND_NAME + 36 };
void fs_learned_name(const struct fs_work *work, char out[FS_LEARNED_NAME]);

/* Reads the device's file; without one, or with one that cannot be used, there
 * are no corrections (*notice then says why, in one sentence). Never NULL. */
struct fs_learned *fs_learned_open(const struct fs_device *device,
                                   struct fs_str *notice);
/* Writes what is new, and frees. NULL is let pass. */
void fs_learned_close(struct fs_learned *l);

/* The factor for such a kernel: 0.5 to 2; 1 if nothing is known. */
double fs_learned_factor(const struct fs_learned *l,
                         const struct fs_work *work);
double fs_learned_factor_of(const struct fs_learned *l,
                            const char *name);
/* A kernel was predicted to take `first` and took `measured` seconds. Writes the
 * file now and then. What is no time, or below the clock's grain, is ignored. */
void fs_learned_add(struct fs_learned *l, const struct fs_work *work,
                    double first, double measured);
/* The same of registers: what they are to be multiplied by; a thread of a kernel was
 * estimated to take so many, and took so many. */
double fs_learned_registers(const struct fs_learned *l,
                            const struct fs_work *work);
void fs_learned_add_registers(struct fs_learned *l, const struct fs_work *work,
                              int estimated, int taken);
/* How many kinds have a correction; forgets them, file and all. */
int fs_learned_count(const struct fs_learned *l);
void fs_learned_forget(struct fs_learned *l);

#endif
