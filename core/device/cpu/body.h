/* body.h - the body of a region (core/graph/region.h) with those of its results that a kernel
 * wants: interpreted (region.h), or compiled by the system's C compiler, with the same bits.
 *
 * Bodies of equal content are one. Whoever has taken some time is compiled, one after the other,
 * by a process of low priority while statements run; the code is loaded before a later launch,
 * and kept on disk as users' routines are (native.h). */
#ifndef FS_CPU_BODY_H
#define FS_CPU_BODY_H

#include "core/device/cpu/region.h"

/* `:set regions`: compiled when it pays and nobody waits for it, before the first run, or never. */
enum fs_bodies { FS_BODIES_BEHIND, FS_BODIES_NOW, FS_BODIES_OFF };
/* At first what FUSIBLE_REGIONS says: "behind", "now" or "off". For the process. */
enum fs_bodies fs_bodies_mode(void);
void fs_bodies_set(enum fs_bodies mode);

/* stop() ends loops; call[k] is the k-th routine that the text has no expression for. */
typedef void fs_body_fn(void *const *out, const void *const *in, const int64_t *stride,
                        unsigned one, int64_t n, bool (*stop)(void), fs_map_fn *const *call);

struct fs_body;

/* The body of a region with results in these registers; fs_body_drop() gives it back (NULL:
 * nothing). */
struct fs_body *fs_body_get(const struct fs_region *r, int n_results, const int *results,
                            const struct fs_routines *routines);
void fs_body_drop(struct fs_body *b);
const struct fs_region *fs_body_region(const struct fs_body *b);

/* Before a launch: takes code that is there, and has turned out to be no slower. After one: the
 * seconds of all of it, and for how many elements. Neither while one runs. */
void fs_body_prepare(struct fs_body *b);
void fs_body_spent(struct fs_body *b, double seconds, double elements);
/* Whether it runs as machine code; else why not, as words that go after a colon (static, or kept
 * until the next call). */
bool fs_body_is_compiled(const struct fs_body *b, const char **why);
/* Its C text. */
void fs_body_put(const struct fs_body *b, struct fs_str *out);

/* Any number of threads. */
void fs_body_run(const struct fs_body *b, const struct fs_region_call *c);

/* Ends the compiler, if one runs. */
void fs_bodies_close(void);

#endif
