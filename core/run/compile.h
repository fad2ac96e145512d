/* compile.h - the pipeline from a traced graph to a compiled block. */
#ifndef FS_COMPILE_H
#define FS_COMPILE_H

#include "core/run/run.h"

/* Refuses a plan that stores a value larger than the memory of the device, before
 * anything is compiled, allocated or computed. What no slot has may be of any size. */
enum fs_status fs_compile_fits(const struct fs_plan *plan, const struct fs_device *device,
                               struct fs_diags *d);
/* The refusal: FS_ERR_USER. */
enum fs_status fs_refuse_size(const struct fs_device *device, enum fs_dtype dt,
                              const struct fs_shape *shape, struct fs_span span,
                              struct fs_diags *d);

/* A rule that the graph or its plan breaks, which is a fault of ours: FS_ERR_ENV, said with
 * the plan. */
enum fs_status fs_compile_check(const struct fs_plan *plan, const struct fs_diags *sources,
                                struct fs_diags *d);

/* Plans and compiles a simplified graph (keeps it, also on failure). On FS_OK
 * *out is given: free it with fs_block_free(). */
enum fs_status fs_compile(struct fs_graph *simplified, struct fs_target *target,
                          const struct fs_plan_options *options,
                          const struct fs_diags *sources,
                          struct fs_block **out, struct fs_diags *d);
/* The same from a plan (keeps it, also on failure). */
enum fs_status fs_compile_plan(struct fs_plan *plan, struct fs_target *target,
                               const struct fs_diags *sources,
                               struct fs_block **out, struct fs_diags *d);
/* Compiles what fs_compile() left: copies before updates that will hardly be made, of
 * blocks of any size, whose host time counts. `but`: NULL, or those to leave still. On
 * failure nothing is changed. */
enum fs_status fs_compile_rest(struct fs_block *block, struct fs_target *target,
                               const bool *but, struct fs_diags *d);
/* The text of a kernel's code as fs_target_ops.code_text gives it, or NULL and why not. */
char *fs_block_code_text(const struct fs_block *block, struct fs_target *target, int kernel,
                         const char *form, const char **why);
void fs_block_free(struct fs_block *block, struct fs_target *target);

#endif
